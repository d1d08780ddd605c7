// Where a tick of the runaway timer found its thread.
#pragma once

#include <cstdint>

namespace callisto::workers {

/// The interrupted thread, as the handler of a tick finds it.
struct interruption {
  std::uintptr_t instruction = 0;  ///< its address; 0: unknown
  bool is_in_call = false;         ///< the tick has ended a system call that waited, or had it begin anew
  bool is_late = false;            ///< the tick could not come when it was due
  bool is_call = false;            ///< not due: runaway_timer::call()
  bool has_held = false;           ///< a signal that the thread blocks has come for it
  std::uint64_t period = 0;        ///< how long after the last tick it was due, in nanoseconds
  std::uint64_t registers = 0;     ///< a digest of the general registers, without the instruction's address

  /// True if the thread stands still since `last`, in the same activation, as a thread does that watches a flag: it is
  /// in the same few lines of code with the same values in its registers. A loop that computes changes some.
  bool gets_nowhere_since(const interruption& last) const noexcept {
    return are_near(instruction, last.instruction) && registers == last.registers;
  }
  /// True if both addresses are known and less than 128 bytes apart, as in one short loop.
  static bool are_near(std::uintptr_t a, std::uintptr_t b) noexcept {
    return a != 0 && b != 0 && (a < b ? b - a : a - b) < 128;
  }
};

}  // namespace callisto::workers
