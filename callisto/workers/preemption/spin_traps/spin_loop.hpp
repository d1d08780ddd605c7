// Loops of a program that wait and do nothing else, found in its machine code.
//
// NAS LU, and other programs with flags of their own, wait like this:
//
//   again: mov (%rax),%edx      or      again: lock orq $0,(%rsp)
//          test %edx,%edx                      cmpl $0,flag(%rip)
//          je again                            je again
//
// A loop is one that waits here if it is short and all of its instructions read memory, compare, jump, pause or order
// memory (an OpenMP flush is `lock orq` or `mfence`), and if no register brings anything from one pass into the next:
// so a pass does what the one before it did, until somebody else writes to what is read. Loops that search or count do
// not, nor do loops that write or call. What is not known to be harmless is none.
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
  std::uint8_t branch_bytes = 0;    ///< that has so many
  std::uint8_t condition = always;  ///< under this condition, as x86's conditional jumps number them

  static constexpr std::uint8_t always = 16;

  /// Whether the branch goes back when the processor's flags are these.
  bool goes_on(std::uint64_t flags) const noexcept;
};

/// The loop that waits around the instruction at offset `at` of this code of an x86-64 processor; nothing: there is
/// none. Pure; for any bytes.
std::optional<spin_loop> find_spin_loop(std::span<const std::uint8_t> code, std::size_t at) noexcept;

/// Whether the code is nothing but what fills gaps: no-operations, or breakpoints. Pure; for any bytes.
bool is_filling(std::span<const std::uint8_t> code) noexcept;

/// The first OpenMP flush in the loop, as `lock orq $0,(%rsp)`; nothing: there is none. Pure.
std::optional<std::size_t> find_flush(std::span<const std::uint8_t> code, const spin_loop& loop) noexcept;

/// One pass of a loop of `code`, to stand elsewhere: where the loop would end it goes on behind the loop, and where it
/// would go on, it comes to its end.
struct spin_pass {
  std::array<std::uint8_t, 256> code{};
  std::size_t bytes = 0;  ///< 0: there is nothing in the loop but its branch
};

/// From an instruction of the loop on, for a pass that stands `distance` bytes behind where `code` does; nothing: it
/// cannot stand there. Pure.
std::optional<spin_pass> copy_pass(std::span<const std::uint8_t> code, const spin_loop& loop, std::size_t from,
                                   std::ptrdiff_t distance) noexcept;

}  // namespace callisto::workers
