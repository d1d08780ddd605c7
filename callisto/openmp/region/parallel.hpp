// Regions: how many threads one gets, its beginning and its end.
#pragma once

#include <callisto/openmp/region/team.hpp>

namespace callisto::openmp {

/// Returns how many processors can be used: the size of the initial thread's affinity mask. In a region it is the main
/// thread's mask, because members run on pinned threads. If there are places, it is the number at the process's start.
unsigned processors_now(const omp_thread& self) noexcept;

/// Returns how many threads a region gets (OpenMP 5.1, section 2.6.1). `specified`: by its num_threads clause; 0: none.
unsigned resolve_threads(const omp_thread& leader, unsigned specified) noexcept;

/// Makes the caller thread 0 of a new team of `threads`, or of fewer if the system refuses. No other thread runs in it
/// before begin_region(), so the caller can first write what all of them are to find.
team& enter_region(omp_thread& leader, unsigned threads, unsigned flags) noexcept;
/// Has the other threads call body(data).
void begin_region(team& of, void (*body)(void*), void* data) noexcept;
/// Ends the caller's part: returns when all threads have ended theirs and all tasks are finished.
void end_region(omp_thread& leader) noexcept;
/// Puts the caller back to its position before enter_region().
void leave_region(omp_thread& leader) noexcept;

/// Tells a tool that the thread has begun the loop of its share (worksharing/loop.cpp).
void tell_of_loop(omp_thread& self) noexcept;

/// Calls body(data) as an initial task of a team of one, without any enclosing region, in a separate contention group.
/// `thread_limit`: 0 means no limit.
void run_on_initial_team(omp_thread& self, unsigned thread_limit, void (*body)(void*), void* data);

/// Calls begin_region(), body(data), end_region() and leave_region().
void run_in_region(omp_thread& leader, void (*body)(void*), void* data) noexcept;

}  // namespace callisto::openmp
