// Clocks of a thread's processor time. The kernel's count what the worker runs, whichever member that is; a member's
// own never go backwards when it changes its worker.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <atomic>
#include <cstdint>
#include <ctime>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::openmp {
namespace {

using clock_function = int (*)(clockid_t, timespec*);
/// Null until the library is loaded. relaxed, both: written before other threads exist.
std::atomic<clock_function> systems_clock{nullptr};
[[gnu::constructor(101)]] void find_clock() {
  systems_clock.store(reinterpret_cast<clock_function>(dlsym(RTLD_NEXT, "clock_gettime")), std::memory_order_relaxed);
}

/// True if it is the calling OpenMP thread's clock of processor time. One has the number of the lender.
bool is_own_time(clockid_t clock) noexcept {
  clockid_t own = 0;
  return clock == CLOCK_THREAD_CPUTIME_ID ||
         (clock < 0 && pthread_getcpuclockid(pthread_self(), &own) == 0 && clock == own);
}

/// Returns the calling OpenMP thread's processor time, in nanoseconds. It keeps its worker meanwhile.
std::uint64_t own_time(const omp_thread& self) noexcept {
  const suspendable::shielded_if shield(self.self);
  return workers::processor_time_here();
}

}  // namespace

CALLISTO_OPENMP_ABI int clock_gettime(clockid_t clock, timespec* time) {
  const omp_thread* self = nullptr;
  if ((clock == CLOCK_THREAD_CPUTIME_ID || clock < 0) && (self = this_thread_or_null) != nullptr &&
      is_own_time(clock)) {
    const std::uint64_t spent = own_time(*self);
    *time = {static_cast<time_t>(spent / 1'000'000'000), static_cast<long>(spent % 1'000'000'000)};
    return 0;
  }
  const clock_function systems = systems_clock.load(std::memory_order_relaxed);
  return systems != nullptr ? systems(clock, time) : static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

CALLISTO_OPENMP_ABI int callisto_getrusage(int of, rusage* used) {
  const long failed = syscall(SYS_getrusage, of, used);
  const omp_thread* const self = calling_member();
  if (failed != 0 || of != RUSAGE_THREAD || self == nullptr) return static_cast<int>(failed);
  const std::uint64_t spent = own_time(*self) / 1'000;
  // The rest is the worker's, and would go backwards.
  const long peak = used->ru_maxrss;
  *used = {};
  used->ru_utime = {static_cast<time_t>(spent / 1'000'000), static_cast<suseconds_t>(spent % 1'000'000)};
  used->ru_maxrss = peak;
  return 0;
}
// Its version on x86-64; the header declares it with another type.
asm(".symver callisto_getrusage, getrusage@@GLIBC_2.2.5");

}  // namespace callisto::openmp
