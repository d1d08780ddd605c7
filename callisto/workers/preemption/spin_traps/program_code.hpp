// The program's own code, and how a trap is made in a loop of it that waits (spin_traps.hpp): which byte is changed,
// and what that leads to.
//
// One byte is all that is ever changed where other threads may run. It is one of these, the first that is possible:
// - The distance of the branch that ends the loop, if the branch has two bytes and a gap between functions is within
//   its reach (function_gaps.hpp). In the gap a jump goes on to a landing (spin_jump.hpp), which goes back to the
//   beginning of the loop.
// - The first byte of an OpenMP flush in the loop, which compilers write as `lock orq $0,(%rsp)`, F0 48 83 0C 24 00.
//   With E9 in the place of F0 it is a jump over 0x240C8348 (604 million) bytes. If the page there is free, a jump of
//   this library goes on from it, to a copy of the rest of the pass and, unless that ends the loop, a landing.
// A loop with neither gets no trap.
#pragma once

#include <callisto/workers/preemption/spin_traps/spin_loop.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace callisto::workers::spin_traps {

/// Writes code into the process's own copy of the page. Other threads may run what is changed, if it is one byte.
/// False: the system refuses. Three system calls.
bool write_code(std::uintptr_t address, std::span<const std::uint8_t> code) noexcept;

/// A loop that has a trap, or can have none.
struct trapped_loop {
  std::uintptr_t begin = 0;
  spin_loop loop;
  std::uintptr_t at = 0;      ///< the address of the one byte that a trap changes; 0: the loop can have none
  std::uint8_t original = 0;  ///< the byte without a trap
  std::uint8_t trapped = 0;   ///< and with it
  /// Code elsewhere that belongs to the loop: a landing and what goes before it. 0: there is none.
  std::uintptr_t room = 0;
  std::uintptr_t room_end = 0;  ///< its last byte

  std::uintptr_t branch() const noexcept { return begin + (loop.branch - loop.begin); }
};

/// Finds out where the program's code is. Called once, before what follows.
void note_program() noexcept;

struct place {
  std::span<const std::uint8_t> code;  ///< of the program itself; empty: the instruction is in a library
  std::size_t at = 0;                  ///< the instruction's offset in it
};
/// Returns the code around an instruction, enough to find its loop in.
place around(std::uintptr_t instruction) noexcept;

/// Makes all that a trap in this loop needs, if there can be one, but does not put it there. Called by one thread at a
/// time; async-signal-safe.
trapped_loop make_trap(const spin_loop& loop, std::span<const std::uint8_t> code) noexcept;

}  // namespace callisto::workers::spin_traps
