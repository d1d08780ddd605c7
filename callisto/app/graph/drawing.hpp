// Drawings of graphs: the vertices themselves, or communities as circles.
#pragma once

#include <callisto/app/draw/svg_graph.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/layout/grouped.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

/// The things drawn, with places.
struct graph_drawing {
  bool communities = false;  ///< circles are communities, not vertices
  std::size_t shown = 0;     ///< circles
  bool clumps = false;       ///< vertices lie in a clump a community
  std::vector<drawn_vertex> vertices;
  std::vector<drawn_edge> edges;
};

/// Communities and their sizes, largest first; a community is called by one of its vertices.
using community_sizes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// How vertices and communities are drawn.
struct drawing_look {
  std::span<const double> scores = {};               ///< by vertex: the area of its circle; empty: its arcs
  std::string score = {};                            ///< name of a score
  std::size_t labels = 60;                           ///< number of circles that have names, the largest first
  std::size_t communities = 40;                      ///< number of communities that are drawn, the largest first
  bool coloured = true;                              ///< by community
  std::span<const std::size_t> colours = {};         ///< by vertex, as drawn_vertex has them; empty: by community
  std::span<const std::string> words = {};           ///< by vertex, what its colour says; may be empty
  std::span<const std::string> names = {};           ///< by vertex, what it is called in the drawing; may be empty
  std::span<const graph::layout_point> places = {};  ///< by vertex; empty: by layout
  graph::clumps how = graph::clumps::where_mixed;    ///< whether communities become clumps
  bool weights = false;                              ///< lines are as wide as edges are heavy, which also pull as much
  double side = 440;                                 ///< of the square that holds the circles
};

/// Directed graphs of more arcs are drawn without heads of arrows.
inline constexpr std::size_t most_arrows = 30'000;

/// Returns a drawing of the vertices, fewer than 2^32. `of`: by vertex, the vertex that names its community. Time and
/// memory are as for force_layout(). Throws graph::cancelled.
graph_drawing draw_vertices(const graph::any_graph& graph, const machine::page_array<std::uint64_t>& of,
                            const community_sizes& largest, const drawing_look& look,
                            const graph::run_control& context);

/// Returns a drawing of the communities, with lines as wide as there are edges between two. Takes 8 bytes a vertex.
/// Together with context.among, if that is not null: each process looks at its rows; empty where nothing is told.
/// Throws graph::cancelled.
graph_drawing draw_communities(const graph::any_graph& graph, const machine::page_array<std::uint64_t>& of,
                               const community_sizes& largest, const drawing_look& look,
                               const graph::shared_control& context);

/// Returns for each of the first `count` groups of `largest` its up to `most` vertices of most arcs, best first.
std::vector<std::vector<std::uint64_t>> leading_members(const graph::any_graph& graph,
                                                        const machine::page_array<std::uint64_t>& of,
                                                        const community_sizes& largest, std::size_t count,
                                                        std::size_t most);

}  // namespace callisto::app
