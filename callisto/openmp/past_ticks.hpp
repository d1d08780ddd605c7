// System calls that go on when a tick has interrupted them.
//
// A tick (workers/runaway_timer.hpp) is a signal, and some calls end early at every signal that is handled, whatever
// SA_RESTART says (signal(7)). The programs' own signals are to end them as ever; ticks are not to be seen. A tick and
// another signal at once are taken for a tick.
#pragma once

#include <callisto/workers/runaway_timer.hpp>

#include <cerrno>
#include <ctime>

#include <pthread.h>

namespace callisto::openmp {

/// Returns what call() does, which returns as syscall() does, with errno. Again while a tick ends it, unless it
/// `ends_at_ticks`. A cancellation point, where it waits. Preemptible at any instruction, as the caller is.
template <class Call>
auto past_ticks(Call call, bool ends_at_ticks = false) {
  const int saved = errno;
  for (;;) {
    const unsigned ticks = workers::ticks_taken();
    int before = 0;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    const auto result = call();
    const int error = errno;
    pthread_setcanceltype(before, nullptr);
    const bool failed = result < 0;
    if (failed && error == EINTR && !ends_at_ticks && ticks != workers::ticks_taken()) continue;
    errno = failed ? error : saved;
    return result;
  }
}

inline constexpr long nanoseconds_per_second = 1'000'000'000;

inline timespec sum(const timespec& a, const timespec& b) noexcept {
  const long nanoseconds = a.tv_nsec + b.tv_nsec;
  return {a.tv_sec + b.tv_sec + nanoseconds / nanoseconds_per_second, nanoseconds % nanoseconds_per_second};
}

/// a - b, or 0.
inline timespec rest(const timespec& a, const timespec& b) noexcept {
  if (a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec <= b.tv_nsec)) return {0, 0};
  const bool borrow = a.tv_nsec < b.tv_nsec;
  return {a.tv_sec - b.tv_sec - (borrow ? 1 : 0), a.tv_nsec - b.tv_nsec + (borrow ? nanoseconds_per_second : 0)};
}

}  // namespace callisto::openmp
