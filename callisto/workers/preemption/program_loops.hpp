// Loops of the running program that wait for another thread (spin_loop.hpp), as the runaway timer knows them: one tick
// then tells that a thread waits. A timer without this knowledge needs two ticks at one place.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>

namespace callisto::workers {

/// Tells in a signal's handler whether the instruction is in a loop of the program that waits. Async-signal-safe.
using wait_test = bool (*)(std::uintptr_t instruction) noexcept;

/// Returns the test for the code of the program itself, which it only reads; of libraries it knows no loop. The first
/// call looks where the program's code is. A call of the test decodes at most 32 instructions. On processors other than
/// x86-64 the test is never true. Programs that do not name this function do not link the decoder. Any thread may call.
CALLISTO_API wait_test waits_of_program();

}  // namespace callisto::workers
