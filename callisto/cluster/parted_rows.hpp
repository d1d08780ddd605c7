// Gathered rows on their way to a graph: sorted, repeated arcs merged, and as part of the rows of all ranks.
#pragma once

#include <callisto/cluster/gathered_rows.hpp>
#include <callisto/cluster/part_of_array.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/loop/algorithms/sort.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::cluster {

/// True if `value` is true at any rank. Called by main of all ranks, as all functions here that look at all ranks.
inline bool any_rank(bool value) {
  return global::reduce_all(std::uint8_t{value}, [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); }) != 0;
}

/// Sorts each row: by target, and then by weight or, if `stable`, as it is.
template <class Vertex, class Weight>
void sort_rows(gathered_rows<Vertex, Weight>& rows, bool stable, const graph::run_control& control) {
  const auto sort = [&](std::uint64_t v) {
    Vertex* const first = rows.targets.data() + rows.offsets[v];
    Vertex* const last = rows.targets.data() + rows.offsets[v + 1];
    if constexpr (std::is_same_v<Weight, no_weight>) {
      if (!std::is_sorted(first, last)) callisto::sort(std::span(first, last));
    } else {
      Weight* const weights = rows.weights.data() + rows.offsets[v];
      struct arc {
        Vertex target;
        Weight weight;
      };
      std::vector<arc> arcs(static_cast<std::size_t>(last - first));
      for (std::size_t i = 0; i != arcs.size(); ++i) arcs[i] = {first[i], weights[i]};
      callisto::stable_sort(arcs, {}, &arc::target);
      for (std::size_t i = 0; i != arcs.size(); ++i) {
        first[i] = arcs[i].target;
        weights[i] = arcs[i].weight;
      }
      for (std::size_t i = 0; !stable && i != arcs.size();) {
        std::size_t end = i + 1;
        while (end != arcs.size() && first[end] == first[i]) ++end;
        if (end - i > 1) std::sort(weights + i, weights + end);
        i = end;
      }
    }
  };
  if (!parallel_for(std::uint64_t{0}, rows.vertices(), sort, {.stop = control.stop})) throw graph::cancelled();
}

/// Calls f(first, last) for the runs of equal targets of own row v.
template <class Rows, class F>
void for_each_run(const Rows& rows, std::uint64_t v, const F& f) {
  const std::uint64_t end = rows.offsets[v + 1];
  for (std::uint64_t first = rows.offsets[v]; first != end;) {
    std::uint64_t last = first + 1;
    while (last != end && rows.targets[last] == rows.targets[first]) ++last;
    f(first, last);
    first = last;
  }
}

/// Counts of repeated arcs.
struct repeat_counts {
  std::uint64_t arcs = 0;   ///< between different vertices
  std::uint64_t loops = 0;  ///< from a vertex to itself

  friend repeat_counts operator+(const repeat_counts& a, const repeat_counts& b) noexcept {
    return {a.arcs + b.arcs, a.loops + b.loops};
  }
};

template <class Rows>
repeat_counts count_repeats(const Rows& rows) {
  const repeat_counts own = parallel_reduce(
      std::uint64_t{0}, rows.vertices(), repeat_counts{},
      [&](std::uint64_t v) {
        repeat_counts found;
        for_each_run(rows, v, [&](std::uint64_t first, std::uint64_t last) {
          (rows.targets[first] == rows.first + v ? found.loops : found.arcs) += last - first - 1;
        });
        return found;
      },
      std::plus<>{});
  return global::reduce_all(own);
}

/// True if the number of times that an edge is listed tells something: as the builder of one process decides.
template <class Rows>
bool numbers_differ(const Rows& rows, bool undirected) {
  std::uint64_t expected = 0;
  for (std::uint64_t v = 0; v != rows.vertices() && expected == 0; ++v) {
    for_each_run(rows, v, [&](std::uint64_t first, std::uint64_t last) {
      if (expected == 0 && rows.targets[first] != rows.first + v) expected = last - first;
    });
  }
  for (const std::uint64_t each : global::gather_all(std::uint64_t{expected})) {
    if (each == 0) continue;
    expected = each;
    break;
  }
  std::atomic<bool> differ{false};
  parallel_for(std::uint64_t{0}, rows.vertices(), [&](std::uint64_t v) {
    for_each_run(rows, v, [&](std::uint64_t first, std::uint64_t last) {
      const bool half = undirected && rows.targets[first] == rows.first + v && 2 * (last - first) == expected;
      // relaxed: the end of the loop publishes the final value.
      if (last - first != expected && !half) differ.store(true, std::memory_order_relaxed);
    });
  });
  // relaxed: the loop has ended.
  return any_rank(expected == 0 || differ.load(std::memory_order_relaxed));
}

