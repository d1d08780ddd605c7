// A jump out of a loop of the program that waits (spin_traps.hpp) into this library, and back. Code between two
// instructions of the program that calls this library must leave all registers and flags as they are, and the red zone,
// the 128 bytes below the stack pointer.
//
//   again: mov (%rax),%edx                  landing: save flags
//          test %edx,%edx                            call the handler, which yields the context
//          je gap                                    restore flags
//   ...                                              jmp again
//   gap:   jmp landing
//
// A branch of two bytes reaches 127 bytes. So the loop's branch goes to a gap between functions (function_gaps.hpp),
// where a jump of five bytes goes on to the landing. One byte is written to turn the branch there, and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace callisto::workers::spin_jump {

/// Called at each landing, in the middle of the program's code. `landing`: an address in that landing.
using handler = void (*)(std::uintptr_t landing) noexcept;

/// True if this processor can save all that such a call changes. Takes a few hundred cycles.
bool is_possible() noexcept;

/// Sets the handler. Called once, before a thread comes to a landing.
void call(handler h) noexcept;

constexpr std::size_t landing_bytes = 40;
/// Returns the code of a landing that stands at `address`, for a loop that begins at `begin`; nullopt: they are too far
/// apart. Pure.
std::optional<std::array<std::uint8_t, landing_bytes>> landing(std::uintptr_t address, std::uintptr_t begin) noexcept;

constexpr std::size_t jump_bytes = 5;
/// Returns the code of a jump from one address to another; nullopt: they are too far apart. Pure.
std::optional<std::array<std::uint8_t, jump_bytes>> jump(std::uintptr_t from, std::uintptr_t to) noexcept;

}  // namespace callisto::workers::spin_jump
