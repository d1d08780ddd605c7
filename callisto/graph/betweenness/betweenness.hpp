// Betweenness centrality by Brandes' algorithm, exact or from a sample of sources, with nested parallel loops.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Where the parallelism of betweenness lies: searches start from many sources, each has many levels, each level many
/// vertices (Callisto-RTS, ATC'15 section 4.3).
enum class betweenness_form {
  automatic,  ///< the first sources are run in each form that the machine offers, the rest in the fastest
  flat,       ///< over sources: a thread searches alone
  nested,     ///< over sources and within a search: the threads of one part of the machine search together
  inner,      ///< within a search: all threads search together
};

/// The form's name: "automatic", "flat", "nested", "inner".
CALLISTO_API const char* name_of(betweenness_form form) noexcept;

struct betweenness_options {
  std::uint64_t samples = 0;             ///< sources to start from, chosen at random; 0: all vertices, which is exact
  std::uint64_t seed = 1;                ///< of the choice
  std::vector<std::uint64_t> from = {};  ///< vertices to start from instead of a random sample, each named once
  bool normalized = false;               ///< scores as shares of the pairs of other vertices, see betweenness()
  betweenness_form form = betweenness_form::automatic;
  unsigned level = 1;        ///< of the loop over sources when nested (see outer_parallel_for); at least 1
  std::uint64_t memory = 0;  ///< bytes that may be taken beyond the graph; 0: what the system says is available
};

/// How a stretch of the sources was run.
struct betweenness_trial {
  betweenness_form form = betweenness_form::flat;
  unsigned level = 0;         ///< of the loop over sources
  std::uint64_t sources = 0;  ///< searched from
  double seconds = 0;
};

struct betweenness_result {
  machine::page_array<double> scores;              ///< by vertex
  std::uint64_t sources = 0;                       ///< that the scores are of: all vertices, or the sample
  std::uint64_t searches = 0;                      ///< sources that were searched from; others follow from these
  betweenness_form form = betweenness_form::flat;  ///< what most sources were run in
  unsigned level = 0;                              ///< of that form's loop over sources
  std::vector<betweenness_trial> trials;  ///< what the choice of `form` rests on; empty if there was none to make
};

/// For every vertex v the sum over ordered pairs (s, t) of other vertices of the share of shortest paths from s to t
/// that lead through v; of unordered pairs in an undirected graph. Arcs count as one step each: weights are ignored,
/// repeated arcs count once, self-loops not at all.
///
/// Normalized scores are divided by the number of such pairs, (n - 1) * (n - 2), or half of it if undirected. From a
/// sample of k sources, sums are scaled up by (n - 1) / k, or by (n - 1) / (k - 1) for the vertices of the sample,
/// which are sources of no pair around themselves (their score is 0 if k is 1). All as NetworkX (3.6) does it.
///
/// Method: Brandes (2001) for eight sources at a time (four, where there are no more), so that each arc's row of counts
/// is fetched once (as in multi-source BFS, Then et al., VLDB 2014), by levels in whichever direction takes less time,
/// by its arcs and what one costs; where several threads push, each adds to vertices of its own part of the graph.
/// Vertices with a single neighbour are folded into it, the others renumbered by falling degree, sources grouped by
/// their neighbours. Scores differ from run to run in their last bits only. Path counts are 64-bit floating point:
/// exact below 2^53. Each source is searched from by itself, by one thread, where eight would share nothing: where the
/// first 64 levels have only begun to reach the graph, as in grids and road networks; where a directed graph is
/// searched from up to eight sources, at least as many as threads; and, with counts of any size, where there are more
/// than 10^279 paths to a vertex. In an undirected graph of the first kind up to four threads together search from
/// sources that are fewer than threads, and from all if the form is `inner` or memory does not do for more.
///
/// Up to eight sources are searched from in the graph as it is, if its rows have no repeats: for so few, folding and
/// renumbering take longer than they save.
///
/// Cost: time proportional to sources * arcs. Memory: 4 bytes an arc (twice if directed) and up to 60 bytes a vertex,
/// and for every thread up to 190 bytes a vertex; if nested, for every part, and if inner, once, up to 250.
///
/// Reports one unit of progress a search. Throws usage_error as check_betweenness_arguments does, cancelled, and
/// std::bad_alloc.
CALLISTO_API betweenness_result betweenness(const any_graph& graph, const betweenness_options& options = {},
                                            const run_control& ctx = {});

/// The vertices that scores with these options are of, ascending: all, the sample, or `from` as it is. Of valid
/// arguments.
CALLISTO_API std::vector<std::uint64_t> betweenness_sources(const any_graph& graph, const betweenness_options& options);

/// Throws usage_error for more samples than vertices, `from` that names no vertex, or one twice, or comes with
/// `samples`, a level of 0, a directed graph without the rows of its in-edges, and more than 2^32 - 2 vertices;
/// memory_error where memory would not do.
CALLISTO_API void check_betweenness_arguments(const any_graph& graph, const betweenness_options& options);

/// Bytes that it takes at most beyond the graph in the form that takes least, of valid arguments.
CALLISTO_API std::uint64_t betweenness_memory(const any_graph& graph, const betweenness_options& options);

}  // namespace callisto::graph
