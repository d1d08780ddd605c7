// The kernels of the GAP benchmark (Beamer, Asanovic and Patterson, "The GAP Benchmark Suite", arXiv:1508.03619), as
// its rules have them measured: from a graph in memory to the result in memory, all preparation included.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace callisto::app {

struct gap_kernel {
  enum class kind { bfs, sssp, pr, cc, bc, tc };
  enum class graph_kind { plain, undirected, weighted };
  kind what;
  std::string name;      ///< as the benchmark abbreviates it
  unsigned sources;      ///< vertices that a trial starts from
  unsigned most_trials;  ///< of a kernel that takes long; no more are made than this

  /// Which form of a graph it runs on. Triangles are those of the undirected graph, for the peer's program, too.
  graph_kind wants(bool directed) const noexcept {
    if (what == kind::sssp) return graph_kind::weighted;
    return what == kind::tc && directed ? graph_kind::undirected : graph_kind::plain;
  }
};

/// All of them.
std::span<const gap_kernel> gap_kernels();

/// PageRank stops when a sweep changes the scores by no more than this, all together; or after so many sweeps.
inline constexpr double gap_tolerance = 1e-4;
inline constexpr unsigned gap_sweeps = 1000;

/// Runs a kernel once, from as many `sources` as it takes, and says how many seconds that took. With `verify` its
/// result is checked afterwards, sequentially; throws graph::wrong_result. Throws what the kernel throws.
double run_gap_kernel(const gap_kernel& kernel, const graph::any_graph& graph,
                      const std::vector<std::uint64_t>& sources, bool verify, const graph::run_control& context);

}  // namespace callisto::app
