// The process's one team on the native machine: its threads, their start, their end, fork() and exit.
#pragma once

#include <callisto/export.hpp>
#include <callisto/workers/work_item.hpp>

namespace callisto {

/// The number of threads that loops use, the calling thread included: by default one for each hardware context that the
/// process may use, as far as its CPU quota goes; CALLISTO_THREADS or set_threads() say otherwise. Starts the workers
/// if they do not run yet. Throws usage_error if CALLISTO_THREADS or CALLISTO_PLACEMENT make no sense.
/// Thread-safe.
CALLISTO_API unsigned threads();

/// Lets loops use `count` threads from now on, the calling thread included; loops of other threads that are in flight
/// go on undisturbed. Throws usage_error if `count` is 0 or above 65536, or inside a loop. Thread-safe. Costs the
/// ending and starting of threads, about a tenth of a millisecond each.
CALLISTO_API void set_threads(unsigned count);

/// The calling thread's number in the loop that it runs, in [0, threads()); 0 for a leader, and outside loops.
CALLISTO_API unsigned this_thread() noexcept;

namespace workers {

/// The threads that a loop started here and now may use: 1 inside a loop body, else threads().
CALLISTO_API unsigned loop_width();

/// Runs `item` as its leader together with the followers that join; returns when it is complete.
CALLISTO_API void lead(work_item& item) noexcept;

}  // namespace workers
}  // namespace callisto
