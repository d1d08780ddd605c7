// The kernels as the NetworkX backend calls them.
#pragma once

#include "graph.hpp"

#include <nanobind/nanobind.h>

namespace callisto::python {

void bind_networkx_kernels(nanobind::module_& module);

}  // namespace callisto::python
