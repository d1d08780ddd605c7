// Meanings of the words of headers and comments: names of columns, and statements about direction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats {

/// Role that the name of a column tells.
enum class role { none, from, to, weight, time, type };
role role_of(std::string_view name);

/// True for names that can mean nothing but weights: "weight", "edge_weight".
bool is_called_weight(std::string_view name);

/// True for names that say how far apart two vertices are: "distance", "dist", "length".
bool is_called_length(std::string_view name);

/// True for the name of a column of vertices in a table of vertices: "Id", "nodeId", "movieId:ID".
bool is_vertex_column(std::string_view name);

/// True for the name of a column that says what a vertex is called: "Label", "name", "title".
bool is_label_column(std::string_view name);

/// Returns the two neighbouring columns that the names call the ends of an edge as a pair: "gene_1,gene_2", "u,v",
/// "person,friend"; nothing if there are none.
std::optional<std::pair<std::size_t, std::size_t>> paired_ends(const std::vector<std::string>& names);

/// True if one name is for users and the other name for things which they rate: "userId,movieId".
bool are_users_and_items(std::string_view one, std::string_view other);

/// Statement of a comment about the direction of edges.
struct stated_direction {
  bool directed = false;
  bool undirected = false;
  bool each_pair = false;  ///< it says "each unordered pair", as SNAP does
};

/// Finds "directed" and "undirected" among the words of a comment, "not", "non" and "un" before and "false", "no" and
/// "0" behind them; paths and addresses do not count.
stated_direction direction_in(std::string_view comment);

}  // namespace callisto::graph::formats
