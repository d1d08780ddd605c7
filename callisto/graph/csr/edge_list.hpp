// Edges in the order of a file or generator, before they become a CSR graph.
#pragma once

#include <callisto/graph/csr/vertex_names.hpp>
#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace callisto::graph {

struct graph_attributes;  // attributes/attributes.hpp

/// One edge between dense vertex numbers in [0, vertices).
template <class Vertex>
struct edge {
  Vertex from;
  Vertex to;
};

/// Meaning of the edges of a list.
enum class direction {
  directed,    ///< (from, to) is an arc
  undirected,  ///< (from, to) is an edge between both, listed once or in both directions (build_graph() removes
               ///< repeats)
};

/// A run of edges. `weights` is empty or as long as `edges`, in the form that the weights need. Threads fill and free
/// blocks independently.
template <class Vertex>
struct edge_block {
  machine::page_array<edge<Vertex>> edges;
  weight_array weights;
};

/// The edges of one graph. `Vertex` is std::uint32_t if vertex numbers fit, else std::uint64_t. Blocks, and edges in a
/// block, are in the order of the file, whatever the number of threads.
template <class Vertex>
struct edge_list {
  std::uint64_t vertices = 0;
  direction meaning = direction::directed;
  bool weighted = false;
  std::vector<edge_block<Vertex>> blocks;

  /// The label of vertex v, its name in the file, is labels[v], or first_label + v if `labels` is empty. Labels ascend.
  machine::page_array<std::uint64_t> labels;
  std::uint64_t first_label = 0;
  /// The names of the vertices, or null. With names, labels are 0, 1, 2 ...
  std::shared_ptr<const vertex_names> names;
  /// Columns of the vertices, and of the edges as they are listed, or null.
  std::shared_ptr<const graph_attributes> attributes;

  std::uint64_t edges() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& block : blocks) sum += block.edges.size();
    return sum;
  }
};

using any_edge_list = std::variant<edge_list<std::uint32_t>, edge_list<std::uint64_t>>;

}  // namespace callisto::graph
