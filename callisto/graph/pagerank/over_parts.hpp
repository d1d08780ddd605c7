// Sums over the vertices of all partners, for both iterations of PageRank.
#pragma once

#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/limits.hpp>
#include <callisto/graph/pagerank/over_vertices.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <source_location>
#include <vector>

namespace callisto::graph {

/// Runs `body` and adds its sums as over_vertices() does. With partners, each runs the blocks of its part, and
/// all get the sums, which do not depend on the number of partners. Throws cancelled.
template <class Sums, class Body>
Sums over_parts(std::uint64_t vertices, const Body& body, std::uint64_t batch, const shared_control& control,
                std::source_location where = std::source_location::current()) {
  if (control.among == nullptr) return over_vertices<Sums>(vertices, body, batch, control, where);
  // Those of over_vertices(), rounded up so that a block lies in one part: its size divides that of a part's pieces.
  using limits = pagerank_limits;
  const std::uint64_t block = std::max(
      limits::least_sum_block, std::bit_ceil((vertices + limits::most_sum_blocks - 1) / limits::most_sum_blocks));
  const std::vector<std::uint64_t> bounds = in_blocks(control.among->bounds(), block);
  std::vector<Sums> parts(bounds.back());
  parallel_for(
      bounds[control.among->number()], bounds[control.among->number() + 1],
      [&](std::uint64_t b) { parts[b] = body(b * block, std::min(vertices, (b + 1) * block), Sums{}); },
      loop_options{.stop = control.stop}, where);
  control.check();
  control.among->share(parts.data(), bounds);
  Sums sums{};
  for (const Sums& part : parts) sums = sums + part;
  return sums;
}

/// Returns the scores as normalized() does; with partners, all of them where the result is told, and elsewhere those of
/// own vertices.
template <class Real>
machine::page_array<double> normalized_parts(const machine::page_array<Real>& scores, double total,
                                             const shared_control& control) {
  if (control.among == nullptr) return normalized(scores, total);
  machine::page_array<double> found(scores.size(), machine::page_kind::used);
  parallel_for(control.among->first(), control.among->last(),
               [&](std::uint64_t v) { found[v] = double{scores[v]} / total; });
  control.among->collect(found.data(), control.among->bounds());
  return found;
}

}  // namespace callisto::graph
