// Spin traps: traps in loops of the running program that wait (spin_loop.hpp). A thread that comes round such a loop
// yields at once; without the trap, a tick of the runaway timer would have to find it. They are off unless the
// program's user asks for them: then they change the program's code.
//
// A thread that waits for another one of its context, by flags of the program's own, keeps the context until a tick
// ends its turn. That takes some 10 us, and a wavefront, as in NAS LU, needs it for each step. So if ticks have found
// waits at a loop again and again, and other activations could use the context, the loop gets a trap: one changed byte
// makes it lead to code of this library (program_code.hpp), which changes no register (spin_jump.hpp). That takes some
// hundred nanoseconds. If a trap is met again and again without such demand, it is taken out, until a tick finds a wait
// there again. A loop in which no jump fits has no trap. A breakpoint would fit anywhere, but a thread that meets one
// while SIGTRAP is blocked, as in a handler, dies of it.
//
// What makes that safe:
// - One byte is written into code that other threads may run: the first of an instruction, or the one that says how far
//   a branch goes. A thread there meets the old code or the new. The code that a jump leads to was written before,
//   where no thread came. Threads may still come to that code after the branch is back: every loop that ever had a trap
//   stays known, and the code stays.
// - The byte is written through /proc/self/mem into the process's own copy of the page, which is executable and
//   read-only all the time. If the system refuses, there are no traps.
// - A trap does nothing in a handler of the program's, nor where the thread was interrupted inside of this library.
// - Only the program itself gets traps, no library. Under a debugger there are none.
// - A child of fork() has the traps. A program that is executed has none.
//
// This is the only header of the folder that other folders include. The code is linked into programs that name
// of_this_process(); it does nothing before prepare().
#pragma once

#include <callisto/export.hpp>
#include <callisto/workers/preemption/loop_traps.hpp>

namespace callisto::workers::spin_traps {

/// Returns the loops and traps of this process, for create_workers(). The first prepare() looks where the program's
/// code is. On other processors than x86-64 there are never any.
CALLISTO_API loop_traps& of_this_process() noexcept;

}  // namespace callisto::workers::spin_traps
