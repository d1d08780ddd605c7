// What each file of bindings adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace callisto::python {

void bind_errors(nanobind::module_& module);
void bind_graph(nanobind::module_& module);
void bind_construction(nanobind::module_& module);
void bind_labels(nanobind::module_& module);
void bind_arrow(nanobind::module_& module);
void bind_attributes(nanobind::module_& module);
void bind_samples(nanobind::module_& module);
void bind_files(nanobind::module_& module);
void bind_ranks(nanobind::module_& module);
void bind_paths(nanobind::module_& module);
void bind_structure(nanobind::module_& module);
void bind_changing(nanobind::module_& module);
void bind_networkx(nanobind::module_& module);
/// In builds with ranks alone (CALLISTO_PYTHON_CLUSTER).
void bind_cluster(nanobind::module_& module);

}  // namespace callisto::python
