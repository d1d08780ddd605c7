// The bodies of the loops of delta-stepping (Meyer and Sanders 2003). delta_stepping.hpp distributes them.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/sssp/light_rows.hpp>
#include <callisto/machine/native.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::graph {

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
    // In this order: 0 by an infinite width is no number, and then the bound is taken.
    return static_cast<std::uint64_t>(std::min(0x1p62, static_cast<double>(d) * width_));
  }

  /// Returns the least distance of a bucket of the window.
  double least(std::size_t bucket) const noexcept { return static_cast<double>(first_ + bucket) / width_; }

  void push(Vertex v, Distance d) {
    const std::size_t bucket = std::min<std::uint64_t>(number(d) - first_, window);
    lists_[bucket].push_back({v, d});
    last_ = std::max(last_, bucket);
  }

  /// Moves all entries behind the entries of `to`.
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

/// Relaxes the arcs of entries: the arcs in `light` if not null, otherwise the arcs in `rows`.
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
