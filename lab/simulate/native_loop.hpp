// The loop microbenchmark on this machine, with which the simulator's predictions are compared.
#pragma once

#include <callisto/distributor/schedule.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <vector>

namespace callisto::lab {

/// Runs iterations of about 50 cycles: 15 multiplications of 3 cycles, each of which needs the result of the one
/// before.
///
/// The paper's iteration (ATC'15, section 4.1) increments a variable in a loop; its time depends on branch prediction
/// (docs/notebook/2026-11-22-loops-what-was-tried.md). An iteration here begins when all instructions before it have
/// ended, claims included: the simulator does not model how much of a claim an out-of-order processor hides behind
/// other work.
///
/// The plain loop and the parallel loops call this one function, because its place in memory affects its time as well.
[[gnu::noinline, gnu::aligned(64)]] std::uint64_t run_iterations(std::uint64_t first, std::uint64_t last,
                                                                 std::uint64_t chain) noexcept;

/// A loop body that calls run_iterations().
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

/// Returns the value that a share `q` of `values` does not exceed. Requires that `values` is not empty.
double quantile(std::vector<double> values, double q);

/// The measured speed-up of one schedule at one batch size.
struct native_speedup {
  schedule how;
  std::uint64_t batch;
  double speedup;  ///< over the same iterations in a plain loop; the median over the rounds
  double low;      ///< low, high: the lower and the upper quartile over the rounds
  double high;
  bool disturbed;  ///< true if other processes used the machine too much to trust the row
};

struct native_loop_result {
  double iteration = 0;  ///< nanoseconds per iteration of the plain loop
  unsigned threads = 0;
  std::vector<native_speedup> speedups;
};

/// Times an even loop of iterations of about 50 cycles on `threads` pinned threads, with the library's own team, work
/// item and distributors. Each of `rounds` rounds runs the plain loop and then each batch size. Throws usage_error if
/// this process may use fewer contexts than `threads`. Throws graph::cancelled.
native_loop_result run_native_loops(unsigned threads, const std::vector<schedule>& schedules,
                                    const std::vector<std::uint64_t>& batches, unsigned rounds,
                                    const graph::run_control& context);

}  // namespace callisto::lab
