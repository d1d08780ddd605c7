// The order of a search's levels: which of the loops of kernel.hpp and supersteps.hpp runs each. Included by bfs.cpp
// and bfs_64.cpp, which compile it for 32-bit and for 64-bit vertices.
#pragma once

#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/bfs/kernel.hpp>
#include <callisto/graph/bfs/limits.hpp>
#include <callisto/graph/bfs/supersteps.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <new>
#include <optional>
#include <utility>

namespace callisto::graph {

/// One search from one source.
template <class Vertex>
class bfs_search : bfs_limits {
  using word_t = std::uint64_t;

 public:
  bfs_search(const csr_graph<Vertex>& graph, const bfs_tree<Vertex>& tree, bool can_go_up, const run_control& control)
      : vertices_(graph.vertices()),
        arcs_(tree.forward.second != nullptr ? 2 * graph.arcs() : graph.arcs()),
        tree_(tree),
        can_go_up_(can_go_up),
        control_(control),
        list_(vertices_, machine::page_kind::used),
        next_list_(vertices_, machine::page_kind::used) {}

  void from(std::uint64_t source, const bfs_options& options, bfs_result<Vertex>& result) {
    if (control_.report != nullptr) control_.report->begin("breadth-first search", vertices_, "vertices");
    tree_.reach(source, source, 0);
    list_[0] = static_cast<Vertex>(source);
    bfs_frontier frontier{1, tree_.forward.degree(source)};
    bool upward = false;         // the frontier is in front_, otherwise in list_
    bool first_upward = false;   // the frontier is in front_, and no bottom-up level has been searched since
    std::uint64_t followed = 1;  // arcs of the level before, by which the frontier was found
    while (frontier.vertices != 0) {
      result.reached += frontier.vertices;
      result.arcs += frontier.arcs;
      result.eccentricity = level_;
      const std::uint64_t unexplored = arcs_ - result.arcs;
      const bool up =
          upward && !first_upward ? frontier.vertices * beta >= vertices_ : pays_upward(frontier.arcs, unexplored);
      if (!up && !upward && pays_in_supersteps(frontier, options)) {
        frontier = run_supersteps(frontier, options, result);
        continue;
      }
      if (level_++ == options.depth) break;
      if (level_ == bfs_result<Vertex>::unreached) throw usage_error("a distance does not fit 32 bits");
      report(frontier.vertices);
      if (up) {
        if (!std::exchange(upward, true)) {
          begin_upward();
          first_upward = true;
        }
        frontier = bottom_up(std::exchange(first_upward, false));
        small_so_far_ = 0;
        ++result.bottom_up;
      } else if (!upward && will_pay_upward(frontier, followed, vertices_ - result.reached)) {
        begin_upward();
        flood(frontier);
        followed = frontier.arcs;
        frontier = front_of_flood();
        upward = first_upward = true;
      } else {
        if (std::exchange(upward, false)) list_front();
        first_upward = false;
        small_so_far_ = frontier.arcs <= few_arcs ? small_so_far_ + 1 : 0;
        followed = frontier.arcs;
        frontier = top_down(frontier);
      }
      control_.check();
    }
    report(0);
  }

 private:
  bool pays_upward(std::uint64_t arcs, std::uint64_t unexplored) const noexcept {
    return can_go_up_ && arcs > vertices_ / beta && arcs > unexplored / alpha;
  }

  /// True if the level after the next is expected to be worth a bottom-up search, by a factor of two. Expects as many
  /// new vertices for each of the frontier's arcs as there were for the arcs that found the frontier.
  bool will_pay_upward(bfs_frontier frontier, std::uint64_t followed, std::uint64_t unreached) const noexcept {
    if (!can_go_up_ || frontier.arcs <= vertices_ / beta) return false;
    const double found = static_cast<double>(frontier.arcs) * static_cast<double>(frontier.vertices) /
                         static_cast<double>(std::max<std::uint64_t>(followed, 1));
    return found * alpha > 2 * static_cast<double>(unreached);
  }

  void flood(bfs_frontier frontier) {
    bfs_flood<Vertex> step{tree_, list_.data(), frontier.vertices, level_};
    parallel_for(std::uint64_t{0}, frontier.vertices,
                 [&](std::uint64_t first, std::uint64_t last) { step.work(first, last); }, {.stop = control_.stop});
  }

