// Breadth-first search of a dealt graph.
#pragma once

#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>

#include <cstdint>

namespace callisto::cluster {

/// Searches as graph::bfs() does, together with control.among: the same distances; of several possible parents of a
/// vertex, the smallest. All of them where the result is told; elsewhere those of the process' own vertices. The sums
/// are everywhere.
///
/// - *A top-down level:* each process follows the arcs of its part of the frontier.
/// - *Its end:* each vertex found goes once to the process that has it, with its smallest parent there.
/// - *A bottom-up level:* all processes have the frontier as a bitmap, and look for parents in rows of in-arcs.
///
/// A level costs three exchanges. Memory: 4 bytes a vertex (8 with 64-bit vertices) and two bitmaps; 4 (8) and 4 for
/// each vertex of the process; 8 (16) for each vertex that a level finds.
template <class Vertex>
graph::bfs_result<Vertex> bfs(const graph::csr_graph<Vertex>& graph, std::uint64_t source,
                              const graph::bfs_options& options, const graph::shared_control& control);

}  // namespace callisto::cluster
