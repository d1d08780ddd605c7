// The sweeps of accelerated PageRank: Gauss-Seidel, in an order that does not depend on threads.
//
// A sweep of Gauss-Seidel uses the scores that it has already made, and so needs fewer sweeps than the power iteration
// (Arasu et al., "PageRank computation and the structure of the Web", WWW 2002). In strict order it is sequential; in
// the order of threads (GAPBS) the result differs from run to run. So the vertices are cut into blocks of four colours
// in turn, as in multi-colour orderings of unknowns (Adams and Ortega, ICPP 1982):
// 1. The blocks of one colour are swept at once. A block reads its own new scores, the new scores of other colours, and
//    the scores before the sweep of other blocks of its colour.
// 2. The new scores of the colour are published, and the next colour is swept.
// So scores depend on the blocks alone, and these on the graph alone.
#pragma once

#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/kernel.hpp>
#include <callisto/graph/pagerank/lanes.hpp>
#include <callisto/graph/pagerank/limits.hpp>
#include <callisto/graph/pagerank/rows.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace callisto::graph {

inline constexpr std::uint64_t block_colours = 4;

/// The cut of the vertices into blocks. Blocks grow with the graph: in large ones more arcs stay inside, small ones
/// give work to more threads. A block with many arcs, such as that of the hubs where these come first, would keep
/// other threads waiting: it is cut into small ones of the same colour.
class block_layout {
 public:
  /// `offsets`: the `vertices` + 1 offsets of the rows. With partners, each looks at those of its part.
  block_layout(const std::uint64_t* offsets, std::uint64_t vertices, partners* among = nullptr) {
    using limits = pagerank_limits;
    const std::uint64_t size = std::min(
        limits::most_block,
        std::max(std::clamp(std::bit_floor(vertices / limits::least_blocks), limits::least_block, limits::usual_block),
                 std::bit_ceil(vertices >> 16)));
    std::vector<char> is_heavy((vertices + size - 1) / size);
    const std::uint64_t arcs = offsets[vertices];
    const std::uint64_t own_end = among == nullptr ? vertices : among->last();
    for (std::uint64_t first = among == nullptr ? 0 : among->first(); first < own_end; first += size) {
      const std::uint64_t last = std::min(vertices, first + size);
      is_heavy[first / size] = (offsets[last] - offsets[first]) * limits::heavy_share > arcs ? 1 : 0;
    }
    if (among != nullptr) among->share(is_heavy.data(), in_blocks(among->bounds(), size));
    for (std::uint64_t first = 0; first < vertices; first += size) {
      const std::uint64_t last = std::min(vertices, first + size);
      const bool heavy = is_heavy[first / size] != 0;
      for (std::uint64_t v = first; v < last; v += heavy ? limits::least_block : size) {
        colour_.push_back(static_cast<std::uint8_t>(first / size % block_colours));
        of_colour_[colour_.back()].push_back(first_.size());
        first_.push_back(v);
      }
    }
    first_.push_back(vertices);
  }

  std::uint64_t blocks() const noexcept { return first_.size() - 1; }
  std::uint64_t first(std::uint64_t block) const noexcept { return first_[block]; }
  std::uint64_t last(std::uint64_t block) const noexcept { return first_[block + 1]; }
  const std::vector<std::uint64_t>& of_colour(std::uint64_t colour) const noexcept { return of_colour_[colour]; }
  std::uint64_t colour_of(std::uint64_t block) const noexcept { return colour_[block]; }
  /// Returns the block of a vertex.
  std::uint64_t block_of(std::uint64_t v) const noexcept {
    return static_cast<std::uint64_t>(std::upper_bound(first_.begin(), first_.end(), v) - first_.begin()) - 1;
  }

 private:
  std::vector<std::uint64_t> first_;  ///< by block: its first vertex; behind the last block, the number of vertices
  std::vector<std::uint8_t> colour_;  ///< by block
  std::array<std::vector<std::uint64_t>, block_colours> of_colour_;
};

/// Sums of a sweep over all scores; the sums of blocks add up.
struct block_sums {
  double change = 0;    ///< L1 distance between the scores before and after
  double total = 0;     ///< sum of the scores after
  double dangling = 0;  ///< sum of the scores after, over vertices without out-arcs

  friend block_sums operator+(block_sums a, const block_sums& b) {
    return {a.change + b.change, a.total + b.total, a.dangling + b.dangling};
  }
};

