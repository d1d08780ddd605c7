// The program's own code, and how a trap is made in a loop of it that waits (spin_traps.hpp): which byte is changed,
// and what that leads to.
//
// One byte is all that is ever changed where others may run. So it is one of these, the first that can be:
// - How far the branch goes that ends the loop, where it has two bytes and a gap between functions is within its reach
//   (function_gaps.hpp). There a jump goes on to a landing (spin_jump.hpp), which goes back to the loop's beginning.
// - The first byte of an OpenMP flush in the loop, which compilers write as `lock orq $0,(%rsp)`, F0 48 83 0C 24 00:
// with
//   E9 in the place of F0 that is a jump, over 240C8348 (604 million) bytes. There a jump of ours goes on, if nobody
//   has that page, to the rest of the pass and, unless it ends the loop, a landing.
// - The first byte of the branch: a breakpoint.
#pragma once

#include <callisto/workers/preemption/spin_traps/spin_loop.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace callisto::workers::spin_traps {

/// Into the process's own copy of the page; other threads may run what is changed, if it is one byte. False: the system
/// does not let us. Three system calls.
bool write_code(std::uintptr_t address, std::span<const std::uint8_t> code) noexcept;

/// A loop that has a trap.
struct trapped_loop {
  std::uintptr_t begin = 0;
  spin_loop loop;
  std::uintptr_t at = 0;      ///< the one byte that a trap changes
  std::uint8_t original = 0;  ///< without it
  std::uint8_t trapped = 0;
  bool jumps = false;  ///< it leads to a landing; else it is a breakpoint
  /// Code that belongs to it, elsewhere: a landing with what goes before it, or one pass of the loop and a breakpoint
  /// behind it, for who met one; 0: there is none.
  std::uintptr_t room = 0;
  std::uintptr_t room_end = 0;  ///< its last byte

  std::uintptr_t branch() const noexcept { return begin + (loop.branch - loop.begin); }
};

/// Finds out where the program's code is. Before what follows, once.
void note_program() noexcept;

struct place {
  std::span<const std::uint8_t> code;  ///< of the program, and no library; empty: it is not there
  std::size_t at = 0;                  ///< in it
};
/// The code around an instruction, enough to find its loop in.
place around(std::uintptr_t instruction) noexcept;

/// Makes all that a trap in this loop needs, but does not put it there. By one thread at a time; in handlers, too.
trapped_loop make_trap(const spin_loop& loop, std::span<const std::uint8_t> code) noexcept;

}  // namespace callisto::workers::spin_traps
