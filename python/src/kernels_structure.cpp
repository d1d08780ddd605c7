// How a graph is made up: components, cores, triangles, communities.
#include "bindings.hpp"
#include "kernels.hpp"

#include <cstdint>

namespace callisto::python {
namespace {

using graph::run_control;

nb::object components(const held_graph& of, bool strong, nb::handle progress) {
  return of.visit([&](const auto& g) {
    return to_numpy(run(progress, is_brief(of.any()), [&](const run_control& control) {
      return strong ? graph::strong_components(g, control) : graph::components(g, control);
    }));
  });
}

}  // namespace

void bind_structure(nb::module_& m) {
  m.def("components", &components, nb::arg("graph"), nb::arg("strong") = false, nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
