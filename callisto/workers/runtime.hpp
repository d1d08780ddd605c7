// The process's one team on the native machine: its threads, their start, their end, fork() and exit.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/export.hpp>
#include <callisto/workers/work_item.hpp>

namespace callisto {

/// The number of threads that loops use, the calling thread included: by default one for each hardware context that the
/// process may use, as far as its CPU quota goes; CALLISTO_THREADS or set_threads() say otherwise. Starts the workers
/// if they do not run yet. Throws usage_error if CALLISTO_THREADS, CALLISTO_PLACEMENT or CALLISTO_SCHEDULE make no
/// sense. Thread-safe.
CALLISTO_API unsigned threads();

/// Lets loops use `count` threads from now on, the calling thread included; loops of other threads that are in flight
/// go on undisturbed. Throws usage_error if `count` is 0 or above 65536, or inside a loop. Thread-safe. Costs the
/// ending and starting of threads, about a tenth of a millisecond each.
CALLISTO_API void set_threads(unsigned count);

/// The calling thread's number in the loop that it runs, in [0, threads()); 0 for a leader, and outside loops.
CALLISTO_API unsigned this_thread() noexcept;

namespace workers {

/// What a loop starts with.
struct arrangement {
  distributor::layout where;  ///< its threads, and what they share
  schedule how;               ///< for loops that do not say; may be automatic
};

/// For a loop started here and now: the calling thread alone inside a loop body, else threads(). Lives until the
/// process ends.
CALLISTO_API const arrangement& arrangement_here();

/// For a loop that the calling thread had better run by itself.
CALLISTO_API const distributor::layout& alone();

/// Runs `item` as its leader together with the followers that join; returns when it is complete.
CALLISTO_API void lead(work_item& item) noexcept;

}  // namespace workers
}  // namespace callisto
