// Copies of in-rows for graphs where many vertices have the in-neighbours of the vertex before, such as pages of a web
// site that are linked from the same menu, or the vertices next to these, as in grids. Sweeps read the copy faster:
// - Equal consecutive rows are stored once.
// - Of consecutive rows that are each the row before moved by one vertex, and that leave the block, the first is
//   stored. Their values, all from before the sweep, are read side by side, as in stencils.
// - The other rows of a block are sorted by length, cut into groups of four, and interleaved. That is the sliced
//   ELLPACK format of sparse matrices, sorted in windows ("SELL-C-sigma", Kreutzer et al., SIAM J. Scientific Computing
//   2014). Four sums grow side by side, and the end of their loop is predicted.
// - An entry says where its value is read: for a vertex of the block, among the fresh values; otherwise among the
//   published ones.
#pragma once

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/kernel.hpp>
#include <callisto/graph/pagerank/lanes.hpp>
#include <callisto/graph/pagerank/limits.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::graph {

/// A row of which the sum is known, because partners made it together.
struct cut_row {
  std::uint64_t vertex;
  double sum;
};

/// No rows: the end of a list of them.
inline constexpr std::array<cut_row, 1> no_cut_rows{{{~std::uint64_t{0}, 0}}};

/// True if all of an ascending, non-empty row lies in [first, last).
template <class Vertex>
inline bool lies_in(const Vertex* row, const Vertex* end, std::uint64_t first, std::uint64_t last) noexcept {
  return row != end && row[0] >= first && end[-1] < last;
}

template <class Vertex>
inline bool same_row(const adjacency<Vertex>& rows, std::uint64_t v, std::uint64_t w) noexcept {
  const auto a = rows.row(v);
  const auto b = rows.row(w);
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

/// True if the row of v is that of the vertex before, moved by one.
template <class Vertex>
inline bool moved_row(const adjacency<Vertex>& rows, std::uint64_t v) noexcept {
  const auto a = rows.row(v - 1);
  const auto b = rows.row(v);
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](Vertex x, Vertex y) { return x + 1 == y; });
}

/// How rows follow from the rows before. `repeated`: a tenth of a sample are equal to the rows before. `moved`: half of
/// a sample are moved by one and leave their block.
enum class row_pattern { none, repeated, moved };

/// With partners, each looks at the sampled rows that it has together with the row before; all get the same answer.
template <class Vertex>
row_pattern find_row_pattern(const adjacency<Vertex>& in, std::uint64_t vertices, partners* among = nullptr) {
  constexpr unsigned samples = 1024;
  constexpr std::uint64_t block = 1024;  // the size of most graphs' blocks
  if (vertices < samples) return row_pattern::none;
  const counter_random random(3);
  unsigned same = 0;
  unsigned moved = 0;
  for (unsigned i = 0; i < samples; ++i) {
    const std::uint64_t v = 1 + below(random(i), vertices - 1);
    if (among != nullptr && (v <= among->first() || v >= among->last())) continue;
    const auto row = in.row(v);
    if (row.empty()) continue;
    same += same_row(in, v, v - 1) ? 1 : 0;
    moved += row.front() / block != row.back() / block && moved_row(in, v) ? 1 : 0;
  }
  if (among != nullptr) {
    same = among->sum(same);
    moved = among->sum(moved);
  }
  if (same * 10 >= samples) return row_pattern::repeated;
  return moved * 2 >= samples ? row_pattern::moved : row_pattern::none;
}

/// Copies of the rows of all blocks. Their entries index the published values, the fresh values, and a zero behind
/// them.
template <class Vertex>
class packed_rows {
 public:
  struct run {
    std::uint16_t first;      ///< the first vertex, relative to the block
    std::uint16_t more : 15;  ///< further vertices of the run
    std::uint16_t moved : 1;  ///< each row is the one before moved by one; otherwise all rows are equal
  };

  /// True if a Vertex can index the values.
  static constexpr bool can_hold(std::uint64_t vertices) noexcept {
    return vertices <= std::numeric_limits<Vertex>::max() / 2;
  }

