// Merges the runs of equal targets of each row.
#include <callisto/graph/construction/merge_repeats.hpp>

#include <callisto/graph/construction/parallel_tasks.hpp>
#include <callisto/graph/csr/weights.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <utility>

namespace callisto::graph::construction {
namespace {

/// Calls f(target, first, last) for each run [first, last) of equal targets in row v.
template <class Vertex, class F>
void for_each_run(const adjacency<Vertex>& rows, std::uint64_t v, const F& f) {
  const std::uint64_t end = rows.offsets[v + 1];
  for (std::uint64_t first = rows.offsets[v]; first < end;) {
    std::uint64_t last = first + 1;
    while (last < end && rows.targets[last] == rows.targets[first]) ++last;
    f(rows.targets[first], first, last);
    first = last;
  }
}

/// True if a run has another number of arcs than the first run between different vertices. Of undirected edges that are
/// listed in both directions, loops may be listed once.
template <class Vertex>
bool counts_differ(const adjacency<Vertex>& rows, std::uint64_t vertices, bool undirected, const run_control& control) {
  std::uint64_t expected = 0;
  for (std::uint64_t v = 0; v < vertices && expected == 0; ++v) {
    for_each_run(rows, v, [&](Vertex to, std::uint64_t first, std::uint64_t last) {
      if (to != v && expected == 0) expected = last - first;
    });
  }
  std::atomic<bool> differ{false};
  for_each_batch(control, vertices, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t v = begin; v < end; ++v) {
      for_each_run(rows, v, [&](Vertex to, std::uint64_t first, std::uint64_t last) {
        const bool half = undirected && to == v && 2 * (last - first) == expected;
        // relaxed: the end of the loop publishes the final value.
        if (last - first != expected && !half) differ.store(true, std::memory_order_relaxed);
      });
    }
  });
  // Without edges between different vertices only loops can repeat, and their number tells something.
  return expected == 0 || differ.load(std::memory_order_relaxed);
}

}  // namespace

template <class Vertex>
adjacency<Vertex> with_repeats_merged(adjacency<Vertex> rows, repeats how, bool undirected,
                                      const run_control& control) {
  const std::uint64_t vertices = rows.offsets.size() - 1;
  const bool weighted = !rows.weights.empty();
  const bool weights = weighted || counts_differ(rows, vertices, undirected, control);
  adjacency<Vertex> merged;
  merged.offsets = machine::page_array<std::uint64_t>(vertices + 1);
  for_each_batch(control, vertices, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t v = begin; v < end; ++v) {
      for_each_run(rows, v, [&](Vertex, std::uint64_t, std::uint64_t) { ++merged.offsets[v + 1]; });
    }
  });
  for (std::uint64_t v = 0; v < vertices; ++v) merged.offsets[v + 1] += merged.offsets[v];
  const std::uint64_t arcs = merged.offsets[vertices];
  merged.targets = machine::page_array<Vertex>(arcs);
  machine::page_array<double> values(weights ? arcs : 0);
  std::atomic<std::uint64_t> endless{arcs};  // the first arc without a finite sum
  for_each_batch(control, vertices, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t v = begin; v < end; ++v) {
      std::uint64_t at = merged.offsets[v];
      for_each_run(rows, v, [&](Vertex to, std::uint64_t first, std::uint64_t last) {
        merged.targets[at] = to;
        if (weights) {
          double value = 0;
          for (std::uint64_t i = first; i < last; ++i) value += weighted ? rows.weights[i] : 1;
          values[at] = how == repeats::heaviest ? rows.weights[last - 1] : value;
          if (!std::isfinite(values[at]) && last - first > 1) {
            // relaxed: the end of the loop publishes the smallest.
            std::uint64_t known = endless.load(std::memory_order_relaxed);
            while (at < known && !endless.compare_exchange_weak(known, at, std::memory_order_relaxed)) {
            }
          }
        }
        ++at;
      });
    }
  });
  // relaxed: the loop has ended.
  if (const std::uint64_t arc = endless.load(std::memory_order_relaxed); arc != arcs) {
    const auto row = std::upper_bound(merged.offsets.begin(), merged.offsets.end(), arc) - merged.offsets.begin() - 1;
    throw no_finite_sum<Vertex>{static_cast<std::uint64_t>(row), merged.targets[arc]};
  }
  if (weights) merged.weights = in_least_room(std::move(values), control);
  return merged;
}

template adjacency<std::uint32_t> with_repeats_merged(adjacency<std::uint32_t>, repeats, bool, const run_control&);
template adjacency<std::uint64_t> with_repeats_merged(adjacency<std::uint64_t>, repeats, bool, const run_control&);

}  // namespace callisto::graph::construction
