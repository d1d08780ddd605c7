// The loop microbenchmark on the machine at hand: what the simulator's predictions are compared with.
#pragma once

#include <callisto/distributor/schedule.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::app {

/// Runs iterations of about 50 cycles: 15 multiplications of 3 cycles, each waiting for the one before. The paper's
/// (ATC'15 section 4.1) increments a variable in a loop; its time depends on branch prediction
/// (docs/notebook/2026-11-22-loops-what-was-tried.md). An iteration begins when everything before it has ended, claims
/// included: how much of a
/// claim an out-of-order processor hides behind other work is not in the simulator's model. The plain loop and the
/// parallel ones all call this one function, for its place in memory matters as well.
[[gnu::noinline, gnu::aligned(64)]] std::uint64_t run_iterations(std::uint64_t first, std::uint64_t last,
                                                                 std::uint64_t chain) noexcept;

/// A loop of run_iterations.
struct chained_body {
  class participant {
   public:
    explicit participant(chained_body&) noexcept {}
    void work(std::uint64_t first, std::uint64_t last) noexcept { chain_ = run_iterations(first, last, chain_); }
    void join() noexcept {}

   private:
    std::uint64_t chain_ = 3;
  };
};

/// The value that a share `q` of `values`, which are not empty, does not exceed.
double quantile(std::vector<double> values, double q);

/// A row of the comparison.
struct native_speedup {
  schedule how;
  std::uint64_t batch;
  double speedup;  ///< over the same iterations in a plain loop; the median over rounds
  double low;      ///< the lower and upper quartile over rounds
  double high;
  bool disturbed;  ///< other processes used the machine too much: do not trust it
};

struct native_loop_result {
  double iteration = 0;  ///< nanoseconds of one iteration in the plain loop
  unsigned threads = 0;
  std::vector<native_speedup> speedups;
};

/// Runs an even loop of iterations of about 50 cycles with production's team, work item and distributors on `threads`
/// pinned threads, the plain loop and each batch size in turns, `rounds` times. Throws graph::cancelled, and
/// usage_error if this process may use fewer contexts.
native_loop_result run_native_loops(unsigned threads, const std::vector<schedule>& schedules,
                                    const std::vector<std::uint64_t>& batches, unsigned rounds,
                                    const graph::run_control& context);

}  // namespace callisto::app
