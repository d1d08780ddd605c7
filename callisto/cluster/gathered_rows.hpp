// Arcs that ranks have in any order become rows at the ranks that have their vertices.
#pragma once

#include <callisto/cluster/posts.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/page_array.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::cluster {

/// The weight of arcs without weights.
struct no_weight {};

/// The rows of a rank's own vertices, [first, last): row v is [offsets[v - first], offsets[v - first + 1]).
template <class Vertex, class Weight>
struct gathered_rows {
  std::uint64_t first = 0;
  machine::page_array<std::uint64_t> offsets;
  machine::page_array<Vertex> targets;
  machine::page_array<Weight> weights;  ///< empty without weights

  std::uint64_t vertices() const noexcept { return offsets.size() - 1; }
};

/// Sends each arc to the rank that has its row, and returns the rows of this rank; in a row, arcs are in the order of
/// their ranks and of `arcs` if `ordered`, else in any order. `bounds`: the first vertex of each rank and the number of
/// vertices. Called by main of all ranks.
///
/// `arcs` has items(), and for_each(first, last, f), which calls f(row, target, weight) for the arcs of the items
/// [first, last), and release(last), which may give back the memory of the items before `last`.
///
/// Memory: 4 bytes for each vertex while arcs are counted (8 if a rank has 2^32 arcs), 16 for each own vertex; the
/// rows; a window of arcs. With `ordered` one rank sends at a time.
template <class Vertex, class Weight, class Arcs>
gathered_rows<Vertex, Weight> gather_rows(const std::vector<std::uint64_t>& bounds, Arcs& arcs, bool ordered,
                                          const graph::run_control& control);

namespace detail {

template <class Vertex, class Weight>
struct sent_arc {
  Vertex row;
  Vertex target;
  Weight weight;
};
template <class Vertex>
struct sent_arc<Vertex, no_weight> {
  Vertex row;
  Vertex target;
};

template <class Vertex, class Weight>
sent_arc<Vertex, Weight> arc_to_send(std::uint64_t row, std::uint64_t target, double weight) noexcept {
  if constexpr (std::is_same_v<Weight, no_weight>) {
    return {static_cast<Vertex>(row), static_cast<Vertex>(target)};
  } else {
    return {static_cast<Vertex>(row), static_cast<Vertex>(target), graph::weight_as<Weight>(weight)};
  }
}

/// Returns the sizes of own rows, summed over the arcs of all ranks: entry v - first + 1 is that of v.
template <class Count, class Arcs>
machine::page_array<std::uint64_t> sizes_of_own_rows(const std::vector<std::uint64_t>& bounds, const Arcs& arcs) {
  const auto rank = static_cast<std::size_t>(global::here().rank);
  const std::uint64_t own = bounds[rank + 1] - bounds[rank];
  machine::page_array<Count> counts(bounds.back(), machine::page_kind::small);
  arcs.for_each(0, arcs.items(), [&](std::uint64_t row, std::uint64_t, double) { ++counts[row]; });
  std::vector<std::uint64_t> parts;
  for (std::size_t r = 0; r + 1 != bounds.size(); ++r) parts.push_back(bounds[r + 1] - bounds[r]);
  std::vector<Count> came;
  global::exchange(std::span<const Count>(counts.data(), counts.size()), parts, came);
  machine::page_array<std::uint64_t> sizes(own + 1);
  for (std::size_t i = 0; i != came.size(); ++i) sizes[i % own + 1] += came[i];
  return sizes;
}

/// Puts arcs that came behind those that are in their rows. Each thread takes the arcs of some rows, in their order.
template <class Vertex, class Weight>
void place_arcs(const std::vector<sent_arc<Vertex, Weight>>& came, machine::page_array<std::uint64_t>& next,
                gathered_rows<Vertex, Weight>& rows) {
  constexpr std::size_t few = 1 << 12;
  const auto put = [&](std::uint64_t first, std::uint64_t last) {
    for (const auto& arc : came) {
      const std::uint64_t v = arc.row - rows.first;
      if (v < first || v >= last) continue;
      const std::uint64_t at = next[v]++;
      rows.targets[at] = arc.target;
      if constexpr (!std::is_same_v<Weight, no_weight>) rows.weights[at] = arc.weight;
    }
  };
  const std::uint64_t own = rows.vertices();
  const std::uint64_t parts = came.size() < few ? 1 : std::min<std::uint64_t>(threads(), own);
  if (parts <= 1) return put(0, own);
  parallel_for(std::uint64_t{0}, parts, [&](std::uint64_t i) { put(i * own / parts, (i + 1) * own / parts); },
               {.batch = 1});
}

}  // namespace detail

