// Programs that share the machine in `callisto bench pairs`: each one kind of trouble, or of chance, for its neighbour.
#pragma once

#include <cstdint>
#include <span>

namespace callisto::app {

struct synthetic_program {
  const char* name;
  const char* what;
  std::uint64_t first_amount;  ///< of the order of a tenth of a second on one context
};

/// All of them:
///   barriers   loops of some 100 microseconds, one right after the other, each needing all of the one before
///   dynamic    loops of 2,000 iterations of unequal length, 2 microseconds on average
///   memory     sums of arrays that no cache holds
///   bursty     a sequential section of 40 ms, then as much work in a loop, and again
///   loading    150 ms of waiting, as for a disk, then as much work in a loop, and again (the paper's graph programs)
///   storing    likewise, with the waiting last
///   spinlock   a loop of iterations that spend a quarter of their time under a spin lock of the program (hop_dist)
std::span<const synthetic_program> synthetic_programs();

/// Runs one of them, with `amount` of work, on the threads that loops have. Returns a number that depends on the
/// program and the amount alone. Throws usage_error for another name, graph::wrong_result if the loops have not done
/// what they should, which is known by other means.
std::uint64_t run_synthetic(const char* name, std::uint64_t amount);

/// The background load of EuroSys'14 section 4.3: in each window of 100 ms all threads work for `duty` percent of it
/// and sleep for the rest. Runs until it is killed.
[[noreturn]] void run_background(unsigned duty);

}  // namespace callisto::app
