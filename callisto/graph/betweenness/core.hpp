// The core of a graph: the part that betweenness searches, without vertices that hang on a single neighbour, hubs
// first.
//
// A vertex p with the only neighbour u lies on no path but as its end. As a source it reaches what u reaches, one step
// later; as a target it is reached through u. So p is folded into u: u counts as several sources and as several
// targets. The sum that the paths of p add to u is a formula, count_folded() (the first reduction of Sariyuce et al.,
// "Shattering and compressing networks for betweenness centrality", SDM 2013). In a social network a third of the
// vertices go.
#pragma once

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::graph {

/// A vertex to search from, and the sources that it stands for.
struct core_source {
  std::uint32_t vertex;  ///< of the core
  bool itself;           ///< the vertex is a source; otherwise only vertices folded into it are
  std::uint64_t folded;  ///< sources folded into it
  std::uint64_t mutual;  ///< folded sources that are also targets folded into it

  double weight() const noexcept { return static_cast<double>(folded + (itself ? 1 : 0)); }
};

struct betweenness_core {
  using id = std::uint32_t;

  adjacency<id> out;
  adjacency<id> in_rows;  ///< empty unless directed
  bool directed = false;
  bool squares = false;  ///< searches sum the squares of dependencies, too
  // By vertex of the core; empty if the core is the whole graph as it is.
  machine::page_array<id> vertex;       ///< its number in the graph
  machine::page_array<double> targets;  ///< 1 + the targets folded into it

  std::vector<core_source> sources;           ///< in an order in which neighbours of the list share neighbours
  machine::page_array<unsigned char> chosen;  ///< by vertex of the graph: is in the sample; empty if all are

  std::uint64_t vertices() const noexcept { return out.offsets.empty() ? 0 : out.offsets.size() - 1; }
  std::uint64_t vertex_of(std::uint64_t c) const noexcept { return vertex.empty() ? c : vertex[c]; }
  double targets_of(std::uint64_t c) const noexcept { return targets.empty() ? 1 : targets[c]; }
  const adjacency<id>& in() const noexcept { return directed ? in_rows : out; }
};

/// Returns the core of `graph`, with the sources that `options` say. From few sources it is a view of the graph, which
/// must outlive it. Runs parallel loops. Throws cancelled.
template <class Vertex>
betweenness_core make_betweenness_core(const csr_graph<Vertex>& graph, const betweenness_options& options,
                                       const run_control& control);

/// Returns the result of betweenness_sources() for a graph of `vertices` vertices.
std::vector<std::uint64_t> sources_of(std::uint64_t vertices, const betweenness_options& options);

}  // namespace callisto::graph
