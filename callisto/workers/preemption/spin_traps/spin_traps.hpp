// Traps in loops of the program that wait (spin_loop.hpp): who comes round such a loop says so at once, where a tick of
// the runaway timer would have to find him.
//
// A thread that waits for another one of its context, by flags of the program's own, keeps the context until a tick
// ends its turn. That takes some ten microseconds, and for a wavefront, as in NAS LU, as long for each step. So where
// ticks have found waits again and again, and others could use the context, the branch that ends the loop gets a trap.
// Where a trap is met again and again with nobody who could use the context, it is taken out, until a tick finds a wait
// there again. There are two kinds:
// - A jump, where one byte makes the loop lead to code of ours (program_code.hpp), which changes no register
//   (spin_jump.hpp). Some hundred nanoseconds.
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

#include <callisto/export.hpp>
#include <callisto/workers/preemption/loop_traps.hpp>

#include <signal.h>

namespace callisto::workers::spin_traps {

/// The traps of this process. The first prepare() looks where the program's code is, and takes SIGTRAP. On other
/// processors than x86-64 there are never any.
CALLISTO_API loop_traps& of_this_process() noexcept;

/// sigaction() for SIGTRAP as the program sees it: `action` gets what are no traps. False: there can be no traps; it is
/// the system's.
bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept;

}  // namespace callisto::workers::spin_traps
