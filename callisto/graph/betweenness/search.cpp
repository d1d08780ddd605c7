// One search from several sources: the order of the sweeps, with and without parallel loops around them.
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>

namespace callisto::graph {
namespace {

using id = betweenness_core::id;

/// Runs sweeps on the calling thread, in stretches: after a request to stop none begins any more.
class alone {
 public:
  explicit alone(const std::stop_token& stop) : stop_(stop) {}

  static constexpr bool parallel = false;
  /// Cost of an out-arc of a level, in arcs read from unreached vertices
  /// (docs/notebook/2026-11-24-bc-cost-of-an-arc.md).
  static constexpr std::uint64_t push_cost = 2;

  template <class F>
  void each(std::uint64_t first, std::uint64_t last, F f) const {
    for (; first < last && !stop_.stop_requested(); first += std::min(stretch, last - first))
      f(first, std::min(first + stretch, last));
  }
  template <class T, class F>
  T sum(std::uint64_t first, std::uint64_t last, F f) const {
    T all{};
    each(first, last, [&](std::uint64_t a, std::uint64_t b) { all = all + f(a, b); });
    return all;
  }
  std::uint64_t parts() const noexcept { return 1; }

 private:
  static constexpr std::uint64_t stretch = 4096;  // below a millisecond
  const std::stop_token& stop_;
};

/// Vertices that a thread has found and has not yet appended to the list.
struct found_vertices {
  static constexpr std::uint64_t room = 512;
  id vertex[room];
  std::uint64_t size = 0;
};

/// A loop that finds vertices: a batch calls find(loop, mine, first, last).
template <class Find>
struct finding_loop {
  search_state& s;
  Find find;
  std::atomic<std::uint64_t> end;

  void fork(found_vertices&) const noexcept {}
  void work(found_vertices& mine, std::uint64_t first, std::uint64_t last) { find(*this, mine, first, last); }
  void join(found_vertices& mine) { append(mine); }

  void append(found_vertices& mine) {
    // relaxed: only places are reserved; the list is read after the loop's end.
    const std::uint64_t at = end.fetch_add(mine.size, std::memory_order_relaxed);
    std::copy_n(mine.vertex, mine.size, s.list.data() + at);
    mine.size = 0;
  }
};

/// Runs sweeps as parallel loops of the threads at hand, which a request to stop ends.
class together {
 public:
  explicit together(const std::stop_token& stop) : stop_(stop) {}

  static constexpr bool parallel = true;
  /// Cost of an out-arc, as above. It is read once to mark, with atomic operations, and again by each thread to count,
  /// and it leads to vertices in no order.
  static constexpr std::uint64_t push_cost = 16;

  template <class F>
  void each(std::uint64_t first, std::uint64_t last, F f) const {
    parallel_for(first, last, f, loop_options{.stop = stop_});
  }
  template <class T, class F>
  T sum(std::uint64_t first, std::uint64_t last, F f) const {
    return parallel_reduce(
        first, last, T{}, [&](std::uint64_t a, std::uint64_t b, const T& running) { return running + f(a, b); },
        std::plus<>{}, loop_options{.stop = stop_});
  }
  /// Returns the number of parts that each_part() makes of the graph.
  std::uint64_t parts() const { return workers::loop_team_here().where.threads(); }
  /// Calls f(first, last) for parts of the graph that have about as many arcs in `rows` each. Each part is one
  /// thread's, which alone adds to its vertices.
  template <class F>
  void each_part(const adjacency<id>& rows, F f) const {
    const std::uint64_t count = parts();
    const auto begin_of = [&](std::uint64_t part) {
      const std::uint64_t arcs = rows.targets.size() / count * part;
      const auto found = std::lower_bound(rows.offsets.begin(), rows.offsets.end() - 1, arcs) - rows.offsets.begin();
      return part == 0 ? id{0} : static_cast<id>(part == count ? std::ssize(rows.offsets) - 1 : found);
    };
    parallel_for(
        std::uint64_t{0}, count, [&](std::uint64_t part) { f(begin_of(part), begin_of(part + 1)); },
        loop_options{.batch = 1, .stop = stop_});
  }
  /// Runs a loop that calls find(loop, mine, first, last); returns the list's new end.
  template <class Find>
  std::uint64_t finding(search_state& s, std::uint64_t first, std::uint64_t last, std::uint64_t end, Find find) const {
    finding_loop<Find> loop{s, find, end};
    parallel_for<finding_loop<Find>, found_vertices, std::uint64_t>(loop, first, last, loop_options{.stop = stop_});
    return loop.end.load(std::memory_order_relaxed);
  }

