// The constructs that all threads of a team meet: barrier, single, masked, critical, ordered, reductions, cancel.
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/locks/word_lock.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/worksharing/synchronization.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

namespace callisto::openmp::kmpc {
namespace {

word_lock& lock_in(lock_words* words) noexcept { return *reinterpret_cast<word_lock*>(words); }

/// Returns what a reduction's thread is to do: 1, combine its values under the lock; 2, combine them by atomic
/// instructions.
i32 begin_reduction(const source_location* at, lock_words* lock) {
  omp_thread& self = this_thread();
  self.at.reduces_atomically = self.in().threads > 1 && at != nullptr && (at->flags & can_reduce_atomically) != 0;
  if (self.at.reduces_atomically) return 2;
  if (self.in().threads > 1) lock_in(lock).lock();
  return 1;
}

void end_reduction(lock_words* lock) {
  const omp_thread& self = this_thread();
  if (self.in().threads > 1 && !self.at.reduces_atomically) lock_in(lock).unlock();
}

/// The kinds of `cancel`, as GCC's compiled code numbers them.
int kind_of(i32 kind) noexcept { return kind == 4 ? 8 : kind == 3 ? 4 : kind; }

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp;
using namespace callisto::openmp::kmpc;

// Barriers.

CALLISTO_OPENMP_ABI void __kmpc_barrier(compiled_at, i32) {
  omp_thread& self = this_thread();
  self.in().barrier(self);
}
/// Returns 1 to the thread that runs what stands between the two parts of the barrier.
CALLISTO_OPENMP_ABI i32 __kmpc_barrier_master(compiled_at, i32) {
  omp_thread& self = this_thread();
  self.in().barrier(self);
  if (self.at.number == 0) return 1;
  self.in().barrier(self);
  return 0;
}
CALLISTO_OPENMP_ABI void __kmpc_end_barrier_master(compiled_at at, i32 self) { __kmpc_barrier(at, self); }
CALLISTO_OPENMP_ABI i32 __kmpc_barrier_master_nowait(compiled_at at, i32 self) {
  __kmpc_barrier(at, self);
  return this_thread().at.number == 0 ? 1 : 0;
}
CALLISTO_OPENMP_ABI void __kmpc_flush(compiled_at, ...) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Parts of a region for one thread.

CALLISTO_OPENMP_ABI i32 __kmpc_single(compiled_at, i32) { return begin_single(this_thread()) ? 1 : 0; }
CALLISTO_OPENMP_ABI void __kmpc_end_single(compiled_at, i32) {}
CALLISTO_OPENMP_ABI i32 __kmpc_master(compiled_at, i32) { return this_thread().at.number == 0 ? 1 : 0; }
CALLISTO_OPENMP_ABI void __kmpc_end_master(compiled_at, i32) {}
CALLISTO_OPENMP_ABI i32 __kmpc_masked(compiled_at, i32, i32 filter) {
  return static_cast<i32>(this_thread().at.number) == filter ? 1 : 0;
}
CALLISTO_OPENMP_ABI void __kmpc_end_masked(compiled_at, i32) {}
CALLISTO_OPENMP_ABI void __kmpc_scope(compiled_at, i32, void* /*reserved*/) {}
CALLISTO_OPENMP_ABI void __kmpc_end_scope(compiled_at, i32, void* /*reserved*/) {}

/// The thread with `is_source` set gives its data to all.
CALLISTO_OPENMP_ABI void __kmpc_copyprivate(compiled_at, i32, std::size_t /*bytes*/, void* data,
                                            void (*copy)(void*, void*), i32 is_source) {
  omp_thread& self = this_thread();
  team& here = self.in();
  if (is_source != 0) here.copyprivate = data;
  here.barrier(self);
  if (is_source == 0) copy(data, here.copyprivate);
  here.barrier(self);
}
/// Returns the data of the thread that passes some.
CALLISTO_OPENMP_ABI void* __kmpc_copyprivate_light(compiled_at, i32, void* data) {
  omp_thread& self = this_thread();
  team& here = self.in();
  if (data != nullptr) here.copyprivate = data;
  here.barrier(self);
  return here.copyprivate;
}

// Critical sections, ordered regions.

CALLISTO_OPENMP_ABI void __kmpc_critical(compiled_at, i32, lock_words* name) { lock_in(name).lock(); }
CALLISTO_OPENMP_ABI void __kmpc_critical_with_hint(compiled_at, i32, lock_words* name, u32 /*hint*/) {
  lock_in(name).lock();
}
CALLISTO_OPENMP_ABI void __kmpc_end_critical(compiled_at, i32, lock_words* name) { lock_in(name).unlock(); }
CALLISTO_OPENMP_ABI void __kmpc_ordered(compiled_at, i32) { begin_ordered(this_thread()); }
CALLISTO_OPENMP_ABI void __kmpc_end_ordered(compiled_at, i32) {}

// Reductions.

using combine = void (*)(void*, void*);
CALLISTO_OPENMP_ABI i32 __kmpc_reduce_nowait(compiled_at at, i32, i32 /*items*/, std::size_t /*bytes*/, void* /*data*/,
                                             combine, lock_words* lock) {
  return begin_reduction(at, lock);
}
CALLISTO_OPENMP_ABI i32 __kmpc_reduce(compiled_at at, i32, i32 /*items*/, std::size_t /*bytes*/, void* /*data*/,
                                      combine, lock_words* lock) {
  return begin_reduction(at, lock);
}
CALLISTO_OPENMP_ABI void __kmpc_end_reduce_nowait(compiled_at, i32, lock_words* lock) { end_reduction(lock); }
CALLISTO_OPENMP_ABI void __kmpc_end_reduce(compiled_at at, i32 self, lock_words* lock) {
  end_reduction(lock);
  __kmpc_barrier(at, self);
}

// Cancellation.

CALLISTO_OPENMP_ABI i32 __kmpc_cancel(compiled_at, i32, i32 kind) {
  return cancel(this_thread(), kind_of(kind)) ? 1 : 0;
}
CALLISTO_OPENMP_ABI i32 __kmpc_cancellationpoint(compiled_at, i32, i32 kind) {
  return icvs().cancellation && is_cancelled(this_thread(), kind_of(kind)) ? 1 : 0;
}
CALLISTO_OPENMP_ABI i32 __kmpc_cancel_barrier(compiled_at, i32) {
  omp_thread& self = this_thread();
  return self.in().barrier_cancellable(self) ? 1 : 0;
}

/// True if the construct of that kind is cancelled.
CALLISTO_OPENMP_ABI i32 kmp_get_cancellation_status(i32 kind) {
  return icvs().cancellation && is_cancelled(this_thread(), kind_of(kind)) ? 1 : 0;
}

/// The error directive; a `severity` of 1 is a warning.
CALLISTO_OPENMP_ABI void __kmpc_error(compiled_at, i32 severity, const char* message) {
  const char* const text = message != nullptr ? message : "";
  const char* const between = message != nullptr ? ": " : "";
  if (severity != 1) report_and_exit("fatal error: error directive encountered%s%s", between, text);
  report("error directive encountered%s%s", between, text);
}
