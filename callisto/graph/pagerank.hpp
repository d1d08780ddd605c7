// PageRank by pulling, as in the paper that Callisto implements (Callisto-RTS, ATC'15 figure 1).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/graph.hpp>
#include <callisto/graph/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct pagerank_options {
  double damping = 0.85;      ///< probability of following an arc rather than jumping to any vertex; in [0, 1)
  double tolerance = 1e-9;    ///< stop once a sweep changes all scores together (L1) by no more than this; >= 0
  unsigned iterations = 100;  ///< at most this many sweeps; >= 1
  std::uint64_t batch = 0;    ///< vertices that a thread takes at a time; 0 lets the runtime choose
};

struct pagerank_result {
  machine::page_array<double> scores;  ///< by vertex; they sum to 1 but for rounding
  unsigned iterations = 0;             ///< sweeps done
  double change = 0;                   ///< L1 change made by the last sweep
  bool converged = false;              ///< change <= tolerance
};

/// The PageRank of every vertex, by power iteration from equal scores.
///
/// Rank on dangling vertices (no out-arcs) is spread evenly over all vertices in every sweep, as NetworkX does.
/// Repeated arcs count as often as they are stored, self-loops are ordinary arcs, and weights are ignored.
///
/// Cost: a sweep reads every in-arc once, with one random 8-byte read an arc; 24 bytes of memory a vertex. Sums over
/// all vertices depend on the schedule in their last bits, and with them the scores. Reports one unit of progress a
/// sweep. Throws usage_error as check_pagerank_arguments does, cancelled, and std::bad_alloc.
CALLISTO_API pagerank_result pagerank(const any_graph& graph, const pagerank_options& options = {},
                                      const context& ctx = {});

/// Throws usage_error for options outside their ranges, a graph without vertices, and a directed graph without the rows
/// of its in-edges.
CALLISTO_API void check_pagerank_arguments(const any_graph& graph, const pagerank_options& options);

}  // namespace callisto::graph
