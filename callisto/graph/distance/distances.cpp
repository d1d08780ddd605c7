// Sampling distances by breadth-first searches, one at a time.
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/distance/distance_sources.hpp>
#include <callisto/graph/distance/distances.hpp>
#include <callisto/graph/multisource/bit_search.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

namespace callisto::graph {
namespace {

/// The loop that counts the vertices at each distance.
struct distance_tally {
  const machine::page_array<std::uint32_t>& distances;
  std::vector<std::uint64_t>& at;  ///< by distance
  std::mutex mutex;                // guards `at`

  using counts = std::vector<std::uint64_t>;

  void fork(counts& mine) { mine.resize(at.size()); }
  void work(counts& mine, std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      if (distances[v] != bfs_result<std::uint32_t>::unreached) ++mine[distances[v]];
    }
  }
  void join(const counts& mine) {
    const std::lock_guard lock(mutex);
    for (std::size_t d = 0; d < mine.size(); ++d) at[d] += mine[d];
  }
};

/// Searches from all of `sources`, the vertices of a component of an undirected graph; returns the pairs by distance.
/// Each thread searches from 64 at a time, a bit for each.
template <class Vertex>
std::vector<std::uint64_t> tally_all(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources,
                                     const run_control& control) {
  struct loop {
    const csr_graph<Vertex>& graph;
    const std::vector<std::uint64_t>& sources;
    const run_control& control;
    std::vector<std::uint64_t>& at;
    std::mutex& mutex;  // guards `at`

    struct state {
      std::optional<bit_search<Vertex, 1>> search;
      std::vector<std::uint64_t> counts;
    };
    void fork(state& mine) const {
      if (!mine.search) mine.search.emplace(graph.out(), graph.out());
    }
    void work(state& mine, std::uint64_t i) const {
      const std::uint64_t first = 64 * i;
      const std::uint64_t last = std::min<std::uint64_t>(first + 64, sources.size());
      std::vector<Vertex> now;
      for (std::uint64_t s = first; s < last; ++s) now.push_back(static_cast<Vertex>(sources[s]));
      const auto found = [&](std::uint64_t, std::uint64_t level, std::uint64_t count) {
        if (mine.counts.size() <= level) mine.counts.resize(level + 1);
        mine.counts[level] += count;
      };
      mine.search->run(now, found, control.stop);
      if (control.report != nullptr) control.report->advance(last - first);
    }
    void join(state& mine) const {
      const std::lock_guard lock(mutex);
      if (at.size() < mine.counts.size()) at.resize(mine.counts.size());
      for (std::size_t d = 0; d < mine.counts.size(); ++d) at[d] += mine.counts[d];
      mine.counts.clear();
    }
  };
  std::vector<std::uint64_t> at{sources.size()};
  std::mutex mutex;
  loop body{graph, sources, control, at, mutex};
  parallel_for<loop, typename loop::state, std::uint64_t>(body, 0, (sources.size() + 63) / 64,
                                                          {.batch = 1, .stop = control.stop});
  control.check();
  return at;
}

}  // namespace

double distance_sample::mean() const noexcept {
  double pairs = 0;
  double sum = 0;
  for (std::size_t d = 1; d < at.size(); ++d) {
    pairs += static_cast<double>(at[d]);
    sum += static_cast<double>(d) * static_cast<double>(at[d]);
  }
  return pairs == 0 ? 0 : sum / pairs;
}

std::uint32_t distance_sample::within(double share) const noexcept {
  double pairs = 0;
  for (std::size_t d = 1; d < at.size(); ++d) pairs += static_cast<double>(at[d]);
  double seen = 0;
  for (std::size_t d = 1; d < at.size(); ++d) {
    seen += static_cast<double>(at[d]);
    if (seen >= share * pairs) return static_cast<std::uint32_t>(d);
  }
  return 0;
}

template <class Vertex>
distance_sample sample_distances(const csr_graph<Vertex>& graph, const component_map<Vertex>& map,
                                 const distances_options& options, const run_control& control) {
  distance_sample found;
  const auto sizes = component_sizes(map, control);
  if (sizes.empty()) return found;
  found.vertices = sizes.front().second;
  const auto [sources, hub] =
      pick_sources(graph, map, sizes.front().first, draw_sources(options.sources, found.vertices, options.seed));
  if (control.report != nullptr) control.report->begin("distances", sources.size() + 2, "searches");

  if (sources.size() == found.vertices && !graph.directed() && found.vertices > 64) {
    found.at = tally_all(graph, sources, control);
    found.sources = sources.size();
    found.diameter_low = found.diameter_high = static_cast<std::uint32_t>(found.at.size() - 1);
    return found;
  }
  std::uint64_t smallest = bfs_result<Vertex>::unreached;  // eccentricity found
  const auto search = [&](std::uint64_t source) {
    bfs_result<Vertex> tree = undirected_bfs(graph, source, {}, {nullptr, control.stop});
    found.diameter_low = std::max(found.diameter_low, tree.eccentricity);
    smallest = std::min<std::uint64_t>(smallest, tree.eccentricity);
    if (control.report != nullptr) control.report->advance(1);
    return tree;
  };
  {
    const bfs_result<Vertex> first = search(hub);
    const auto farthest = std::find(first.distances.begin(), first.distances.end(), first.eccentricity);
    search(static_cast<std::uint64_t>(farthest - first.distances.begin()));
  }
  for (const std::uint64_t source : sources) {
    const bfs_result<Vertex> tree = search(source);
    if (found.at.size() <= tree.eccentricity) found.at.resize(tree.eccentricity + std::size_t{1});
    std::vector<std::uint64_t> at(tree.eccentricity + std::size_t{1});
    distance_tally tally{tree.distances, at, {}};
    parallel_for<distance_tally, distance_tally::counts, std::uint64_t>(tally, 0, graph.vertices(),
                                                                        {.stop = control.stop});
    for (std::size_t d = 0; d < at.size(); ++d) found.at[d] += at[d];
  }
  control.check();
  found.sources = sources.size();
  found.diameter_high = static_cast<std::uint32_t>(
      found.sources == found.vertices ? found.diameter_low : std::min<std::uint64_t>(2 * smallest, ~std::uint32_t{0}));
  return found;
}

template CALLISTO_API distance_sample sample_distances(const csr_graph<std::uint32_t>&,
                                                       const component_map<std::uint32_t>&, const distances_options&,
                                                       const run_control&);
template CALLISTO_API distance_sample sample_distances(const csr_graph<std::uint64_t>&,
                                                       const component_map<std::uint64_t>&, const distances_options&,
                                                       const run_control&);

std::uint64_t needs::distances(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t map_of_components = s.v * s.n + bfs(graph);
  return map_of_components + std::max(bfs(graph), threads() * (24 + 2 * s.v) * s.n);
}

}  // namespace callisto::graph
