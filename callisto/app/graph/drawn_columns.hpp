// Places, colours and names for a drawing, from columns of vertices.
#pragma once

#include <callisto/app/draw/svg_graph.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/layout/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

/// Names of the columns that may hold places.
std::vector<std::string> columns_of_places();

/// Places that a graph came with, with the names of their columns for people.
struct given_places {
  std::vector<graph::layout_point> at;  ///< by vertex; y grows downwards
  std::string from;
};

/// Returns the places by the columns x and y, lon and lat or the like, or DOT's pos; nothing unless all vertices have
/// places, and not all the same. Degrees are drawn as wide as they are at the middle latitude.
std::optional<given_places> places_in(const graph::any_graph& graph);

/// The colour of each vertex by a column, and what colours mean.
struct column_colours {
  std::vector<std::size_t> of;     ///< by vertex: as drawn_vertex has it
  std::vector<std::string> words;  ///< by vertex: its value; empty if it has none
  std::vector<std::pair<std::size_t, std::string>> legend;
  std::string others;  ///< what is grey; empty if nothing is
};

/// Returns colours by the column of this name: one for each of the most frequent values, or the steps of a scale for
/// more numbers than that. Throws usage_error, which names `flag`, if vertices have no such column.
column_colours colours_by(const graph::any_graph& graph, const std::string& name, const std::string& flag);

/// Returns the texts of a column by vertex; empty where it has none. Throws usage_error as above.
std::vector<std::string> texts_in(const graph::any_graph& graph, const std::string& name, const std::string& flag);

/// Writes a table of vertices with their places, which `--vertex-table` reads: y grows upwards there.
void write_places(const std::string& path, const graph::any_graph& graph, const std::vector<graph::layout_point>& at);

}  // namespace callisto::app
