// Betweenness centrality by Brandes' algorithm, exact or from a sample of sources, with nested parallel loops.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Where the parallelism of betweenness lies: searches start from many sources, a search has many levels, a level has
/// many vertices (Callisto-RTS, ATC'15 section 4.3).
enum class betweenness_form {
  automatic,  ///< tries the first sources in each form that the machine offers, and runs the rest in the fastest
  flat,       ///< over sources: each thread searches alone
  nested,     ///< over sources and within a search: the threads of one part of the machine search together
  inner,      ///< within a search: all threads search together
};

/// Returns the form's name: "automatic", "flat", "nested", "inner".
CALLISTO_API const char* name_of(betweenness_form form) noexcept;

/// Two paths are equally long if their lengths differ by no more than this share. So sums of lengths such as 0.1 + 0.2
/// and 0.3, which rounding makes differ, count as the same; igraph has the same share.
inline constexpr double tie_tolerance = 1e-10;

struct betweenness_options {
  std::uint64_t samples = 0;  ///< sources, chosen at random; 0: all vertices, which is exact
  std::uint64_t seed = 1;     ///< of the random choice
  /// If not 0: normalized scores are within this of the exact ones, all at once, with `confidence`. The sample, by the
  /// same seed, doubles until that is proved. Not with `samples` or `from`.
  double error = 0;
  double confidence = 0.9;               ///< above 0, below 1
  std::vector<std::uint64_t> from = {};  ///< sources instead of a random sample, each named once
  bool normalized = false;               ///< scores as shares of the pairs of other vertices, see betweenness()
  /// length: the weight of an arc is its length, above 0; none: arcs have length 1. Not strength.
  weight_use weights = weight_use::none;
  betweenness_form form = betweenness_form::automatic;  ///< with lengths, `flat` in any case
  unsigned level = 1;        ///< of the loop over sources if nested (see outer_parallel_for); at least 1
  std::uint64_t memory = 0;  ///< bytes that may be taken beyond the graph; 0: as many as the system reports available
};

/// One trial of a form on a part of the sources.
struct betweenness_trial {
  betweenness_form form = betweenness_form::flat;
  unsigned level = 0;         ///< of the loop over sources
  std::uint64_t sources = 0;  ///< number of sources searched from
  double seconds = 0;
};

struct betweenness_result {
  machine::page_array<double> scores;              ///< by vertex
  machine::page_array<double> standard_errors;     ///< by vertex, of a random sample's scores; empty otherwise
  std::uint64_t sources = 0;                       ///< number of sources: all vertices, or the sample
  std::uint64_t searches = 0;                      ///< sources searched from; shares of other sources follow from these
  betweenness_form form = betweenness_form::flat;  ///< the form of most searches
  unsigned level = 0;                              ///< of that form's loop over sources
  std::vector<betweenness_trial> trials;           ///< the trials that chose the form; empty if there were none
  weight_use weights = weight_use::none;           ///< meaning that the weights were given
};

/// An edge, or an arc of a directed graph, and its betweenness.
struct scored_edge {
  std::uint64_t from;  ///< vertex; in an undirected graph, of the two ends the one with the smaller number
  std::uint64_t to;
  double score;
  double standard_error = 0;  ///< of a random sample's score
};

struct edge_betweenness_result {
  std::vector<scored_edge> edges;  ///< by `from`, then `to`; no loops, repeated ones once
  std::uint64_t sources = 0;       ///< number of sources: all vertices, or the sample
  weight_use weights = weight_use::none;
};

