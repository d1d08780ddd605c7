// Groups of vertices, such as components and communities, with the user's labels.
#pragma once

#include <callisto/app/graph/command.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

/// Renames groups by labels. `map` holds, for each vertex, the smallest vertex of its group; that becomes the vertex of
/// smallest label.
template <class Name, class Vertex>
void name_by_label(machine::page_array<Name>& map, const graph::csr_graph<Vertex>& graph) {
  if (graph.by_label().empty()) return;  // labels ascend with vertices, so the names are right already
  constexpr Name none = std::numeric_limits<Name>::max();
  machine::page_array<Name> names(map.size());
  std::fill(names.begin(), names.end(), none);
  for (const Vertex v : graph.by_label()) {
    if (names[map[v]] == none) names[map[v]] = v;
  }
  for (Name& group : map) group = names[group];
}

/// Returns the first `count` groups and their sizes, largest first, as a ranking with the keys `key` and "vertices".
inline ranking largest_groups(const graph::any_graph& graph,
                              const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sizes, std::uint64_t count,
                              std::string key) {
  ranking result{{std::move(key), "vertices"}, {}};
  for (std::size_t i = 0; i < sizes.size() && i < count; ++i) {
    result.rows.push_back({label_of(graph, sizes[i].first), sizes[i].second});
  }
  return result;
}

}  // namespace callisto::app
