// Traps in loops of the program that wait (wait_loop.hpp): who comes round such a loop says so at once, where a tick of
// the runaway timer would have to find him.
//
// A thread that waits for another one of its context, by flags of the program's own, keeps the context until a tick
// ends its turn. That takes some ten microseconds, and for a wavefront, as in NAS LU, as long for each step. So where
// ticks have found waits again and again, and others could use the context, the branch that ends the loop gets a trap.
// Where a trap is met again and again with nobody who could use the context, it is taken out, until a tick finds a wait
// there again. There are two kinds:
// - A jump, where one byte makes the loop lead to code of ours (program_code.hpp), which changes no register
//   (wait_jump.hpp). Some hundred nanoseconds.
// - Else a breakpoint, `int3`, of one byte, takes the branch's place. Its signal comes at the first pass, costs a
//   microsecond (four on virtual machines that we know), and says what the branch would have decided, which the handler
//   then does in its place.
//
// What makes that safe:
// - One byte is written into code that others may run: the first of an instruction, or all that says how far a branch
//   goes. Whoever runs there meets the one or the other. What a jump leads to was written before, where nobody came.
//   Others may still come to the handler, and to our code, when the branch is back: both know every loop that ever had
//   a trap, and the code stays.
// - It is written by way of /proc/self/mem, into the process's own copy of the page, which is executable and read-only
//   all the time. Where the system does not let us, there are no traps.
// - Only the program itself has them, no library: code of the C library may run with its signals blocked, and a blocked
//   SIGTRAP ends the process. Under a debugger there are none.
// - A child of fork() has the traps and the handler. A program that is executed has neither.
#pragma once

#include <cstdint>

#include <signal.h>

namespace callisto::workers::spin_traps {

/// What became of a wait that met a trap.
enum class met : std::uint8_t {
  in_vain,  ///< nobody else could use the context
  stayed,   ///< it is to be left later
  left,     ///< what waits was left, and goes on now, maybe on another thread
};

/// Called in the handler, on the thread that waits, with the kernel's frame of it.
using asker = met (*)(void* frame) noexcept;

/// Called as by the program, on the thread that waits, outside of handlers.
using caller = met (*)() noexcept;

/// From now on there can be traps, if the system lets us; the handler calls `ask`, with `tick_signal` blocked, and
/// jumps lead to `call`. The first time counts, but after fork(), in the child, for jumps: there they lead to nothing
/// before. Takes a lock.
void prepare(asker ask, caller call, int tick_signal);

/// In a handler: whether the instruction is in a loop of the program that waits. Decodes at most some 30 instructions.
bool is_wait(std::uintptr_t instruction) noexcept;

/// In a handler: the loop that waits at this instruction, if it is known to be one, has a trap now. False: it has not.
/// With a trap already: some loads.
bool put(std::uintptr_t instruction) noexcept;

/// sigaction() for SIGTRAP as the program sees it: `action` gets what are no traps. False: there can be no traps; it is
/// the system's.
bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept;

}  // namespace callisto::workers::wait_traps
