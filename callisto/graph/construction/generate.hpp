// Synthetic graphs, reproducible from a seed whatever the number of threads.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>

namespace callisto::graph {

/// What all generators take.
struct generator_options {
  std::uint64_t seed = 1;
  direction meaning = direction::undirected;  ///< of the edges made
  bool wide = false;                          ///< 64-bit vertex numbers even where 32 bits would do
};

/// The Kronecker graph of the Graph500 benchmark (specification 2.0, section 3): each edge falls into one of four
/// quadrants of the adjacency matrix with probabilities 0.57, 0.19, 0.19 and 0.05, then into one of the quadrant's,
/// `scale` times; vertex numbers are then permuted.
struct kronecker_options : generator_options {
  unsigned scale = 20;        ///< 2^scale vertices; 1 to 37
  std::uint64_t degree = 16;  ///< edges for each vertex, repeats and loops included
};

/// Uniform random edges: both ends of each are any vertex with equal probability (the model of `-u` in GAPBS; close
/// to Erdos-Renyi G(n, m), but loops and repeats occur).
struct uniform_options : generator_options {
  std::uint64_t vertices = 1 << 20;
  std::uint64_t edges = 16 << 20;
};

/// A power-law graph after Chung and Lu (2002): both ends of each edge are drawn independently, vertex i with a
/// probability proportional to i^(-1/(exponent - 1)), i = 1 .. vertices, so that the share of vertices of degree d
/// falls as d^-exponent; vertex numbers are then permuted.
struct power_law_options : generator_options {
  std::uint64_t vertices = 1 << 20;
  std::uint64_t edges = 16 << 20;
  double exponent = 2.5;  ///< above 2 and at most 100; most real networks lie between 2 and 3
};

/// A grid: each vertex has an edge to the next one of its row and to the one below it. Vertex numbers go row by row.
/// Neither seed nor chance plays a part.
struct grid_options : generator_options {
  std::uint64_t rows = 1024;
  std::uint64_t columns = 1024;
};

/// The edges of such a graph, unweighted, in no particular order, labelled from 0. They depend on the options only.
/// Throw usage_error for options outside their ranges, std::bad_alloc, and graph::cancelled.
CALLISTO_API any_edge_list generate_kronecker(const kronecker_options& options, const run_control& control = {});
CALLISTO_API any_edge_list generate_uniform(const uniform_options& options, const run_control& control = {});
CALLISTO_API any_edge_list generate_power_law(const power_law_options& options, const run_control& control = {});
CALLISTO_API any_edge_list generate_grid(const grid_options& options, const run_control& control = {});

}  // namespace callisto::graph
