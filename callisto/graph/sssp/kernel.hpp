// The bodies of the loops of delta-stepping (Meyer and Sanders 2003). delta_stepping.hpp distributes them.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/machine/native.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace callisto::graph {

/// The distance of an unreached vertex: larger than any other.
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

  /// Arcs of a row for which a thread reserves room of its own. So at most as many are lost where it begins anew.
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

/// A vertex that waits for its arcs to be relaxed. It is stale, and skipped, if the vertex has another distance by
/// then.
template <class Vertex, class Distance>
struct sssp_entry {
  Vertex vertex;
  Distance distance;
};

/// The buckets of one thread: a window of the nearest ones, and one for all entries behind the window. Aligned to a
/// cache line, because the thread counts here with every vertex.
template <class Vertex, class Distance>
class alignas(machine::native::line_size) sssp_buckets {
 public:
  using entry = sssp_entry<Vertex, Distance>;
  using list = std::vector<entry>;

  static constexpr std::size_t window = 1024;

  std::uint64_t relaxations = 0;
  std::uint64_t shortened = 0;

  /// Sets the width of a bucket to 1 / `width` and the number of the window's first bucket to `first`.
  void open(double width, std::uint64_t first) noexcept {
    width_ = width;
    first_ = first;
  }

  /// Returns the number of the bucket of a distance.
  std::uint64_t number(Distance d) const noexcept {
    return static_cast<std::uint64_t>(std::min(static_cast<double>(d) * width_, 0x1p62));
  }

  /// Returns the least distance of a bucket of the window.
  double least(std::size_t bucket) const noexcept { return static_cast<double>(first_ + bucket) / width_; }

  void push(Vertex v, Distance d) {
    const std::size_t bucket = std::min<std::uint64_t>(number(d) - first_, window);
    lists_[bucket].push_back({v, d});
    last_ = std::max(last_, bucket);
  }

  /// Moves all entries behind those of `to`.
  void take_all(list& to) {
    for (std::size_t bucket = 0; bucket <= last_; ++bucket) {
      to.insert(to.end(), lists_[bucket].begin(), lists_[bucket].end());
      lists_[bucket].clear();
    }
  }

  /// Returns a bucket of the window, or, as number `window`, the list of entries behind it.
  list& operator[](std::size_t bucket) noexcept { return lists_[bucket]; }
  /// Returns the first bucket from `bucket` on that has entries; window + 1 if none has.
  std::size_t occupied(std::size_t bucket) const noexcept {
    while (bucket <= last_ && lists_[bucket].empty()) ++bucket;
    return bucket <= last_ ? bucket : window + 1;
  }

 private:
  std::array<list, window + 1> lists_;
  std::size_t last_ = 0;  ///< buckets behind it are empty
  double width_ = 1;
  std::uint64_t first_ = 0;
};

/// The tentative distances, which all threads shorten.
template <class Distance>
struct sssp_distances {
  Distance* of;
  bool alone;  ///< no other thread takes part

  // relaxed: distances only fall. A thread that reads an old one meets the entry of the new one later, and the ends of
  // loops and supersteps order the entries.
  Distance load(std::uint64_t v) const noexcept { return std::atomic_ref(of[v]).load(std::memory_order_relaxed); }

  /// Sets the distance of v to `to` if that is shorter; true if it was.
  bool shorten(std::uint64_t v, Distance to) const noexcept {
    const std::atomic_ref<Distance> distance(of[v]);
    Distance now = distance.load(std::memory_order_relaxed);
    if (!(to < now)) return false;
    if (alone) {
      distance.store(to, std::memory_order_relaxed);
      return true;
    }
    while (!distance.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
      if (!(to < now)) return false;
    }
    return true;
  }
};

/// Relaxes the arcs of entries: those in `light` if not null, otherwise those in `rows`.
template <class Vertex, class Distance, class Weight>
struct sssp_relax {
  using buckets = sssp_buckets<Vertex, Distance>;
  using entry = sssp_entry<Vertex, Distance>;

  const adjacency<Vertex>& rows;
  const light_rows<Vertex, Distance>* light;
  sssp_distances<Distance> distances;

  void relax(std::uint64_t v, Distance to, buckets& mine) const {
    if (!distances.shorten(v, to)) return;
    ++mine.shortened;
    mine.push(static_cast<Vertex>(v), to);
  }

  /// Relaxes the entries [first, last) of a list that ends at `end`. Prefetches beyond `last`: batches are short, and
  /// the next one is often this thread's.
  void operator()(const entry* first, const entry* last, const entry* end, buckets& mine) const {
    for (const entry* e = first; e != last; ++e) {
      prefetch(e, static_cast<std::size_t>(end - e));
      const auto [v, distance] = *e;
      if (distances.load(v) != distance) continue;  // stale
      if (light != nullptr) {
        const auto [row, row_end] = light->row[v];
        const sssp_arc<Vertex, Distance>* const arcs = light->arcs.data() + row;
        relax_row(row_end - row, distance, [arcs](std::uint64_t a) { return arcs[a]; }, mine);
      } else {
        const std::uint64_t row = rows.offsets[v];
        const Vertex* const targets = rows.targets.data() + row;
        const Weight* const weights = weights_of<Weight>(rows) + row;
        relax_row(
            rows.degree(v), distance,
            [targets, weights](std::uint64_t a) {
              return sssp_arc<Vertex, Distance>{targets[a], static_cast<Distance>(weights[a])};
            },
            mine);
      }
    }
  }

 private:
  /// Relaxes the arcs arc(0), arc(1), ... of a vertex. The loop reads nothing else from memory.
  template <class Arc>
  void relax_row(std::uint64_t arcs, Distance from, const Arc& arc, buckets& mine) const {
    const sssp_distances<Distance> known = distances;
    for (std::uint64_t a = 0; a != arcs; ++a) {
      const auto [target, weight] = arc(a);
      const Distance to = from + weight;
      if (to < known.load(target)) relax(target, to, mine);
    }
    mine.relaxations += arcs;
  }

  /// Prefetches for the entries ahead: the bounds of a row, then its arcs, for which the loop waits most. Targets'
  /// distances are not prefetched: that would wait for the arcs.
  void prefetch(const entry* e, std::size_t ahead) const noexcept {
    if (ahead <= 12) return;
    __builtin_prefetch(distances.of + e[12].vertex);
    const std::uint64_t v = e[8].vertex;
    if (light != nullptr) {
      __builtin_prefetch(&light->row[e[12].vertex]);
      if (distances.load(v) != e[8].distance) return;
      const auto [first, last] = light->row[v];
      prefetch_arcs(light->arcs.data() + first, last - first);
    } else {
      __builtin_prefetch(&rows.offsets[e[12].vertex]);
      if (distances.load(v) != e[8].distance) return;
      const std::uint64_t first = rows.offsets[v];
      const std::uint64_t degree = rows.offsets[v + 1] - first;
      prefetch_arcs(rows.targets.data() + first, degree);
      prefetch_arcs(weights_of<Weight>(rows) + first, degree);
    }
  }

  /// Prefetches the first eight cache lines; the processor itself prefetches the rest of long rows.
  template <class T>
  static void prefetch_arcs(const T* first, std::uint64_t size) noexcept {
    constexpr std::uint64_t in_line = 64 / sizeof(T);
    for (std::uint64_t a = 0; a < std::min(size, 8 * in_line); a += in_line) __builtin_prefetch(first + a);
  }
};

}  // namespace callisto::graph
