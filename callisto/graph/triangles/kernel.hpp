// The bodies of the loops of triangle counting. triangles.cpp and clustering.cpp distribute them.
//
// Method: the "forward" algorithm (Schank and Wagner, WEA'05; Latapy, TCS 2008; in parallel: Shun and Tangwongsan,
// ICDE'15). Vertices are renumbered by falling degree, and each edge is kept only at its higher-numbered end, so that a
// row has at most sqrt(2 * edges) entries. A triangle u > v > w is found once, as w in the rows of u and of v. Rows of
// hubs have small numbers and are dense. A dense row is also kept as a bitmap (as LOTUS does for hubs: Koohi Esfahani
// et al., PPoPP'22), and two bitmaps are intersected 64 candidates at a time. On a Kronecker graph of scale 20 this
// replaces 97 % of 4.4e9 probes by 0.9e9 words, and halves the time.
#pragma once

#include <callisto/graph/csr/degree_ranking.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/triangles/common_bits.hpp>
#include <callisto/graph/triangles/limits.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace callisto::graph {

/// The ranks of the rows that an oriented graph has: all. Row r has place r.
class all_ranks {
 public:
  explicit all_ranks(std::uint64_t ranks) noexcept : ranks_(ranks) {}

  std::uint64_t ranks() const noexcept { return ranks_; }
  std::uint64_t rows() const noexcept { return ranks_; }
  static bool has(std::uint64_t) noexcept { return true; }
  static std::uint64_t place(std::uint64_t r) noexcept { return r; }

 private:
  std::uint64_t ranks_;
};

/// The rows of lower-ranked neighbours, and the bitmaps of dense rows. To build: count_rows over all ranks, place_rows,
/// fill_rows over all ranks, place_bitmaps, fill_bitmaps over [0, bitmap_limit). Functions over ranges may run at once
/// on disjoint ranges. `Rows`, such as all_ranks, tells which rows there are: other rows are empty, and take no memory.
template <class Vertex, class Rows = all_ranks>
class oriented_graph {
 public:
  explicit oriented_graph(std::uint64_t ranks) : oriented_graph(Rows(ranks)) {}
  explicit oriented_graph(Rows rows) : places_(std::move(rows)), offsets_(places_.rows() + 1) {}
  /// Takes ready rows: that at place p has the targets [offsets[p], offsets[p + 1]).
  oriented_graph(Rows rows, machine::page_array<std::uint64_t> offsets, machine::page_array<Vertex> targets)
      : places_(std::move(rows)), offsets_(std::move(offsets)), targets_(std::move(targets)) {}

  std::uint64_t ranks() const noexcept { return places_.ranks(); }
  /// Returns the edges of the simple undirected graph. Call it after place_rows().
  std::uint64_t edges() const noexcept { return targets_.size(); }

  /// Counts the entries of the rows [first, last). Returns the least limit, but at least `limit`, above all dense ones.
  template <class Ranking>
  std::uint64_t count_rows(const Ranking& ranking, std::uint64_t first, std::uint64_t last,
                           std::uint64_t limit) noexcept {
    for (std::uint64_t r = first; r < last; ++r) {
      std::uint64_t count = 0;
      ranking.for_each_lower(r, [&](Vertex) { ++count; });
      offsets_[places_.place(r) + 1] = count;
      if (dense(r, count)) limit = std::max(limit, r + 1);
    }
    return limit;
  }

  /// Gives each row its place. Sequential: it takes a thousandth of the whole time.
  void place_rows() {
    const std::uint64_t rows = places_.rows();
    for (std::uint64_t p = 0; p < rows; ++p) offsets_[p + 1] += offsets_[p];
    targets_ = machine::page_array<Vertex>(offsets_[rows]);
  }

