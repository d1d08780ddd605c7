// The workers that run the process's OpenMP threads: one set, created when the first region needs it.
#pragma once

#include <callisto/workers/activations/create_workers.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::openmp {

/// Returns the workers. The first call creates them; they live until the process ends. Thread-safe. If no worker can be
/// created, prints one line and ends the program.
workers::worker_threads& engine() noexcept;

/// Around a fork(), in the parent.
void before_fork() noexcept;
void after_fork() noexcept;
/// Forgets the parent's workers, in the child of fork(). The next engine() creates new ones.
void forget_engine() noexcept;

/// Returns how many OpenMP threads can run at once: the size of the set, whether it exists yet or not.
unsigned contexts() noexcept;

/// Returns the stack size of an OpenMP thread: OMP_STACKSIZE, else pthreads' default.
std::size_t stack_bytes() noexcept;

/// True if nonmonotonic dynamic loops are split into ranges (worksharing/loop.hpp), by CALLISTO_NONMONOTONIC. A wrong
/// value ends the program.
bool splits_loops() noexcept;

/// Returns how long a waiting thread spins, in native::ticks(), by OMP_WAIT_POLICY and GOMP_SPINCOUNT.
std::uint64_t spin_ticks() noexcept;
/// Returns how long it spins in a team with more threads than contexts: at most 10 us, because the thread that it waits
/// for may need its context.
std::uint64_t crowded_spin_ticks() noexcept;

}  // namespace callisto::openmp
