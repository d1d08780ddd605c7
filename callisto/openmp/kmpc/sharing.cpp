// The constructs that all threads of a team meet: barrier, single, masked, critical, ordered, reductions, cancel.
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/locks/word_lock.hpp>
#include <callisto/openmp/region/tool.hpp>
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
  // Compiled code does not tell the end of the other way.
  if (tool::watched()) [[unlikely]]
    tool::reduces(self, tool::endpoint::begin);
  if (self.in().threads > 1) lock_in(lock).lock();
  return 1;
}

void end_reduction(lock_words* lock) {
  omp_thread& self = this_thread();
  if (self.in().threads > 1 && !self.at.reduces_atomically) lock_in(lock).unlock();
  if (tool::watched() && !self.at.reduces_atomically) [[unlikely]]
    tool::reduces(self, tool::endpoint::end);
}

/// Returns the kind of a barrier by the compiler's flags.
tool::sync_kind kind_of_barrier(compiled_at at) noexcept {
  constexpr i32 is_explicit = 0x20, is_implicit = 0x40;
  if (at == nullptr || (at->flags & is_explicit) != 0) return tool::sync_kind::explicit_barrier;
  return (at->flags & is_implicit) != 0 ? tool::sync_kind::barrier_of_workshare : tool::sync_kind::barrier_of_library;
}

#define CALLISTO_TELL_MASKED(runs, at)               \
  if (tool::watched() && (runs)) [[unlikely]] {      \
    CALLISTO_CALLED(this_thread());                  \
    tool::masked(this_thread(), tool::endpoint::at); \
  }

/// Takes and gives up the lock of a critical section.
#define CALLISTO_KMPC_TAKE(name) \
  tool::taking(tool::mutex_kind::critical, name, CALLISTO_CALLER, [=] { lock_in(name).lock(); })

/// The kinds of `cancel`, as GCC's compiled code numbers them.
int cancelled_kind_of(i32 kind) noexcept { return kind == 4 ? 8 : kind == 3 ? 4 : kind; }

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp;
using namespace callisto::openmp::kmpc;

// Barriers.

CALLISTO_OPENMP_ABI void __kmpc_barrier(compiled_at at, i32) {
  omp_thread& self = this_thread();
  CALLISTO_IF_TOLD(self, ([at, &self] { self.in().barrier(self, kind_of_barrier(at)); }));
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
CALLISTO_OPENMP_ABI void __kmpc_flush(compiled_at, ...) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!tool::watched()) [[likely]]
    return;
  CALLISTO_CALLED(this_thread());
  tool::flushes(this_thread());
}

// Parts of a region for one thread.

CALLISTO_OPENMP_ABI i32 __kmpc_single(compiled_at, i32) {
  omp_thread& self = this_thread();
  const bool runs = begin_single(self);
  if (!tool::watched()) [[likely]]
    return runs ? 1 : 0;
  CALLISTO_CALLED(self);
  if (runs) {
    tool::work_begins(self, tool::work_kind::single_executor, 1);
  } else {
    tool::works(self, tool::work_kind::single_other, tool::endpoint::begin, 1);
    tool::works(self, tool::work_kind::single_other, tool::endpoint::end, 1);
  }
  return runs ? 1 : 0;
}
CALLISTO_OPENMP_ABI void __kmpc_end_single(compiled_at, i32) {
  if (tool::watched()) [[unlikely]]
    tool::work_ends(this_thread());
}
CALLISTO_OPENMP_ABI i32 __kmpc_master(compiled_at, i32) {
  const bool runs = this_thread().at.number == 0;
  CALLISTO_TELL_MASKED(runs, begin);
  return runs ? 1 : 0;
}
CALLISTO_OPENMP_ABI void __kmpc_end_master(compiled_at, i32) { CALLISTO_TELL_MASKED(true, end); }
CALLISTO_OPENMP_ABI i32 __kmpc_masked(compiled_at, i32, i32 filter) {
  const bool runs = static_cast<i32>(this_thread().at.number) == filter;
  CALLISTO_TELL_MASKED(runs, begin);
  return runs ? 1 : 0;
}
CALLISTO_OPENMP_ABI void __kmpc_end_masked(compiled_at, i32) { CALLISTO_TELL_MASKED(true, end); }
CALLISTO_OPENMP_ABI void __kmpc_scope(compiled_at, i32, void* /*reserved*/) {
  if (tool::watched()) [[unlikely]]
    tool::work_begins(this_thread(), tool::work_kind::scope, 1);
}
CALLISTO_OPENMP_ABI void __kmpc_end_scope(compiled_at, i32, void* /*reserved*/) {
  if (tool::watched()) [[unlikely]]
    tool::work_ends(this_thread());
}