  template <class Ranking>
  void fill_rows(const Ranking& ranking, std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t r = first; r < last; ++r) {
      Vertex* next = targets_.data() + offsets_[places_.place(r)];
      ranking.for_each_lower(r, [&](Vertex s) { *next++ = s; });
    }
  }

  const machine::page_array<Vertex>& targets() const noexcept { return targets_; }
  std::uint64_t row_size(std::uint64_t r) const noexcept { return row(r).size(); }
  /// Returns the least limit, but at least `limit`, above row r if that is dense.
  std::uint64_t limit_above(std::uint64_t r, std::uint64_t limit) const noexcept {
    return dense(r, row_size(r)) ? std::max(limit, r + 1) : limit;
  }

  /// Gives each bitmap its place. `limit`: the result of count_rows(); it is at most 128 * sqrt(2 * edges()).
  /// Sequential.
  void place_bitmaps(std::uint64_t limit) {
    bitmap_offsets_ = machine::page_array<std::uint64_t>(limit + 1);
    for (std::uint64_t r = 0; r < limit; ++r)
      bitmap_offsets_[r + 1] = bitmap_offsets_[r] + (dense(r, row(r).size()) ? r / 64 + 1 : 0);
    bitmaps_ = machine::page_array<std::uint64_t>(bitmap_offsets_[limit]);
  }
  std::uint64_t bitmap_limit() const noexcept { return bitmap_offsets_.size() - 1; }

  void fill_bitmaps(std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t r = first; r < last; ++r) {
      if (bitmap_words(r) != 0) mark(row(r), bitmaps_.data() + bitmap_offsets_[r]);
    }
  }

  /// Returns the 64-bit words of the `marks` that a thread passes to count_triangles().
  std::uint64_t mark_words() const noexcept { return ranks() / 64 + 1; }

  /// Returns the number of triangles with a highest rank in [first, last). `marks`: mark_words() zeros of this thread,
  /// which are zeros again afterwards.
  std::uint64_t count_triangles(std::uint64_t first, std::uint64_t last, std::uint64_t* marks) const noexcept {
    return count_triangles(first, last, marks, *this);
  }
  /// Returns the number of these triangles, with the rows of the second corners from `second`.
  std::uint64_t count_triangles(std::uint64_t first, std::uint64_t last, std::uint64_t* marks,
                                const oriented_graph& second) const noexcept {
    counter found{common_bits_};
    intersect_rows(first, last, marks, second, found);
    return found.triangles;
  }

  /// Calls f(u, v, w) for each of these triangles, u > v > w. `marks`: as in count_triangles().
  template <class Function>
  void for_each_triangle(std::uint64_t first, std::uint64_t last, std::uint64_t* marks, const Function& f) const {
    for_each_triangle(first, last, marks, *this, f);
  }
  /// Does so with the rows of the second corners from `second`.
  template <class Function>
  void for_each_triangle(std::uint64_t first, std::uint64_t last, std::uint64_t* marks, const oriented_graph& second,
                         const Function& f) const {
    caller<Function> found{f};
    intersect_rows(first, last, marks, second, found);
  }

 private:
  /// True if row r is also kept as a bitmap.
  static bool dense(std::uint64_t r, std::uint64_t size) noexcept {
    return size != 0 && r <= triangle_limits::bitmap_share * size;
  }

  /// Counts what intersect_rows() finds.
  struct counter {
    common_bits_function common_bits;
    std::uint64_t triangles = 0;

    template <class Index>
    void probe(std::uint64_t, Vertex, const std::uint64_t* bits, std::span<const Vertex> row, Index at) noexcept {
      for (const Vertex w : row) triangles += bit(bits, at(w));
    }
    void intersect(std::uint64_t, Vertex, const std::uint64_t* a, const std::uint64_t* b,
                   std::uint64_t words) noexcept {
      triangles += common_bits(a, b, words);
    }
  };

  /// Calls a function for what intersect_rows() finds.
  template <class Function>
  struct caller {
    const Function& f;

    template <class Index>
    void probe(std::uint64_t u, Vertex v, const std::uint64_t* bits, std::span<const Vertex> row, Index at) const {
      for (const Vertex w : row) {
        if (bit(bits, at(w)) != 0) f(u, v, w);
      }
    }
    void intersect(std::uint64_t u, Vertex v, const std::uint64_t* a, const std::uint64_t* b,
                   std::uint64_t words) const {
      for (std::uint64_t i = 0; i < words; ++i) {
        for (std::uint64_t both = a[i] & b[i]; both != 0; both &= both - 1) {
          f(u, v, i * 64 + static_cast<unsigned>(std::countr_zero(both)));
        }
      }
    }
  };

  /// Intersects the row of u with that of v in `second` for each edge u > v with u in [first, last), in the cheapest of
  /// three ways: probes a bitmap of one row with the entries of the other (either way), or intersects two bitmaps.
  /// `found` gets probe(u, v, bits, row, at), which looks at bit at(w) for each w of the row, or intersect(u, v, a, b,
  /// words).
  template <class Found>
  void intersect_rows(std::uint64_t first, std::uint64_t last, std::uint64_t* marks, const oriented_graph& second,
                      Found& found) const {
    for (std::uint64_t u = first; u < last; ++u) {
      const auto lower = row(u);
      if (lower.size() < 2) continue;
      const bool has_bitmap = bitmap_words(u) != 0;
      if (!has_bitmap) mark(lower, marks);
      const std::uint64_t* in_row = has_bitmap ? bitmap(u) : marks;
      for (const Vertex v : lower) {
        const std::uint64_t words = second.bitmap_words(v);
        if (words == 0) {
          found.probe(u, v, in_row, second.row(v), [](Vertex w) { return w; });
        } else if (words <= triangle_limits::words_per_probe * lower.size()) {
          found.intersect(u, v, in_row, second.bitmap(v), words);
        } else {
          // Bit v of bitmap v is 0: it stands for all numbers beyond the bitmap.
          found.probe(u, v, second.bitmap(v), lower, [v](Vertex w) { return std::min(v, w); });
        }
      }
      if (!has_bitmap) {
        for (const Vertex v : lower) marks[v / 64] = 0;
      }
    }
  }

  static void mark(std::span<const Vertex> row, std::uint64_t* bits) noexcept {
    for (const Vertex s : row) bits[s / 64] |= std::uint64_t{1} << (s % 64);
  }
  static std::uint64_t bit(const std::uint64_t* bits, std::uint64_t i) noexcept { return bits[i / 64] >> (i % 64) & 1; }

  std::span<const Vertex> row(std::uint64_t r) const noexcept {
    if (!places_.has(r)) return {};
    const std::uint64_t* const at = offsets_.data() + places_.place(r);
    return {targets_.data() + at[0], static_cast<std::size_t>(at[1] - at[0])};
  }
  const std::uint64_t* bitmap(std::uint64_t r) const noexcept { return bitmaps_.data() + bitmap_offsets_[r]; }
  /// Returns the words of row r's bitmap; 0 if it has none.
  std::uint64_t bitmap_words(std::uint64_t r) const noexcept {
    return r < bitmap_limit() ? bitmap_offsets_[r + 1] - bitmap_offsets_[r] : 0;
  }

  Rows places_;
  machine::page_array<std::uint64_t> offsets_;  ///< by place
  machine::page_array<Vertex> targets_;
  machine::page_array<std::uint64_t> bitmap_offsets_;
  machine::page_array<std::uint64_t> bitmaps_;
  common_bits_function common_bits_ = common_bits_versions().front();
};

