// The constructs barrier, single, critical, atomic and cancel.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/locks/word_lock.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/worksharing/synchronization.hpp>

namespace callisto::openmp {

CALLISTO_OPENMP_ABI void GOMP_barrier() {
  omp_thread& self = this_thread();
  const auto meet = [&self] { self.in().barrier(self, tool::sync_kind::explicit_barrier); };
  CALLISTO_IF_TOLD(self, meet);
  meet();
}

CALLISTO_OPENMP_ABI bool GOMP_barrier_cancel() {
  omp_thread& self = this_thread();
  CALLISTO_ENTERED(self);
  return self.in().barrier_cancellable(self, tool::sync_kind::explicit_barrier);
}

namespace {

/// Tells a tool of a single construct as begun and ended: GCC's compiled code tells no end.
bool told(omp_thread& self, bool runs) noexcept {
  if (!tool::watched()) [[likely]]
    return runs;
  const auto kind = runs ? tool::work_kind::single_executor : tool::work_kind::single_other;
  tool::works(self, kind, tool::endpoint::begin, 1);
  tool::works(self, kind, tool::endpoint::end, 1);
  return runs;
}

}  // namespace

CALLISTO_OPENMP_ABI bool GOMP_single_start() {
  omp_thread& self = this_thread();
  CALLISTO_CALLED(self);
  return told(self, begin_single(self));
}

/// Returns null if the caller runs the construct; it then calls GOMP_single_copy_end() with the data that this function
/// returns to the other threads.
CALLISTO_OPENMP_ABI void* GOMP_single_copy_start() {
  omp_thread& self = this_thread();
  CALLISTO_CALLED(self);
  if (told(self, begin_single(self))) return nullptr;
  self.in().barrier(self, tool::sync_kind::barrier_of_library);
  return self.in().copyprivate;
}

CALLISTO_OPENMP_ABI void GOMP_single_copy_end(void* data) {
  omp_thread& self = this_thread();
  self.in().copyprivate = data;
  self.in().barrier(self, tool::sync_kind::barrier_of_library);
}

namespace {

word_lock unnamed_critical;
word_lock all_atomics;

/// The lock of a named critical section: the first four bytes of its zeroed pointer.
word_lock& lock_in(void** word) noexcept { return *reinterpret_cast<word_lock*>(word); }

}  // namespace

#define CALLISTO_TAKE(kind, lock_of) \
  tool::taking(tool::mutex_kind::kind, &(lock_of), CALLISTO_CALLER, [=] { (lock_of).lock(); })
#define CALLISTO_GIVE(kind, lock_of) \
  tool::giving(tool::mutex_kind::kind, &(lock_of), CALLISTO_CALLER, [=] { (lock_of).unlock(); })
CALLISTO_OPENMP_ABI void GOMP_critical_start() { CALLISTO_TAKE(critical, unnamed_critical); }
CALLISTO_OPENMP_ABI void GOMP_critical_end() { CALLISTO_GIVE(critical, unnamed_critical); }
CALLISTO_OPENMP_ABI void GOMP_critical_name_start(void** name) { CALLISTO_TAKE(critical, lock_in(name)); }
CALLISTO_OPENMP_ABI void GOMP_critical_name_end(void** name) { CALLISTO_GIVE(critical, lock_in(name)); }
CALLISTO_OPENMP_ABI void GOMP_atomic_start() { CALLISTO_TAKE(atomic, all_atomics); }
CALLISTO_OPENMP_ABI void GOMP_atomic_end() { CALLISTO_GIVE(atomic, all_atomics); }

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

void tell_of_cancel(omp_thread& self, int which, bool activated) noexcept {
  // The tool's numbers: loops and sections are the other way round.
  const unsigned kind = which == 2 ? 4 : which == 4 ? 2 : static_cast<unsigned>(which);
  tool::cancels(self, kind | (activated ? 0x10 : 0x20));
}

bool cancel(omp_thread& self, int which) noexcept {
  if (!icvs().cancellation) return false;
  team& t = self.in();
  if (tool::watched()) [[unlikely]]
    tell_of_cancel(self, which, true);
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
