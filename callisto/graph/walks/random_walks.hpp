// Random walks along arcs, of first order and of second order as in node2vec.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

struct walk_options {
  std::uint64_t length = 80;  ///< most vertices of a walk
  double p = 1;               ///< node2vec's return parameter: going back is 1/p as likely
  double q =
      1;  ///< node2vec's in-out parameter: going to a vertex that is no neighbour of the last one is 1/q as likely
  bool weighted = false;  ///< arcs are taken in proportion to their weights
  std::uint64_t seed = 1;
};

/// Makes random walks. Each walk is a function of the graph, the options and the walk's number: threads may make walks
/// in any order. The graph must outlive it.
///
/// A walk ends before its full length at a vertex without out-arcs, or if all of these weigh 0. Repeated arcs are as
/// many times as likely.
///
/// Method: alias tables for weights (Walker 1977; Vose 1991). Second-order steps draw as first-order ones do and
/// reject, so that no table of arcs for each arc is needed (KnightKing: Yang et al., SOSP'19); the way back is drawn
/// apart if it is likelier than the rest. Weights are rounded to a share of 2^-32 of their row's sum.
///
/// Time: a step of first order is one look at an arc; of second order a binary search for each try, of which there are
/// max(1, 1/q) / min(1, 1/p, 1/q) at most on average. Memory: none, or 8 bytes an arc and 8 a vertex if weighted.
template <class Vertex>
class CALLISTO_API random_walker {
 public:
  /// Throws usage_error if p or q is not above 0, the length is 0, or weights are asked for and there are none;
  /// weight_error for a weight that is negative or no number; cancelled; std::bad_alloc.
  random_walker(const csr_graph<Vertex>& graph, const walk_options& options, const run_control& control = {});

  /// Replaces the content of `walk` by walk number `number`, which begins at `start`. Any number of threads may call it
  /// at once.
  void walk(std::uint64_t start, std::uint64_t number, std::vector<Vertex>& walk) const;

 private:
  class draws;
  struct slot {
    std::uint32_t threshold;  ///< of 2^32: below it, the arc itself is drawn
    std::uint32_t other;      ///< else this one of the row
  };

  void fill_row(std::uint64_t v);
  Vertex draw(std::uint64_t v, draws& random) const;
  Vertex draw_second(std::uint64_t before, std::uint64_t v, draws& random) const;
  bool can_leave(std::uint64_t v) const noexcept;

  const csr_graph<Vertex>* graph_;
  walk_options options_;
  machine::page_array<slot> slots_;   ///< by arc, if weighted
  machine::page_array<double> sums_;  ///< by vertex, if weighted: of its arcs' weights
};

namespace needs {
/// Returns the bytes that a random_walker takes at most beyond the graph.
CALLISTO_API std::uint64_t random_walks(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
