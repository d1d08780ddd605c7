// The work of the iterations that `callisto-lab bench schedule` times. All candidates, whatever their compiler or
// language, link one object made once. Otherwise the place of a function in memory and the compiler's choices would
// matter by a factor of 1.5.
//
// The interface is C's, for candidates in other languages.
#pragma once

#include <cstdint>

extern "C" {

/// How an iteration's cost depends on its index. A unit is 19 dependent multiplications, about 17 ns.
enum callisto_shape : std::uint32_t {
  callisto_even,    ///< one unit each
  callisto_skewed,  ///< the first `heavy` take 1,024 units, the others one
  callisto_power,   ///< the first takes 100,000 units, the last one, with a power law between them
  callisto_sparse,  ///< one unit for each multiple of 2^20, nothing for the others: run as ranges
};

/// A loop of n iterations. Written once, then read by all threads.
struct callisto_work {
  callisto_shape shape;
  std::uint32_t reversed;  ///< not 0: the costs are in reverse order
  std::uint32_t site;      ///< tells the program's loops apart, for runtimes that remember loops; below 16
  std::uint64_t n;
  std::uint64_t heavy;       ///< skewed only: number of heavy iterations
  std::uint64_t blocks;      ///< runs of 19 multiplications in a unit
  std::uint64_t extra;       ///< further multiplications per iteration
  std::uint64_t zero;        ///< 0, which the compiler does not know
  std::uint64_t octave[66];  ///< power only: units of iteration 2^k - 1
};

/// Runs iteration `i` and adds its result to the calling thread's account. Each iteration needs the result of the
/// thread's previous one, so that a processor overlaps them equally in all loops. Thread-safe.
void callisto_work_iteration(const callisto_work* w, std::uint64_t i);

/// Runs the iterations [first, last) of a sparse loop. The time depends only on the number of multiples of 2^20 in it.
/// Thread-safe.
void callisto_work_range(const callisto_work* w, std::uint64_t first, std::uint64_t last);

/// Records that the calling thread ran iteration `i`, 0 or 1, of a loop of two. Thread-safe.
void callisto_work_mark(std::uint64_t i);

/// True if two threads ran the two iterations marked last. Requires that no loop runs.
bool callisto_work_marked_by_two();

/// The sum of all threads' accounts: what the iterations computed, which depends only on which iterations ran, and
/// their number.
struct callisto_balance {
  std::uint64_t sum;
  std::uint64_t count;
};

/// Empties all accounts and returns their sum. Requires that no loop runs.
callisto_balance callisto_work_settle();
}
