// Breadth-first search with Callisto's loops; the work inside the loops is in bfs_kernel.hpp.
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/bfs/kernel.hpp>
#include <callisto/graph/bfs/supersteps.hpp>
#include <callisto/graph/csr/graph_size.hpp>
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
namespace {

using word_t = std::uint64_t;

/// A bottom-up level looks at every vertex, so it pays only where more arcs than a 24th of the vertices leave the
/// frontier; and, SC'12 section 5, where these are more than a share of the arcs that are left. There a 14th; here,
/// where a level that only leads to a bottom-up one lists and claims nothing, a sixth
/// (docs/notebook/2026-11-23-instructions-not-pages.md).
constexpr std::uint64_t beta = 24;
constexpr std::uint64_t alpha = 6;
/// Arcs that one thread follows by itself sooner than two could share them: it need not claim each vertex, and finds in
/// its own cache what it wrote there a level before. Thirty microseconds' worth.
constexpr std::uint64_t few_arcs = 8192;
/// So many levels one after the other that were small, and there will be more: threads stay together over them, while
/// levels have work for two (with less, one of them is quicker alone) and do not become larger soon, as in graphs whose
/// middle is to be searched bottom-up. A thread that has nobody to stay with is quicker so, too
/// (docs/notebook/2026-11-23-bfs-levels-together.md).
constexpr std::uint32_t small_levels = 16;
constexpr std::uint64_t enough_to_begin = 192;
constexpr std::uint64_t enough_to_go_on = 96;
constexpr std::uint64_t most_together = 32'768;
constexpr std::uint64_t soon = 4;
/// Rounds of one loop: a fraction of a millisecond, after which threads may leave for other jobs, and others join.
constexpr std::uint64_t rounds_at_once = 64;
/// Of graphs with no more vertices, in rounds, second and third caches have what comes next.
constexpr std::uint64_t cached = 256 * 1024;
/// More threads than this have nothing to do in levels of that size.
constexpr unsigned most_seats = 16;

template <class Vertex>
class search {
 public:
  search(const csr_graph<Vertex>& graph, const bfs_tree<Vertex>& tree, bool can_go_up, const run_control& ctx)
      : vertices_(graph.vertices()),
        arcs_(tree.forward.second != nullptr ? 2 * graph.arcs() : graph.arcs()),
        tree_(tree),
        can_go_up_(can_go_up),
        ctx_(ctx),
        list_(vertices_, machine::page_kind::used),
        next_list_(vertices_, machine::page_kind::used) {}

