// Places of vertices by their degrees, for sums over rows that read a vector which no near cache holds.
//
// A sweep over the rows of a graph reads values[target] for each arc. Where a graph has hubs, most reads are of few
// vertices, but these lie all over the vector, one in a cache line. Here vertices get places in groups of falling
// degree, in their own order inside of a group (degree-based grouping: Faldu, Diamond and Grot, "A closer look at
// lightweight graph reordering", IISWC 2019), and rows have places in place of vertices, in the same order. So a sum
// adds the same numbers in the same order: no result changes by a bit, and measured times may decide.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {

template <class Vertex>
class hub_places {
 public:
  hub_places() = default;

  bool empty() const noexcept { return rows_.empty(); }
  /// Returns by vertex its place.
  const Vertex* places() const noexcept { return place_.data(); }
  /// Returns by arc the place of its target.
  const Vertex* rows() const noexcept { return rows_.data(); }

  /// Bytes that places take.
  static std::uint64_t bytes(std::uint64_t vertices, std::uint64_t arcs) noexcept {
    return (vertices + arcs) * sizeof(Vertex) + (std::uint64_t{1} << 20);
  }
  /// True if a graph is so large that places can gain: its values fill more than a near cache.
  static bool may_gain(std::uint64_t vertices, std::uint64_t arcs) noexcept {
    return vertices >= least_vertices && arcs >= least_arcs;
  }

  /// Returns places if `sweeps` sweeps over `rows` would be faster with them, by times of some arcs, and if there is
  /// memory for them; else none. `columns`: the rows of the transposed matrix; a vertex has as many reads as its row
  /// there has arcs. `values`: as many as vertices. Throws cancelled.
  template <class Value>
  static hub_places if_faster(const adjacency<Vertex>& rows, const adjacency<Vertex>& columns, const Value* values,
                              double sweeps, const run_control& control) {
    const std::uint64_t n = columns.offsets.empty() ? 0 : columns.offsets.size() - 1;
    const std::uint64_t arcs = rows.targets.size();
    if (!may_gain(n, arcs) || !has_memory(bytes(n, arcs))) return {};
    hub_places made;
    made.place_ = by_degree(columns, n, control);
    const auto [given, placed, placing] = times(rows.targets.data(), arcs, made.place_.data(), values);
    const auto a = static_cast<double>(arcs);
    const double gain = (given - placed) * a - given * static_cast<double>(n);  // each value is put in its place
    constexpr double margin = 1.25;
    if (!(gain * sweeps > margin * placing * a)) return {};
    made.put(rows, control);
    return made;
  }

  /// Returns places of any graph.
  static hub_places of(const adjacency<Vertex>& rows, const adjacency<Vertex>& columns, const run_control& control) {
    hub_places made;
    made.place_ = by_degree(columns, columns.offsets.size() - 1, control);
    made.put(rows, control);
    return made;
  }

 private:
  static machine::page_array<Vertex> by_degree(const adjacency<Vertex>& columns, std::uint64_t n,
                                               const run_control& control) {
    constexpr std::uint64_t in_block = std::uint64_t{1} << 14;
    constexpr std::size_t groups = 65;
    const std::uint64_t blocks = (n + in_block - 1) / in_block;
    const auto group_of = [&](std::uint64_t v) {
      return 64 - static_cast<std::size_t>(std::bit_width(columns.degree(v)));
    };
    std::vector<std::array<std::uint64_t, groups>> at(blocks);
    const auto each_block = [&](const auto& f) {
      const auto body = [&](std::uint64_t b) { f(at[b], b * in_block, std::min(n, (b + 1) * in_block)); };
      if (!parallel_for(std::uint64_t{0}, blocks, body, {.batch = 1, .stop = control.stop})) throw cancelled();
    };
    each_block([&](auto& counts, std::uint64_t first, std::uint64_t last) {
      counts.fill(0);
      for (std::uint64_t v = first; v < last; ++v) ++counts[group_of(v)];
    });
    std::uint64_t sum = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      for (auto& counts : at) sum += std::exchange(counts[g], sum);
    }
    machine::page_array<Vertex> place(n, machine::page_kind::used);
    each_block([&](auto& next, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t v = first; v < last; ++v) place[v] = static_cast<Vertex>(next[group_of(v)]++);
    });
    return place;
  }

  void put(const adjacency<Vertex>& rows, const run_control& control) {
    rows_ = machine::page_array<Vertex>(rows.targets.size(), machine::page_kind::used);
    const auto body = [&](std::uint64_t first, std::uint64_t last) {
      const Vertex* const from = rows.targets.data();
      const Vertex* const place = place_.data();
      Vertex* const to = rows_.data();
      for (std::uint64_t i = first; i < last; ++i) to[i] = place[from[i]];
    };
    if (!parallel_for(std::uint64_t{0}, std::uint64_t{rows_.size()}, body, {.stop = control.stop})) throw cancelled();
  }

  static constexpr std::uint64_t least_vertices = std::uint64_t{1} << 18;
  static constexpr std::uint64_t least_arcs = std::uint64_t{1} << 22;
  /// Stretches of arcs that are timed in either way, of these many arcs. The first ones warm the caches.
  static constexpr std::uint64_t stretches = 48;
  static constexpr std::uint64_t warming = 8;
  static constexpr std::uint64_t in_stretch = 8192;

  struct arc_times {
    double given;    ///< seconds for an arc's read in the given order
    double placed;   ///< and by places
    double placing;  ///< to put a place in place of a vertex
  };

  /// Times reads of stretches all over the rows, in both ways in turn. Each way reads arcs that the caches do not have
  /// from the way before.
  template <class Value>
  static arc_times times(const Vertex* targets, std::uint64_t arcs, const Vertex* place, const Value* values) {
    using clock = std::chrono::steady_clock;
    const auto sum = [&](const Vertex* from) {
      Value a = 0;
      Value b = 0;
      Value c = 0;
      Value d = 0;
      for (std::uint64_t i = 0; i < in_stretch; i += 4) {
        a += values[from[i]];
        b += values[from[i + 1]];
        c += values[from[i + 2]];
        d += values[from[i + 3]];
      }
      return (a + b) + (c + d);
    };
    std::vector<Vertex> put(in_stretch);
    arc_times found{};
    volatile Value kept = 0;  // or the sums would not be made
    for (std::uint64_t s = 0; s < stretches; ++s) {
      const auto begin_of = [&](std::uint64_t which) {
        return targets + (arcs - in_stretch) / (2 * stretches) * (2 * s + which);
      };
      const auto begin = clock::now();
      kept = sum(begin_of(0));
      const auto middle = clock::now();
      std::transform(begin_of(1), begin_of(1) + in_stretch, put.begin(), [&](Vertex v) { return place[v]; });
      const auto later = clock::now();
      kept = sum(put.data());
      const auto end = clock::now();
      if (s < warming) continue;
      found.given += std::chrono::duration<double>(middle - begin).count();
      found.placing += std::chrono::duration<double>(later - middle).count();
      found.placed += std::chrono::duration<double>(end - later).count();
    }
    (void)kept;
    constexpr double all = (stretches - warming) * in_stretch;
    return {found.given / all, found.placed / all, found.placing / all};
  }

  machine::page_array<Vertex> place_;
  machine::page_array<Vertex> rows_;
};

}  // namespace callisto::graph
