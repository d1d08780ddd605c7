// The arithmetic of betweenness' memory: how much each form takes, and how many searches may run at once.
#pragma once

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/betweenness/forms.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <cstdint>

namespace callisto::graph {

/// Returns the bytes of the core, while it is made, and of `states` states of `bytes_of_state` bytes a vertex.
template <class Vertex>
std::uint64_t bytes_needed(const csr_graph<Vertex>& g, std::uint64_t states, std::uint64_t bytes_of_state) {
  return g.arcs() * (g.directed() ? 8 : 4) + g.vertices() * (120 + states * bytes_of_state);
}

/// Returns the number of sources that the scores are of.
std::uint64_t source_count(std::uint64_t vertices, const betweenness_options& options);

/// Returns the bytes that a form takes at most.
std::uint64_t bytes_for(const any_graph& graph, const betweenness_options& options, loop_form how);

/// Returns how many of `sources` sources are each searched from by one thread, in a graph of high diameter; the rest is
/// searched from by several threads together. Together is nearly as fast, needs a few threads, and takes the memory of
/// one search. So a thread searches alone if the form is `flat`, or if memory does for a search a thread and the
/// sources divide evenly among threads; the remainder is searched together if it is below four.
template <class Vertex>
std::uint64_t sources_apart(const csr_graph<Vertex>& graph, std::uint64_t sources, const betweenness_options& options);

}  // namespace callisto::graph
