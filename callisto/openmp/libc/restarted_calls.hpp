// System calls that go on when a tick has interrupted them.
//
// A tick (workers/preemption/runaway_timer.hpp) is a signal, and some calls end early at every signal that is handled,
// whatever SA_RESTART says (signal(7)): with EINTR, or with a part of what they were to do. The programs' own signals
// are to end them as ever; ticks are not to be seen.
#pragma once

#include <callisto/workers/preemption/runaway_timer.hpp>

#include <cerrno>
#include <cstddef>
#include <ctime>

#include <pthread.h>
#include <sys/types.h>

/// The C library's, for its functions' forms of what is compiled with _FORTIFY_SOURCE.
extern "C" [[noreturn]] void __chk_fail();  // NOLINT(bugprone-reserved-identifier, readability-identifier-naming)

namespace callisto::openmp {

/// Returns what call() does. A cancellation point, where it waits.
template <class Call>
auto cancellable(Call call) {
  int before = 0;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  const auto result = call();
  pthread_setcanceltype(before, nullptr);
  return result;
}

/// Returns what call() does, which returns as syscall() does, with errno. Again while a tick ends it, unless it
/// `ends_at_ticks`. A cancellation point. Preemptible at any instruction, as the caller is.
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

/// What a call has done of the bytes that it was to do; less than 0: nothing, with errno.
struct partly {
  ssize_t done;
  std::size_t wanted;
};

/// Likewise for a call that may do a part of its `bytes`: call(done) goes on, with all the others or some, where so
/// many are done. Only where a tick has ended it: else a part is what the program gets.
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

/// a - b, or 0.
inline timespec rest(const timespec& a, const timespec& b) noexcept {
  if (a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec <= b.tv_nsec)) return {0, 0};
  const bool borrow = a.tv_nsec < b.tv_nsec;
  return {a.tv_sec - b.tv_sec - (borrow ? 1 : 0), a.tv_nsec - b.tv_nsec + (borrow ? nanoseconds_per_second : 0)};
}

}  // namespace callisto::openmp
