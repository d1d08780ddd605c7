#include <lab/limits/workloads.hpp>

#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/graph/triggered/triggered.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <lab/limits/ranks.hpp>
#include <lab/limits/sharing.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::lab {
namespace {

using graph32 = graph::csr_graph<std::uint32_t>;

/// Returns the graph, which has fewer than 2^32 vertices.
std::shared_ptr<const graph32> as_32(graph::any_graph&& any) {
  return std::make_shared<const graph32>(std::get<graph32>(std::move(any)));
}
graph::any_graph kronecker(unsigned scale) {
  graph::kronecker_options options;
  options.scale = scale;
  return graph::build_graph(graph::generate_kronecker(options));
}
/// Twice as wide as high.
graph::any_graph grid(unsigned scale) {
  graph::grid_options options;
  options.rows = std::uint64_t{1} << scale / 2;
  options.columns = std::uint64_t{1} << (scale - scale / 2);
  return graph::build_graph(graph::generate_grid(options));
}

/// Calls `search` for some vertices that have arcs, and adds up what it returns.
template <class Search>
double from_sources(const graph32& g, unsigned sources, Search search) {
  const graph::counter_random random(7);
  double sum = 0;
  for (std::uint64_t i = 0; sources != 0; ++i) {
    const std::uint64_t source = random(i) % g.vertices();
    if (g.out().degree(source) == 0) continue;
    sum += search(source);
    --sources;
  }
  return sum;
}

std::function<double()> searches(graph::any_graph&& any, unsigned sources) {
  return [g = as_32(std::move(any)), sources] {
    return from_sources(*g, sources, [&](std::uint64_t source) {
      return static_cast<double>(graph::bfs(*g, source, {}, {}).eccentricity);
    });
  };
}

std::function<double()> shortest_paths(graph::any_graph&& any, unsigned sources) {
  return [g = as_32(graph::with_random_weights(std::move(any), 1)), sources] {
    return from_sources(*g, sources, [&](std::uint64_t source) {
      const graph::sssp_result found = graph::sssp(*g, source);
      return static_cast<double>(found.reached);
    });
  };
}

/// Kernels that take any graph.
template <class Kernel>
std::function<double()> kernel(graph::any_graph&& any, Kernel run) {
  return [g = std::make_shared<const graph::any_graph>(std::move(any)), run] { return run(*g); };
}
double count(const graph::any_graph& g) { return static_cast<double>(graph::count_triangles(g).triangles); }
double rank(const graph::any_graph& g) {
  const graph::pagerank_result found = graph::pagerank(g, {.tolerance = 1e-6});
  double sum = 0;
  for (std::size_t v = 0; v < found.scores.size(); ++v) sum += found.scores[v] * static_cast<double>(v % 7);
  return sum;
}
std::function<double()> joined(graph::any_graph&& any) {
  return [g = as_32(std::move(any))] {
    std::uint64_t components = 0;
    const auto map = graph::components(*g);
    for (std::uint64_t v = 0; v < map.size(); ++v) components += map[v] == v ? 1 : 0;
    return static_cast<double>(components);
  };
}

/// Computes for about `turns` nanoseconds.
std::uint64_t compute(std::uint64_t seed, std::uint64_t turns) noexcept {
  for (std::uint64_t i = 0; i < turns; ++i) seed = seed * 6364136223846793005U + 1442695040888963407U;
  return seed >> 63;
}

/// One loop of 2^scale iterations, of which iteration i computes for turns(i).
template <class Turns>
std::function<double()> loop_of(unsigned scale, Turns turns) {
  return [n = std::uint64_t{1} << scale, turns] {
    const auto body = [&](std::uint64_t first, std::uint64_t last, std::uint64_t sum) {
      for (; first < last; ++first) sum += compute(first, turns(first, n)) + 1;
      return sum;
    };
    const auto sum = parallel_reduce(std::uint64_t{0}, n, std::uint64_t{0}, body, std::plus<>{});
    return static_cast<double>(sum);
  };
}

/// Loops of few iterations, one after the other; between two of them the caller computes for `pause` turns.
std::function<double()> short_loops(unsigned scale, std::uint64_t iterations, std::uint64_t turns,
                                    std::uint64_t pause) {
  return [=] {
    std::uint64_t done = 0;
    const std::uint64_t loops = std::max<std::uint64_t>(1, (std::uint64_t{1} << scale) / 64);
    for (std::uint64_t i = 0; i < loops; ++i) {
      std::vector<std::uint64_t> found(iterations);
      parallel_for(std::uint64_t{0}, iterations, [&](std::uint64_t k) { found[k] = compute(k + i, turns) | 1; });
      done += found.size() + compute(i, pause);
    }
    return static_cast<double>(done);
  };
}

/// A loop in each iteration of a loop.
std::function<double()> inner_loops(unsigned scale) {
  return [n = (std::uint64_t{1} << scale) / 64] {
    return static_cast<double>(parallel_reduce(
        std::uint64_t{0}, n, std::uint64_t{0},
        [](std::uint64_t first, std::uint64_t last, std::uint64_t sum) {
          for (; first < last; ++first) {
            std::vector<std::uint64_t> found(32);
            parallel_for(std::uint64_t{0}, std::uint64_t{32},
                         [&](std::uint64_t k) { found[k] = compute(k + first, 100) | 1; });
            sum += found.size();
          }
          return sum;
        },
        std::plus<>{}));
  };
}

std::function<double()> triggered_bfs(graph::any_graph&& any) {
  return [g = as_32(std::move(any))] {
    return from_sources(*g, 1, [&](std::uint64_t source) {
      double reached = 0;
      for (const std::uint32_t level : graph::triggered::bfs(*g, source))
        reached += level != graph::triggered::unreached_level ? 1 : 0;
      return reached;
    });
  };
}
std::function<double()> triggered_components(graph::any_graph&& any) {
  return [g = as_32(std::move(any))] {
    double sum = 0;
    for (const std::uint32_t of : graph::triggered::components(*g)) sum += of;
    return sum;
  };
}

}  // namespace

