// PageRank by pulling from in-neighbours (Callisto-RTS, ATC'15 figure 1).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/gather_order.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace callisto::graph {

/// A vertex where the random walk restarts.
struct pagerank_seed {
  std::uint64_t vertex;
  double weight = 1;  ///< its share of the restarts is this by the sum of all weights; above 0
};

struct pagerank_options {
  double damping = 0.85;      ///< probability of following an arc rather than restarting; in [0, 1)
  double tolerance = 1e-9;    ///< ends once a sweep changes all scores together (L1) by no more than this; >= 0
  unsigned iterations = 100;  ///< sweeps at most; >= 1
  std::uint64_t batch = 0;    ///< vertices that a thread takes at a time; 0: the runtime chooses
  /// The vertices where the walk restarts, each named once; empty: all alike.
  std::vector<pagerank_seed> seeds = {};
  /// True: uses scores as soon as they are made, and mixes the results of the last sweeps. That takes fewer sweeps to
  /// the same tolerance, often a third. False: the scores come from `iterations` steps of the power iteration, which
  /// begins with equal scores, or with the scores of the seeds.
  bool accelerated = true;
  /// strength: the walk follows an arc with the share that its weight has in the sum over the vertex's out-arcs; none:
  /// each arc with the same probability. Without weights in the graph both are the same. Not length.
  weight_use weights = weight_use::strength;
  /// The order of the values that the accelerated iteration gathers, in one process; unset: the faster order by times
  /// of some arcs.
  std::optional<gather_order> inside_order = std::nullopt;
};

struct pagerank_result {
  machine::page_array<double> scores;     ///< by vertex; their sum is 1 but for rounding
  unsigned iterations = 0;                ///< sweeps done
  double change = 0;                      ///< L1 change of the last sweep
  bool converged = false;                 ///< change <= tolerance
  weight_use weights = weight_use::none;  ///< meaning that the weights were given; none if the graph has none
  gather_order inside_order = gather_order::given;
};

/// Computes the PageRank of every vertex; with `seeds`, the personalised one (Page et al. 1999, section 6).
/// Accelerated, by sweeps of Gauss-Seidel over blocks in four colours (blocks.hpp) and Anderson mixing (mixing.hpp).
/// The residual of the result (L1) is less than the last change.
///
/// Rank on dangling vertices (without out-arcs, or with arcs of weight 0 only) is spread in every sweep evenly over all
/// vertices, or over the seeds by their weights, as NetworkX does. Repeated arcs count as often as they are stored, and
/// self-loops are ordinary arcs. Weights are strengths, as NetworkX takes them, unless the options say otherwise.
///
/// The scores are the same to the last bit for any number of threads, unless `batch` is given without acceleration.
///
/// Cost: a sweep reads every in-arc once, with a random read of 8 bytes an arc; of 4 bytes if the tolerance is 1e-5 or
/// more, and the result then has six digits. On web graphs and grids rows are copied so that repeated ones are read
/// once (rows.hpp). With weights it reads them, too, and always sums doubles. Memory: 80 bytes a vertex; 44 with reads
/// of 4 bytes; 24 if not accelerated; 8 more with seeds; for the copy 4 or 8 bytes an arc and 24 a vertex. Reports one
/// unit of progress a sweep. Throws usage_error as check_pagerank_arguments does; weight_error for a weight that is
/// negative or not finite; cancelled; std::bad_alloc.
CALLISTO_API pagerank_result pagerank(const any_graph& graph, const pagerank_options& options = {},
                                      const run_control& control = {});

/// Throws usage_error for options outside their ranges; a graph without vertices; a directed graph without the rows of
/// its in-edges; seeds that are no vertices, are named twice, or have a weight that is not a finite number above 0.
CALLISTO_API void check_pagerank_arguments(const any_graph& graph, const pagerank_options& options);

namespace needs {
/// Returns the bytes that pagerank() takes at most beyond the graph, its result included. `seeds`: there are seeds.
CALLISTO_API std::uint64_t pagerank(const any_graph& graph, bool seeds) noexcept;
}  // namespace needs

}  // namespace callisto::graph
