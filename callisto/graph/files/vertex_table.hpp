// Columns of vertices in a table beside the graph: a line a vertex, its name first.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/formats/read_options.hpp>

#include <string>
#include <vector>

namespace callisto::graph {

/// Returns the graph with the columns of the table at `path` that are `wanted`, in place of columns of the same names.
/// The first line names the columns; a comma, a tab, a semicolon or a bar is between them. The first column has the
/// names or numbers of vertices. `notes` gets how many lines name no vertex of the graph. Throws input_error if two
/// lines name the same vertex, and cancelled.
CALLISTO_API any_graph with_vertex_table(any_graph graph, const std::string& path, const attribute_choice& wanted,
                                         const run_control& control = {}, std::vector<std::string>* notes = nullptr);

/// Writes the columns of vertices as such a table, with commas, in the order of labels. Throws output_error.
CALLISTO_API void write_vertex_table(const any_graph& graph, const std::string& path);

}  // namespace callisto::graph
