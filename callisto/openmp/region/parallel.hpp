// Regions: how many threads one gets, its beginning and its end.
#pragma once

#include <callisto/openmp/region/team.hpp>

namespace callisto::openmp {

/// How many processors there are to use now: as many as the initial thread's affinity has, or the main thread's, for
/// members of a team run on threads that are pinned; where there are places, as many as there were at first.
unsigned processors_now(const omp_thread& self) noexcept;

/// How many threads a region gets (OpenMP 5.1, section 2.6.1). `specified`: by its num_threads clause; 0: none.
unsigned resolve_threads(const omp_thread& leader, unsigned specified) noexcept;

/// The caller becomes thread 0 of a new team of `threads`, none of which runs yet: what all of them are to find can be
/// put into it before begin_region(). Where threads cannot be had, there are fewer.
team& enter_region(omp_thread& leader, unsigned threads, unsigned flags) noexcept;
/// The other threads call body(data) from now on.
void begin_region(team& of, void (*body)(void*), void* data) noexcept;
/// The caller's part is done: waits for the others, and for all tasks.
void end_region(omp_thread& leader) noexcept;
/// The caller is back where it was before enter_region().
void leave_region(omp_thread& leader) noexcept;

/// From begin_region() to leave_region(), with the caller's part, body(data), in between.
void run_in_region(omp_thread& leader, void (*body)(void*), void* data) noexcept;

}  // namespace callisto::openmp
