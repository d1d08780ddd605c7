// The loops that `callisto simulate` schedules: what each iteration costs, in cycles of a context that has its core to
// itself.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

enum class workload_kind {
  even,      ///< every iteration costs the same (ATC'15 section 4.1)
  skewed,    ///< the first ones cost 1024 times as much as the others, the sum being that of the even loop (same place)
  pagerank,  ///< a superstep of PageRank: an iteration is a vertex and pulls from its in-neighbours
  triangles,  ///< triangle counting: an iteration is a vertex, hubs first, and probes its neighbours' rows
};

/// "even", ...; throws usage_error naming `flag`.
workload_kind parse_workload(std::string_view flag, std::string_view text);
const char* name_of(workload_kind kind) noexcept;

/// The costs of the iterations [0, size()) of one loop. Immutable once made.
class workload {
 public:
  /// Iterations of `cycles` each.
  static workload even(std::uint64_t iterations, std::uint64_t cycles);
  /// As even, but the first iterations, one in 1023, cost 1024 times half of `cycles` each and the others half of it.
  static workload skewed(std::uint64_t iterations, std::uint64_t cycles);
  /// From the degrees of a graph: `cycles` for each vertex and `arc_cycles` for each arc (pagerank: in-arcs; triangles:
  /// probes of the neighbours' rows). The graph has the rows of its in-edges. Throws graph::cancelled.
  static workload from_graph(workload_kind kind, const graph::any_graph& graph, std::uint64_t cycles,
                             std::uint64_t arc_cycles, const graph::run_control& context);

  workload_kind kind() const noexcept { return kind_; }
  std::uint64_t size() const noexcept { return size_; }
  /// Cycles of the iterations [first, last).
  std::uint64_t cost(std::uint64_t first, std::uint64_t last) const noexcept { return before(last) - before(first); }
  std::uint64_t total() const noexcept { return before(size_); }
  /// The dearest iteration.
  std::uint64_t largest() const noexcept;

 private:
  workload(workload_kind kind, std::uint64_t size) : kind_(kind), size_(size) {}
  std::uint64_t before(std::uint64_t i) const noexcept {
    if (!sums_.empty()) return sums_[i];
    return i < heavy_ ? i * heavy_cycles_ : heavy_ * heavy_cycles_ + (i - heavy_) * cycles_;
  }

  workload_kind kind_;
  std::uint64_t size_;
  std::uint64_t heavy_ = 0;
  std::uint64_t heavy_cycles_ = 0;
  std::uint64_t cycles_ = 0;
  std::vector<std::uint64_t> sums_;  ///< of a graph: cycles of the iterations before each one, size_ + 1 of them
};

}  // namespace callisto::app
