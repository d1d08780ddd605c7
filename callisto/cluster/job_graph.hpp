// A graph over the ranks of a session, and the kernels of the command `callisto` on it, for programs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace callisto::cluster {

/// A graph of which each rank has the rows of some vertices that follow each other, and offsets of all. Main of all
/// ranks makes it inside a session, and calls all functions here in the same order; errors of the input are thrown at
/// rank 0, or at all. Move-only. It must not outlive the session.
class job_graph {
 public:
  /// Loads a graph that all ranks see as `path`: of a plain text of edges each rank reads a range of bytes, a native
  /// file is mapped by all, anything else is read by rank 0. Throws what graph::load_graph() throws.
  static job_graph load(const std::string& path, const graph::load_options& options = {});
  /// Deals a graph of rank 0; other ranks give any.
  static job_graph deal(graph::any_graph graph);

  std::uint64_t vertices() const noexcept;
  std::uint64_t arcs() const noexcept;
  bool directed() const noexcept;
  bool weighted() const noexcept;
  /// The vertices of this rank: [first(), last()).
  std::uint64_t first() const noexcept { return among_->first(); }
  std::uint64_t last() const noexcept { return among_->last(); }
  /// Returns the rows of this rank's vertices; rows of other vertices must not be read. Labels and names are at rank 0.
  const graph::any_graph& rows() const noexcept { return graph_; }
  /// Returns the ranks as kernels see them.
  graph::partners& among() const noexcept { return *among_; }

  /// Draws weights as graph::with_random_weights() does.
  void draw_weights(std::uint64_t seed);

 private:
  job_graph(graph::any_graph graph, std::unique_ptr<graph::partners> among);

  graph::any_graph graph_;
  std::unique_ptr<graph::partners> among_;
};

/// A breadth-first search: as graph::bfs_result, with vertices of 8 bytes.
struct search_result {
  static constexpr std::uint64_t no_parent = ~std::uint64_t{0};
  static constexpr std::uint32_t unreached = ~std::uint32_t{0};
  machine::page_array<std::uint64_t> parents;    ///< of possible ones the smallest; no_parent: not reached
  machine::page_array<std::uint32_t> distances;  ///< unreached: not reached
  std::uint64_t reached = 0;
  std::uint32_t eccentricity = 0;
};

// The kernels. Vectors of all vertices are whole at rank 0, and have the values of own vertices elsewhere; those of
// communities, triangles and paths are whole everywhere. Sums are everywhere. Throw as the functions of the same name
// in callisto::graph.

graph::graph_statistics statistics(const job_graph& graph);
graph::pagerank_result pagerank(const job_graph& graph, const graph::pagerank_options& options = {});
/// Returns by vertex the smallest vertex of its component, at all ranks.
machine::page_array<std::uint64_t> components(const job_graph& graph);
graph::communities_result communities(const job_graph& graph, const graph::communities_options& options = {});
graph::triangles_result count_triangles(const job_graph& graph);
graph::clustering_result clustering(const job_graph& graph);
graph::kcore_result kcore(const job_graph& graph);
graph::betweenness_result betweenness(const job_graph& graph, const graph::betweenness_options& options = {});
search_result bfs(const job_graph& graph, std::uint64_t source);
graph::sssp_result sssp(const job_graph& graph, std::uint64_t source, const graph::sssp_options& options = {});

}  // namespace callisto::cluster
