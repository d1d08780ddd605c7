// Programs that share the machine in `callisto-lab bench pairs`. Each makes one kind of trouble, or of opportunity, for
// the program beside it.
#pragma once

#include <lab/names.hpp>

#include <cstdint>
#include <span>

namespace callisto::lab {

struct synthetic_program {
  const char* name;
  const char* what;
  std::uint64_t first_amount;  ///< takes about 0.1 s on one context
};

/// Returns all programs:
///   barriers   loops of about 100 us, one right after the other; each needs the whole result of the one before
///   dynamic    loops of 2,000 iterations of unequal length, 2 us on average
///   memory     sums of arrays that no cache holds
///   bursty     repeats 40 ms of sequential work, then 40 ms of work in a loop
///   loading    repeats 150 ms of waiting, as for a disk, then 150 ms of work in a loop (the paper's graph programs)
///   storing    repeats 150 ms of work in a loop, then 150 ms of waiting
///   spinlock   a loop of iterations that spend a quarter of their time under a spin lock of the program (hop_dist)
///   dom_bc     betweenness as a Domino program: small tasks in phases, some of a few microseconds (the paper's dom_bc)
std::span<const synthetic_program> synthetic_programs();

/// Runs the program `name` with `amount` of work, on the number of threads that loops have. Returns a number that
/// depends only on the program and the amount. Throws usage_error for another name. Throws graph::wrong_result if the
/// loops did not compute the right value, which is known in another way.
std::uint64_t run_synthetic(const char* name, std::uint64_t amount);

/// Runs the background load of EuroSys'14 section 4.3: in each window of 100 ms all threads work for `duty` percent of
/// the window and sleep for the rest. Runs until it is killed.
[[noreturn]] void run_background(unsigned duty);

}  // namespace callisto::lab
