#include <callisto/cluster/bfs.hpp>
#include <callisto/cluster/posts.hpp>
#include <callisto/graph/bfs/search.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace callisto::cluster {

namespace {

using graph::bfs_limits;
using level_size = graph::bfs_frontier;
using word_t = std::uint64_t;

template <class Vertex>
class dealt_search {
 public:
  dealt_search(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control,
               graph::bfs_result<Vertex>& to)
      : graph_(graph),
        among_(*control.among),
        control_(control),
        to_(to),
        first_(among_.first()),
        last_(among_.last()),
        best_(graph.vertices(), machine::page_kind::used),
        known_((graph.vertices() + 63) / 64),
        word_bounds_(graph::in_blocks(among_.bounds(), 64)) {
    to_.parents = machine::page_array<Vertex>(graph.vertices(), machine::page_kind::used);
    to_.distances = machine::page_array<std::uint32_t>(graph.vertices(), machine::page_kind::used);
    parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { best_[v] = none; });
    parallel_for(first_, last_, [&](std::uint64_t v) {
      to_.parents[v] = none;
      to_.distances[v] = graph::bfs_result<Vertex>::unreached;
    });
  }

  void from(std::uint64_t source, std::uint32_t depth) {
    if (control_.report != nullptr) control_.report->begin("breadth-first search", graph_.vertices(), "vertices");
    if (source >= first_ && source < last_) reach(source, static_cast<Vertex>(source));
    level_size frontier = among_.sum(size_of_list());
    const bool can_go_up = graph_.has_in();
    bool up = false;
    while (frontier.vertices != 0) {
      to_.reached += frontier.vertices;
      to_.arcs += frontier.arcs;
      to_.eccentricity = level_;
      if (control_.report != nullptr) control_.report->advance(frontier.vertices);
      const std::uint64_t unexplored = graph_.arcs() - to_.arcs;
      const bool was_up = up;
      up = can_go_up && (up ? frontier.vertices * bfs_limits::beta >= graph_.vertices()
                            : frontier.arcs > graph_.vertices() / bfs_limits::beta &&
                                  frontier.arcs > unexplored / bfs_limits::alpha);
      if (level_++ == depth) break;
      if (level_ == graph::bfs_result<Vertex>::unreached) throw usage_error("a distance does not fit 32 bits");
      if (up) {
        if (!was_up) bits_of_list();
        among_.share(front_.data(), word_bounds_);
        frontier = among_.sum(bottom_up());
        ++to_.bottom_up;
      } else {
        if (was_up) list_of_bits();
        top_down();
        frontier = among_.sum(size_of_list());
      }
      control_.check();
    }
    among_.collect(to_.parents.data(), among_.bounds());
    among_.collect(to_.distances.data(), among_.bounds());
  }

 private:
  static constexpr Vertex none = graph::bfs_result<Vertex>::no_parent;

  struct found_vertex {
    Vertex vertex;
    Vertex parent;
  };

  bool is_known(std::uint64_t v) const noexcept { return (known_[v / 64] >> (v % 64) & 1) != 0; }

  /// Puts an own vertex into the next frontier, if it is not reached; of parents of one level the smallest stays.
  void reach(std::uint64_t v, Vertex parent) {
    if (to_.parents[v] == none) {
      to_.distances[v] = level_;
      to_.parents[v] = parent;
      list_.push_back(static_cast<Vertex>(v));
    } else if (to_.distances[v] == level_) {
      to_.parents[v] = std::min(to_.parents[v], parent);
    }
  }

  level_size size_of_list() const {
    level_size size{list_.size(), 0};
    for (const Vertex v : list_) size.arcs += graph_.out().degree(v);
    return size;
  }

