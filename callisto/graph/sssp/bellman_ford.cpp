// The algorithm of Bellman and Ford in rounds, with parallel loops.
#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/csr/called.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/sssp/bellman_ford.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Rounds without parents: most graphs without a negative cycle need fewer.
constexpr std::uint64_t rounds_without_parents = 64;
/// Vertices of a round that one thread relaxes alone.
constexpr std::size_t few_in_frontier = 256;

template <class Vertex, class Weight>
class rounds {
 public:
  rounds(const csr_graph<Vertex>& graph, std::span<const Weight> weights, std::uint64_t source,
         const run_control& control)
      : graph_(graph),
        weights_(weights),
        source_(source),
        control_(control),
        distances_(graph.vertices()),
        changed_in_(graph.vertices()),
        lists_(threads()) {}

  bellman_ford_result run() {
    bellman_ford_result result;
    std::fill(distances_.begin(), distances_.end(), sssp_result::unreached);
    distances_[source_] = 0;
    frontier_.push_back({static_cast<Vertex>(source_), 0});
    if (control_.report != nullptr) control_.report->begin("shortest paths", 0, "rounds");
    std::uint64_t next_check = 2 * rounds_without_parents;
    while (!frontier_.empty() && result.negative_cycle.empty() && result.rounds <= most_rounds()) {
      ++result.rounds;
      result.paths.relaxations += relax(result.rounds);
      if (result.rounds >= rounds_without_parents) note_parents();
      gather();
      if (result.rounds >= next_check || result.rounds == most_rounds()) {
        result.negative_cycle = cycle_of_parents();
        next_check *= 2;
      }
      control_.check();
      if (control_.report != nullptr) control_.report->advance(1);
    }
    for (const double d : distances_) {
      if (d == sssp_result::unreached) continue;
      ++result.paths.reached;
      if (result.paths.reached == 1 || d > result.paths.eccentricity) result.paths.eccentricity = d;
    }
    result.paths.distances = distance_map(std::move(distances_));
    return result;
  }

 private:
  struct entry {
    Vertex vertex;
    double distance;  ///< at the beginning of the round
  };

  /// Rounds after which distances change no more, unless there is a negative cycle: then a vertex that a round with
  /// parents has changed has a cycle of parents before it.
  std::uint64_t most_rounds() const noexcept { return 2 * graph_.vertices() + rounds_without_parents; }

  void for_each_entry(const auto& f) {
    if (frontier_.size() <= few_in_frontier) {
      for (const entry& e : frontier_) f(e);
    } else if (!parallel_for(std::uint64_t{0}, std::uint64_t{frontier_.size()},
                             [&](std::uint64_t i) { f(frontier_[i]); }, {.stop = control_.stop})) {
      throw cancelled();
    }
  }

  /// Relaxes the arcs of the frontier; lists the vertices that get nearer. Returns the arcs.
  std::uint64_t relax(std::uint64_t round) {
    round_ = static_cast<std::uint32_t>(round);
    std::uint64_t arcs = 0;
    for (const entry& e : frontier_) arcs += graph_.out().degree(e.vertex);
    for_each_entry([&](const entry& e) {
      for_each_arc(e, [&](Vertex w, double to) {
        // relaxed: a minimum, which the loop's end orders. The flag makes one thread list the vertex.
        const std::atomic_ref<double> distance(distances_[w]);
        double now = distance.load(std::memory_order_relaxed);
        while (to < now && !distance.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
        }
        if (to < now && std::atomic_ref(changed_in_[w]).exchange(round_, std::memory_order_relaxed) != round_) {
          lists_[this_thread()].push_back(w);
        }
      });
    });
    return arcs;
  }

  /// Gives each vertex that this round has changed the smallest vertex that did it as its parent.
  void note_parents() {
    if (parents_.empty()) {
      parents_ = parent_map<Vertex>(graph_.vertices());
      std::fill(parents_.begin(), parents_.end(), no_parent<Vertex>);
    }
    for (const std::vector<Vertex>& list : lists_) {
      for (const Vertex v : list) parents_[v] = no_parent<Vertex>;
    }
    for_each_entry([&](const entry& e) {
      for_each_arc(e, [&](Vertex w, double to) {
        if (changed_in_[w] != round_ || to != distances_[w]) return;
        // relaxed: a minimum, which the loop's end orders.
        const std::atomic_ref<Vertex> parent(parents_[w]);
        Vertex now = parent.load(std::memory_order_relaxed);
        while (e.vertex < now && !parent.compare_exchange_weak(now, e.vertex, std::memory_order_relaxed)) {
        }
      });
    });
  }

