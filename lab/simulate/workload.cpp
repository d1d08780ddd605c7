// Computes costs of iterations: even, skewed, and from the degrees of graphs.
#include <lab/simulate/workload.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/graph/triangles/kernel.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace callisto::lab {
namespace {

constexpr std::uint64_t skew = 1024;  // ATC'15 section 4.1: "the first n iterations each contain 1024x the work"

constexpr std::pair<workload_kind, const char*> names[] = {
    {workload_kind::even, "even"},
    {workload_kind::skewed, "skewed"},
    {workload_kind::pagerank, "pagerank"},
    {workload_kind::triangles, "triangles"},
};

void throw_if_stopped(const graph::run_control& context) {
  if (context.stop.stop_requested()) throw graph::cancelled();
}

/// Turns costs into sums in place. On entry costs[i + 1] is the cost of iteration i; on return it is the cost of
/// iterations 0 to i.
void sum_up(std::vector<std::uint64_t>& costs) {
  for (std::size_t i = 1; i < costs.size(); ++i) costs[i] += costs[i - 1];
}

template <class Vertex>
std::vector<std::uint64_t> pagerank_costs(const graph::csr_graph<Vertex>& g, std::uint64_t cycles,
                                          std::uint64_t arc_cycles, const graph::run_control& context) {
  std::vector<std::uint64_t> costs(g.vertices() + 1);
  const auto vertex = [&](std::uint64_t v) { costs[v + 1] = cycles + arc_cycles * g.in().degree(v); };
  parallel_for(std::uint64_t{0}, g.vertices(), vertex, {.stop = context.stop});
  throw_if_stopped(context);
  sum_up(costs);
  return costs;
}

/// Returns the costs of the real loop (graph/triangles/kernel.hpp), in its order and with its rows. Rows that the loop
/// replaces by bitmaps count as rows here.
template <class Vertex>
std::vector<std::uint64_t> triangle_costs(const graph::csr_graph<Vertex>& g, std::uint64_t cycles,
                                          std::uint64_t arc_cycles, const graph::run_control& context) {
  graph::degree_ranking<Vertex> ranking(g);
  ranking.rank([](std::uint64_t blocks, auto f) {
    for (std::uint64_t block = 0; block < blocks; ++block) f(block);
  });
  const std::uint64_t ranks = ranking.connected();
  std::vector<std::uint64_t> row(ranks);
  const auto count = [&](std::uint64_t r) { ranking.for_each_lower(r, [&](Vertex) { ++row[r]; }); };
  parallel_for(std::uint64_t{0}, ranks, count, {.stop = context.stop});
  throw_if_stopped(context);
  std::vector<std::uint64_t> costs(ranks + 1);
  const auto probe = [&](std::uint64_t r) {
    std::uint64_t probes = 0;
    ranking.for_each_lower(r, [&](Vertex s) { probes += row[s]; });
    costs[r + 1] = cycles + arc_cycles * probes;
  };
  parallel_for(std::uint64_t{0}, ranks, probe, {.stop = context.stop});
  throw_if_stopped(context);
  sum_up(costs);
  return costs;
}

}  // namespace

workload_kind parse_workload(std::string_view flag, std::string_view text) {
  for (const auto& [kind, name] : names) {
    if (text == name) return kind;
  }
  throw usage_error(fmt::format("{}: expected even, skewed, pagerank or triangles, found '{}'", flag, one_line(text)));
}

const char* name_of(workload_kind kind) noexcept { return names[static_cast<std::size_t>(kind)].second; }

workload workload::even(std::uint64_t iterations, std::uint64_t cycles) {
  workload w(workload_kind::even, iterations);
  w.cycles_ = cycles;
  return w;
}

workload workload::skewed(std::uint64_t iterations, std::uint64_t cycles) {
  workload w(workload_kind::skewed, iterations);
  // Each light iteration has half the cycles; N/1023 heavy iterations hold the other half of the work.
  w.cycles_ = std::max<std::uint64_t>(1, cycles / 2);
  w.heavy_cycles_ = skew * w.cycles_;
  w.heavy_ = iterations / (skew - 1);
  return w;
}

workload workload::from_graph(workload_kind kind, const graph::any_graph& graph, std::uint64_t cycles,
                              std::uint64_t arc_cycles, const graph::run_control& context) {
  const auto sums = [&](const auto& g) {
    return kind == workload_kind::pagerank ? pagerank_costs(g, cycles, arc_cycles, context)
                                           : triangle_costs(g, cycles, arc_cycles, context);
  };
  workload w(kind, 0);
  w.sums_ = std::visit(sums, graph);
  w.size_ = w.sums_.size() - 1;
  return w;
}

std::uint64_t workload::largest() const noexcept {
  std::uint64_t most = std::max(heavy_ != 0 ? heavy_cycles_ : 0, cycles_);
  for (std::size_t i = 1; i < sums_.size(); ++i) most = std::max(most, sums_[i] - sums_[i - 1]);
  return most;
}

}  // namespace callisto::lab
