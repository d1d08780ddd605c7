// Closeness and harmonic closeness, exact or from a sample of sources.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

struct closeness_options {
  bool harmonic = false;    ///< sums of reciprocal distances, see closeness()
  bool outgoing = false;    ///< distances from the vertex; otherwise to it. Alike in undirected graphs
  bool normalized = false;  ///< harmonic sums divided by n - 1; closeness is so in any case
  /// length: the weight of an arc is its length; none: arcs have length 1. Not strength.
  weight_use weights = weight_use::none;
  std::uint64_t samples = 0;  ///< vertices from which distances are found, chosen at random; 0: all, which is exact
  std::uint64_t seed = 1;     ///< of the random choice
  double error = 0;           ///< if not 0, chooses `samples` so that this bound holds, see closeness_samples()
  double confidence = 0.9;    ///< with which it holds for all vertices at once; above 0, below 1
};

struct closeness_result {
  machine::page_array<double> scores;           ///< by vertex
  machine::page_array<double> standard_errors;  ///< by vertex, of scores from a sample; empty if they are exact
  std::uint64_t sources = 0;                    ///< number of vertices from which distances were found
  weight_use weights = weight_use::none;        ///< meaning that the weights were given
};

/// Computes for every vertex v how near the n - 1 other vertices are to it (NetworkX: closeness_centrality with
/// wf_improved, harmonic_centrality):
/// - Closeness: r / sum * r / (n - 1), where r other vertices reach v and `sum` is the sum of their distances to v. The
///   second factor is the share of vertices that reach v, so that small components do not score high (Wasserman and
///   Faust 1994). 0 if no vertex reaches v, or if all that do have distance 0.
/// - Harmonic closeness: the sum of 1 / distance over the vertices that reach v, without vertices at distance 0
///   (Marchiori and Latora 2000).
///
/// Loops play no part, and of repeated arcs the shortest counts. From a sample of k vertices, sums are estimated by the
/// mean over the vertices of the sample other than v (Eppstein and Wang, "Fast approximation of centrality", J. Graph
/// Algorithms and Applications 2004). A standard error is that of the mean over a sample without replacement, and how
/// far one more term of usual size would move it (error_of_mean()); that of closeness follows by the delta method.
///
/// Method: without weights, breadth-first searches from 512 sources at once (bit_search.hpp); with weights, searches
/// from up to 32 sources at once (lane_search.hpp). Scores do not depend on threads, except in the last bits if weights
/// are not whole.
///
/// Cost: without weights, time proportional to sources / 512 * arcs * levels, at most; with weights about
/// sources / 32 * arcs. Memory: up to 240 bytes a vertex for every thread; with weights 6 to 12 bytes an arc (twice
/// that if directed, while landmarks are found), and 180 bytes a vertex for every thread. Reports sources as progress.
/// Throws usage_error as check_closeness_arguments does; weight_error for a negative length; cancelled; std::bad_alloc.
CALLISTO_API closeness_result closeness(const any_graph& graph, const closeness_options& options = {},
                                        const run_control& control = {});

/// Returns the number of sources of scores with these options: all vertices, `samples`, or as many as `error` needs.
///
/// k = ln(4 n / (1 - confidence)) / (2 error^2) sources. By Hoeffding's inequality, which holds for samples without
/// replacement, and the union bound over n vertices and two means, these hold at once, with the confidence:
/// - The mean distance of each vertex (0 from vertices that do not reach it) is within error * diameter, and the share
///   of vertices that reach it within error.
/// - A normalized harmonic score is within error, if lengths are at least 1.
CALLISTO_API std::uint64_t closeness_samples(std::uint64_t vertices, const closeness_options& options) noexcept;

/// Returns the sources, ascending.
CALLISTO_API std::vector<std::uint64_t> closeness_sources(std::uint64_t vertices, const closeness_options& options);

/// Throws usage_error if there are more samples than vertices, if both samples and an error are given, if the error or
/// the confidence is not between 0 and 1, if weights are strengths, if a directed graph lacks the rows of its in-edges,
/// or if the graph has more than 2^32 - 2 vertices.
CALLISTO_API void check_closeness_arguments(const any_graph& graph, const closeness_options& options);

namespace needs {
/// Returns the bytes that closeness() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t closeness(const any_graph& graph, const closeness_options& options) noexcept;
}  // namespace needs

}  // namespace callisto::graph