/// The thread with `is_source` set gives its data to all.
CALLISTO_OPENMP_ABI void __kmpc_copyprivate(compiled_at, i32, std::size_t /*bytes*/, void* data,
                                            void (*copy)(void*, void*), i32 is_source) {
  omp_thread& self = this_thread();
  team& here = self.in();
  if (is_source != 0) here.copyprivate = data;
  here.barrier(self, tool::sync_kind::barrier_of_library);
  if (is_source == 0) copy(data, here.copyprivate);
  here.barrier(self, tool::sync_kind::barrier_of_library);
}
/// Returns the data of the thread that passes some.
CALLISTO_OPENMP_ABI void* __kmpc_copyprivate_light(compiled_at, i32, void* data) {
  omp_thread& self = this_thread();
  team& here = self.in();
  if (data != nullptr) here.copyprivate = data;
  here.barrier(self, tool::sync_kind::barrier_of_library);
  return here.copyprivate;
}

// Critical sections, ordered regions.

CALLISTO_OPENMP_ABI void __kmpc_critical(compiled_at, i32, lock_words* name) { CALLISTO_KMPC_TAKE(name); }
CALLISTO_OPENMP_ABI void __kmpc_critical_with_hint(compiled_at, i32, lock_words* name, u32 /*hint*/) {
  CALLISTO_KMPC_TAKE(name);
}
CALLISTO_OPENMP_ABI void __kmpc_end_critical(compiled_at, i32, lock_words* name) {
  tool::giving(tool::mutex_kind::critical, name, CALLISTO_CALLER, [name] { lock_in(name).unlock(); });
}
CALLISTO_OPENMP_ABI void __kmpc_ordered(compiled_at, i32) {
  omp_thread& self = this_thread();
  tool::taking(tool::mutex_kind::ordered, self.at.share, CALLISTO_CALLER, [&] { begin_ordered(self); });
}
CALLISTO_OPENMP_ABI void __kmpc_end_ordered(compiled_at, i32) {
  if (tool::watched()) [[unlikely]]
    tool::mutex_released(tool::mutex_kind::ordered, this_thread().at.share, CALLISTO_CALLER);
}

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
  CALLISTO_CALLED(this_thread());
  return cancel(this_thread(), cancelled_kind_of(kind)) ? 1 : 0;
}
CALLISTO_OPENMP_ABI i32 __kmpc_cancellationpoint(compiled_at, i32, i32 kind) {
  if (!icvs().cancellation || !is_cancelled(this_thread(), cancelled_kind_of(kind))) return 0;
  if (tool::watched()) [[unlikely]] {
    CALLISTO_CALLED(this_thread());
    tell_of_cancel(this_thread(), cancelled_kind_of(kind), false);
  }
  return 1;
}
CALLISTO_OPENMP_ABI i32 __kmpc_cancel_barrier(compiled_at, i32) {
  omp_thread& self = this_thread();
  return self.in().barrier_cancellable(self) ? 1 : 0;
}

/// True if the construct of that kind is cancelled.
CALLISTO_OPENMP_ABI i32 kmp_get_cancellation_status(i32 kind) {
  return icvs().cancellation && is_cancelled(this_thread(), cancelled_kind_of(kind)) ? 1 : 0;
}

/// The error directive; a `severity` of 1 is a warning.
CALLISTO_OPENMP_ABI void __kmpc_error(compiled_at, i32 severity, const char* message) {
  const char* const text = message != nullptr ? message : "";
  const char* const between = message != nullptr ? ": " : "";
  if (tool::watched()) [[unlikely]] {
    CALLISTO_CALLED(this_thread());
    tool::errs(this_thread(), severity != 1, message);
  }
  if (severity != 1) report_and_exit("fatal error: error directive encountered%s%s", between, text);
  report("error directive encountered%s%s", between, text);
}
