// The part of a graph that betweenness searches: without vertices that hang on a single neighbour, hubs first.
//
// A vertex p whose only neighbour is u adds nothing to paths but its own end. As a source it sees what u sees, one step
// later; as a target it is reached through u. So it is folded into u: u counts as several sources and as several
// targets, and what p's paths add to u itself is a formula (the first of the reductions of Sariyuce et al., "Shattering
// and compressing networks for betweenness centrality", SDM 2013). A third of the vertices of a social network go.
#pragma once

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// A vertex to search from, and what the search is worth.
struct core_source {
  std::uint32_t vertex;  ///< of the core
  bool itself;           ///< it is a source, not only those folded into it
  std::uint64_t folded;  ///< sources folded into it
  std::uint64_t mutual;  ///< of these, those that are also targets folded into it

  double weight() const noexcept { return static_cast<double>(folded + (itself ? 1 : 0)); }
};

struct betweenness_core {
  using id = std::uint32_t;

  adjacency<id> out;
  adjacency<id> in_rows;  ///< of a directed graph
  bool directed = false;
  // Of each vertex of the core; empty where the core is the whole graph as it is.
  machine::page_array<id> vertex;       ///< the graph's
  machine::page_array<double> targets;  ///< itself and the targets folded into it

  std::vector<core_source> sources;           ///< neighbours in this list have neighbours in common
  machine::page_array<unsigned char> chosen;  ///< by the graph's vertex: in the sample; empty if there is none

  std::uint64_t vertices() const noexcept { return out.offsets.empty() ? 0 : out.offsets.size() - 1; }
  std::uint64_t vertex_of(std::uint64_t c) const noexcept { return vertex.empty() ? c : vertex[c]; }
  double targets_of(std::uint64_t c) const noexcept { return targets.empty() ? 1 : targets[c]; }
  const adjacency<id>& in() const noexcept { return directed ? in_rows : out; }
};

/// The core of `graph`, with the sources that `options` say; of few sources the graph itself, which must outlive it.
/// Runs parallel loops. Throws cancelled.
template <class Vertex>
betweenness_core make_betweenness_core(const csr_graph<Vertex>& graph, const betweenness_options& options,
                                       const run_control& ctx);

}  // namespace callisto::graph
