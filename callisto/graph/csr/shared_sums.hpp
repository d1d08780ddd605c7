// Sums by vertex of what several processes have.
#pragma once

#include <callisto/graph/csr/partners.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace callisto::graph {

/// Returns the bounds of one equal part of `count` items for each process.
inline std::vector<std::uint64_t> even_bounds(const partners& among, std::uint64_t count) {
  const std::uint64_t parts = among.count();
  std::vector<std::uint64_t> bounds;
  for (std::uint64_t p = 0; p <= parts; ++p) bounds.push_back(count / parts * p + count % parts * p / parts);
  return bounds;
}

/// Returns how many items each process has by its bounds.
inline std::vector<std::uint64_t> sizes_of(const std::vector<std::uint64_t>& bounds) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t p = 0; p + 1 != bounds.size(); ++p) sizes.push_back(bounds[p + 1] - bounds[p]);
  return sizes;
}

/// Adds up what each process has for each vertex, so that all have the sums.
inline void sum_among(partners& among, machine::page_array<std::uint64_t>& values) {
  const std::size_t processes = among.count();
  const std::vector<std::uint64_t> bounds = even_bounds(among, values.size());
  const std::vector<std::uint64_t> counts = sizes_of(bounds);
  const std::vector<std::uint64_t> came =
      among.exchange(std::span<const std::uint64_t>(values.data(), values.size()), counts);
  const std::uint64_t own = counts[among.number()];
  std::uint64_t* const sums = values.data() + bounds[among.number()];
  parallel_for(std::uint64_t{0}, own, [&](std::uint64_t i) {
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p != processes; ++p) sum += came[p * own + i];
    sums[i] = sum;
  });
  among.share(values.data(), bounds);
}

}  // namespace callisto::graph
