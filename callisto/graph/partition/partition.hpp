// Parts of about equal size with few edges between them.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

struct partition_options {
  std::uint32_t parts = 2;
  double imbalance = 0.03;  ///< a part has at most this share of vertices more than the mean
  bool weighted = true;     ///< edges count their weights, where the graph has them
  std::uint64_t seed = 1;
};

struct partition_result {
  machine::page_array<std::uint32_t> part;  ///< by vertex: below `parts`
  double cut = 0;                           ///< edges between parts, or their weights
  std::uint64_t smallest = 0;               ///< vertices
  std::uint64_t largest = 0;
};

/// Returns parts of the simple undirected graph underlying `graph`, each of at most
/// max(ceil(n / parts), (1 + imbalance) n / parts) vertices. The result depends on the graph and the options alone.
///
/// Method: multilevel (Karypis and Kumar 1998): vertices are matched along heavy edges until few are left; these are
/// divided by growing part after part from several starts; on the way back, vertices at borders move where the
/// cut falls most and the sizes allow it (Fiduccia and Mattheyses 1982, for many parts).
///
/// Threads share the starts; one works on the rest. Memory: needs::partition(). Reports levels as progress. Throws
/// usage_error for no part, a negative imbalance, a negative weight, or a directed graph without the rows of its
/// in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API partition_result partition(const csr_graph<Vertex>& graph, const partition_options& options = {},
                                        const run_control& control = {});

namespace needs {
/// Returns the bytes that partition() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t partition(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
