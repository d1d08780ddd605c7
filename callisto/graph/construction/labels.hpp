// Dense vertex numbers for the labels of a text file.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Edges between labels: in `narrow` if all labels fit 32 bits, else in `wide`.
struct labelled_block {
  machine::page_array<edge<std::uint32_t>> narrow;
  machine::page_array<edge<std::uint64_t>> wide;
  weight_array weights;  ///< empty or one for each edge
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest = 0;

  std::uint64_t edges() const noexcept { return narrow.size() + wide.size(); }
};

/// Returns the same edges between dense vertices: the labels that occur, numbered in ascending order. `blocks` must
/// hold an edge. Time: linear in the edges. Memory: little more than the blocks if a bitmap of the labels' range takes
/// at most two bytes an edge; else 8 to 32 bytes an edge. Throws cancelled.
///
/// With `all`, the first and the last of a range of labels, all labels in between are vertices, too, if every label
/// that occurs is in the range.
CALLISTO_API any_edge_list number_densely(std::vector<labelled_block>&& blocks, bool weighted,
                                          const run_control& control,
                                          std::optional<std::pair<std::uint64_t, std::uint64_t>> all = {});

}  // namespace callisto::graph
