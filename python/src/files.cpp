// Graphs from files and to files.
#include "bindings.hpp"
#include "graph.hpp"
#include "run.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

namespace callisto::python {
namespace {

using graph::run_control;

void save(const held_graph& of, const std::string& path, nb::handle progress) {
  run(progress, false, [&](const run_control& control) {
    graph::write_native(of.any(), path, control);
    return true;
  });
}

}  // namespace

void bind_files(nb::module_& m) {
  m.def("save", &save, nb::arg("graph"), nb::arg("path"), nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