/// Replaces each run of equal targets by one arc; `weight(first, last)` is its weight in `weights`, which may be those
/// of the rows.
template <class Vertex, class Weight, class Result, class F>
void merge_runs(gathered_rows<Vertex, Weight>& rows, machine::page_array<Result>& weights, const F& weight) {
  std::uint64_t to = 0;
  std::uint64_t end_of_row = 0;
  for (std::uint64_t v = 0; v != rows.vertices(); ++v) {
    // offsets[v + 1] is still the old one while row v is read.
    const std::uint64_t end = rows.offsets[v + 1];
    for (std::uint64_t first = std::exchange(end_of_row, end); first != end;) {
      std::uint64_t last = first + 1;
      while (last != end && rows.targets[last] == rows.targets[first]) ++last;
      if constexpr (!std::is_same_v<Result, no_weight>) weights[to] = weight(first, last);
      rows.targets[to++] = rows.targets[first];
      first = last;
    }
    rows.offsets[v + 1] = to;
  }
  rows.targets.shrink(to);
  weights.shrink(to);
}

/// Merges repeated arcs as `how` says. False, at all ranks, if weights have no finite sum.
template <class Vertex, class Weight>
bool merge_repeats(gathered_rows<Vertex, Weight>& rows, graph::repeats how) {
  bool endless = false;
  merge_runs(rows, rows.weights, [&](std::uint64_t first, std::uint64_t last) {
    if constexpr (std::is_same_v<Weight, no_weight>) {
      return no_weight{};
    } else {
      // By ascending weight, or the first in the list.
      if (how == graph::repeats::remove || how == graph::repeats::first) return rows.weights[first];
      if (how == graph::repeats::heaviest) return rows.weights[last - 1];
      Weight sum = 0;
      for (std::uint64_t i = first; i != last; ++i) sum = static_cast<Weight>(sum + rows.weights[i]);
      if constexpr (std::is_same_v<Weight, double>) endless = endless || (last - first > 1 && !std::isfinite(sum));
      return sum;
    }
  });
  return !any_rank(endless);
}

/// Returns the rows as part of the rows of all ranks.
template <class Vertex, class Weight>
graph::adjacency<Vertex> as_adjacency(gathered_rows<Vertex, Weight> rows, const std::vector<std::uint64_t>& bounds) {
  graph::adjacency<Vertex> made;
  made.offsets = machine::page_array<std::uint64_t>(bounds.back() + 1);
  for (std::uint64_t v = 0; v != rows.vertices(); ++v) {
    made.offsets[rows.first + v + 1] = rows.offsets[v + 1] - rows.offsets[v];
  }
  rows.offsets = {};
  global::share_parts(std::span(made.offsets.data() + 1, bounds.back()), bounds);
  for (std::uint64_t v = 0; v != bounds.back(); ++v) made.offsets[v + 1] += made.offsets[v];
  const std::uint64_t first = made.offsets[rows.first];
  const std::uint64_t all = made.offsets[bounds.back()];
  made.targets = as_part(std::move(rows.targets), first, all);
  if constexpr (!std::is_same_v<Weight, no_weight>) made.weights = as_part(std::move(rows.weights), first, all);
  return made;
}

/// Returns the same rows with short weights if all weights of all ranks are short.
template <class Vertex>
graph::adjacency<Vertex> in_least_room(gathered_rows<Vertex, double> rows, const std::vector<std::uint64_t>& bounds) {
  if (any_rank(!graph::are_short({rows.weights.data(), rows.weights.size()})))
    return as_adjacency(std::move(rows), bounds);
  gathered_rows<Vertex, graph::short_weight> made;
  made.first = rows.first;
  made.weights = machine::page_array<graph::short_weight>(rows.weights.size());
  for (std::size_t i = 0; i != rows.weights.size(); ++i) {
    made.weights[i] = graph::weight_as<graph::short_weight>(rows.weights[i]);
  }
  made.offsets = std::move(rows.offsets);
  made.targets = std::move(rows.targets);
  return as_adjacency(std::move(made), bounds);
}

}  // namespace callisto::cluster