template <class Vertex, class Weight, class Arcs>
gathered_rows<Vertex, Weight> gather_rows(const std::vector<std::uint64_t>& bounds, Arcs& arcs, bool ordered,
                                          const graph::run_control& control) {
  using arc = detail::sent_arc<Vertex, Weight>;
  const auto rank = static_cast<std::size_t>(global::here().rank);
  const auto ranks = static_cast<std::size_t>(global::here().ranks);
  const std::vector<std::uint64_t> items = global::gather_all(std::uint64_t{arcs.items()});
  gathered_rows<Vertex, Weight> rows;
  rows.first = bounds[rank];
  // An item is at most two arcs.
  const bool fits = *std::max_element(items.begin(), items.end()) < std::numeric_limits<std::uint32_t>::max() / 2;
  rows.offsets = fits ? detail::sizes_of_own_rows<std::uint32_t>(bounds, arcs)
                      : detail::sizes_of_own_rows<std::uint64_t>(bounds, arcs);
  const std::uint64_t own = rows.vertices();
  machine::page_array<std::uint64_t> next(own);
  for (std::uint64_t v = 0; v != own; ++v) {
    next[v] = rows.offsets[v];
    rows.offsets[v + 1] += rows.offsets[v];
  }
  rows.targets = machine::page_array<Vertex>(rows.offsets[own]);
  if constexpr (!std::is_same_v<Weight, no_weight>) rows.weights = machine::page_array<Weight>(rows.offsets[own]);

  constexpr std::uint64_t window = std::uint64_t{1} << 18;
  std::vector<arc> in_order;
  std::vector<arc> by_owner;
  std::vector<arc> came;
  const auto round = [&](std::uint64_t first, std::uint64_t last) {
    in_order.clear();
    std::vector<std::uint64_t> counts(ranks);
    arcs.for_each(first, last, [&](std::uint64_t row, std::uint64_t target, double weight) {
      ++counts[owner_of(bounds, row)];
      in_order.push_back(detail::arc_to_send<Vertex, Weight>(row, target, weight));
    });
    arcs.release(last);
    std::vector<std::uint64_t> to(ranks);
    for (std::size_t r = 1; r != ranks; ++r) to[r] = to[r - 1] + counts[r - 1];
    by_owner.resize(in_order.size());
    for (const arc& each : in_order) by_owner[to[owner_of(bounds, each.row)]++] = each;
    global::exchange(std::span<const arc>(by_owner), counts, came);
    detail::place_arcs(came, next, rows);
    control.check();
  };
  const auto rounds_of = [&](std::uint64_t n) { return (n + window - 1) / window; };
  const auto piece = [&](std::uint64_t i) { return std::min(arcs.items(), i * window); };
  if (ordered) {
    for (std::size_t r = 0; r != ranks; ++r) {
      for (std::uint64_t i = 0; i != rounds_of(items[r]); ++i) {
        if (r == rank) {
          round(piece(i), piece(i + 1));
        } else {
          round(0, 0);
        }
      }
    }
  } else {
    const std::uint64_t rounds = rounds_of(*std::max_element(items.begin(), items.end()));
    for (std::uint64_t i = 0; i != rounds; ++i) round(piece(i), piece(i + 1));
  }
  return rows;
}

}  // namespace callisto::cluster
