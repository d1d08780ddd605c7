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
using machine::page_array;

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
  require(of, "pagerank", [&] { return graph::needs::pagerank(of.any(), !options.seeds.empty()); });
  graph::pagerank_result made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return graph::pagerank(of.any(), options, control);
  });
  return nb::make_tuple(to_numpy(std::move(made.scores)), made.iterations, made.change, made.converged);
}

/// An array or, where it is empty, None.
template <class T>
nb::object to_numpy_or_none(page_array<T>&& values) {
  return values.empty() ? nb::none() : to_numpy(std::move(values));
}

graph::betweenness_options betweenness_options_of(std::uint64_t samples, std::uint64_t seed, double error,
                                                  double confidence, const std::optional<column<std::uint64_t>>& from,
                                                  bool normalized, const std::string& weights) {
  graph::betweenness_options options{.samples = samples,
                                     .seed = seed,
                                     .error = error,
                                     .confidence = confidence,
                                     .normalized = normalized,
                                     .weights = weight_use_named(weights)};
  if (from) options.from.assign(from->data(), from->data() + from->size());
  return options;
}

nb::tuple betweenness(const held_graph& of, std::uint64_t samples, std::uint64_t seed, double error, double confidence,
                      const std::optional<column<std::uint64_t>>& from, bool normalized, const std::string& weights,
                      nb::handle progress) {
  const auto options = betweenness_options_of(samples, seed, error, confidence, from, normalized, weights);
  graph::betweenness_result made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    return graph::betweenness(of.any(), options, control);
  });
  return nb::make_tuple(to_numpy(std::move(made.scores)), to_numpy_or_none(std::move(made.standard_errors)),
                        made.sources, made.searches);
}

nb::tuple edge_betweenness(const held_graph& of, std::uint64_t samples, std::uint64_t seed,
                           const std::optional<column<std::uint64_t>>& from, bool normalized,
                           const std::string& weights, nb::handle progress) {
  const auto options = betweenness_options_of(samples, seed, 0, 0.9, from, normalized, weights);
  require(of, "edge betweenness", [&] { return graph::edge_betweenness_memory(of.any(), options); });
  const graph::edge_betweenness_result made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    return graph::edge_betweenness(of.any(), options, control);
  });
  return nb::make_tuple(column_of(made.edges, &graph::scored_edge::from),
                        column_of(made.edges, &graph::scored_edge::to),
                        column_of(made.edges, &graph::scored_edge::score), made.sources);
}

nb::tuple closeness(const held_graph& of, bool harmonic, bool outgoing, bool normalized, const std::string& weights,
                    std::uint64_t samples, std::uint64_t seed, double error, double confidence, nb::handle progress) {
  const graph::closeness_options options{.harmonic = harmonic,
                                         .outgoing = outgoing,
                                         .normalized = normalized,
                                         .weights = weight_use_named(weights),
                                         .samples = samples,
                                         .seed = seed,
                                         .error = error,
                                         .confidence = confidence};
  require(of, "closeness", [&] { return graph::needs::closeness(of.any(), options); });
  graph::closeness_result made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    return graph::closeness(of.any(), options, control);
  });
  return nb::make_tuple(to_numpy(std::move(made.scores)), to_numpy_or_none(std::move(made.standard_errors)),
                        made.sources);
}

graph::spectral_options spectral_options_of(double tolerance, unsigned iterations, const std::string& weights) {
  return {.tolerance = tolerance, .iterations = iterations, .weights = weight_use_named(weights)};
}

nb::tuple eigenvector(const held_graph& of, double tolerance, unsigned iterations, const std::string& weights,
                      nb::handle progress) {
  const auto options = spectral_options_of(tolerance, iterations, weights);
  require(of, "eigenvector centrality", [&] { return graph::needs::spectral(of.any()); });
  graph::eigenvector_result made = run(progress, by_neighbours(of.any()), [&](const run_control& control) {
    return graph::eigenvector(of.any(), options, control);
  });
  return nb::make_tuple(to_numpy(std::move(made.scores)), made.eigenvalue, made.iterations, made.residual,
                        made.converged);
}

