// How important vertices are: PageRank, betweenness, closeness, spectral centralities.
#include "bindings.hpp"
#include "kernels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>

namespace callisto::python {
namespace {

using graph::run_control;

nb::tuple pagerank(const held_graph& of, double damping, double tolerance, unsigned iterations, bool accelerated,
                   const std::string& weights, const std::optional<column<std::uint64_t>>& seeds,
                   const std::optional<column<double>>& seed_weights, nb::handle progress) {
  graph::pagerank_options options{.damping = damping,
                                  .tolerance = tolerance,
                                  .iterations = iterations,
                                  .accelerated = accelerated,
                                  .weights = weight_use_named(weights)};
  for (std::size_t i = 0; seeds && i < seeds->size(); ++i) {
    options.seeds.push_back({seeds->data()[i], seed_weights ? seed_weights->data()[i] : 1});
  }
  graph::pagerank_result made = run(progress, is_brief(of.any()), [&](const run_control& control) {
    return graph::pagerank(of.any(), options, control);
  });
  return nb::make_tuple(to_numpy(std::move(made.scores)), made.iterations, made.change, made.converged);
}

}  // namespace

void bind_ranks(nb::module_& m) {
  m.def("pagerank", &pagerank, nb::arg("graph"), nb::arg("damping") = 0.85, nb::arg("tolerance") = 1e-9,
        nb::arg("iterations") = 100, nb::arg("accelerated") = true, nb::arg("weights") = "strength",
        nb::arg("seeds").noconvert() = nb::none(), nb::arg("seed_weights").noconvert() = nb::none(),
        nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
