// What a person wants to know of a graph first: its size, how it hangs together, its most important vertices.
#pragma once

#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/degrees.hpp>
#include <callisto/graph/distance/distances.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/statistics.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

struct overview_options {
  std::optional<std::uint64_t> samples;  ///< sources of betweenness; without: as many as the size of the graph permits
  std::uint64_t seed = 1;                ///< of the choice of these and of the sources of distances
  std::uint64_t top = 10;                ///< vertices in a ranking
};

/// A vertex of high rank.
struct ranked_vertex {
  std::uint64_t label;
  double score;
  std::uint64_t degree;  ///< in the underlying simple undirected graph
};

/// The vertices of highest score, and how the scores came about.
struct vertex_ranking {
  std::vector<ranked_vertex> top;
  unsigned iterations = 0;    ///< of PageRank
  bool converged = false;     ///< PageRank
  std::uint64_t sources = 0;  ///< of betweenness
  bool exact = false;         ///< betweenness from all sources
};

struct overview_components {
  std::uint64_t count = 0;
  std::uint64_t single = 0;                                      ///< of one vertex
  std::vector<std::pair<std::uint64_t, std::uint64_t>> largest;  ///< smallest label and size, largest first
  /// How many components have each size, ascending by size.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
};

struct overview_triangles {
  std::uint64_t triangles = 0;
  double wedges = 0;             ///< paths of two edges
  double global_clustering = 0;  ///< the share of these that are closed by a third; 0 if there are none
};

struct overview_communities {
  std::uint64_t count = 0;
  double modularity = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> largest;  ///< smallest label and size, largest first
  /// How many communities have each size, ascending by size.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
};

/// A part of the work: how long it took, and why it has no result if it has none.
struct overview_step {
  std::string name;
  double seconds = 0;
  std::string failure;  ///< empty: it has one
};

/// Parts without a value could not be computed; the step of their name says why.
struct overview {
  graph::graph_statistics statistics;
  graph::degree_distribution degrees;
  std::optional<overview_components> components;
  std::optional<overview_communities> communities;
  std::optional<overview_triangles> triangles;
  std::optional<graph::distance_sample> distances;
  std::optional<vertex_ranking> pagerank;
  std::optional<vertex_ranking> betweenness;
  std::vector<overview_step> steps;
};

/// Runs the kernels one after the other. Each takes all threads; the memory needed is that of the greediest. A kernel
/// that cannot do this graph (not enough memory, weights that are none) leaves its part out, and its step
/// says so. Throws cancelled.
overview survey(const graph::any_graph& graph, const overview_options& options, const graph::run_control& context);

}  // namespace callisto::app