/// The sweep of a block. Blocks of one colour may be swept at once; then their scores have to be published. `Weight`:
/// the form of the arcs' weights; void: they have none.
template <class Vertex, class Real, class Weight = void>
struct block_sweep {
  const adjacency<Vertex>& in;
  const block_layout& layout;
  const packed_rows<Vertex>& packed;  ///< empty: read `in`
  /// Score / out-degree of all vertices, twice: the published values, then the fresh ones of the blocks swept last,
  /// always in the order of vertices.
  Real* contributions;
  const Real* inverse;  ///< 1 / out-degree; 0 without out-arcs
  const Real* x;        ///< the scores before
  Real* y;              ///< the scores after
  double base;          ///< the amount that every vertex gets; with `restart`, the sum over all vertices
  double damping;
  const double* restart;  ///< the share of each vertex in `base`; null: equal ones
  const Weight* weights;  ///< of the arcs of `in`
  /// The targets of `in` as places of the published contributions; null: these stand in the order of vertices.
  const Vertex* placed = nullptr;
  const std::uint8_t* inside = nullptr;  ///< with `placed`: 1 if lies_in() is true of the vertex's row
  /// Rows with known sums, ascending by vertex, and the end: none of them is read.
  const cut_row* cut = no_cut_rows.data();

  block_sums operator()(std::uint64_t block) const noexcept {
    const std::uint64_t first = layout.first(block);
    const std::uint64_t last = layout.last(block);
    // Copies stay in registers, whatever `set` writes; for that it must be inlined.
    const auto [offsets, targets, old] = std::tuple(in.offsets.data(), in.targets.data(), contributions);
    const std::uint64_t vertices = in.offsets.size() - 1;
    Real* const fresh = contributions + vertices;
    const auto set = [this, fresh, scores = y, per_arc = inverse, all = static_cast<Real>(base),
                      by = static_cast<Real>(damping)](std::uint64_t v, auto pulled) __attribute__((always_inline)) {
      const Real mine = restart == nullptr ? all : static_cast<Real>(base * restart[v]);
      const Real score = mine + by * static_cast<Real>(pulled);
      scores[v] = score;
      fresh[v] = score * per_arc[v];
    };
    const auto add = [this, set](std::uint64_t v, const Real* values, const Vertex* row, const Vertex* end,
                                 std::uint64_t begin) __attribute__((always_inline)) {
      if constexpr (!std::is_void_v<Weight>) {
        set(v, weighted_sum(values, weights + begin, row, end));
      } else if (static_cast<std::uint64_t>(end - row) <= longest_short_row) {
        set(v, short_sum(values, row, end));
      } else {
        static_cast<void>(this);  // which only weights need
        set(v, long_sum(values, row, end));
      }
    };
    if (placed != nullptr) {
      for (std::uint64_t v = first; v < last; ++v) {
        const bool in_block = inside[v] != 0;
        const Vertex* const all = in_block ? targets : placed;
        add(v, in_block ? fresh : old, all + offsets[v], all + offsets[v + 1], offsets[v]);
      }
      return sums(first, last);
    }
    const cut_row* known = cut;
    while (known->vertex < first) ++known;
    if (packed.empty()) {
      for (std::uint64_t v = first;; ++v) {
        for (const std::uint64_t stop = std::min(last, known->vertex); v < stop; ++v) {
          // Of rows that leave the block, few entries or none are of the block: the published values will do.
          const Vertex* const row = targets + offsets[v];
          const Vertex* const end = targets + offsets[v + 1];
          add(v, lies_in(row, end, first, last) ? fresh : old, row, end, offsets[v]);
        }
        if (v == last) return sums(first, last);
        set(v, known++->sum);
      }
    }
    packed.gather(in, block, first, contributions, known, set);
    return sums(first, last);
  }

 private:
  block_sums sums(std::uint64_t first, std::uint64_t last) const noexcept {
    lane_sum change;
    lane_sum total;
    lane_sum dangling;
    each_stretch(first, last, [&](std::uint64_t from, std::uint64_t to) {
      lanes<Real> more{};
      lanes<Real> lost{};
      each_group<Real>(from, to, [&](std::uint64_t v, auto left) {
        const lanes<Real> score = load_lanes(y + v, left);
        more += magnitude<Real>(score - load_lanes(x + v, left));
        total.add(score);  // exactly: results are divided by this sum
        lost += load_lanes(inverse + v, left) == lanes<Real>{} ? score : lanes<Real>{};
      });
      change.add(more);
      dangling.add(lost);
    });
    return {change.value(), total.value(), dangling.value()};
  }
};

}  // namespace callisto::graph
