// The largest flow between two vertices, and the least cut, which is as large.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

struct flow_options {
  bool weighted = false;  ///< arcs carry as much as their weights say; else 1 each
  bool edges = true;      ///< finds the flow on edges, too; else the cut and the value alone
};

/// An edge that carries a flow, or that the cut has.
struct flow_edge {
  std::uint64_t from;
  std::uint64_t to;
  double flow;      ///< at least 0
  double capacity;  ///< of all arcs from `from` to `to` together
};

struct flow_result {
  double value = 0;  ///< what flows from the source to the target: the capacity of the cut
  /// By vertex: 1 on the source's side of the cut, else 0. Of several least cuts the result is the one with the
  /// smallest side of the target: the vertices from which the target can still get more.
  machine::page_array<std::uint8_t> on_source_side;
  std::uint64_t source_side = 0;  ///< vertices on it
  std::vector<flow_edge> cut;     ///< edges from the source's side to the target's; all are full
  std::vector<flow_edge> edges;   ///< those with a flow above 0, by `from`, then by `to`; none unless asked for
};

/// Finds the largest flow from `source` to `target`. Each edge of an undirected graph carries its capacity in one
/// of its directions. Loops play no part. Value and cut depend on the graph alone, the flow on edges on the graph
/// and the two vertices. With whole capacities all numbers are exact below 2^53; with fractions they have rounding
/// errors of the sums.
///
/// Method: Goldberg and Tarjan's push-relabel (1988) with the highest label first, gaps and global relabelling
/// (Cherkassky and Goldberg 1997), in two phases: the largest preflow, which has the least cut; then what got stuck
/// goes back to the source. Pushes are one thread's: each depends on the one before, and the parallel forms do several
/// times the work, which few cores do not earn back (Baumstark, Blelloch and Shun 2015). Building and the first labels
/// are parallel.
///
/// Memory: needs::maximum_flow(). Throws usage_error if a vertex is none of the graph's, or both are one, or if a
/// directed graph lacks the rows of its in-edges, or if `weighted` and the graph has no weights; weight_error for
/// negative, infinite and NaN weights; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API flow_result maximum_flow(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                      const flow_options& options = {}, const run_control& control = {});

namespace needs {
/// Returns the bytes that maximum_flow() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t maximum_flow(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
