// Sleeping, waiting for semaphores, and yielding: the C library's functions, as programs call them that do
// not know of ticks. They wait on until the time that the caller meant.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/libc/restarted_calls.hpp>
#include <callisto/openmp/region/omp_thread.hpp>

#include <cerrno>
#include <ctime>

#include <dlfcn.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::openmp {
namespace {

/// Returns what clock_nanosleep does: 0 or an error's number.
int sleep_until(clockid_t clock, const timespec& end) {
  return restarted_call([&] { return syscall(SYS_clock_nanosleep, clock, TIMER_ABSTIME, &end, nullptr); }) == 0 ? 0
                                                                                                                : errno;
}

int sleep_for(clockid_t clock, const timespec& time, timespec* left) {
  if (time.tv_nsec < 0 || time.tv_nsec >= nanoseconds_per_second || time.tv_sec < 0) return EINVAL;
  // A relative sleep is not moved when the time of day is set.
  const clockid_t steady = clock == CLOCK_REALTIME ? CLOCK_MONOTONIC : clock;
  timespec now{};
  if (clock_gettime(steady, &now) != 0) return errno;
  const timespec end = sum(now, time);
  const int error = sleep_until(steady, end);
  if (error == EINTR && left != nullptr) {
    clock_gettime(steady, &now);
    *left = rest(end, now);
  }
  return error;
}

/// So often a thread yields to others of its region, if there are any, for each time that it yields to the system.
constexpr unsigned yields_to_members = 64;

}  // namespace

// Who waits so for another thread of its region (OpenBLAS does) has that run at once, if it is one that has no context.
// Only where a tick could have the caller leave: the C++ library yields, too, where this library waits by its means.
// The processor goes to others of the system only now and then: while they have it, none of these threads gets on, and
// who spins elsewhere does not give it back before milliseconds have passed.
CALLISTO_OPENMP_ABI int sched_yield() {
  omp_thread* const self = this_thread_or_null;
  if (self != nullptr && self->self != nullptr && !self->self->is_shielded() && yield_to_members() &&
      ++self->yields % yields_to_members != 0) {
    return 0;
  }
  return static_cast<int>(syscall(SYS_sched_yield));
}

CALLISTO_OPENMP_ABI int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  const int saved = errno;
  const int error = (flags & TIMER_ABSTIME) != 0 ? sleep_until(clock, *time) : sleep_for(clock, *time, left);
  errno = saved;
  return error;
}

CALLISTO_OPENMP_ABI int nanosleep(const timespec* time, timespec* left) {
  const int saved = errno;
  const int error = sleep_for(CLOCK_REALTIME, *time, left);
  errno = error == 0 ? saved : error;
  return error == 0 ? 0 : -1;
}

CALLISTO_OPENMP_ABI int usleep(useconds_t microseconds) {
  const timespec time{static_cast<time_t>(microseconds / 1'000'000),
                      static_cast<long>(microseconds % 1'000'000) * 1'000};
  return nanosleep(&time, nullptr);
}

CALLISTO_OPENMP_ABI unsigned sleep(unsigned seconds) {
  timespec left{};
  const timespec time{static_cast<time_t>(seconds), 0};
  const int saved = errno;
  if (nanosleep(&time, &left) == 0) return 0;
  errno = saved;
  return static_cast<unsigned>(left.tv_sec) + (left.tv_nsec >= nanoseconds_per_second / 2 ? 1 : 0);
}

CALLISTO_OPENMP_ABI int thrd_sleep(const timespec* time, timespec* left) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
  return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

CALLISTO_OPENMP_ABI int callisto_sem_timedwait(sem_t* semaphore, const timespec* end) {
  static const auto systems = reinterpret_cast<decltype(&::sem_timedwait)>(dlsym(RTLD_NEXT, "sem_timedwait"));
  return restarted_call([&] { return systems(semaphore, end); });
}
CALLISTO_OPENMP_ABI int callisto_sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* end) {
  static const auto systems =
      reinterpret_cast<int (*)(sem_t*, clockid_t, const timespec*)>(dlsym(RTLD_NEXT, "sem_clockwait"));
  return restarted_call([&] { return systems(semaphore, clock, end); });
}
// Their versions on x86-64: since glibc 2.34 they are in libc.so.6.
asm(".symver callisto_sem_timedwait, sem_timedwait@@GLIBC_2.34");
asm(".symver callisto_sem_timedwait, sem_timedwait@GLIBC_2.2.5");
asm(".symver callisto_sem_clockwait, sem_clockwait@@GLIBC_2.34");
asm(".symver callisto_sem_clockwait, sem_clockwait@GLIBC_2.30");

}  // namespace callisto::openmp
