// Rows of light arcs: arcs of at most some weight, in separate memory, so that a look at them touches no other arcs.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <type_traits>

namespace callisto::graph {

/// The distance of an unreached vertex: larger than any other distance.
template <class Distance>
inline constexpr Distance no_distance =
    std::numeric_limits<Distance>::has_infinity ? std::numeric_limits<Distance>::infinity()
                                                : std::numeric_limits<Distance>::max();

/// Returns the weights of rows, which must be stored as `Weight`.
template <class Weight, class Vertex>
const Weight* weights_of(const adjacency<Vertex>& rows) noexcept {
  return rows.weights.template data<Weight>();
}

/// An arc of the light rows: target and weight side by side.
template <class Vertex, class Distance>
struct sssp_arc {
  Vertex target;
  Distance weight;
};

/// Rows of the arcs that weigh no more than a limit; rows lie in any order.
template <class Vertex, class Distance>
struct light_rows {
  struct range {
    std::uint64_t first;
    std::uint64_t last;
  };

  machine::page_array<range> row;  ///< by vertex: its arcs in `arcs`
  machine::page_array<sssp_arc<Vertex, Distance>> arcs;
};

/// The loop that gathers the light arcs in one pass over the weights. Their number is not known before, so a thread
/// reserves room for many, and fills it row by row. Where a row may not fit what is left, it begins anew elsewhere. If
/// the room does not suffice, `used` says how much would, and the rows mean nothing.
template <class Vertex, class Distance, class Weight>
struct sssp_gather_light {
  using arc = sssp_arc<Vertex, Distance>;

  /// Arcs of a row for which a thread reserves separate room. So at most as many are lost where it begins anew.
  static constexpr std::uint64_t long_row = 1024;

  const adjacency<Vertex>& rows;
  Weight light;
  light_rows<Vertex, Distance>& to;
  std::uint64_t reserved;  ///< arcs that a thread reserves room for at once, twice `long_row` at least
  std::atomic<std::uint64_t> used{0};
  std::atomic<std::uint64_t> found{0};  ///< light arcs, if the room suffices

  /// A thread's room, from which it has filled what is before `next`.
  struct room {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
    std::uint64_t found = 0;
  };

  void fork(room&) noexcept {}
  void join(room& mine) noexcept { found.fetch_add(mine.found, std::memory_order_relaxed); }  // relaxed: a sum

  void work(room& mine, std::uint64_t first, std::uint64_t last) noexcept {
    const Weight* const weights = weights_of<Weight>(rows);
    for (std::uint64_t v = first; v < last; ++v) {
      const std::uint64_t degree = rows.degree(v);
      if (degree > long_row) {
        gather_long(v, mine);
        continue;
      }
      if (degree > mine.end - mine.next && !take(mine, reserved)) continue;
      arc* const row = to.arcs.data() + mine.next;
      // Without a branch, which would be mispredicted: each arc is written, and a heavy one is overwritten by the next.
      std::uint64_t size = 0;
      for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
        row[size] = {rows.targets[a], as_distance(weights[a])};
        size += weights[a] <= light ? 1 : 0;
      }
      to.row[v] = {mine.next, mine.next + size};
      mine.next += size;
      mine.found += size;
    }
  }

 private:
  /// Returns the weight as a distance; any value that fits will do for a heavy arc. A short weight always fits. A
  /// comparison here would join the test for light arcs in one branch, which takes twice as long.
  Distance as_distance(Weight weight) const noexcept {
    if constexpr (std::is_same_v<Weight, short_weight>) {
      return weight;
    } else {
      return static_cast<Distance>(std::min(weight, light));
    }
  }

  /// Reserves room for `count` arcs; false if there is none. relaxed: it only reserves places.
  bool take(room& mine, std::uint64_t count) noexcept {
    const std::uint64_t at = used.fetch_add(count, std::memory_order_relaxed);
    const bool fits = at + count <= to.arcs.size();
    mine.next = fits ? at : 0;
    mine.end = fits ? at + count : 0;
    return fits;
  }

  void gather_long(std::uint64_t v, room& mine) noexcept {
    const Weight* const weights = weights_of<Weight>(rows);
    std::uint64_t count = 0;
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) count += weights[a] <= light ? 1u : 0u;
    room own;
    if (!take(own, count)) return;
    to.row[v] = {own.next, own.end};
    arc* next = to.arcs.data() + own.next;
    const arc* const end = to.arcs.data() + own.end;
    for (std::uint64_t a = rows.offsets[v]; next != end; ++a) {
      *next = {rows.targets[a], as_distance(weights[a])};
      next += weights[a] <= light ? 1 : 0;
    }
    mine.found += count;
  }
};

/// Returns the rows of the arcs of at most `light`, and their number. `share` is about the part of all arcs that they
/// are: the room comes from it; if it is too small, the pass is repeated with room for all arcs, of which the system
/// gives memory only to what is filled. After a request to stop the rows mean nothing.
template <class Weight, class Vertex, class Distance>
std::uint64_t gather_light_rows(const adjacency<Vertex>& rows, Distance light, double share, std::stop_token stop,
                                light_rows<Vertex, Distance>& to) {
  using gatherer = sssp_gather_light<Vertex, Distance, Weight>;
  const std::uint64_t vertices = rows.offsets.size() - 1;
  to.row = machine::page_array<typename light_rows<Vertex, Distance>::range>(vertices, machine::page_kind::used);
  const std::uint64_t all = rows.targets.size();
  const std::uint64_t reserved = std::clamp<std::uint64_t>(all / (8 * threads()), 2 * gatherer::long_row, 16'384);
  // Each reservation but a thread's last one is filled up to `long_row` arcs.
  const auto with_gaps = [&](std::uint64_t arcs) {
    return arcs + arcs / (reserved / gatherer::long_row - 1) + threads() * reserved;
  };
  const auto guess = static_cast<std::uint64_t>(1.25 * share * static_cast<double>(all));
  for (std::uint64_t room = with_gaps(std::min(guess, all));; room = with_gaps(all)) {
    to.arcs = machine::page_array<sssp_arc<Vertex, Distance>>(room, machine::page_kind::used);
    const auto most = std::min(static_cast<double>(light), static_cast<double>(std::numeric_limits<Weight>::max()));
    gatherer loop{rows, static_cast<Weight>(most), to, reserved};
    parallel_for<gatherer, typename gatherer::room, std::uint64_t>(loop, 0, vertices, {.stop = stop});
    // relaxed: the loop's end orders both.
    if (stop.stop_requested() || loop.used.load(std::memory_order_relaxed) <= room)
      return loop.found.load(std::memory_order_relaxed);
  }
}

}  // namespace callisto::graph
