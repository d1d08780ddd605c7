// The work of the iterations that `callisto bench schedule` times, as machine code that all candidates share: one
// object, made once, is linked into each of them, whatever compiler or language made the rest. Where a function lies in
// memory, and what the compiler makes of it, would otherwise be worth a factor of 1.5.
//
// The interface is C's, for candidates in other languages.
#pragma once

#include <cstdint>

extern "C" {

/// How the costs of iterations depend on their index; in units of 19 dependent multiplications, about 17 ns.
enum callisto_shape : std::uint32_t {
  callisto_even,    ///< one unit each
  callisto_skewed,  ///< the first `heavy` take 1,024 units, the others one
  callisto_power,   ///< 100,000 units the first, one unit the last, a power law between them
  callisto_sparse,  ///< one unit for each multiple of 2^20, nothing for the others: run as ranges
};

/// A loop of n iterations. Written once, then read by all threads.
struct callisto_work {
  callisto_shape shape;
  std::uint32_t reversed;  ///< not 0: the costs in reverse order
  std::uint32_t site;      ///< which loop of the program this is, for runtimes that remember loops; below 16
  std::uint64_t n;
  std::uint64_t heavy;       ///< of skewed
  std::uint64_t blocks;      ///< runs of 19 multiplications to a unit
  std::uint64_t extra;       ///< multiplications besides, once an iteration
  std::uint64_t zero;        ///< 0, which the compiler does not know
  std::uint64_t octave[66];  ///< of power: units of iteration 2^k - 1
};

/// Runs iteration `i` and adds what it computes to the account of the calling thread. Each iteration waits for the one
/// that the thread ran before, so that a processor overlaps them no more in one loop than in another. Thread-safe.
void callisto_work_iteration(const callisto_work* w, std::uint64_t i);

/// Runs the iterations of [first, last) of a sparse loop, in time that depends on the multiples of 2^20 among them
/// only. Thread-safe.
void callisto_work_range(const callisto_work* w, std::uint64_t first, std::uint64_t last);

/// Notes that the calling thread ran iteration `i`, 0 or 1, of a loop of two. Thread-safe.
void callisto_work_mark(std::uint64_t i);

/// Whether the two iterations marked last were run by two threads. While no loop runs.
bool callisto_work_marked_by_two();

/// What the accounts of all threads hold together: sums of what the iterations computed, which depend on nothing but
/// which iterations ran, and their number.
struct callisto_balance {
  std::uint64_t sum;
  std::uint64_t count;
};

/// Empties all accounts and returns what they held. While no loop runs.
callisto_balance callisto_work_settle();
}
