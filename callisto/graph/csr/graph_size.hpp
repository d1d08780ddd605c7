// The sizes of a graph from which kernels compute their memory before they start.
//
// Each kernel's header declares a function of namespace `needs`: the bytes that the kernel takes at most beyond the
// graph, its result included, on the threads that there are. It is the sum of the arrays that the kernel allocates.
// The lists of sssp() and kcore() have no useful bound: their functions return what they took on all graphs tried.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <cstdint>

namespace callisto::graph::needs {

/// Upper bound, in bytes, of a thread's own tables that do not grow with the graph.
constexpr std::uint64_t bytes_of_thread = std::uint64_t{1} << 20;

struct graph_size {
  std::uint64_t n;      ///< vertices
  std::uint64_t m;      ///< stored arcs
  std::uint64_t v;      ///< bytes of a vertex's number
  std::uint64_t w;      ///< bytes of a weight; 0: the graph is not weighted
  std::uint64_t edges;  ///< upper bound of the edges of the undirected form, loops dropped
  bool directed;
};

graph_size size_of(const any_graph& graph) noexcept;

}  // namespace callisto::graph::needs