  /// Returns the pattern that makes copying these rows pay, or none.
  static row_pattern pattern_of(const adjacency<Vertex>& in, partners* among = nullptr) {
    const std::uint64_t vertices = in.offsets.size() - 1;
    return can_hold(vertices) ? find_row_pattern(in, vertices, among) : row_pattern::none;
  }

  packed_rows() = default;

  /// Makes room for the rows of `blocks` blocks, each of which begins at a multiple of `lanes`.
  packed_rows(const adjacency<Vertex>& in, std::uint64_t blocks)
      : entries_(in.targets.size() + most_padding * blocks, machine::page_kind::used),
        runs_(in.offsets.size() - 1, machine::page_kind::used),
        lengths_((in.offsets.size() - 1 + lanes - 1) / lanes, machine::page_kind::used),
        parts_(blocks) {}

  bool empty() const noexcept { return parts_.empty(); }

  /// Copies the rows of a block, the vertices [first, last), but for those that is_cut(v) is true of.
  template <class IsCut>
  void pack(const adjacency<Vertex>& in, std::uint64_t block, std::uint64_t first, std::uint64_t last,
            const IsCut& is_cut) {
    std::vector<run> found(last - first);
    std::array<std::uint32_t, longest + 4> begin{};
    const auto kind = [&](run r) {
      return r.moved != 0 ? longest + 2 : std::min(in.degree(first + r.first), longest + 1);
    };
    std::size_t count = 0;
    for (std::uint64_t v = first; v < last; ++count) {
      const run r = run_from(in, v, first, last);
      found[count] = r;
      ++begin[kind(r) + 1];
      v += r.more + 1U;
    }
    for (std::size_t k = 0; k <= longest + 2; ++k) begin[k + 1] += begin[k];
    parts_[block] = {begin[longest + 1], begin[longest + 2], static_cast<std::uint32_t>(count)};
    run* const runs = runs_.data() + first;
    for (std::size_t i = 0; i < count; ++i) runs[begin[kind(found[i])]++] = found[i];

    const std::uint64_t vertices = in.offsets.size() - 1;
    const auto entry = [&](Vertex u) {
      return static_cast<Vertex>(u + (u - first < last - first ? vertices : std::uint64_t{0}));
    };
    Vertex* next = entries_.data() + begin_of(in, block, first);
    const std::size_t short_runs = parts_[block].short_runs;
    for (std::size_t i = 0; i < short_runs; i += lanes) {
      const std::size_t used = std::min(lanes, short_runs - i);
      const std::uint64_t length = in.degree(first + runs[i + used - 1].first);
      lengths_[(first + i) / lanes] = static_cast<std::uint8_t>(length);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::uint64_t k = 0;
        if (lane < used) {
          for (const Vertex u : in.row(first + runs[i + lane].first)) next[k++ * lanes + lane] = entry(u);
        }
        for (; k < length; ++k) next[k * lanes + lane] = static_cast<Vertex>(2 * vertices);
      }
      next += length * lanes;
    }
    for (std::size_t i = short_runs; i < count; ++i) {
      if (is_cut(first + runs[i].first)) continue;
      const auto row = in.row(first + runs[i].first);
      // Of a very long row that leaves the block, few entries are of the block: the published values will do.
      const bool far = row.size() > very_long() && !lies_in(row.data(), row.data() + row.size(), first, last);
      for (const Vertex u : row) *next++ = far || runs[i].moved != 0 ? u : entry(u);
    }
  }

  /// Calls set(v, sum) for each vertex of a block, with the sum of the values of its row. Later rows of the block read
  /// what `set` writes, except moved and very long ones. `known`: the rows that were not copied, from this block on.
  template <class Value, class Set>
  void gather(const adjacency<Vertex>& in, std::uint64_t block, std::uint64_t first, const Value* values,
              const cut_row* known, const Set& set) const noexcept {
    const auto set_all = [&](run r, auto sum) {
      for (std::uint64_t v = first + r.first, all = v + r.more; v <= all; ++v) set(v, sum);
    };
    const Vertex* next = entries_.data() + begin_of(in, block, first);
    const run* r = runs_.data() + first;
    const std::uint8_t* length = lengths_.data() + first / lanes;
    for (std::size_t left = parts_[block].short_runs; left != 0;) {
      Value a = 0;
      Value b = 0;
      Value c = 0;
      Value d = 0;
      for (const Vertex* const end = next + lanes * *length++; next != end; next += lanes) {
        a += values[next[0]];
        b += values[next[1]];
        c += values[next[2]];
        d += values[next[3]];
      }
      if (left < lanes) {
        const std::array<Value, lanes> sums{a, b, c, d};
        for (std::size_t lane = 0; lane < left; ++lane) set_all(*r++, sums[lane]);
        break;
      }
      set_all(r[0], a);
      set_all(r[1], b);
      set_all(r[2], c);
      set_all(r[3], d);
      r += lanes;
      left -= lanes;
    }
    for (const run* const end = runs_.data() + first + parts_[block].unmoved_runs; r != end; ++r) {
      while (known->vertex < first + r->first) ++known;
      if (known->vertex == first + r->first) {
        set_all(*r, known->sum);
        continue;
      }
      const Vertex* const row_end = next + in.degree(first + r->first);
      set_all(*r, long_sum(values, next, row_end));
      next = row_end;
    }
    for (const run* const end = runs_.data() + first + parts_[block].runs; r != end; ++r) {
      const Vertex* const row_end = next + in.degree(first + r->first);
      each_group<Value>(0, r->more + 1U, [&](std::uint64_t i, auto group) {
        graph::lanes<Value> sums{};
        for (const Vertex* u = next; u != row_end; ++u) sums += load_lanes(values + *u + i, group);
        for (std::size_t lane = 0; lane < group; ++lane) set(first + r->first + i + lane, sums[lane]);
      });
      next = row_end;
    }
  }

 private:
  static constexpr std::size_t lanes = 4;
  static constexpr std::uint64_t longest = longest_short_row;  ///< longer rows are not interleaved
  static std::uint64_t very_long() noexcept { return 4 * pagerank_limits::most_block; }
  /// Unused entries of a block's groups at most: the differences of lengths in all groups, and the last group's rest.
  static constexpr std::uint64_t most_padding = 2 * (lanes - 1) * longest;

  static constexpr std::uint64_t least_moved = 16;  ///< rows of a run

  struct part {
    std::uint32_t short_runs;
    std::uint32_t unmoved_runs;  ///< end of the runs of long, equal rows, which follow the short ones
    std::uint32_t runs;
  };

  /// Returns the run that begins with v, in the block [first, last).
  static run run_from(const adjacency<Vertex>& in, std::uint64_t v, std::uint64_t first, std::uint64_t last) {
    const auto of = [&](std::uint64_t end, bool moved) {
      return run{static_cast<std::uint16_t>(v - first), static_cast<std::uint16_t>((end - 1 - v) & 0x7fff), moved};
    };
    std::uint64_t end = v + 1;
    const auto row = in.row(v);
    if (!row.empty() && row.size() <= longest && (row.front() < first || row.back() >= last)) {
      while (end < last && moved_row(in, end)) ++end;
      if (end - v >= least_moved) return of(end, true);
      end = v + 1;
    }
    while (end < last && same_row(in, end, v)) ++end;
    return of(end, false);
  }

  std::uint64_t begin_of(const adjacency<Vertex>& in, std::uint64_t block, std::uint64_t first) const noexcept {
    return in.offsets[first] + most_padding * block;
  }

  machine::page_array<Vertex> entries_;
  machine::page_array<run> runs_;              ///< a block's begin at the number of its first vertex
  machine::page_array<std::uint8_t> lengths_;  ///< of groups
  machine::page_array<part> parts_;            ///< by block
};

}  // namespace callisto::graph
