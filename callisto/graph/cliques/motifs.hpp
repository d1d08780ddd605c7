// How often each connected pattern of 3 and 4 vertices occurs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// Sets of 3 or 4 vertices by the graph among them: each set counts once, as the pattern of all edges among it.
struct motif_counts {
  std::uint64_t paths_of_3 = 0;  ///< two edges
  std::uint64_t triangles = 0;
  std::uint64_t paths_of_4 = 0;  ///< three edges in a row
  std::uint64_t stars = 0;       ///< three edges at one vertex
  std::uint64_t cycles = 0;      ///< of four vertices
  std::uint64_t paws = 0;        ///< a triangle with an edge at one vertex
  std::uint64_t diamonds = 0;    ///< two triangles with an edge in common
  std::uint64_t cliques = 0;     ///< of four vertices

  bool operator==(const motif_counts&) const = default;
};

/// Counts the patterns of the simple undirected graph underlying `graph`. The result depends on the graph alone.
///
/// Method: triangles at each edge, cycles of four by paths of two from their highest vertex, and cliques of four among
/// the common later neighbours of edges are counted; the rest follows (PGD: Ahmed et al. 2015; ESCAPE: Pinar, Seshadhri
/// and Vishal 2017).
///
/// Cost: m times the square of the degeneracy at worst, for cliques. Memory: needs::motifs(). Reports vertices as
/// progress. Throws usage_error for a directed graph without the rows of its in-edges, or if a count is 2^64 or more;
/// cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API motif_counts motifs(const csr_graph<Vertex>& graph, const run_control& control = {});

namespace needs {
/// Returns the bytes that motifs() takes at most beyond the graph.
CALLISTO_API std::uint64_t motifs(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
