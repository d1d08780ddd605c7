// The workers that the process's OpenMP threads run on: one set, made when the first region needs it.
#pragma once

#include <callisto/workers/activations/create_workers.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::openmp {

/// Made by the first call; lives until the process ends. Thread-safe. Gives up with one line if that cannot be.
workers::worker_threads& engine() noexcept;

/// In the child after fork(): the parent's workers are not there. The next engine() makes new ones.
void forget_engine() noexcept;

/// How many OpenMP threads can run at once: what the set has, or will have.
unsigned contexts() noexcept;

/// How large an OpenMP thread's stack is: OMP_STACKSIZE, else as pthreads' are.
std::size_t stack_bytes() noexcept;

/// How long who waits spins: OMP_WAIT_POLICY and GOMP_SPINCOUNT, in native::ticks().
std::uint64_t spin_ticks() noexcept;
/// Likewise in a team of more threads than contexts: a few microseconds, as whom it waits for may wait for the context.
std::uint64_t crowded_spin_ticks() noexcept;

}  // namespace callisto::openmp
