// The loops that `callisto-lab simulate` schedules: the cost of each iteration, in cycles of a context that has its
// core to itself.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::lab {

enum class workload_kind {
  even,       ///< every iteration costs the same (ATC'15, section 4.1)
  skewed,     ///< the first iterations cost 1024 times as much as the others; the sum is that of the even loop
              ///< (section 4.1)
  pagerank,   ///< a superstep of PageRank: iteration i pulls from the in-neighbours of vertex i
  triangles,  ///< triangle counting: an iteration is a vertex, hubs first, that probes its neighbours' rows
};

/// Returns the kind with the name `text`, for example "even". Throws a usage_error that names `flag`.
workload_kind parse_workload(std::string_view flag, std::string_view text);
const char* name_of(workload_kind kind) noexcept;

/// The costs of the iterations [0, size()) of one loop. Immutable.
class workload {
 public:
  /// Returns a loop in which each iteration costs `cycles`.
  static workload even(std::uint64_t iterations, std::uint64_t cycles);
  /// Returns a loop with about the same sum as even(). One iteration in 1023 is heavy and costs 1024 times half of
  /// `cycles`; the others cost half of `cycles`. The heavy iterations come first.
  static workload skewed(std::uint64_t iterations, std::uint64_t cycles);
  /// Returns a loop with costs from a graph's degrees: `cycles` for each vertex and `arc_cycles` for each arc. The arcs
  /// are in-arcs for pagerank, and probes of the neighbours' rows for triangles. Requires that `graph` has the rows of
  /// its in-arcs. Throws graph::cancelled.
  static workload from_graph(workload_kind kind, const graph::any_graph& graph, std::uint64_t cycles,
                             std::uint64_t arc_cycles, const graph::run_control& context);

  workload_kind kind() const noexcept { return kind_; }
  std::uint64_t size() const noexcept { return size_; }
  /// Returns the cycles of the iterations [first, last).
  std::uint64_t cost(std::uint64_t first, std::uint64_t last) const noexcept { return before(last) - before(first); }
  std::uint64_t total() const noexcept { return before(size_); }
  /// Returns the cycles of the most expensive iteration.
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
  std::vector<std::uint64_t> sums_;  ///< for a graph: cycles of all iterations before each one, size_ + 1 entries
};

}  // namespace callisto::lab