/// Computes the betweenness of every vertex v: the sum, over ordered pairs (s, t) of other vertices, of the share of
/// shortest paths from s to t that lead through v. In an undirected graph, over unordered pairs. Arcs count as one step
/// each, or by their weights as lengths, of repeated arcs the shortest; self-loops not at all. Two paths are equally
/// long if the sums of their weights are equal as doubles.
///
/// Normalized scores are divided by the number of such pairs, (n - 1) * (n - 2), or half of it if undirected. From a
/// sample of k sources, sums are scaled up by (n - 1) / k, or by (n - 1) / (k - 1) for the vertices of the sample: no
/// pair around a vertex begins at the vertex itself (if k is 1, its score is 0). All as NetworkX 3.6 does it.
///
/// Scores of a sample have standard errors: that of the mean over a random sample without replacement, and how far one
/// more term of usual size would move it (error_of_mean()). About 68 % of the scores lie within one standard error of
/// the exact score; of scores that few sources make up, more. With `error`, the sample grows until the empirical
/// Bernstein-Serfling bound of every vertex is small enough (growing_sample); if that takes more than half of the
/// vertices, all are searched from.
///
/// Scores differ from run to run in their last bits only. Path counts are 64-bit floating point: exact below 2^53.
///
/// Method: Brandes (2001), from four or eight sources at once where these share vertices, otherwise from one source at
/// a time; betweenness/README.md tells which search runs when. Of more than eight sources, vertices with a single
/// neighbour are folded into it and all other vertices are renumbered by falling degree. Up to eight sources are
/// searched from in the graph as it is, if its rows have no repeats: folding and renumbering would take longer than
/// they save.
///
/// Cost: time proportional to sources * arcs. Memory: 4 bytes an arc (8 if directed) and up to 60 bytes a vertex; up to
/// 190 bytes a vertex for every thread; if nested, up to 250 for every part of the machine, and if inner, once.
///
/// Reports one unit of progress a search. Throws usage_error as check_betweenness_arguments does; cancelled;
/// std::bad_alloc.
CALLISTO_API betweenness_result betweenness(const any_graph& graph, const betweenness_options& options = {},
                                            const run_control& control = {});

/// Computes the betweenness of every edge: the sum, over ordered pairs (s, t) of vertices, of the share of shortest
/// paths from s to t that lead along it; in an undirected graph over unordered pairs. Normalized scores are divided by
/// the number of these pairs. From a sample of k sources, sums are scaled up by n / k. Otherwise as betweenness(), with
/// standard errors, `error` and the exceptions of it; the forms of loops do not apply. Method: searches from many
/// sources at once by length (by_length.hpp). Memory: edge_betweenness_memory().
CALLISTO_API edge_betweenness_result edge_betweenness(const any_graph& graph, const betweenness_options& options = {},
                                                      const run_control& control = {});

/// Returns the bytes that edge_betweenness() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t edge_betweenness_memory(const any_graph& graph, const betweenness_options& options) noexcept;

/// Returns the sources of scores with these valid options, `error` apart, ascending: all vertices, or the sample.
/// Returns `from` in its own order.
CALLISTO_API std::vector<std::uint64_t> betweenness_sources(const any_graph& graph, const betweenness_options& options);

/// Returns the scores and, if there are squares, the standard errors of a graph, given the sums over the sources of the
/// dependencies on each vertex and of their squares. `options` as betweenness() had them, without `error`.
CALLISTO_API betweenness_result scores_of_sums(const any_graph& graph, machine::page_array<double> sums,
                                               machine::page_array<double> squares, const betweenness_options& options);

/// Throws usage_error if there are more samples than vertices, if `from` names no vertex, or one twice, or comes with
/// `samples`, if the error comes with either or is not below 1, if the level is 0, if a directed graph lacks the rows
/// of its in-edges, if weights are strengths, or if the graph has more than 2^32 - 2 vertices. Throws memory_error if
/// memory would not do.
CALLISTO_API void check_betweenness_arguments(const any_graph& graph, const betweenness_options& options);

/// Returns the bytes taken at most beyond the graph, in the form that takes least. The arguments must be valid.
CALLISTO_API std::uint64_t betweenness_memory(const any_graph& graph, const betweenness_options& options);

}  // namespace callisto::graph