const std::vector<swept_workload>& swept_workloads() {
  using function = std::function<double()>;
  static const std::vector<swept_workload> all{
      {"bfs.kronecker",
       "breadth-first search from 8 vertices of a Kronecker graph",
       {"bfs"},
       [](unsigned s) { return searches(kronecker(s), 8); }},
      {"bfs.grid",
       "breadth-first search from 2 vertices of a grid",
       {"bfs"},
       [](unsigned s) { return searches(grid(s), 2); }},
      {"sssp.kronecker",
       "shortest paths from 4 vertices of a Kronecker graph with weights 1 to 255",
       {"delta"},
       [](unsigned s) { return shortest_paths(kronecker(s), 4); }},
      {"sssp.grid",
       "shortest paths from 2 vertices of a grid with weights 1 to 255",
       {"delta"},
       [](unsigned s) { return shortest_paths(grid(s), 2); }},
      {"pagerank.kronecker",
       "PageRank of a Kronecker graph",
       {"pagerank"},
       [](unsigned s) { return kernel(kronecker(s), rank); }},
      {"pagerank.grid", "PageRank of a grid", {"pagerank"}, [](unsigned s) { return kernel(grid(s), rank); }},
      {"triangles.kronecker",
       "triangles of a Kronecker graph",
       {"triangle"},
       [](unsigned s) { return kernel(kronecker(s), count); }},
      {"triangles.grid", "triangles of a grid", {"triangle"}, [](unsigned s) { return kernel(grid(s), count); }},
      {"components.kronecker",
       "components of a Kronecker graph",
       {"component"},
       [](unsigned s) { return joined(kronecker(s)); }},
      {"components.grid", "components of a grid", {"component"}, [](unsigned s) { return joined(grid(s)); }},
      {"loop.even",
       "a loop of iterations of 100 turns",
       {"loop", "range"},
       [](unsigned s) -> function { return loop_of(s, [](std::uint64_t, std::uint64_t) { return 100; }); }},
      {"loop.skewed",
       "a loop in which iteration i has 200 (n - i) / n turns",
       {"loop", "range"},
       [](unsigned s) -> function {
         return loop_of(s, [](std::uint64_t i, std::uint64_t n) { return 200 * (n - i) / n; });
       }},
      {"loop.heavy",
       "a loop in which one iteration in 1024 has 50,000 turns, the rest 50",
       {"loop", "range"},
       [](unsigned s) -> function {
         return loop_of(s, [](std::uint64_t i, std::uint64_t) { return i % 1024 == 511 ? 50'000 : 50; });
       }},
      {"loop.short",
       "loops of 64 iterations of 200 turns, one after the other",
       {"loop", "range", "spin"},
       [](unsigned s) { return short_loops(s, 64, 200, 0); }},
      {"loop.apart",
       "loops of 64 iterations of 200 turns, 100,000 turns apart",
       {"spin"},
       [](unsigned s) { return short_loops(s - 3, 64, 200, 100'000); }},
      {"loop.inner",
       "a loop of loops of 32 iterations of 100 turns",
       {"loop"},
       [](unsigned s) { return inner_loops(s); }},
      {"domino.bfs",
       "breadth-first search of a Kronecker graph by Domino's tasks",
       {"domino"},
       [](unsigned s) { return triggered_bfs(kronecker(s)); }},
      {"domino.components",
       "components of a grid by Domino's tasks",
       {"domino"},
       [](unsigned s) { return triggered_components(grid(s)); }},
  };
  static const std::vector<swept_workload> with_simulated = [] {
    std::vector<swept_workload> joined = all;
    for (const auto* const more : {&sharing_workloads(), &rank_workloads()})
      joined.insert(joined.end(), more->begin(), more->end());
    return joined;
  }();
  return with_simulated;
}

}  // namespace callisto::lab
