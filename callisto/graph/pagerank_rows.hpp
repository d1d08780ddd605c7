// The rows of in-neighbours as accelerated PageRank reads them on graphs where many vertices have the very
// in-neighbours of the one before, as pages of a web site do that are linked from the same menu. Such a graph takes
// many sweeps, which pay for a copy made to be read fast:
// - rows that repeat are in it once;
// - rows of a block are sorted by length, cut in groups of four and interleaved, which is the sliced ELLPACK format of
//   sparse matrices, sorted in windows ("SELL-C-sigma", Kreutzer et al., SIAM J. Scientific Computing 2014). Four sums
//   grow side by side, and processors foresee where their loop ends;
// - an entry says where to read the value: a vertex of the block is counted from behind all vertices, where the block
//   finds what it has made itself.
#pragma once

#include <callisto/graph/counter_random.hpp>
#include <callisto/graph/graph.hpp>
#include <callisto/graph/pagerank_kernel.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::graph {

template <class Vertex>
inline bool same_row(const adjacency<Vertex>& rows, std::uint64_t v, std::uint64_t w) noexcept {
  const auto a = rows.row(v);
  const auto b = rows.row(w);
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

/// Whether a tenth of the vertices, in a sample, have arcs to them from where the one before has its from.
template <class Vertex>
bool rows_repeat(const adjacency<Vertex>& in, std::uint64_t vertices) {
  constexpr unsigned samples = 1024;
  if (vertices < samples) return false;
  const counter_random random(3);
  unsigned same = 0;
  for (unsigned i = 0; i < samples; ++i) {
    const std::uint64_t v = 1 + below(random(i), vertices - 1);
    same += in.degree(v) != 0 && same_row(in, v, v - 1) ? 1 : 0;
  }
  return same * 10 >= samples;
}

/// Copies of the rows of all blocks. Values to read are those of all vertices twice, and a zero behind them.
template <class Vertex>
class packed_rows {
 public:
  struct run {
    std::uint16_t first;  ///< the first vertex, counted from that of the block
    std::uint16_t more;   ///< vertices behind it with the same row
  };

  /// Whether entries have room for so many values.
  static constexpr bool can_hold(std::uint64_t vertices) noexcept {
    return vertices <= std::numeric_limits<Vertex>::max() / 2;
  }

  /// Whether it pays to copy these rows.
  static bool pays(const adjacency<Vertex>& in) {
    return can_hold(in.offsets.size() - 1) && rows_repeat(in, in.offsets.size() - 1);
  }

  packed_rows() = default;

  /// Room for the rows of so many blocks, each of which begins at a multiple of `lanes`.
  packed_rows(const adjacency<Vertex>& in, std::uint64_t blocks)
      : entries_(in.targets.size() + most_padding * blocks, machine::page_kind::used),
        runs_(in.offsets.size() - 1, machine::page_kind::used),
        lengths_((in.offsets.size() - 1 + lanes - 1) / lanes, machine::page_kind::used),
        parts_(blocks) {}

  bool empty() const noexcept { return parts_.empty(); }

  /// Copies the rows of a block, the vertices in [first, last).
  void pack(const adjacency<Vertex>& in, std::uint64_t block, std::uint64_t first, std::uint64_t last) {
    std::vector<run> found(last - first);
    std::array<std::uint32_t, longest + 3> begin{};
    const auto kind = [&](run r) { return std::min(in.degree(first + r.first), longest + 1); };
    std::size_t count = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      if (v != first && same_row(in, v, v - 1)) {
        ++found[count - 1].more;
        continue;
      }
      found[count] = {static_cast<std::uint16_t>(v - first), 0};
      ++begin[kind(found[count++]) + 1];
    }
    for (std::size_t k = 0; k <= longest + 1; ++k) begin[k + 1] += begin[k];
    parts_[block] = {begin[longest + 1], static_cast<std::uint32_t>(count)};
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
      for (const Vertex u : in.row(first + runs[i].first)) *next++ = entry(u);
    }
  }

  /// Calls set(v, sum) for each vertex of a block with the sum of the values that its row names. What it sets is seen
  /// by those after it.
  template <class Value, class Set>
  void gather(const adjacency<Vertex>& in, std::uint64_t block, std::uint64_t first, const Value* values,
              const Set& set) const noexcept {
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
    for (const run* const end = runs_.data() + first + parts_[block].runs; r != end; ++r) {
      const Vertex* const row_end = next + in.degree(first + r->first);
      set_all(*r, gather_sum(values, next, row_end));
      next = row_end;
    }
  }

 private:
  static constexpr std::size_t lanes = 4;
  static constexpr std::uint64_t longest = longest_short_row;  ///< longer rows are not interleaved
  /// What the groups of a block have in vain: as much as the longest row has more than the shortest, and the last one.
  static constexpr std::uint64_t most_padding = 2 * (lanes - 1) * longest;

  struct part {
    std::uint32_t short_runs;
    std::uint32_t runs;
  };

  std::uint64_t begin_of(const adjacency<Vertex>& in, std::uint64_t block, std::uint64_t first) const noexcept {
    return in.offsets[first] + most_padding * block;
  }

  machine::page_array<Vertex> entries_;
  machine::page_array<run> runs_;              ///< those of a block begin where its vertices do
  machine::page_array<std::uint8_t> lengths_;  ///< of groups
  machine::page_array<part> parts_;            ///< by block
};

}  // namespace callisto::graph
