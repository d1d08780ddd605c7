// The description of the attributes of a graph. Their options are members of graph_input.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <string>
#include <vector>

namespace callisto::app {

/// Returns the columns of vertices and of edges with their types.
json describe_attributes(const graph::any_graph& graph);

/// Adds a row for the columns of vertices and one for those of edges, where there are some.
void describe_attributes(const graph::any_graph& graph, table& rows);

/// Puts the columns of vertices behind the values of `found` in tables of all vertices. `graph` must outlive `found`.
void add_vertex_columns(analysis& found, const graph::any_graph& graph);

/// Returns the names of the columns of the vertices, as the header of a CSV file has them.
std::vector<std::string> names_of_vertex_columns(const graph::any_graph& graph);

/// Returns the lines of `top`, each of which begins with a vertex, with the columns of these vertices behind.
std::string with_vertex_columns(const std::string& lines, const ranking& top, const graph::any_graph& graph);

}  // namespace callisto::app