  void for_each_arc(const entry& e, const auto& f) const {
    const adjacency<Vertex>& out = graph_.out();
    for (std::uint64_t a = out.offsets[e.vertex]; a != out.offsets[e.vertex + std::uint64_t{1}]; ++a) {
      f(out.targets[a], e.distance + weights_[a]);
    }
  }

  /// Makes the changed vertices the next frontier.
  void gather() {
    frontier_.clear();
    for (std::vector<Vertex>& list : lists_) {
      for (const Vertex v : list) frontier_.push_back({v, distances_[v]});
      list.clear();
    }
  }

  /// Returns a cycle among the parents with a negative sum of weights; nothing if there is none.
  std::vector<std::uint64_t> cycle_of_parents() const {
    std::vector<Vertex> seen_from(graph_.vertices(), no_parent<Vertex>);
    for (std::uint64_t begin = 0; begin < graph_.vertices(); ++begin) {
      std::uint64_t v = begin;
      while (seen_from[v] == no_parent<Vertex> && parents_[v] != no_parent<Vertex>) {
        seen_from[v] = static_cast<Vertex>(begin);
        v = parents_[v];
      }
      if (seen_from[v] != static_cast<Vertex>(begin) || parents_[v] == no_parent<Vertex>) continue;
      std::vector<std::uint64_t> cycle{v};
      long double sum = weight_of(parents_[v], v);
      for (std::uint64_t u = parents_[v]; u != v; u = parents_[u]) {
        cycle.push_back(u);
        sum += weight_of(parents_[u], u);
      }
      if (!(sum < 0)) continue;
      std::reverse(cycle.begin(), cycle.end());
      std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
      return cycle;
    }
    return {};
  }

  /// Returns the least weight of an arc from u to v.
  long double weight_of(std::uint64_t u, std::uint64_t v) const {
    long double least = std::numeric_limits<long double>::infinity();
    const auto [first, last] = arcs_between(graph_.out(), u, v);
    for (std::uint64_t a = first; a != last; ++a) least = std::min(least, static_cast<long double>(weights_[a]));
    return least;
  }

  const csr_graph<Vertex>& graph_;
  std::span<const Weight> weights_;
  std::uint64_t source_;
  const run_control& control_;
  machine::page_array<double> distances_;
  machine::page_array<std::uint32_t> changed_in_;  ///< by vertex: the round that last changed it
  std::uint32_t round_ = 0;
  std::vector<entry> frontier_;
  std::vector<std::vector<Vertex>> lists_;  ///< by thread: vertices that this round has changed
  parent_map<Vertex> parents_;
};

/// Throws weight_error that names the first arc with an infinite weight or with NaN, if there is one.
template <class Vertex, class Weight>
void refuse_infinite(const csr_graph<Vertex>& graph, std::span<const Weight> weights) {
  const auto bad = std::find_if(weights.begin(), weights.end(), [](double w) { return !std::isfinite(w); });
  if (bad == weights.end()) return;
  const auto arc = static_cast<std::uint64_t>(bad - weights.begin());
  const auto& offsets = graph.out().offsets;
  const auto row = std::upper_bound(offsets.begin(), offsets.end(), arc) - offsets.begin() - 1;
  throw weight_error(fmt::format("the edge from {} to {} has weight {}; shortest paths need finite weights",
                                 called(graph, static_cast<std::uint64_t>(row)),
                                 called(graph, graph.out().targets[arc]), static_cast<double>(*bad)));
}

}  // namespace

template <class Vertex>
bellman_ford_result bellman_ford(const csr_graph<Vertex>& graph, std::uint64_t source, const run_control& control) {
  if (!graph.weighted() && graph.arcs() != 0) throw usage_error("the graph has no weights, which distances need");
  if (source >= graph.vertices()) {
    throw usage_error(fmt::format("the source is vertex {} of a graph that has {}", source, graph.vertices()));
  }
  return graph.out().weights.visit([&]<class Weight>(std::span<const Weight> weights) {
    refuse_infinite(graph, weights);
    return rounds<Vertex, Weight>(graph, weights, source, control).run();
  });
}

template CALLISTO_API bellman_ford_result bellman_ford(const csr_graph<std::uint32_t>&, std::uint64_t,
                                                       const run_control&);
template CALLISTO_API bellman_ford_result bellman_ford(const csr_graph<std::uint64_t>&, std::uint64_t,
                                                       const run_control&);

}  // namespace callisto::graph
