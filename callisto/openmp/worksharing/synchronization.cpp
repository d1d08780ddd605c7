// The constructs barrier, single, critical, atomic and cancel.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/locks/word_lock.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/worksharing/synchronization.hpp>

namespace callisto::openmp {

CALLISTO_OPENMP_ABI void GOMP_barrier() {
  omp_thread& self = this_thread();
  self.in().barrier(self);
}

CALLISTO_OPENMP_ABI bool GOMP_barrier_cancel() {
  omp_thread& self = this_thread();
  return self.in().barrier_cancellable(self);
}

CALLISTO_OPENMP_ABI bool GOMP_single_start() { return begin_single(this_thread()); }

/// Returns null if the caller runs the construct; it then calls GOMP_single_copy_end() with the data that this function
/// returns to the other threads.
CALLISTO_OPENMP_ABI void* GOMP_single_copy_start() {
  omp_thread& self = this_thread();
  if (begin_single(self)) return nullptr;
  self.in().barrier(self);
  return self.in().copyprivate;
}

CALLISTO_OPENMP_ABI void GOMP_single_copy_end(void* data) {
  omp_thread& self = this_thread();
  self.in().copyprivate = data;
  self.in().barrier(self);
}

namespace {

word_lock unnamed_critical;
word_lock all_atomics;

/// The lock of a named critical section: the first four bytes of its zeroed pointer.
word_lock& lock_in(void** word) noexcept { return *reinterpret_cast<word_lock*>(word); }

}  // namespace

CALLISTO_OPENMP_ABI void GOMP_critical_start() { unnamed_critical.lock(); }
CALLISTO_OPENMP_ABI void GOMP_critical_end() { unnamed_critical.unlock(); }
CALLISTO_OPENMP_ABI void GOMP_critical_name_start(void** name) { lock_in(name).lock(); }
CALLISTO_OPENMP_ABI void GOMP_critical_name_end(void** name) { lock_in(name).unlock(); }
CALLISTO_OPENMP_ABI void GOMP_atomic_start() { all_atomics.lock(); }
CALLISTO_OPENMP_ABI void GOMP_atomic_end() { all_atomics.unlock(); }

namespace {

constexpr int a_share = 2 | 4;  // a loop, sections; 1 is the region
constexpr int a_taskgroup = 8;

}  // namespace

bool is_cancelled(const omp_thread& self, int which) noexcept {
  const team& t = self.in();
  // relaxed: the flag only saves work. The construct's barrier orders what the threads did.
  if ((which & a_share) != 0) return t.share_cancelled.load(order::relaxed) != 0;
  // A cancelled region ends its explicit tasks, too.
  return (which == a_taskgroup && is_taskgroup_cancelled(self)) || t.cancelled();
}

bool cancel(omp_thread& self, int which) noexcept {
  if (!icvs().cancellation) return false;
  team& t = self.in();
  if ((which & a_share) != 0) {
    if (t.before.in != nullptr) t.share_cancelled.store(1, order::relaxed);  // relaxed: as above
  } else if (which == a_taskgroup) {
    cancel_taskgroup(self);
  } else {
    t.cancel();
  }
  return true;
}

CALLISTO_OPENMP_ABI bool GOMP_cancellation_point(int which) {
  return icvs().cancellation && is_cancelled(this_thread(), which);
}

CALLISTO_OPENMP_ABI bool GOMP_cancel(int which, bool wanted) {
  if (!icvs().cancellation) return false;
  omp_thread& self = this_thread();
  return wanted ? cancel(self, which) : is_cancelled(self, which);
}

}  // namespace callisto::openmp