/// Sums over a range of vertices: their edges to smaller vertices, and the triangles in which they are the largest
/// corner.
struct triangle_sums {
  std::uint64_t triangles = 0;
  std::uint64_t edges = 0;
  bool given_up = false;

  friend triangle_sums operator+(triangle_sums a, triangle_sums b) noexcept {
    return {a.triangles + b.triangles, a.edges + b.edges, a.given_up || b.given_up};
  }
};

/// Counts triangles in an undirected graph without vertices of many neighbours, as road networks and grids: merges the
/// rows of two neighbours as they are, without ranking and orienting, which pay only with hubs. Gives up at a vertex
/// with more than `few_neighbours` arcs, and tells other threads by `hub`; the sums then mean nothing.
template <class Vertex>
struct few_neighbours_count {
  const adjacency<Vertex>& rows;
  std::atomic<bool>& hub;

  triangle_sums operator()(std::uint64_t first, std::uint64_t last, triangle_sums sums) const noexcept {
    // relaxed: a thread that sees it late counts in vain for a while.
    if (hub.load(std::memory_order_relaxed)) return {0, 0, true};
    for (std::uint64_t u = first; u < last; ++u) {
      if (rows.degree(u) > triangle_limits::few_neighbours) {
        hub.store(true, std::memory_order_relaxed);
        return {0, 0, true};
      }
      std::uint64_t before = u;  // repeated edges count once
      for (const Vertex v : rows.row(u)) {
        if (v >= u) break;
        if (v == before) continue;
        before = v;
        ++sums.edges;
        sums.triangles += common_below(u, v);
      }
    }
    return sums;
  }

 private:
  /// Returns the number of common neighbours of u and v below v. With branches: on grids rows differ in a regular way,
  /// which branches predict, so that they take half the time of conditional moves.
  std::uint64_t common_below(std::uint64_t u, std::uint64_t v) const noexcept {
    std::uint64_t count = 0;
    const Vertex* a = rows.targets.data() + rows.offsets[u];
    const Vertex* b = rows.targets.data() + rows.offsets[v];
    const Vertex* const end = rows.targets.data() + rows.offsets[v + 1];
    std::uint64_t before = v;
    while (b != end && *b < v) {
      const std::uint64_t w = *a;  // u's row has v, so it does not end before
      if (w >= v) break;
      if (w < *b) {
        ++a;
      } else if (*b++ == w) {
        ++a;
        count += w != before ? 1 : 0;  // repeated edges count once
        before = w;
      }
    }
    return count;
  }
};

}  // namespace callisto::graph
