// A jump out of a loop of the program that waits (spin_traps.hpp) into this library, and back: what stands between two
// instructions of the program and calls us must leave all registers and flags as they are, and what is below the stack
// pointer, the red zone.
//
//   again: mov (%rax),%edx                  landing: save flags
//          test %edx,%edx                            call who has others have the context
//          je gap                                    restore flags
//   ...                                              jmp again
//   gap:   jmp landing
//
// A branch of two bytes reaches 127 bytes: so the loop's goes to a gap between functions (function_gaps.hpp), where a
// jump of five bytes goes on to the landing. To turn the branch there and back one byte is written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace callisto::workers::spin_jump {

/// Called at each landing, in the middle of the program's code, which waits; `landing`: an address in it.
using handler = void (*)(std::uintptr_t landing) noexcept;

/// Whether this processor saves all that such a call changes. Costs a few hundred cycles.
bool is_possible() noexcept;

/// Once, before the first landing is come to.
void call(handler h) noexcept;

constexpr std::size_t landing_bytes = 40;
/// The code of a landing that stands at `address`, for a loop that begins at `begin`; nothing: it is too far away.
/// Pure.
std::optional<std::array<std::uint8_t, landing_bytes>> landing(std::uintptr_t address, std::uintptr_t begin) noexcept;

constexpr std::size_t jump_bytes = 5;
/// The code of a jump from one address to another; nothing: it is too far. Pure.
std::optional<std::array<std::uint8_t, jump_bytes>> jump(std::uintptr_t from, std::uintptr_t to) noexcept;

}  // namespace callisto::workers::spin_jump
