// Distances and paths.
#include "bindings.hpp"
#include "kernels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

namespace callisto::python {
namespace {

using graph::run_control;

nb::tuple bfs(const held_graph& of, std::uint64_t source, const std::string& along, std::uint32_t depth, bool distances,
              nb::handle progress) {
  const graph::bfs_options options{.distances = distances, .depth = depth};
  return of.visit([&](const auto& g) {
    auto made = run(progress, is_brief(of.any()), [&](const run_control& control) {
      if (along == "out") return graph::bfs(g, source, options, control);
      if (along == "in") return graph::backward_bfs(g, source, options, control);
      if (along == "both") return graph::undirected_bfs(g, source, options, control);
      throw usage_error(fmt::format("along is '{}': expected 'out', 'in' or 'both'", along));
    });
    return nb::make_tuple(to_numpy(std::move(made.parents)), to_numpy(std::move(made.distances)), made.reached,
                          made.eccentricity);
  });
}

}  // namespace

void bind_paths(nb::module_& m) {
  m.def("bfs", &bfs, nb::arg("graph"), nb::arg("source"), nb::arg("along") = "out",
        nb::arg("depth") = std::numeric_limits<std::uint32_t>::max(), nb::arg("distances") = true,
        nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
