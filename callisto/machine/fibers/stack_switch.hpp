// The switch of stacks itself, which fibers and bound contexts share; fiber.cpp has it in assembly.
#pragma once

#include <callisto/machine/system/sanitizers.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(__aarch64__)
extern "C" {
/// Saves the registers that a call keeps on the running stack and its pointer in `from_stack`, then goes on at
/// `to_stack`.
[[gnu::visibility("hidden")]] void callisto_fiber_switch(void** from_stack, void* to_stack) noexcept;
[[gnu::visibility("hidden")]] void callisto_fiber_start() noexcept;
/// Calls call(argument) on another stack (x86-64), and tells `left_at` where the caller's stack is free, as the last
/// thing before. Unwinders and debuggers find the caller's stack.
[[gnu::visibility("hidden")]] void callisto_call_on_stack(void* stack, void (*call)(void*), void* argument,
                                                          std::byte** left_at) noexcept;
}

namespace callisto::machine {

/// Writes the frame below `highest` (aligned to 16 bytes) from which the first switch calls start(argument). Returns
/// the stack pointer to switch to.
inline void* first_frame(std::byte* highest, void (*start)(void*), void* argument) noexcept {
#if defined(__x86_64__)
  // The control words, r15 r14 r13 r12 rbx rbp and the return address; above them two words, so that the stack is
  // aligned once they are off.
  void** const top = reinterpret_cast<void**>(highest) - 10;
  std::memset(top, 0, 10 * sizeof(void*));
  // The creator's modes, as a new thread has them.
  asm volatile("stmxcsr %0\n\tfnstcw %1"
               : "=m"(*reinterpret_cast<std::uint32_t*>(top)), "=m"(*(reinterpret_cast<std::uint16_t*>(top) + 2)));
  top[4] = argument;
  top[5] = reinterpret_cast<void*>(start);
  top[7] = reinterpret_cast<void*>(&callisto_fiber_start);
#else
  void** const top = reinterpret_cast<void**>(highest) - 20;
  std::memset(top, 0, 20 * sizeof(void*));
  top[0] = reinterpret_cast<void*>(start);
  top[1] = argument;
  top[11] = reinterpret_cast<void*>(&callisto_fiber_start);
#endif
  return top;
}

}  // namespace callisto::machine
#else
#include <ucontext.h>

namespace callisto::machine {

/// Makes the context that calls start(argument) on the stack at `bottom` when it is first switched to.
template <void (*start)(void*) noexcept>
void make_first_context(ucontext_t& made, std::byte* bottom, std::size_t bytes, void* argument) noexcept {
  getcontext(&made);
  made.uc_stack.ss_sp = bottom;
  made.uc_stack.ss_size = bytes;
  made.uc_link = nullptr;
  // makecontext passes ints: the pointer goes in two halves.
  const auto word = std::uint64_t{reinterpret_cast<std::uintptr_t>(argument)};
  makecontext(&made, reinterpret_cast<void (*)()>(+[](unsigned high, unsigned low) {
    const std::uint64_t joined = std::uint64_t{high} << 32 | low;
    start(reinterpret_cast<void*>(static_cast<std::uintptr_t>(joined)));
  }),
              2, static_cast<unsigned>(word >> 32), static_cast<unsigned>(word));
}

}  // namespace callisto::machine
#endif