nb::tuple katz(const held_graph& of, double alpha, double beta, bool normalized, double tolerance, unsigned iterations,
               const std::string& weights, nb::handle progress) {
  graph::katz_options options;
  static_cast<graph::spectral_options&>(options) = spectral_options_of(tolerance, iterations, weights);
  options.alpha = alpha;
  options.beta = beta;
  options.normalized = normalized;
  require(of, "Katz centrality", [&] { return graph::needs::spectral(of.any()); });
  graph::katz_result made = run(progress, by_neighbours(of.any()),
                                [&](const run_control& control) { return graph::katz(of.any(), options, control); });
  return nb::make_tuple(to_numpy(std::move(made.scores)), made.alpha, made.iterations, made.residual, made.converged);
}

nb::tuple hits(const held_graph& of, double tolerance, unsigned iterations, const std::string& weights,
               nb::handle progress) {
  const auto options = spectral_options_of(tolerance, iterations, weights);
  require(of, "hubs and authorities", [&] { return graph::needs::spectral(of.any()); });
  graph::hits_result made = run(progress, by_neighbours(of.any()),
                                [&](const run_control& control) { return graph::hits(of.any(), options, control); });
  return nb::make_tuple(to_numpy(std::move(made.hubs)), to_numpy(std::move(made.authorities)), made.iterations,
                        made.residual, made.converged);
}

}  // namespace

void bind_ranks(nb::module_& m) {
  m.def("pagerank", &pagerank, nb::arg("graph"), nb::arg("damping") = 0.85, nb::arg("tolerance") = 1e-9,
        nb::arg("iterations") = 100, nb::arg("accelerated") = true, nb::arg("weights") = "strength",
        nb::arg("seeds").noconvert() = nb::none(), nb::arg("seed_weights").noconvert() = nb::none(),
        nb::arg("progress") = nb::none());
  m.def("betweenness", &betweenness, nb::arg("graph"), nb::arg("samples") = 0, nb::arg("seed") = 1,
        nb::arg("error") = 0.0, nb::arg("confidence") = 0.9, nb::arg("sources").noconvert() = nb::none(),
        nb::arg("normalized") = false, nb::arg("weights") = "none", nb::arg("progress") = nb::none());
  m.def("edge_betweenness", &edge_betweenness, nb::arg("graph"), nb::arg("samples") = 0, nb::arg("seed") = 1,
        nb::arg("sources").noconvert() = nb::none(), nb::arg("normalized") = false, nb::arg("weights") = "none",
        nb::arg("progress") = nb::none());
  m.def("closeness", &closeness, nb::arg("graph"), nb::arg("harmonic") = false, nb::arg("outgoing") = false,
        nb::arg("normalized") = false, nb::arg("weights") = "none", nb::arg("samples") = 0, nb::arg("seed") = 1,
        nb::arg("error") = 0.0, nb::arg("confidence") = 0.9, nb::arg("progress") = nb::none());
  m.def("eigenvector", &eigenvector, nb::arg("graph"), nb::arg("tolerance") = 1e-9, nb::arg("iterations") = 1000,
        nb::arg("weights") = "none", nb::arg("progress") = nb::none());
  m.def("katz", &katz, nb::arg("graph"), nb::arg("alpha") = 0.0, nb::arg("beta") = 1.0, nb::arg("normalized") = true,
        nb::arg("tolerance") = 1e-9, nb::arg("iterations") = 1000, nb::arg("weights") = "none",
        nb::arg("progress") = nb::none());
  m.def("hits", &hits, nb::arg("graph"), nb::arg("tolerance") = 1e-9, nb::arg("iterations") = 1000,
        nb::arg("weights") = "strength", nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