 private:
  const std::stop_token& stop_;
};

/// Marks the vertices behind a level as found. Their paths are counted afterwards: adding to counts while marking would
/// take eight atomic additions an arc.
constexpr auto mark = [](auto& loop, found_vertices& mine, std::uint64_t first, std::uint64_t last) {
  search_state& s = loop.s;
  for (std::uint64_t i = first; i < last; ++i) {
    const lane_set lanes = s.lanes_of[i];
    for (const id w : s.core.out.row(s.list[i])) {
      const auto next = static_cast<lane_set>(lanes & ~s.reached[w]);
      if (next == 0) continue;
      // relaxed: the thread that sees 0 by fetch_or() appends w; the loop's end orders everything else.
      std::atomic_ref found(s.found[w]);
      if ((found.load(std::memory_order_relaxed) & next) == next) continue;
      if (found.fetch_or(next, std::memory_order_relaxed) != 0) continue;
      if (mine.size == found_vertices::room) loop.append(mine);
      mine.vertex[mine.size++] = w;
    }
  }
};

/// A stretch of the list, and the arcs at its vertices.
struct level {
  std::uint64_t first;
  std::uint64_t last;
  arc_sums arcs;
};

template <class Loops>
class search {
 public:
  search(search_state& state, const search_sweeps& sweeps, const std::stop_token& stop)
      : s_(state), sweeps_(sweeps), stop_(stop), loops_(stop) {}

  search_end run(const core_source* sources, unsigned count) {
    start(sources, count);
    search_end end = search_end::complete;
    while (end == search_end::complete && next_level()) {
      if (overflows()) end = search_end::overflown;
      if (has_high_diameter()) end = search_end::high_diameter;
      if (stop_.stop_requested()) end = search_end::stopped;
    }
    lane_values targets{};
    for (std::size_t l = levels_.size() - 1; end == search_end::complete && l > 0; --l) {
      targets = targets + finish(l);
      if (stop_.stop_requested()) end = search_end::stopped;
    }
    for (unsigned l = 0; end == search_end::complete && l < count; ++l)
      count_folded(s_.core, s_.scores, s_.squares, sources[l], targets.lane[l]);
    loops_.each(0, levels_.back().last, [&](std::uint64_t a, std::uint64_t b) {
      for (std::uint64_t i = a; i < b; ++i) clear_reached(s_.list[i]);
    });
    return end;
  }

 private:
  void start(const core_source* sources, unsigned count) {
    s_.all = static_cast<lane_set>((1u << count) - 1);
    s_.weights = {};
    for (unsigned l = 0; l < count; ++l) {
      const id v = sources[l].vertex;
      s_.weights.lane[l] = sources[l].weight();
      s_.list[l] = v;
      s_.found[v] = static_cast<lane_set>(1u << l);
      s_.paths[std::uint64_t{v} * s_.lanes + l] = 1;
    }
    open_in_ = s_.core.in().targets.size();
    add_level(0, count, nullptr);
  }

  /// Returns the array of sums that are not yet stored; null if a thread alone stores them at once.
  double* pulled() noexcept { return Loops::parallel ? s_.pulled.data() : nullptr; }

  void add_level(std::uint64_t first, std::uint64_t last, double* pulled) {
    const auto arcs = loops_.template sum<arc_sums>(
        first, last, [&](std::uint64_t a, std::uint64_t b) { return sweeps_.settle(s_, a, b, pulled); });
    open_in_ -= arcs.closed_in;
    levels_.push_back({first, last, arcs});
  }

