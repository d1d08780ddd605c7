// The body of a sweep of the power iteration. iterations.hpp distributes it.
//
// It is the loop of Callisto-RTS (ATC'15 figure 1: each vertex pulls from its in-neighbours) with three changes:
// - The sweep before computes rank / out-degree, once for each vertex instead of once for each arc.
// - The sweep that writes the new ranks also sums their change and the rank on dangling vertices.
// - A row is summed in four partial sums: a single chain of additions is slower than the loads that feed it.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace callisto::graph {

/// Sums of a sweep over all ranks; the sums of threads add up.
struct sweep_sums {
  double change = 0;    ///< L1 distance between the ranks before and after
  double dangling = 0;  ///< rank on vertices without out-arcs

  friend sweep_sums operator+(sweep_sums a, sweep_sums b) { return {a.change + b.change, a.dangling + b.dangling}; }
};

// Sums of rows are inlined by order: in grids a call takes as long as the four additions of a row.

/// Returns the sum of values[i] for the indices i in [first, last), always added in the same order.
template <class Value, class Vertex>
[[gnu::always_inline]] inline double gather_sum(const Value* values, const Vertex* first, const Vertex* last) noexcept {
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

/// Returns the sum of values[i] times its weight for the indices i in [first, last), always added in the same order.
template <class Value, class Weight, class Vertex>
[[gnu::always_inline]] inline double weighted_sum(const Value* values, const Weight* weights, const Vertex* first,
                                                  const Vertex* last) noexcept {
  double a = 0;
  double b = 0;
  for (; last - first >= 2; first += 2, weights += 2) {
    a += values[first[0]] * static_cast<double>(weights[0]);
    b += values[first[1]] * static_cast<double>(weights[1]);
  }
  return first == last ? a + b : (a + b) + values[*first] * static_cast<double>(*weights);
}

/// Rows up to this length are summed in the precision of the values.
inline constexpr std::uint64_t longest_short_row = 63;

/// Returns that sum for a short row: the rounding errors of the sum are no larger than the rounding errors of the
/// values.
template <class Value, class Vertex>
[[gnu::always_inline]] inline Value short_sum(const Value* values, const Vertex* first, const Vertex* last) noexcept {
  Value sum = 0;
  for (; last - first >= 4; first += 4) {
    sum += (values[first[0]] + values[first[1]]) + (values[first[2]] + values[first[3]]);
  }
  for (; first != last; ++first) sum += values[*first];
  return sum;
}

/// Returns that sum for a long row, in double precision. Single-precision values are summed in short stretches first,
/// because converting each value takes longer (docs/notebook/2026-11-24-pagerank-long-rows.md).
template <class Value, class Vertex>
[[gnu::always_inline]] inline double long_sum(const Value* values, const Vertex* first, const Vertex* last) noexcept {
  if constexpr (std::is_same_v<Value, double>) {
    return gather_sum(values, first, last);
  } else {
    constexpr std::ptrdiff_t stretch = 32;
    double sum = 0;
    for (; last - first >= stretch; first += stretch) sum += short_sum(values, first, first + stretch);
    return sum + short_sum(values, first, last);
  }
}

/// Sets the first ranks and contributions of the vertices [first, last).
struct pagerank_start {
  const std::uint64_t* out_offsets;
  double* scores = nullptr;
  double* contributions = nullptr;
  double rank = 0;                  ///< of every vertex; with `restart`, the sum over all vertices
  const double* restart = nullptr;  ///< the share of each vertex; null: equal ones

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

/// Does the same for weighted arcs: `inverse` has 1 / the sum of the weights of a vertex's out-arcs; 0 without any.
struct weighted_pagerank_start {
  const double* inverse;
  double* scores = nullptr;
  double* contributions = nullptr;
  double rank = 0;
  const double* restart = nullptr;

  sweep_sums operator()(std::uint64_t first, std::uint64_t last, sweep_sums running) const noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      const double score = restart == nullptr ? rank : rank * restart[v];
      scores[v] = score;
      contributions[v] = score * inverse[v];
      if (inverse[v] == 0) running.dangling += score;
    }
    return running;
  }
};

/// One sweep over the vertices [first, last): reads `contributions`, writes `scores` and `next_contributions`. Sweeps
/// over disjoint ranges may run at once.
template <class Vertex>
struct pagerank_sweep {
  const std::uint64_t* in_offsets;
  const Vertex* in_targets;
  const std::uint64_t* out_offsets;
  const double* contributions = nullptr;  ///< rank / out-degree before the sweep
  double* next_contributions = nullptr;
  double* scores = nullptr;
  double base = 0;  ///< given by restarts and dangling rank to every vertex; with `restart`, the sum over all vertices
  double damping = 0;
  const double* restart = nullptr;  ///< the share of each vertex; null: equal ones

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

/// Does the same for weighted arcs.
template <class Vertex, class Weight>
struct weighted_pagerank_sweep {
  const adjacency<Vertex>& in;
  const Weight* weights;  ///< of the arcs of `in`
  const double* inverse;  ///< as of weighted_pagerank_start
  const double* contributions = nullptr;
  double* next_contributions = nullptr;
  double* scores = nullptr;
  double base = 0;
  double damping = 0;
  const double* restart = nullptr;

  sweep_sums operator()(std::uint64_t first, std::uint64_t last, sweep_sums running) const noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      const auto row = in.row(v);
      const double pulled = weighted_sum(contributions, weights + in.offsets[v], row.data(), row.data() + row.size());
      const double score = (restart == nullptr ? base : base * restart[v]) + damping * pulled;
      running.change += std::abs(score - scores[v]);
      scores[v] = score;
      next_contributions[v] = score * inverse[v];
      if (inverse[v] == 0) running.dangling += score;
    }
    return running;
  }
};

/// Returns `base` of a sweep, given the ranks before it: the sum over all vertices, and over the dangling ones.
/// `vertices`: the number of vertices that share it equally; 1 if there are shares.
inline double pagerank_base(double damping, double total, double dangling, std::uint64_t vertices) noexcept {
  return ((1 - damping) * total + damping * dangling) / static_cast<double>(vertices);
}

}  // namespace callisto::graph