  /// Finds the vertices behind the arcs of own vertices of the frontier, each once, with their smallest parents.
  std::vector<Vertex> follow() {
    std::vector<Vertex> found;
    std::mutex lock;
    parallel_for(std::uint64_t{0}, std::uint64_t{list_.size()}, [&](std::uint64_t first, std::uint64_t last) {
      std::vector<Vertex> mine;
      for (std::uint64_t i = first; i != last; ++i) {
        const Vertex u = list_[i];
        for (const Vertex w : graph_.out().row(u)) {
          if (is_known(w)) continue;
          // relaxed, all: the smallest number stays, and the loop's end orders it.
          const std::atomic_ref<Vertex> best(best_[w]);
          Vertex now = best.load(std::memory_order_relaxed);
          while (u < now && !best.compare_exchange_weak(now, u, std::memory_order_relaxed)) {
          }
          if (now == none) mine.push_back(w);
        }
      }
      const std::lock_guard guard(lock);
      found.insert(found.end(), mine.begin(), mine.end());
    });
    return found;
  }

  void top_down() {
    const std::vector<Vertex> found = follow();
    const std::vector<found_vertex> came = post_to_owners(among_, found, [&](Vertex w) {
      known_[w / 64] |= word_t{1} << (w % 64);
      return found_vertex{w, best_[w]};
    });
    list_.clear();
    for (const found_vertex& f : came) reach(f.vertex, f.parent);
  }

  /// Own vertices without a parent look for one in the frontier; they become own bits of the next one.
  level_size bottom_up() {
    next_.assign(front_.size(), 0);
    const level_size found = parallel_reduce(
        word_bounds_[among_.number()], word_bounds_[among_.number() + 1], level_size{},
        [&](word_t first, word_t last, level_size sum) {
          for (word_t w = first; w != last; ++w) sum = sum + look_up(w);
          return sum;
        },
        std::plus<>{});
    front_.swap(next_);
    return found;
  }

  level_size look_up(word_t w) {
    level_size found;
    for (std::uint64_t v = w * 64, end = std::min(last_, v + 64); v != end; ++v) {
      if (to_.parents[v] != none) continue;
      for (const Vertex u : graph_.in().row(v)) {
        if ((front_[u / 64] >> (u % 64) & 1) == 0) continue;
        to_.parents[v] = u;
        to_.distances[v] = level_;
        next_[w] |= word_t{1} << (v % 64);
        ++found.vertices;
        found.arcs += graph_.out().degree(v);
        break;
      }
    }
    return found;
  }

  void bits_of_list() {
    front_.assign(known_.size(), 0);
    for (const Vertex v : list_) front_[v / 64] |= word_t{1} << (v % 64);
  }

  void list_of_bits() {
    list_.clear();
    for (word_t w = word_bounds_[among_.number()]; w != word_bounds_[among_.number() + 1]; ++w) {
      for (word_t left = front_[w]; left != 0; left &= left - 1)
        list_.push_back(static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(left))));
    }
  }

  const graph::csr_graph<Vertex>& graph_;
  graph::partners& among_;
  const graph::shared_control& control_;
  graph::bfs_result<Vertex>& to_;
  const std::uint64_t first_;
  const std::uint64_t last_;
  machine::page_array<Vertex> best_;  ///< by vertex: the smallest parent among own vertices; none: not found here
  std::vector<word_t> known_;         ///< vertices found here in levels before
  const std::vector<std::uint64_t> word_bounds_;
  std::vector<Vertex> list_;   ///< the own vertices of the frontier of a top-down level
  std::vector<word_t> front_;  ///< the frontier of a bottom-up level
  std::vector<word_t> next_;
  std::uint32_t level_ = 0;
};

}  // namespace

template <class Vertex>
graph::bfs_result<Vertex> bfs(const graph::csr_graph<Vertex>& graph, std::uint64_t source,
                              const graph::bfs_options& options, const graph::shared_control& control) {
  if (source >= graph.vertices()) {
    throw usage_error("the source is vertex " + std::to_string(source) + " of a graph that has " +
                      std::to_string(graph.vertices()));
  }
  graph::bfs_result<Vertex> result;
  dealt_search<Vertex>(graph, control, result).from(source, options.depth);
  return result;
}

template graph::bfs_result<std::uint32_t> bfs(const graph::csr_graph<std::uint32_t>&, std::uint64_t,
                                              const graph::bfs_options&, const graph::shared_control&);
template graph::bfs_result<std::uint64_t> bfs(const graph::csr_graph<std::uint64_t>&, std::uint64_t,
                                              const graph::bfs_options&, const graph::shared_control&);

}  // namespace callisto::cluster
