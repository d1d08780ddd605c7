// Tasks (OpenMP 5.1, section 2.12) as the rest of the runtime sees them: what each implicit and explicit task carries,
// and how threads that wait at barriers run those that are ready.
#pragma once

#include <callisto/openmp/icv.hpp>

#include <cstdint>

namespace callisto::openmp {

struct omp_thread;
struct workshare;

/// What a thread runs at any time: its implicit task, or an explicit one.
struct task {
  task* parent = nullptr;  ///< that created it; of an implicit task, the one that met the parallel construct
  task_icvs icv;
};

/// Runs tasks of the caller's team until none can be had now. The caller waits at a barrier or at the end of a region,
/// of which it is still a part. Harmless, and cheap, if there are none.
void run_ready_tasks(omp_thread& self) noexcept;

/// The innermost taskgroup around what the caller runs, if any: no more of its tasks begin.
void cancel_taskgroup(omp_thread& self) noexcept;
bool is_taskgroup_cancelled(const omp_thread& self) noexcept;

/// The caller has gone on to a work-sharing construct with task reductions (a descriptor as compiled code makes it).
/// `first`: it has made the share, so the others wait for what it does here. GOMP_workshare_task_reduction_unregister()
/// is the end.
void join_share_reductions(omp_thread& self, workshare& share, std::uintptr_t* reductions, bool first) noexcept;

}  // namespace callisto::openmp
