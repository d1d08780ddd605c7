// Biconnected components: bridges, articulation points, and the edges that any one vertex less leaves connected.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// The edges of the simple undirected graph underlying a graph, ascending by ends, the smaller end first, and their
/// biconnected components, called blocks: two edges are in one block if a cycle without repeated vertices has both.
template <class Vertex>
struct biconnected_result {
  machine::page_array<Vertex> from;
  machine::page_array<Vertex> to;
  machine::page_array<Vertex> block;  ///< by edge: its block; blocks are numbered in the order of their first edges
  machine::page_array<Vertex> size;   ///< by block: its vertices; a block of two vertices is a bridge
  /// By vertex: the blocks that it is in. A vertex in two or more is an articulation point: without it, its component
  /// falls apart.
  machine::page_array<Vertex> blocks;
  std::uint64_t bridges = 0;
  std::uint64_t articulation_points = 0;
  std::uint64_t largest = 0;  ///< vertices of the largest block; 0 without edges
};

/// Finds the biconnected components of the simple undirected graph underlying `graph`: directions are dropped, repeated
/// edges count once, self-loops not at all. The result depends on the graph alone.
///
/// Method: Tarjan and Vishkin (1985) without their auxiliary graph, as FAST-BCC (Dong, Wang, Gu and Sun, PPoPP'23).
/// 1. A breadth-first search from a vertex of each component makes spanning trees. Numbers in preorder tell the
///    subtree of each vertex as a range.
/// 2. The edges that are not in trees tell, from the leaves up, the least and the largest number that each subtree
///    reaches by them.
/// 3. A vertex stands for the edge to its parent. It joins its parent, in a disjoint-set forest, if its subtree reaches
///    a vertex outside of its parent's; and the other end of each edge that is not in a tree. Each set is a block.
///
/// Cost: connected components, and some four looks at each arc. Memory: needs::biconnected(). Reports vertices as
/// progress. Throws usage_error for a directed graph without the rows of its in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API biconnected_result<Vertex> biconnected(const csr_graph<Vertex>& graph, const run_control& control = {});

namespace needs {
/// Returns the bytes that biconnected() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t biconnected(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
