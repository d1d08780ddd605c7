// PageRank by pulling, as in the paper that Callisto implements (Callisto-RTS, ATC'15 figure 1).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// A vertex where the random walk begins again.
struct pagerank_seed {
  std::uint64_t vertex;
  double weight = 1;  ///< its share of the restarts, by the sum of all weights; above 0
};

struct pagerank_options {
  double damping = 0.85;      ///< probability of following an arc rather than beginning again; in [0, 1)
  double tolerance = 1e-9;    ///< stop once a sweep changes all scores together (L1) by no more than this; >= 0
  unsigned iterations = 100;  ///< at most this many sweeps; >= 1
  std::uint64_t batch = 0;    ///< vertices that a thread takes at a time; 0 lets the runtime choose
  /// Where to begin again, each vertex named once; empty: anywhere alike.
  std::vector<pagerank_seed> seeds = {};
  /// Use scores as soon as they are made, and mix the results of the last sweeps, which takes fewer of them to the same
  /// tolerance, often a third; without it the scores are those of `iterations` steps of the power iteration from equal
  /// scores, or those of the seeds.
  bool accelerated = true;
};

struct pagerank_result {
  machine::page_array<double> scores;  ///< by vertex; they sum to 1 but for rounding
  unsigned iterations = 0;             ///< sweeps done
  double change = 0;                   ///< L1 change made by the last sweep
  bool converged = false;              ///< change <= tolerance
};

/// The PageRank of every vertex; personalised (Page et al. 1999, section 6) with `seeds`. By sweeps of Gauss-Seidel
/// over blocks in four colours (pagerank_blocks.hpp), accelerated by Anderson mixing (pagerank_mixing.hpp). What is
/// left of the equations' residual (L1) is less than the last change.
///
/// Rank on dangling vertices (no out-arcs) begins again in every sweep: it is spread evenly over all vertices, or over
/// the seeds by their weights, as NetworkX does.
/// Repeated arcs count as often as they are stored, self-loops are ordinary arcs, and weights are ignored.
///
/// Cost: a sweep reads every in-arc once, with one random 8-byte read an arc (4-byte where the tolerance is 1e-5 or
/// more, and the result has six digits). Where many vertices have the in-neighbours of the one before, as on web
/// graphs, or those next to them, as on grids, rows are copied and these are read once. Memory: 80 bytes a vertex, 44
/// where reads are of 4 bytes, 24 if not accelerated; with seeds 8 more; for the copy 4 or 8 bytes an arc, and 24 a
/// vertex. The scores are the same, to the last bit, whatever threads do, unless `batch` is given without acceleration.
/// Reports one unit of progress a sweep. Throws usage_error as check_pagerank_arguments does, cancelled, and
/// std::bad_alloc.
CALLISTO_API pagerank_result pagerank(const any_graph& graph, const pagerank_options& options = {},
                                      const run_control& ctx = {});

/// Throws usage_error for options outside their ranges, a graph without vertices, a directed graph without the rows of
/// its in-edges, and seeds that are no vertices, named twice, or of a weight that is not a finite number above 0.
CALLISTO_API void check_pagerank_arguments(const any_graph& graph, const pagerank_options& options);

namespace needs {
/// Bytes that pagerank() takes at most beyond the graph, its result included; `seeds`: if it begins at seeds.
CALLISTO_API std::uint64_t pagerank(const any_graph& graph, bool seeds) noexcept;
}  // namespace needs

}  // namespace callisto::graph
