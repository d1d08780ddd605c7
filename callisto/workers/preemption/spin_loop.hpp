// Loops of a program that wait and do nothing else, found in its machine code.
//
// NAS LU, and other programs that spin at their flags, wait like this:
//
//   again: mov (%rax),%edx      or      again: lock orq $0,(%rsp)
//          test %edx,%edx                      cmpl $0,flag(%rip)
//          je again                            je again
//
// A loop counts as one that waits if
// - it is short;
// - all of its instructions read memory, compare, jump, pause or order memory (an OpenMP flush is `lock orq` or
//   `mfence`);
// - no register brings a value from one pass into the next.
// So a pass does what the last one did, until another thread writes to what is read. Loops that search, count, write or
// call are none, and neither is a loop with an instruction that the decoder does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace callisto::workers {

struct spin_loop {
  std::size_t begin = 0;   ///< its first instruction, as an offset into the code
  std::size_t branch = 0;  ///< its last one, which goes back there
};

/// Returns the loop that waits around the instruction at offset `at` of this x86-64 code; nullopt: there is none. Pure;
/// for any bytes.
std::optional<spin_loop> find_spin_loop(std::span<const std::uint8_t> code, std::size_t at) noexcept;

}  // namespace callisto::workers
