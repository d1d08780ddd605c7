// Conditions on columns: which vertices and edges to keep.
//
//     city == "Bern" and not (age < 18 or age is missing) and kind in ("road", "rail") and weight > 2
//
// In words: or, and, not, parentheses; ==, !=, <, <=, >, >=; in (..., ...), not in; is missing, is not missing; a
// column of bool alone. A column is named as it is, or within backticks if its name is no word; edge.x and vertex.x
// tell the owner. Texts stand in single or double quotes, where \ goes before a quote, a backslash, n or t. `weight` is
// the weight of an edge, 1 without weights; `vertex` the name or number of a vertex.
//
// A comparison with a missing value is neither true nor false, and so is `not` of it (SQL's rule): only what is true is
// kept. Texts are compared by their bytes, numbers exactly.
//
// A condition is several parts, joined by `and`; each part speaks of vertices or of edges. Edges that fail are left
// out. Vertices that fail are left out with their edges.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph {

namespace condition_detail {
struct node;
}

/// A condition, parsed. Immutable: any number of threads may use it.
class CALLISTO_API condition {
 public:
  /// Throws usage_error, which names the column of the text (from 1) and what was expected there.
  explicit condition(std::string_view text);

  /// Returns the names of columns that the condition speaks of, without `weight` and `vertex`.
  const std::vector<std::string>& names() const noexcept { return names_; }

  /// Leaves out the edges of a list that fail. Throws usage_error if a part speaks of edges and of something else,
  /// or compares what cannot be compared; cancelled.
  void keep_edges(any_edge_list& list, const run_control& control) const;

  /// Returns by vertex whether it is kept; empty if no part speaks of vertices. Parts that speak of edges of the graph
  /// count as true. Throws usage_error for a name that no column has; cancelled.
  machine::page_array<char> kept_vertices(const any_graph& graph, const run_control& control) const;

  /// True if a part speaks of edges with these columns.
  bool speaks_of_edges(const graph_attributes* columns) const;

 private:
  std::vector<std::shared_ptr<const condition_detail::node>> parts_;
  std::vector<std::string> names_;
};

}  // namespace callisto::graph