  /// Finds the level behind the last one. Returns false if it is empty.
  bool next_level() {
    const level from = levels_.back();
    std::uint64_t end = from.last;
    // Pull if reading all open arcs in their order takes less time than the arcs out of the level.
    const bool pull = from.arcs.out * Loops::push_cost > open_in_ + s_.core.vertices() / 4;
    if (!pull && !Loops::parallel) {
      loops_.each(from.first, from.last,
                  [&](std::uint64_t a, std::uint64_t b) { end = sweeps_.push_paths(s_, a, b, end); });
    } else {
      activate(from);
      if (pull) {
        end = pull_all(end);
      } else if constexpr (Loops::parallel) {
        end = loops_.finding(s_, from.first, from.last, end, mark);
        count_paths(from, end);
      }
      deactivate(from);
    }
    if (end == from.last) return false;
    add_level(from.last, end, pulled());
    return true;
  }

  /// Counts the paths from a level to the vertices behind it, which are marked and in the list up to `end`. Either each
  /// of these looks for its neighbours in the level, or each thread goes through the whole level and adds to its part
  /// of the graph.
  void count_paths(const level& from, std::uint64_t end) {
    double* const to = s_.pulled.data();
    const auto arcs = loops_.template sum<std::uint64_t>(from.last, end, [&](std::uint64_t a, std::uint64_t b) {
      std::uint64_t in = 0;
      for (std::uint64_t i = a; i < b; ++i) in += s_.core.in().degree(s_.list[i]);
      return in;
    });
    if (pushes(from.arcs.out, arcs)) {
      loops_.each(from.last, end, [&](std::uint64_t a, std::uint64_t b) { sweeps_.clear(s_, a, b, to); });
      loops_.each_part(s_.core.in(), [&](id a, id b) { sweeps_.add_paths(s_, from.first, from.last, a, b, to); });
    } else {
      loops_.each(from.last, end, [&](std::uint64_t a, std::uint64_t b) { sweeps_.pull_paths(s_, a, b, to); });
    }
  }

  /// True if reading the pushing level's arcs once for each part is less than reading the pulling level's arcs once.
  bool pushes(std::uint64_t push_arcs, std::uint64_t pull_arcs) const { return push_arcs * loops_.parts() < pull_arcs; }

  std::uint64_t pull_all(std::uint64_t end) {
    const std::uint64_t n = s_.core.vertices();
    if constexpr (Loops::parallel) {
      return loops_.finding(s_, 0, n, end, [this](auto& loop, found_vertices& mine, std::uint64_t a, std::uint64_t b) {
        constexpr std::uint64_t step = found_vertices::room / 2;
        for (; a < b; a += std::min(step, b - a)) {
          if (mine.size > found_vertices::room - step) loop.append(mine);
          mine.size += sweeps_.pull_all(s_, a, std::min(b, a + step), mine.vertex + mine.size, s_.pulled.data());
        }
      });
    } else {
      loops_.each(0, n, [&](std::uint64_t a, std::uint64_t b) {
        end += sweeps_.pull_all(s_, a, b, s_.list.data() + end, s_.paths.data());
      });
      return end;
    }
  }

  /// Completes level l. Hands its shares to the level before, unless that one is the sources. Returns its targets.
  lane_values finish(std::size_t l) {
    const level& here = levels_[l];
    double* const from_behind = l + 1 == levels_.size() ? nullptr : pulled();
    const auto targets = loops_.template sum<lane_values>(
        here.first, here.last, [&](std::uint64_t a, std::uint64_t b) { return sweeps_.finish(s_, a, b, from_behind); });
    if (l == 1) return targets;
    const level& before = levels_[l - 1];
    double* const to = Loops::parallel ? s_.pulled.data() : s_.shares.data();
    const bool push = pushes(here.arcs.in, before.arcs.out);
    const level& sought = push ? before : here;
    activate(sought);
    if (push) {
      if constexpr (Loops::parallel) {
        loops_.each(before.first, before.last, [&](std::uint64_t a, std::uint64_t b) { sweeps_.clear(s_, a, b, to); });
        loops_.each_part(s_.core.out, [&](id a, id b) { sweeps_.push_shares(s_, here.first, here.last, a, b, to); });
      } else {
        const auto n = static_cast<id>(s_.core.vertices());
        loops_.each(here.first, here.last,
                    [&](std::uint64_t a, std::uint64_t b) { sweeps_.push_shares(s_, a, b, 0, n, to); });
      }
    } else {
      loops_.each(before.first, before.last,
                  [&](std::uint64_t a, std::uint64_t b) { sweeps_.pull_shares(s_, a, b, to); });
    }
    deactivate(sought);
    return targets;
  }

