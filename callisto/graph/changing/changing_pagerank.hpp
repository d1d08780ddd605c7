// PageRank, kept up to date while the graph changes.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace callisto::graph {

/// The PageRank of every vertex, as pagerank() has it: an arc is followed with the share that its weight has in the sum
/// over the vertex's out-arcs. The graph outlives it; changes of the graph and calls take turns.
///
/// Each vertex has a score and a residual: how far its score is from what its in-neighbours imply. A residual above its
/// limit triggers a task that adds it to the score and hands shares on to the out-neighbours. So a change costs the
/// vertices with scores that it moves. The more changes come at once, the larger are the residuals that trigger, and a
/// lane's tasks look at 1/128 of all arcs at most. If all residuals together are still too large, sweeps over all
/// vertices follow, by the method of conjugate residuals (Stiefel, 1955), or of the power iteration where that fails.
///
/// Scores are solved without the rank of dangling vertices, and then scaled to the sum 1, which is the same (Del Corso,
/// Gulli and Romani, 2005). It takes 65 bytes a vertex.
class CALLISTO_API changing_pagerank {
 public:
  struct options {
    double damping = 0.85;                      ///< in [0, 1)
    double tolerance = 1e-3;                    ///< all scores together are off by at most thrice this (L1); above 0
    weight_use weights = weight_use::strength;  ///< none: all arcs of a vertex are followed alike. Not length.
  };

  /// Computes all scores. Throws usage_error for options outside their ranges; std::bad_alloc; cancelled.
  explicit changing_pagerank(const changing_graph& graph, const options& how, const run_control& control = {});
  explicit changing_pagerank(const changing_graph& graph) : changing_pagerank(graph, options{}) {}
  ~changing_pagerank();
  changing_pagerank(changing_pagerank&&) noexcept;
  changing_pagerank& operator=(changing_pagerank&&) noexcept;

  /// Returns the score of v; all scores have the sum 1, but for rounding and the tolerance.
  double operator[](std::uint32_t v) const noexcept;

  /// Brings all scores up to date, within the tolerance, after these changes of the graph, which were made since the
  /// last call. Returns the vertices with residuals that were handed on, ascending; all vertices if sweeps were made.
  std::vector<std::uint32_t> update(std::span<const changing_graph::change> changes);

  /// Tasks that ran, and sweeps over all vertices, in all updates.
  std::uint64_t tasks() const;
  std::uint64_t sweeps() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace callisto::graph
