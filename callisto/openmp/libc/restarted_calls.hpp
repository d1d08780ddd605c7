// System calls that continue when a timer tick interrupts them.
//
// A tick (workers/preemption/runaway_timer.hpp) is a signal. Some calls end early at every handled signal, whatever
// SA_RESTART says (signal(7)): with EINTR, or with a part of their work done. The program's own signals still end these
// calls; ticks must stay invisible.
#pragma once

#include <callisto/workers/preemption/runaway_timer.hpp>

#include <cerrno>
#include <cstddef>
#include <ctime>

#include <pthread.h>
#include <sys/types.h>

/// The C library's, called by the forms that _FORTIFY_SOURCE uses.
extern "C" [[noreturn]] void __chk_fail();  // NOLINT(bugprone-reserved-identifier, readability-identifier-naming)

namespace callisto::openmp {

/// Returns call()'s result. A cancellation point while it waits.
template <class Call>
auto cancellable(Call call) {
  int before = 0;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  const auto result = call();
  pthread_setcanceltype(before, nullptr);
  return result;
}

/// Returns the result of call(), which behaves like syscall(), errno included. Repeats it while ticks end it, unless it
/// `ends_at_ticks`. A cancellation point. Preemptible at any instruction, like the caller.
template <class Call>
auto restarted_call(Call call, bool ends_at_ticks = false) {
  const int saved = errno;
  for (;;) {
    const unsigned ended = workers::calls_ended_by_ticks();
    const auto result = cancellable(call);
    const bool failed = result < 0;
    if (failed && errno == EINTR && !ends_at_ticks && workers::tick_ended_call(ended, -EINTR)) continue;
    if (!failed) errno = saved;
    return result;
  }
}

/// The bytes that a call has done, and the bytes that it was given. Negative: none, see errno.
struct partly {
  ssize_t done;
  std::size_t wanted;
};

/// Restarts a transfer of `bytes` that may be done in part: call(done) continues after `done` bytes. Continues
/// only if a tick ended the call; else the program gets the part.
template <class Call>
ssize_t restarted_transfer(std::size_t bytes, Call call) {
  const int saved = errno;
  for (std::size_t done = 0;;) {
    const unsigned ended = workers::calls_ended_by_ticks();
    const partly part = cancellable([&] { return call(done); });
    if (part.done < 0 && done == 0) return part.done;
    errno = saved;
    if (part.done > 0) done += static_cast<std::size_t>(part.done);
    const bool goes_on =
        static_cast<std::size_t>(part.done) == part.wanted || workers::tick_ended_call(ended, part.done);
    if (part.done <= 0 || done == bytes || !goes_on) return static_cast<ssize_t>(done);
  }
}

inline constexpr long nanoseconds_per_second = 1'000'000'000;

inline timespec sum(const timespec& a, const timespec& b) noexcept {
  const long nanoseconds = a.tv_nsec + b.tv_nsec;
  return {a.tv_sec + b.tv_sec + nanoseconds / nanoseconds_per_second, nanoseconds % nanoseconds_per_second};
}

/// Returns a - b, at least 0.
inline timespec rest(const timespec& a, const timespec& b) noexcept {
  if (a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec <= b.tv_nsec)) return {0, 0};
  const bool borrow = a.tv_nsec < b.tv_nsec;
  return {a.tv_sec - b.tv_sec - (borrow ? 1 : 0), a.tv_nsec - b.tv_nsec + (borrow ? nanoseconds_per_second : 0)};
}

}  // namespace callisto::openmp