  void from(std::uint64_t source, const bfs_options& options, bfs_result<Vertex>& result) {
    if (ctx_.report != nullptr) ctx_.report->begin("breadth-first search", vertices_, "vertices");
    tree_.reach(source, source, 0);
    list_[0] = static_cast<Vertex>(source);
    bfs_frontier frontier{1, tree_.forward.degree(source)};
    bool upward = false;         // the frontier is in front_, else in list_
    bool first_upward = false;   // it is, and nothing has been searched bottom-up since
    std::uint64_t followed = 1;  // arcs, by which the frontier was found
    while (frontier.vertices != 0) {
      result.reached += frontier.vertices;
      result.arcs += frontier.arcs;
      result.eccentricity = level_;
      const std::uint64_t unexplored = arcs_ - result.arcs;
      const bool up =
          upward && !first_upward ? frontier.vertices * beta >= vertices_ : pays_upward(frontier.arcs, unexplored);
      if (!up && !upward && pays_together(frontier, options)) {
        frontier = together(frontier, options, result);
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
      ctx_.check();
    }
    report(0);
  }

 private:
  bool pays_upward(std::uint64_t arcs, std::uint64_t unexplored) const noexcept {
    return can_go_up_ && arcs > vertices_ / beta && arcs > unexplored / alpha;
  }

  /// Whether the next level will go upward: if as many of this one's arcs find a vertex as of those that found the
  /// frontier, and these have as many arcs as others of the `unreached`, it will by twice what is needed.
  bool will_pay_upward(bfs_frontier frontier, std::uint64_t followed, std::uint64_t unreached) const noexcept {
    if (!can_go_up_ || frontier.arcs <= vertices_ / beta) return false;
    const double found = static_cast<double>(frontier.arcs) * static_cast<double>(frontier.vertices) /
                         static_cast<double>(std::max<std::uint64_t>(followed, 1));
    return found * alpha > 2 * static_cast<double>(unreached);
  }

  void flood(bfs_frontier frontier) {
    bfs_flood<Vertex> step{tree_, list_.data(), frontier.vertices, level_};
    parallel_for(std::uint64_t{0}, frontier.vertices,
                 [&](std::uint64_t first, std::uint64_t last) { step.work(first, last); }, {.stop = ctx_.stop});
  }

  bfs_frontier top_down(bfs_frontier frontier) {
    bfs_top_down<Vertex> step{tree_, list_.data(), frontier.vertices, next_list_.data(), level_};
    list_.swap(next_list_);
    if (frontier.arcs <= few_arcs || threads() == 1) return step.alone();
    parallel_for<bfs_top_down<Vertex>, bfs_finds<Vertex>, std::uint64_t>(step, 0, frontier.vertices,
                                                                         {.stop = ctx_.stop});
    return {step.size.load(std::memory_order_relaxed), step.arcs.load(std::memory_order_relaxed)};
  }

  bool pays_together(bfs_frontier frontier, const bfs_options& options) const {
    return small_so_far_ >= small_levels && frontier.vertices >= enough_to_begin && frontier.arcs <= few_arcs &&
           most_levels(options) != 0;
  }

  std::uint64_t most_levels(const bfs_options& options) const noexcept {
    return std::min<std::uint64_t>(rounds_at_once, std::min(options.depth, bfs_result<Vertex>::unreached - 1) - level_);
  }

  /// Goes on from list_ in rounds, until levels are too small, too large or deep enough. Returns the frontier there,
  /// and adds to the result what came between.
  bfs_frontier together(bfs_frontier frontier, const bfs_options& options, bfs_result<Vertex>& result) {
    if (!rounds_) rounds_.emplace(tree_, std::min(threads(), most_seats));
    bfs_rounds<Vertex>& step = *rounds_;
    const bfs_frontier before = step.expanded();
    std::uint64_t size = frontier.vertices;
    std::uint64_t reported = 0;
    step.put(list_.data(), size);
    step.straight_on = vertices_ > cached && goes_straight_on(size);
    do {
      step.level = level_;
      const std::uint64_t most = std::min(soon * size, most_together);
      step.meeting.start({.rounds = most_levels(options), .fewest = enough_to_go_on, .most = most});
      parallel_for(0u, step.meeting.seats(), [&](unsigned seat) { step.work(seat); }, {.batch = 1});
      if (step.no_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
      level_ += static_cast<std::uint32_t>(step.meeting.run_so_far());
      size = step.meeting.entries();
      const std::uint64_t followed = step.expanded().vertices - before.vertices;
      report(followed - std::exchange(reported, followed));
      ctx_.check();
      if (size > most) break;
    } while (size >= enough_to_go_on && most_levels(options) != 0);
    small_so_far_ = 0;
    const bfs_frontier between = step.expanded();
    result.reached += between.vertices - before.vertices - frontier.vertices;
    result.arcs += between.arcs - before.arcs - frontier.arcs;
    result.eccentricity = level_ - 1;
    frontier = {step.take(list_.data()), 0};
    for (std::uint64_t i = 0; i < frontier.vertices; ++i) frontier.arcs += tree_.forward.degree(list_[i]);
    return frontier;
  }

  /// Whether most of the `size` vertices of list_ lie as far from their parents as these from theirs.
  bool goes_straight_on(std::uint64_t size) const noexcept {
    const auto straight = std::count_if(list_.data(), list_.data() + size, [this](Vertex v) {
      const Vertex parent = tree_.parents[v];
      return static_cast<Vertex>(v - parent) == static_cast<Vertex>(parent - tree_.parents[parent]);
    });
    return 2 * static_cast<std::uint64_t>(straight) > size;
  }

  bfs_frontier bottom_up(bool first_upward) {
    const bfs_frontier found = by_bytes() ? bottom_up(first_upward, bfs_by_byte{bytes_.data(), next_bytes_.data()})
                                          : bottom_up(first_upward, bfs_by_bit{front_.data()});
    front_.swap(next_front_);
    bytes_.swap(next_bytes_);
    return found;
  }

  template <class Asking>
  bfs_frontier bottom_up(bool first_upward, Asking in_frontier) {
    using upward = bfs_bottom_up<Vertex, Asking>;
    const upward step{tree_,  in_frontier, vertices_, front_.data(), unreached_.data(), next_front_.data(),
                      level_, first_upward};
    return parallel_reduce(word_t{0}, word_t{front_.size()}, typename upward::share{}, step, std::plus<>{},
                           loop_options{.stop = ctx_.stop})
        .found;
  }

  bool by_bytes() const noexcept { return vertices_ <= bfs_by_byte::most_vertices; }

  /// Makes the bitmaps from the parents. All that has been reached serves as the frontier, since what a level before
  /// the last leads to is reached already: setting the bits of the last level's list instead would move every line of
  /// the bitmap between all threads.
  void begin_upward() {
    const word_t words = bitmap_words(vertices_);
    if (front_.empty()) {
      for (auto* bits : {&front_, &next_front_, &unreached_})
        *bits = machine::page_array<word_t>(words, machine::page_kind::used);
      if (by_bytes()) {
        for (auto* bytes : {&bytes_, &next_bytes_})
          *bytes = machine::page_array<std::uint8_t>(64 * words, machine::page_kind::used);
      }
    }
    parallel_for(word_t{0}, words, [&](word_t first, word_t last) {
      const bool bytes = by_bytes();
      for (word_t w = first; w < last; ++w) {
        front_[w] = reached_word(w);
        unreached_[w] = ~front_[w];
        if (bytes) bfs_by_byte{nullptr, bytes_.data()}.put(w, front_[w]);
      }
    });
  }

  /// Puts into the bitmaps what has been reached since they were made, and nothing else into front_.
  bfs_frontier front_of_flood() {
    const bool bytes = by_bytes();
    const auto body = [&](word_t first, word_t last, bfs_frontier found) {
      for (word_t w = first; w < last; ++w) {
        const word_t reached = reached_word(w);
        front_[w] = reached & unreached_[w];
        unreached_[w] = ~reached;
        if (bytes) bfs_by_byte{nullptr, bytes_.data()}.put(w, front_[w]);
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

  /// Progress, but not for every one of thousands of levels.
  void report(std::uint64_t vertices) {
    unreported_ += vertices;
    if (ctx_.report == nullptr || (vertices != 0 && unreported_ < vertices_ / 256)) return;
    ctx_.report->advance(std::exchange(unreported_, 0));
  }

  std::uint64_t vertices_;
  std::uint64_t arcs_;
  const bfs_tree<Vertex>& tree_;
  bool can_go_up_;
  const run_control& ctx_;
  std::uint32_t level_ = 0;
  std::uint64_t unreported_ = 0;
  std::uint32_t small_so_far_ = 0;  ///< levels
  machine::page_array<Vertex> list_;
  machine::page_array<Vertex> next_list_;
  machine::page_array<word_t> front_;
  machine::page_array<word_t> next_front_;
  machine::page_array<word_t> unreached_;
  machine::page_array<std::uint8_t> bytes_;  ///< front_ once more, where there are not too many
  machine::page_array<std::uint8_t> next_bytes_;
  std::optional<bfs_rounds<Vertex>> rounds_;
};

template <class Vertex>
bfs_result<Vertex> search_from(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options,
                               const bfs_rows<Vertex>& forward, const bfs_rows<Vertex>& backward, bool can_go_up,
                               const run_control& ctx) {
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
  search<Vertex>(graph, tree, can_go_up, ctx).from(source, options, result);
  return result;
}

}  // namespace

template <class Vertex>
bfs_result<Vertex> bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options,
                       const run_control& ctx) {
  return search_from(graph, source, options, {&graph.out()}, {&graph.in()}, graph.has_in(), ctx);
}

template <class Vertex>
bfs_result<Vertex> backward_bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options,
                                const run_control& ctx) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, along which the search goes");
  return search_from(graph, source, options, {&graph.in()}, {&graph.out()}, true, ctx);
}

template <class Vertex>
bfs_result<Vertex> undirected_bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const bfs_options& options,
                                  const run_control& ctx) {
  if (!graph.directed()) return bfs(graph, source, options, ctx);
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, along which the search also goes");
  return search_from(graph, source, options, {&graph.out(), &graph.in()}, {&graph.in(), &graph.out()}, true, ctx);
}

template CALLISTO_API bfs_result<std::uint32_t> bfs(const csr_graph<std::uint32_t>&, std::uint64_t, const bfs_options&,
                                                    const run_control&);
template CALLISTO_API bfs_result<std::uint64_t> bfs(const csr_graph<std::uint64_t>&, std::uint64_t, const bfs_options&,
                                                    const run_control&);
template CALLISTO_API bfs_result<std::uint32_t> backward_bfs(const csr_graph<std::uint32_t>&, std::uint64_t,
                                                             const bfs_options&, const run_control&);
template CALLISTO_API bfs_result<std::uint32_t> undirected_bfs(const csr_graph<std::uint32_t>&, std::uint64_t,
                                                               const bfs_options&, const run_control&);
template CALLISTO_API bfs_result<std::uint64_t> backward_bfs(const csr_graph<std::uint64_t>&, std::uint64_t,
                                                             const bfs_options&, const run_control&);
template CALLISTO_API bfs_result<std::uint64_t> undirected_bfs(const csr_graph<std::uint64_t>&, std::uint64_t,
                                                               const bfs_options&, const run_control&);

std::uint64_t needs::bfs(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t bytes = s.n <= bfs_by_byte::most_vertices ? 2 * (s.n + 64) : 0;
  return (5 * s.v + 4) * s.n + 3 * (s.n / 8 + 8) + bytes;
}

}  // namespace callisto::graph
