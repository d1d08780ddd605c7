// From the user's labels of vertices to dense vertex numbers.
#pragma once

#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::graph {

/// Edges between labels: in `narrow` if all of them fit 32 bits, else in `wide`.
struct labelled_block {
  machine::page_array<edge<std::uint32_t>> narrow;
  machine::page_array<edge<std::uint64_t>> wide;
  weight_array weights;  ///< empty or one for each edge
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest = 0;

  std::uint64_t edges() const noexcept { return narrow.size() + wide.size(); }
};

/// The same edges between vertices numbered by ascending label; vertices are the labels that occur. Needs little more
/// memory than the blocks while the labels lie dense enough for a bitmap of two bytes an edge; else 8 to 32 bytes an
/// edge. Time is linear in the edges. There is at least one edge. Throws cancelled.
any_edge_list number_densely(std::vector<labelled_block>&& blocks, bool weighted, const run_control& what);

}  // namespace callisto::graph
