// Synthetic graphs: the seed determines the graph, whatever the number of threads.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// Options of all generators.
struct generator_options {
  std::uint64_t seed = 1;
  direction meaning = direction::undirected;  ///< meaning of the edges
  bool wide = false;                          ///< makes 64-bit vertex numbers even if 32 bits suffice
};

/// The Kronecker graph of the Graph500 benchmark (specification 2.0, section 3). Each edge falls into one of the four
/// quadrants of the adjacency matrix with probabilities 0.57, 0.19, 0.19 and 0.05, then into a quadrant of that
/// quadrant, and so on, `scale` times. Then vertex numbers are permuted.
struct kronecker_options : generator_options {
  unsigned scale = 20;        ///< 2^scale vertices; 1 to 37
  std::uint64_t degree = 16;  ///< edges for each vertex, repeats and loops included
};

/// Uniform random edges: each end of an edge is any vertex with equal probability (the model of `-u` in GAPBS). Close
/// to Erdos-Renyi G(n, m), but loops and repeats occur.
struct uniform_options : generator_options {
  std::uint64_t vertices = 1 << 20;
  std::uint64_t edges = 16 << 20;
};

/// A power-law graph after Chung and Lu (2002). The ends of each edge are drawn independently, vertex i = 1 .. vertices
/// with a probability proportional to i^(-1/(exponent - 1)). The share of vertices of degree d then falls as
/// d^-exponent. Then vertex numbers are permuted.
struct power_law_options : generator_options {
  std::uint64_t vertices = 1 << 20;
  std::uint64_t edges = 16 << 20;
  double exponent = 2.5;  ///< above 2 and at most 100; most real networks lie between 2 and 3
};

/// A grid: each vertex has an edge to the next vertex of its row and to the vertex below it. Vertices are numbered row
/// by row. The seed has no effect.
struct grid_options : generator_options {
  std::uint64_t rows = 1024;
  std::uint64_t columns = 1024;
};

/// Returns the edges of a Kronecker graph, unweighted and labelled from 0. They depend on the options only, and have no
/// particular order. Throws usage_error for options outside their ranges, memory_error if memory would not suffice,
/// std::bad_alloc, and cancelled; the other generators throw the same.
CALLISTO_API any_edge_list generate_kronecker(const kronecker_options& options, const run_control& control = {});
/// Returns the edges of a uniform random graph; see generate_kronecker().
CALLISTO_API any_edge_list generate_uniform(const uniform_options& options, const run_control& control = {});
/// Returns the edges of a power-law graph; see generate_kronecker().
CALLISTO_API any_edge_list generate_power_law(const power_law_options& options, const run_control& control = {});
/// Returns the edges of a grid; see generate_kronecker().
CALLISTO_API any_edge_list generate_grid(const grid_options& options, const run_control& control = {});

}  // namespace callisto::graph
