// The body of a PageRank sweep, apart from whatever loop distributes it.
//
// It is the loop of Callisto-RTS (ATC'15 figure 1: each vertex pulls from its in-neighbours) with three changes.
// The quotient rank / out-degree is computed once for each vertex by the sweep before, not once for each arc; the sweep
// that writes the new ranks also sums how much they changed and how much lies on dangling vertices; and a row is
// gathered into four partial sums, because a single chain of additions is slower than the loads that feed it.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace callisto::graph {

/// What a sweep learns about all ranks at once; the sums of several threads add up.
struct sweep_sums {
  double change = 0;    ///< L1 distance between the ranks before and after
  double dangling = 0;  ///< rank on vertices without out-arcs

  friend sweep_sums operator+(sweep_sums a, sweep_sums b) { return {a.change + b.change, a.dangling + b.dangling}; }
};

/// The sum of values[i] for the indices i in [first, last), always added in the same order.
template <class Value, class Vertex>
inline double gather_sum(const Value* values, const Vertex* first, const Vertex* last) noexcept {
  double a = 0;
  double b = 0;
  double c = 0;
  double d = 0;
  for (; last - first >= 4; first += 4) {
    a += values[first[0]];
    b += values[first[1]];
    c += values[first[2]];
    d += values[first[3]];
  }
  double sum = (a + b) + (c + d);
  for (; first != last; ++first) sum += values[*first];
  return sum;
}

/// Rows no longer than this are summed in the precision of the values.
inline constexpr std::uint64_t longest_short_row = 63;

/// The same of a short row: the sums' rounding errors are no more than those of the values.
template <class Value, class Vertex>
inline Value short_sum(const Value* values, const Vertex* first, const Vertex* last) noexcept {
  Value sum = 0;
  for (; last - first >= 4; first += 4) {
    sum += (values[first[0]] + values[first[1]]) + (values[first[2]] + values[first[3]]);
  }
  for (; first != last; ++first) sum += values[*first];
  return sum;
}

/// The same of a long row, in double precision: of single values stretches that are short rows, since to widen each of
/// them by itself takes longer (docs/notebook/2026-11-24-pagerank-long-rows.md).
template <class Value, class Vertex>
inline double long_sum(const Value* values, const Vertex* first, const Vertex* last) noexcept {
  if constexpr (std::is_same_v<Value, double>) {
    return gather_sum(values, first, last);
  } else {
    constexpr std::ptrdiff_t stretch = 32;
    double sum = 0;
    for (; last - first >= stretch; first += stretch) sum += short_sum(values, first, first + stretch);
    return sum + short_sum(values, first, last);
  }
}

/// Sets the first ranks and contributions of the vertices in [first, last).
struct pagerank_start {
  const std::uint64_t* out_offsets;
  double* scores;
  double* contributions;
  double rank;                      ///< of every vertex, or of all together where there are shares
  const double* restart = nullptr;  ///< the share of each vertex; none: equal ones

  sweep_sums operator()(std::uint64_t first, std::uint64_t last, sweep_sums running) const noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      const std::uint64_t degree = out_offsets[v + 1] - out_offsets[v];
      const double score = restart == nullptr ? rank : rank * restart[v];
      scores[v] = score;
      contributions[v] = degree == 0 ? 0 : score / static_cast<double>(degree);
      if (degree == 0) running.dangling += score;
    }
    return running;
  }
};

/// One sweep over the vertices in [first, last): reads `contributions`, writes `scores` and `next_contributions`.
/// Sweeps over disjoint ranges may run at once.
template <class Vertex>
struct pagerank_sweep {
  const std::uint64_t* in_offsets;
  const Vertex* in_targets;
  const std::uint64_t* out_offsets;
  const double* contributions;  ///< rank / out-degree before the sweep
  double* next_contributions;
  double* scores;
  double base;  ///< what every vertex gets, or all together where there are shares: restarts and the dangling rank
  double damping;
  const double* restart = nullptr;  ///< the share of each vertex; none: equal ones

  sweep_sums operator()(std::uint64_t first, std::uint64_t last, sweep_sums running) const noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      const double pulled = gather_sum(contributions, in_targets + in_offsets[v], in_targets + in_offsets[v + 1]);
      const double score = (restart == nullptr ? base : base * restart[v]) + damping * pulled;
      running.change += std::abs(score - scores[v]);
      scores[v] = score;
      const std::uint64_t degree = out_offsets[v + 1] - out_offsets[v];
      next_contributions[v] = degree == 0 ? 0 : score / static_cast<double>(degree);
      if (degree == 0) running.dangling += score;
    }
    return running;
  }
};

/// `base` of a sweep over `vertices` vertices, given the rank before it, of all and of the dangling ones; of one with
/// shares, say 1.
inline double pagerank_base(double damping, double total, double dangling, std::uint64_t vertices) noexcept {
  return ((1 - damping) * total + damping * dangling) / static_cast<double>(vertices);
}

}  // namespace callisto::graph
