// Compares exact betweenness: Callisto in each form, and a plain version of Brandes' algorithm with OpenMP, flat over
// sources.
//
//   betweenness [FILE]      a graph file; without one, a Kronecker graph of scale 12
//
// Exit code 1 if scores differ, or if Callisto with its own choice of form is less than 1.5 times as fast as the OpenMP
// loop.
#include <lab/costs/compare.hpp>

#include <callisto/callisto.hpp>
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/files/load.hpp>

#include <cmath>
#include <cstdint>
#include <exception>

namespace {

using namespace callisto;
using lab::seconds_of;
using lab::variant;

/// Searches on one thread, from one source at a time.
template <class Vertex>
struct plain_search {
  explicit plain_search(const graph::csr_graph<Vertex>& of)
      : graph(of), distance(of.vertices(), -1), paths(of.vertices()), dependency(of.vertices()), sums(of.vertices()) {
    order.reserve(of.vertices());
  }

  void run(std::uint64_t source) {
    order.assign(1, source);
    distance[source] = 0;
    paths[source] = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint64_t u = order[i];
      for (const Vertex w : graph.out().row(u)) {
        if (distance[w] < 0) {
          distance[w] = distance[u] + 1;
          order.push_back(w);
        }
        if (distance[w] == distance[u] + 1) paths[w] += paths[u];
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint64_t u = order[i];
      for (const Vertex w : graph.out().row(u)) {
        if (distance[w] == distance[u] + 1) dependency[u] += paths[u] / paths[w] * (1 + dependency[w]);
      }
      if (i != 0) sums[u] += dependency[u];
    }
    for (const std::uint64_t v : order) {
      distance[v] = -1;
      paths[v] = dependency[v] = 0;
    }
  }

  const graph::csr_graph<Vertex>& graph;
  std::vector<std::int64_t> distance;
  std::vector<double> paths;
  std::vector<double> dependency;
  std::vector<double> sums;
  std::vector<std::uint64_t> order;
};

template <class Vertex>
std::vector<double> betweenness_openmp(const graph::csr_graph<Vertex>& graph, int threads) {
  const std::uint64_t n = graph.vertices();
  std::vector<double> scores(n);
#pragma omp parallel num_threads(threads)
  {
    plain_search<Vertex> mine(graph);
#pragma omp for schedule(dynamic, 16)
    for (std::uint64_t s = 0; s < n; ++s) mine.run(s);
#pragma omp critical
    for (std::uint64_t v = 0; v < n; ++v) scores[v] += graph.directed() ? mine.sums[v] : mine.sums[v] / 2;
  }
  return scores;
}

int compare(const graph::any_graph& graph) {
  const auto threads = static_cast<int>(callisto::threads());
  std::vector<double> reference;
  double apart = 0;
  const auto with_callisto = [&](graph::betweenness_form form) {
    return [&, form] {
      graph::betweenness_result result;
      const double seconds = seconds_of([&] { result = graph::betweenness(graph, {.form = form}); });
      for (std::size_t v = 0; v < reference.size(); ++v)
        apart = std::max(apart, std::abs(result.scores[v] - reference[v]) / std::max(1.0, reference[v]));
      return seconds;
    };
  };
  std::vector<variant> variants{
      {"OpenMP, flat, plain",
       [&] {
         return seconds_of(
             [&] { reference = std::visit([&](const auto& g) { return betweenness_openmp(g, threads); }, graph); });
       }},
      {"Callisto, automatic", with_callisto(graph::betweenness_form::automatic)},
      {"Callisto, flat", with_callisto(graph::betweenness_form::flat)},
      {"Callisto, inner", with_callisto(graph::betweenness_form::inner)},
  };
  lab::compare(variants, {.rounds = 3, .warm_up_rounds = 0});
  std::vector<std::vector<std::string>> table{{"exact betweenness", "s", "OpenMP by this"}};
  for (const variant& v : variants)
    table.push_back({v.name, fmt::format("{:.3f}", v.median()), fmt::format("{:.2f}", lab::ratio(variants[0], v))});
  lab::print_table(table);
  lab::limits limits;
  limits.at_most("largest relative difference between scores", apart, 1e-9);
  limits.at_least("OpenMP's time by Callisto's", lab::ratio(variants[0], variants[1]), 1.5);
  return limits.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 2) throw usage_error("usage: betweenness [FILE]");
    if (argc == 2) return compare(graph::load_graph(argv[1]));
    graph::kronecker_options kronecker;
    kronecker.scale = 12;
    return compare(graph::build_graph(graph::generate_kronecker(kronecker)));
  } catch (const std::exception& fault) {
    fmt::print(stderr, "betweenness: {}\n", fault.what());
    return 2;
  }
}
