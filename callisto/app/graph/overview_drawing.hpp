// The drawing of an overview: a small graph itself, or the communities of a large one.
#pragma once

#include <callisto/app/draw/svg_graph.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::app {

/// What is drawn, with places.
struct overview_drawing {
  bool communities = false;  ///< circles are communities, not vertices
  std::size_t shown = 0;     ///< circles
  std::vector<drawn_vertex> vertices;
  std::vector<drawn_edge> edges;
};

/// Returns a drawing of `graph`: of up to 300 vertices, or else of up to 40 communities. `of`: by vertex, a vertex that
/// names its community. `largest`: communities and their sizes, largest first. Takes 8 bytes a vertex. Throws
/// graph::cancelled.
overview_drawing draw_overview(const graph::any_graph& graph, const machine::page_array<std::uint64_t>& of,
                               const std::vector<std::pair<std::uint64_t, std::uint64_t>>& largest,
                               const graph::run_control& context);

/// Returns for each of the first `count` groups of `largest` its up to `most` vertices of most arcs, best first.
std::vector<std::vector<std::uint64_t>> leading_members(
    const graph::any_graph& graph, const machine::page_array<std::uint64_t>& of,
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& largest, std::size_t count, std::size_t most);

}  // namespace callisto::app