  bfs_frontier top_down(bfs_frontier frontier) {
    bfs_top_down<Vertex> step{tree_, list_.data(), frontier.vertices, next_list_.data(), level_};
    list_.swap(next_list_);
    if (frontier.arcs <= few_arcs || threads() == 1) return step.alone();
    parallel_for<bfs_top_down<Vertex>, bfs_finds<Vertex>, std::uint64_t>(step, 0, frontier.vertices,
                                                                         {.stop = control_.stop});
    return {step.size.load(std::memory_order_relaxed), step.arcs.load(std::memory_order_relaxed)};
  }

  bool pays_in_supersteps(bfs_frontier frontier, const bfs_options& options) const {
    return small_so_far_ >= small_levels && frontier.vertices >= least_to_begin_supersteps &&
           frontier.arcs <= few_arcs && most_levels(options) != 0;
  }

  std::uint64_t most_levels(const bfs_options& options) const noexcept {
    return std::min<std::uint64_t>(supersteps_of_loop,
                                   std::min(options.depth, bfs_result<Vertex>::unreached - 1) - level_);
  }

  /// Searches from list_ in supersteps until levels are too small, too large or deep enough. Adds the levels between to
  /// the result. Returns the frontier at the end, which is in list_.
  bfs_frontier run_supersteps(bfs_frontier frontier, const bfs_options& options, bfs_result<Vertex>& result) {
    if (!supersteps_) supersteps_.emplace(tree_, std::min(threads(), most_threads_in_supersteps));
    bfs_supersteps<Vertex>& step = *supersteps_;
    const bfs_frontier before = step.expanded();
    std::uint64_t size = frontier.vertices;
    std::uint64_t reported = 0;
    step.put(list_.data(), size);
    step.straight_on = goes_straight_on(size);
    do {
      step.level = level_;
      const std::uint64_t most = std::min(growth * size, most_in_supersteps);
      step.steps.start({.rounds = most_levels(options), .fewest = least_to_go_on, .most = most});
      parallel_for(0u, step.steps.slots(), [&](unsigned slot) { step.work(slot); }, {.batch = 1});
      if (step.no_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
      level_ += static_cast<std::uint32_t>(step.steps.run_so_far());
      size = step.steps.entries();
      const std::uint64_t followed = step.expanded().vertices - before.vertices;
      report(followed - std::exchange(reported, followed));
      control_.check();
      if (size > most) break;
    } while (size >= least_to_go_on && most_levels(options) != 0);
    small_so_far_ = 0;
    const bfs_frontier between = step.expanded();
    result.reached += between.vertices - before.vertices - frontier.vertices;
    result.arcs += between.arcs - before.arcs - frontier.arcs;
    result.eccentricity = level_ - 1;
    frontier = {step.take(list_.data()), 0};
    for (std::uint64_t i = 0; i < frontier.vertices; ++i) frontier.arcs += tree_.forward.degree(list_[i]);
    return frontier;
  }

  /// True if the search goes on in straight lines, as in a grid: for most of the `size` vertices of list_, the
  /// difference to the parent's number is that of the parent to its own parent.
  bool goes_straight_on(std::uint64_t size) const noexcept {
    const auto straight = std::count_if(list_.data(), list_.data() + size, [this](Vertex v) {
      const Vertex parent = tree_.parents[v];
      return static_cast<Vertex>(v - parent) == static_cast<Vertex>(parent - tree_.parents[parent]);
    });
    return 2 * static_cast<std::uint64_t>(straight) > size;
  }

  bfs_frontier bottom_up(bool first_upward) {
    using upward = bfs_bottom_up<Vertex>;
    const upward step{tree_, vertices_, front_.data(), unreached_.data(), next_front_.data(), level_, first_upward};
    const bfs_frontier found = parallel_reduce(word_t{0}, word_t{front_.size()}, typename upward::share{}, step,
                                               std::plus<>{}, loop_options{.stop = control_.stop})
                                   .found;
    front_.swap(next_front_);
    return found;
  }

  /// Makes the bitmaps from the parents. Every reached vertex counts as frontier: the neighbours of earlier levels are
  /// reached already, so that the result is the same. Setting bits from the list of the last level instead would move
  /// each cache line of the bitmap between all threads.
  void begin_upward() {
    const word_t words = bitmap_words(vertices_);
    if (front_.empty()) {
      for (auto* bits : {&front_, &next_front_, &unreached_})
        *bits = machine::page_array<word_t>(words, machine::page_kind::used);
    }
    parallel_for(word_t{0}, words, [&](word_t first, word_t last) {
      for (word_t w = first; w < last; ++w) {
        front_[w] = reached_word(w);
        unreached_[w] = ~front_[w];
      }
    });
  }

  /// Updates the bitmaps after a flood: front_ gets the vertices that the flood has reached, and nothing else. Returns
  /// their number and their arcs.
  bfs_frontier front_of_flood() {
    const auto body = [&](word_t first, word_t last, bfs_frontier found) {
      for (word_t w = first; w < last; ++w) {
        const word_t reached = reached_word(w);
        front_[w] = reached & unreached_[w];
        unreached_[w] = ~reached;
        for (word_t left = front_[w]; left != 0; left &= left - 1) {
          ++found.vertices;
          found.arcs += tree_.forward.degree(w * 64 + static_cast<unsigned>(std::countr_zero(left)));
        }
      }
      return found;
    };
    return parallel_reduce(word_t{0}, word_t{front_.size()}, bfs_frontier{}, body, std::plus<>{});
  }

  word_t reached_word(word_t w) const noexcept {
    const Vertex* const parents = tree_.parents;
    return word_of(vertices_, w, [&](word_t v) { return parents[v] != bfs_tree<Vertex>::no_parent; });
  }

  void list_front() {
    bfs_list_bits<Vertex> lister{front_.data(), list_.data()};
    parallel_for(word_t{0}, word_t{front_.size()}, [&](word_t first, word_t last) { lister.work(first, last); });
  }

  /// Reports progress, but not for each of thousands of levels: only every 256th of the vertices, and at the end (0).
  void report(std::uint64_t vertices) {
    unreported_ += vertices;
    if (control_.report == nullptr || (vertices != 0 && unreported_ < vertices_ / 256)) return;
    control_.report->advance(std::exchange(unreported_, 0));
  }

  std::uint64_t vertices_;
  std::uint64_t arcs_;
  const bfs_tree<Vertex>& tree_;
  bool can_go_up_;
  const run_control& control_;
  std::uint32_t level_ = 0;
  std::uint64_t unreported_ = 0;
  std::uint32_t small_so_far_ = 0;    ///< consecutive levels of at most few_arcs arcs
  machine::page_array<Vertex> list_;  ///< the frontier of a top-down level
  machine::page_array<Vertex> next_list_;
  machine::page_array<word_t> front_;  ///< the frontier of a bottom-up level, a bit a vertex
  machine::page_array<word_t> next_front_;
  machine::page_array<word_t> unreached_;
  std::optional<bfs_supersteps<Vertex>> supersteps_;
};

template <class Vertex>
bfs_result<Vertex> bfs_from(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options,
                            const bfs_rows<Vertex>& forward, const bfs_rows<Vertex>& backward, bool can_go_up,
                            const run_control& control) {
  const std::uint64_t vertices = graph.vertices();
  if (source >= vertices) {
    throw usage_error(fmt::format("the source is vertex {} of a graph that has {}", source, vertices));
  }
  bfs_result<Vertex> result;
  result.parents = machine::page_array<Vertex>(vertices, machine::page_kind::used);
  if (options.distances) result.distances = machine::page_array<std::uint32_t>(vertices, machine::page_kind::used);
  parallel_for(std::uint64_t{0}, vertices, [&](std::uint64_t first, std::uint64_t last) {
    std::fill(result.parents.begin() + first, result.parents.begin() + last, bfs_result<Vertex>::no_parent);
    if (!options.distances) return;
    std::fill(result.distances.begin() + first, result.distances.begin() + last, bfs_result<Vertex>::unreached);
  });
  const bfs_tree<Vertex> tree{forward, backward, result.parents.data(), result.distances.data()};
  bfs_search<Vertex>(graph, tree, can_go_up, control).from(source, options, result);
  return result;
}

template <class Vertex>
bfs_result<Vertex> bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options,
                       const run_control& control) {
  return bfs_from(graph, source, options, {&graph.out()}, {&graph.in()}, graph.has_in(), control);
}

template <class Vertex>
bfs_result<Vertex> backward_bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options,
                                const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, along which the search goes");
  return bfs_from(graph, source, options, {&graph.in()}, {&graph.out()}, true, control);
}

template <class Vertex>
bfs_result<Vertex> undirected_bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options,
                                  const run_control& control) {
  if (!graph.directed()) return bfs(graph, source, options, control);
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, along which the search also goes");
  return bfs_from(graph, source, options, {&graph.out(), &graph.in()}, {&graph.in(), &graph.out()}, true, control);
}

}  // namespace callisto::graph
