// First facts about a graph that a person needs: its size, how it hangs together, and its most important vertices.
#pragma once

#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/graph/drawing.hpp>
#include <callisto/app/graph/label.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/degrees.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/graph/csr/weight_use.hpp>
#include <callisto/graph/distance/distances.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

/// The user's choices for an overview.
struct overview_options {
  std::optional<std::uint64_t> samples;  ///< sources of betweenness; unset: as many as the size of the graph permits
  std::uint64_t seed = 1;                ///< seed that chooses these sources and the sources of distances
  std::uint64_t top = 10;                ///< vertices in a ranking, and groups in a list
  graph::weight_use rank_weights = graph::weight_use::strength;  ///< meaning of weights to PageRank
};

/// A vertex of high rank.
struct ranked_vertex {
  vertex_label label;
  double score;
  std::uint64_t degree;  ///< in the underlying simple undirected graph
  double error = 0;      ///< the score's standard error; 0: it is exact
};

/// The vertices of highest score, and how the scores came about.
struct vertex_ranking {
  std::vector<ranked_vertex> top;
  unsigned iterations = 0;                              ///< iterations of PageRank
  bool converged = false;                               ///< true if PageRank converged
  std::uint64_t sources = 0;                            ///< sources of betweenness
  bool exact = false;                                   ///< true if all vertices are sources of betweenness
  graph::weight_use weights = graph::weight_use::none;  ///< meaning of weights to PageRank
};

/// Connected components; weak ones of a directed graph.
struct overview_components {
  std::uint64_t count = 0;
  std::uint64_t single = 0;                                     ///< components of one vertex
  std::vector<std::pair<vertex_label, std::uint64_t>> largest;  ///< smallest label and size, largest first
  /// How many components have each size, ascending by size.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
};

/// Triangles and clustering of the underlying simple graph.
struct overview_triangles {
  std::uint64_t triangles = 0;
  double wedges = 0;              ///< number of paths of two edges
  double global_clustering = 0;   ///< share of wedges that a third edge closes; 0 if there are no wedges
  double average_clustering = 0;  ///< mean of the vertices' shares of pairs of neighbours that are neighbours
};

/// Communities by the Leiden method.
struct overview_communities {
  std::uint64_t count = 0;
  graph::weight_use weights = graph::weight_use::none;  ///< meaning that the weights were given
  double modularity = 0;
  std::vector<std::pair<vertex_label, std::uint64_t>> largest;  ///< smallest label and size, largest first
  std::vector<std::vector<vertex_label>> members;  ///< of each of `largest`: the vertices of most arcs, best first
  graph_drawing drawing;                           ///< of the graph, or of the largest communities
  /// How many communities have each size, ascending by size.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
};

/// A vertex in the list that readers search.
struct listed_vertex {
  vertex_label label;
  std::uint64_t degree;  ///< in the underlying simple undirected graph
  std::optional<double> pagerank;
  std::optional<double> betweenness;
  std::optional<vertex_label> community;  ///< the smallest vertex of its community
};

/// A step of the work, the time it took, and why it has no result if it has none.
struct overview_step {
  std::string name;
  double seconds = 0;
  std::string failure;  ///< why the step has no result; empty: it has one
};

/// Findings of survey(). A part without a value could not be computed; the step of its name says why.
struct overview {
  graph::graph_statistics statistics;
  graph::degree_distribution degrees;
  double assortativity = 0;  ///< NaN: undefined
  std::optional<overview_components> components;
  std::optional<overview_communities> communities;
  std::optional<overview_triangles> triangles;
  std::optional<graph::distance_sample> distances;
  std::optional<vertex_ranking> pagerank;
  std::optional<vertex_ranking> betweenness;
  std::vector<listed_vertex> listed;  ///< up to 2,000 vertices of highest PageRank, or else of most neighbours
  std::vector<overview_step> steps;
};

/// Runs the kernels one at a time, each on all threads. The memory needed is that of the kernel that needs most, and 24
/// bytes a vertex.
/// If a kernel cannot run on this graph, its part stays empty, and its step gives the reason: not enough memory, or
/// unusable weights. Throws graph::cancelled at a stop request.
///
/// Together with context.among, if that is not null: the whole where the result is told; and std::bad_alloc if one
/// process runs out of memory inside a step, which other processes cannot leave.
overview survey(const graph::any_graph& graph, const overview_options& options, const graph::shared_control& context);

/// Returns the stages of survey(), with their usual shares beside the 10 of loading the graph.
std::vector<expected_stage> survey_stages();

}  // namespace callisto::app
