// Coarser levels of a layout: vertices that belong together become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace callisto::graph::layout_detail {

struct layout_neighbour {
  std::uint32_t vertex;
  double weight;
};

/// A graph on the way from fine to coarse.
struct layout_level {
  std::vector<double> masses;       ///< vertices of the finest level that each stands for
  std::vector<std::size_t> begins;  ///< the neighbours of v are [begins[v], begins[v + 1])
  std::vector<layout_neighbour> neighbours;
  std::vector<std::uint32_t> parents;  ///< once there is a coarser level: the vertex of each there

  std::size_t size() const noexcept { return masses.size(); }
};

/// Sets the parents of `level`, and returns the coarser level: stars of neighbours become one vertex each, and so do
/// fours of vertices without neighbours. Returns nothing, and sets no parents, if the level is small or does not shrink
/// by a twentieth. Time: linear, but for a sort of the neighbours of each star.
std::optional<layout_level> coarsened(layout_level& level);

}  // namespace callisto::graph::layout_detail
