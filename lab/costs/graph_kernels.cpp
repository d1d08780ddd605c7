// Compares PageRank and triangle counting: Callisto with its own batch sizes, and OpenMP at every batch size of a
// sweep. The loop bodies are the same.
//
//   graph_kernels [--quick] [SCALE | FILE]...      Kronecker graphs, or those in files; scale 20, or 18 with --quick
//
// Exit code 1 if results differ, or if Callisto is slower, beyond chance, than OpenMP at OpenMP's best batch size.
#include <callisto/app/demo/openmp_kernels.hpp>
#include <lab/costs/compare.hpp>

#include <callisto/callisto.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/triangles/triangles.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace callisto;
using lab::seconds_of;
using lab::variant;

/// Runs Callisto and OpenMP at each batch size in turns. Then repeats Callisto and OpenMP's best batch size for longer,
/// because the best of many noisy medians flatters OpenMP. Prints both.
template <class MakeOpenmp>
void compare_kernel(const std::string& kernel, const std::function<double()>& with_callisto, MakeOpenmp with_openmp,
                    unsigned rounds, lab::limits& limits) {
  std::vector<unsigned> batches;
  std::vector<variant> variants{{"Callisto, automatic", with_callisto}};
  for (unsigned batch = 1; batch <= 16384; batch *= 4) {
    batches.push_back(batch);
    variants.push_back({fmt::format("OpenMP dynamic, {}", batch), with_openmp(batch)});
  }
  lab::compare(variants, {.rounds = rounds});

  std::vector<std::vector<std::string>> table{{kernel, "ms", "spread", "by Callisto's"}};
  std::size_t best = 1;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (i > 0 && variants[i].median() < variants[best].median()) best = i;
    table.push_back({variants[i].name, fmt::format("{:.1f}", variants[i].median() * 1e3),
                     fmt::format("{:.1f} %", variants[i].spread() * 100),
                     fmt::format("{:.3f}", lab::ratio(variants[i], variants[0]))});
  }
  lab::print_table(table);

  std::vector<variant> finalists{{"Callisto", with_callisto}, {"OpenMP", with_openmp(batches[best - 1])}};
  lab::compare(finalists, {.rounds = 6 * rounds + 1});
  fmt::print("\nagain, with OpenMP's best batch of {}: {:.1f} ms against {:.1f} ms\n", batches[best - 1],
             finalists[0].median() * 1e3, finalists[1].median() * 1e3);
  limits.at_most(fmt::format("{}, Callisto's time by OpenMP's best, {:.3f}, with 95% confidence at least", kernel,
                             lab::ratio(finalists[0], finalists[1])),
                 lab::least_ratio(finalists[0], finalists[1]), 1);
  fmt::print("\n");
}

/// Returns the largest difference between two scores of a vertex.
double distance(const graph::pagerank_result& a, const graph::pagerank_result& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.scores.size(); ++v) largest = std::max(largest, std::abs(a.scores[v] - b.scores[v]));
  return largest;
}

/// Returns the Kronecker graph of scale `name` if that is a number, otherwise the graph in the file `name`.
graph::any_graph graph_of(const std::string& name) {
  if (name.find_first_not_of("0123456789") != std::string::npos) return graph::load_graph(name);
  graph::kronecker_options kronecker;
  std::from_chars(name.data(), name.data() + name.size(), kronecker.scale);
  return graph::build_graph(graph::generate_kronecker(kronecker));
}

void compare_on(const std::string& name, bool quick, lab::limits& limits) {
  const unsigned threads = callisto::threads();
  const graph::any_graph graph = graph_of(name);
  const auto [vertices, arcs] = std::visit([](const auto& g) { return std::pair(g.vertices(), g.arcs()); }, graph);
  fmt::print("{}: {} vertices, {} arcs; {} threads; OpenMP is {}\n\n", name, vertices, arcs, threads,
             app::openmp_runtime_name());
  // Short runs are noisy and get more rounds; the whole takes minutes.
  const unsigned rounds = arcs < 4'000'000 ? 15 : 5;

  // All variants make the same number of sweeps.
  const graph::pagerank_options options{.tolerance = 0, .iterations = quick ? 5U : 10U, .accelerated = false};
  const graph::pagerank_result scores = graph::pagerank(graph, options);
  double apart = 0;
  compare_kernel(
      fmt::format("PageRank, {} sweeps", options.iterations),
      [&] { return seconds_of([&] { graph::pagerank(graph, options); }); },
      [&](unsigned batch) {
        return [&, batch] {
          graph::pagerank_result result;
          const double seconds = seconds_of([&] { result = app::pagerank_openmp(graph, options, batch, threads); });
          apart = std::max(apart, distance(scores, result));
          return seconds;
        };
      },
      rounds, limits);
  limits.at_most("largest difference between scores", apart, 1e-12);
  fmt::print("\n");

  const graph::triangles_result counted = graph::count_triangles(graph);
  std::uint64_t miscounts = 0;
  compare_kernel(
      "triangles",
      [&] { return seconds_of([&] { miscounts += graph::count_triangles(graph).triangles != counted.triangles; }); },
      [&](unsigned batch) {
        return [&, batch] {
          graph::triangles_result result;
          const double seconds = seconds_of([&] { result = app::triangles_openmp(graph, batch, threads); });
          miscounts += result.triangles != counted.triangles || result.edges != counted.edges;
          return seconds;
        };
      },
      rounds, limits);
  fmt::print("{} triangles, {} edges\n", counted.triangles, counted.edges);
  limits.at_most("runs that counted otherwise", static_cast<double>(miscounts), 0);
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool quick = std::ranges::find(arguments, "--quick") != arguments.end();
  std::vector<std::string> graphs;
  std::ranges::remove_copy(arguments, std::back_inserter(graphs), "--quick");
  if (graphs.empty()) graphs.emplace_back(quick ? "18" : "20");
  lab::limits limits;
  for (const std::string& graph : graphs) compare_on(graph, quick, limits);
  return limits.exit_code();
} catch (const std::exception& error) {
  fmt::print(stderr, "graph_kernels: {}\n", error.what());
  return 2;
}
