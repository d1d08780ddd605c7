// Runs the kernels of the GAP benchmark (Beamer, Asanovic and Patterson, "The GAP Benchmark Suite", arXiv:1508.03619)
// by its rules: a time begins with the graph in memory and ends with the result in memory. It includes all preparation.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace callisto::lab {

struct gap_kernel {
  enum class kind { bfs, sssp, pr, cc, bc, tc };
  enum class graph_kind { plain, undirected, weighted };
  kind what;
  std::string name;      ///< the benchmark's abbreviation
  unsigned sources;      ///< number of vertices from which a trial starts
  unsigned most_trials;  ///< limit on the number of trials, for kernels that take long

  /// Returns the form of a graph on which the kernel runs. Triangles are counted in the undirected graph, by the peer
  /// too.
  graph_kind wants(bool directed) const noexcept {
    if (what == kind::sssp) return graph_kind::weighted;
    return what == kind::tc && directed ? graph_kind::undirected : graph_kind::plain;
  }
};

/// Returns all kernels.
std::span<const gap_kernel> gap_kernels();

/// PageRank stops once a sweep changes all scores together (L1) by at most this, or after gap_sweeps sweeps.
inline constexpr double gap_tolerance = 1e-4;
inline constexpr unsigned gap_sweeps = 1000;

/// Runs a kernel once, from as many of `sources` as it takes. Returns its seconds. If `verify`, checks the result
/// afterwards, sequentially; throws graph::wrong_result. Rethrows what the kernel throws.
double run_gap_kernel(const gap_kernel& kernel, const graph::any_graph& graph,
                      const std::vector<std::uint64_t>& sources, bool verify, const graph::run_control& context);

}  // namespace callisto::lab
