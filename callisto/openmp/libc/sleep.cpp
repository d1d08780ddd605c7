// Sleeping, waiting for semaphores, and yielding: the C library's functions, for programs that do not know of timer
// ticks. They wait until the time that the caller meant.
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

/// Returns clock_nanosleep's result: 0 or an error number.
int sleep_until(clockid_t clock, const timespec& end) {
  return restarted_call([&] { return syscall(SYS_clock_nanosleep, clock, TIMER_ABSTIME, &end, nullptr); }) == 0 ? 0
                                                                                                                : errno;
}

int sleep_for(clockid_t clock, const timespec& time, timespec* left) {
  if (time.tv_nsec < 0 || time.tv_nsec >= nanoseconds_per_second || time.tv_sec < 0) return EINVAL;
  // A relative sleep is independent of changes of the time of day.
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

/// Number of calls in which a thread yields to members of its region, if there are any, for each yield to the system.
constexpr unsigned yields_to_members = 64;

}  // namespace

// Yields to a member of the region that has no context, which then runs at once: OpenBLAS's threads wait for each other
// in this way. Only if a tick could preempt the caller: the C++ library yields in places where this library itself
// waits. The processor goes to the system only now and then: meanwhile none of these threads advances, and a spinning
// process keeps it for milliseconds.
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
// Their versions on x86-64; since glibc 2.34 they are in libc.so.6.
asm(".symver callisto_sem_timedwait, sem_timedwait@@GLIBC_2.34");
asm(".symver callisto_sem_timedwait, sem_timedwait@GLIBC_2.2.5");
asm(".symver callisto_sem_clockwait, sem_clockwait@@GLIBC_2.34");
asm(".symver callisto_sem_clockwait, sem_clockwait@GLIBC_2.30");

}  // namespace callisto::openmp
