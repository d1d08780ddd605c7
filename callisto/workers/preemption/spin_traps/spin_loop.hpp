// Loops of a program that wait and do nothing else, found in its machine code.
//
// NAS LU, and other programs with flags of their own, wait like this:
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

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace callisto::workers {

struct spin_loop {
  std::size_t begin = 0;            ///< its first instruction, as an offset into the code
  std::size_t branch = 0;           ///< its last one, which goes back there
  std::uint8_t branch_bytes = 0;    ///< the length of the last one
  std::uint8_t condition = always;  ///< under which it goes back, as x86's conditional jumps number them

  static constexpr std::uint8_t always = 16;
};

/// Returns the loop that waits around the instruction at offset `at` of this x86-64 code; nullopt: there is none. Pure;
/// for any bytes.
std::optional<spin_loop> find_spin_loop(std::span<const std::uint8_t> code, std::size_t at) noexcept;

/// True if the code is nothing but filling: no-operations and breakpoints. Pure; for any bytes.
bool is_filling(std::span<const std::uint8_t> code) noexcept;

/// Returns the offset of the first OpenMP flush in the loop, as `lock orq $0,(%rsp)`; nullopt: there is none. Pure.
std::optional<std::size_t> find_flush(std::span<const std::uint8_t> code, const spin_loop& loop) noexcept;

/// One pass of a loop, to stand elsewhere. If the loop would end, the pass jumps behind the loop; if the loop would go
/// on, the pass comes to its own end.
struct spin_pass {
  std::array<std::uint8_t, 256> code{};
  std::size_t bytes = 0;  ///< 0: there is nothing in the loop but its branch
};

/// Copies a pass, from instruction `from` of the loop on, to stand `distance` bytes behind `code`; nullopt: it cannot
/// stand there. Pure.
std::optional<spin_pass> copy_pass(std::span<const std::uint8_t> code, const spin_loop& loop, std::size_t from,
                                   std::ptrdiff_t distance) noexcept;

}  // namespace callisto::workers
