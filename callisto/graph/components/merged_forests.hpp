// Forests of several processes over the same vertices, merged into one.
#pragma once

#include <callisto/graph/components/disjoint_forest.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Joins the forests of all processes, in which vertices hang from their roots, at the process that tells; elsewhere
/// the forest has no meaning then. In rounds, every second process sends its forest to the one before: at most two
/// vertices a vertex, an eighth of all at a time, so that lists take little memory. Throws cancelled.
template <class Vertex>
void merge_forests(partners& among, machine::page_array<Vertex>& forest, const run_control& control) {
  const forest_words<Vertex> words{forest.data()};
  const loop_options options{.stop = control.stop};
  constexpr std::uint64_t least_window = std::uint64_t{1} << 16;
  const std::uint64_t size = forest.size();
  const std::uint64_t window = std::max(least_window, (size + 7) / 8);
  for (std::size_t step = 1; step < among.count(); step *= 2) {
    const bool sends = among.number() % (2 * step) == step;
    bool came_any = false;
    for (std::uint64_t first = 0; first < size; first += window) {
      const std::uint64_t last = std::min(size, first + window);
      std::vector<Vertex> list;  // vertices that hang from another one, each with its root behind it
      std::vector<std::uint64_t> counts(among.count());
      if (sends) {
        std::uint64_t hanging = 0;
        for (std::uint64_t v = first; v != last; ++v) hanging += forest[v] != v ? 1 : 0;
        list.reserve(2 * hanging);
        for (std::uint64_t v = first; v != last; ++v) {
          if (forest[v] != v) list.insert(list.end(), {static_cast<Vertex>(v), forest[v]});
        }
        counts[among.number() - step] = list.size();
      }
      const std::vector<Vertex> came = among.exchange(list, counts);
      parallel_for(
          std::uint64_t{0}, std::uint64_t{came.size()} / 2,
          [&](std::uint64_t i) { join(words, came[2 * i], came[2 * i + 1]); }, options);
      came_any = came_any || !came.empty();
    }
    if (came_any) {
      parallel_for(std::uint64_t{0}, size, [&](std::uint64_t v) { compress(words, v); }, options);
    }
    control.check();
  }
}

/// Copies the array of the process that tells to all processes.
template <class T>
void share_first(partners& among, machine::page_array<T>& values) {
  std::vector<std::uint64_t> bounds(among.count() + 1, values.size());
  bounds.front() = 0;
  among.share(values.data(), bounds);
}

}  // namespace callisto::graph
