// Spin traps: traps in loops of the running program that wait (spin_loop.hpp). A thread that comes round such a loop
// yields at once; without the trap, a tick of the runaway timer would have to find it.
//
// A thread that waits for another one of its context, by flags of the program's own, keeps the context until a tick
// ends its turn. That takes some 10 us, and a wavefront, as in NAS LU, needs it for each step. So if ticks have found
// waits at a loop again and again, and other activations could use the context, the branch that ends the loop gets a
// trap. If a trap is met again and again without such demand, it is taken out, until a tick finds a wait there again.
// There are two kinds:
// - A jump: one changed byte makes the loop lead to code of this library (program_code.hpp), which changes no register
//   (spin_jump.hpp). Takes some 100 ns.
// - Else a breakpoint, `int3`, of one byte, in the branch's place. Its signal comes at the first pass, and takes 1 us
//   (4 us on some virtual machines). The handler does what the branch would have done.
//
// What makes that safe:
// - One byte is written into code that other threads may run: the first of an instruction, or the one that says how far
//   a branch goes. A thread there meets the old code or the new. The code that a jump leads to was written before,
//   where no thread came. Threads may still come to the handler, and to that code, after the branch is back: both know
//   every loop that ever had a trap, and the code stays.
// - The byte is written through /proc/self/mem into the process's own copy of the page, which is executable and
//   read-only all the time. If the system refuses, there are no traps.
// - Only the program itself gets traps, no library: code of the C library may run with its signals blocked, and a
//   blocked SIGTRAP ends the process. Under a debugger there are none.
// - A child of fork() has the traps and the handler. A program that is executed has neither.
//
// This is the only header of the folder that other folders include. The code is linked into programs that name
// of_this_process(); it does nothing before prepare().
#pragma once

#include <callisto/export.hpp>
#include <callisto/workers/preemption/loop_traps.hpp>

#include <signal.h>

namespace callisto::workers::spin_traps {

/// Returns the traps of this process, for posix_runaway_timer. The first prepare() looks where the program's code is,
/// and takes SIGTRAP. On other processors than x86-64 there are never any.
CALLISTO_API loop_traps& of_this_process() noexcept;

/// sigaction() for SIGTRAP as the program sees it: `action` gets the signals that are no traps. False: there can be no
/// traps, and the system's call applies.
bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept;

}  // namespace callisto::workers::spin_traps