  /// True if 64 levels have been found and have only begun to reach the graph. Asked at each level.
  bool has_high_diameter() const noexcept {
    return levels_.size() == many_levels &&
           levels_.back().last < s_.core.vertices() / 8 * static_cast<unsigned>(std::popcount(s_.all));
  }

  /// True if the next level's counts, or their reciprocals, may not fit a double. A count is at most the largest of the
  /// level before times the vertices of that level; only if this bound is too large are the counts read.
  bool overflows() {
    constexpr double most_bits = 960;
    const level& before = levels_[levels_.size() - 2];
    bits_ += std::log2(static_cast<double>(before.last - before.first));
    if (bits_ <= most_bits) return false;
    const level& here = levels_.back();
    bits_ = std::log2(loops_
                          .template sum<largest>(here.first, here.last,
                                                 [&](std::uint64_t a, std::uint64_t b) { return most_paths(a, b); })
                          .value);
    return bits_ > most_bits - 32;  // a level has less than 2^32 vertices
  }

  struct largest {
    double value = 0;
    friend largest operator+(largest a, largest b) noexcept { return {std::max(a.value, b.value)}; }
  };
  largest most_paths(std::uint64_t first, std::uint64_t last) const noexcept {
    largest most;
    for (std::uint64_t i = first; i < last; ++i) {
      for (unsigned l = 0; l < s_.lanes; ++l) {
        if ((s_.lanes_of[i] >> l & 1) == 0) continue;
        most.value = std::max(most.value, s_.paths[std::uint64_t{s_.list[i]} * s_.lanes + l]);
      }
    }
    return most;
  }

  void activate(const level& which) {
    loops_.each(which.first, which.last, [&](std::uint64_t a, std::uint64_t b) {
      for (std::uint64_t i = a; i < b; ++i) s_.active[s_.list[i]] = s_.lanes_of[i];
    });
  }
  void deactivate(const level& which) {
    loops_.each(which.first, which.last, [&](std::uint64_t a, std::uint64_t b) {
      for (std::uint64_t i = a; i < b; ++i) s_.active[s_.list[i]] = 0;
    });
  }
  void clear_reached(id v) noexcept {
    if constexpr (Loops::parallel) {
      // relaxed: if a vertex is in several levels, several threads clear it.
      std::atomic_ref(s_.reached[v]).store(0, std::memory_order_relaxed);
    } else {
      s_.reached[v] = 0;
    }
  }

  static constexpr std::size_t many_levels = 64;

  search_state& s_;
  const search_sweeps& sweeps_;
  const std::stop_token& stop_;
  Loops loops_;
  std::uint64_t open_in_ = 0;  ///< arcs into vertices that not all lanes have reached
  double bits_ = 0;            ///< log2 of a bound on the counts of the last level but one
  std::vector<level> levels_;
};

}  // namespace

search_end search_alone(search_state& state, const search_sweeps& sweeps, const core_source* sources, unsigned count,
                        const std::stop_token& stop) {
  return search<alone>(state, sweeps, stop).run(sources, count);
}

search_end search_together(search_state& state, const search_sweeps& sweeps, const core_source* sources, unsigned count,
                           const std::stop_token& stop) {
  return search<together>(state, sweeps, stop).run(sources, count);
}

}  // namespace callisto::graph
