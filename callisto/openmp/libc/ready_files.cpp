// Waiting for ready files: the C library's poll, select and epoll_wait, for programs that do not know of timer ticks.
//
// With a signal mask (ppoll, pselect, epoll_pwait) they end at a tick as at any signal. A program that admits a signal
// only there waits for it, and must not miss it if a tick comes at the same time.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/libc/restarted_calls.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <optional>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::openmp {
namespace {

/// The end of a wait; without a time, there is none.
class deadline {
 public:
  explicit deadline(const timespec* time) {
    if (time == nullptr || (time->tv_sec == 0 && time->tv_nsec == 0)) {
      left_ = time != nullptr ? std::optional(*time) : std::nullopt;
      return;
    }
    left_ = *time;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    constexpr time_t for_ever = 100'000'000'000;  // keeps the sum representable
    end_ = sum(now, {std::min(time->tv_sec, for_ever), time->tv_nsec});
  }

  /// Returns the remaining time, for a system call; null: unlimited.
  timespec* left() noexcept {
    if (end_ && !std::exchange(first_, false)) {
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      left_ = rest(*end_, now);
    }
    return left_ ? &*left_ : nullptr;
  }

 private:
  std::optional<timespec> end_;
  std::optional<timespec> left_;
  bool first_ = true;
};

/// SYS_epoll_pwait2, which has the same number on all processors. Headers older than Linux 5.11 do not name it.
constexpr long epoll_pwait2_number = 441;

std::optional<timespec> of_milliseconds(int time) noexcept {
  if (time < 0) return std::nullopt;
  return timespec{time / 1'000, static_cast<long>(time % 1'000) * 1'000'000};
}

int wait_for(int count, fd_set* in, fd_set* out, fd_set* special, deadline& until, const sigset_t* mask) {
  const struct {
    const sigset_t* mask;
    std::size_t bytes;
  } signals{mask, _NSIG / 8};
  return static_cast<int>(restarted_call(
      [&] { return syscall(SYS_pselect6, count, in, out, special, until.left(), &signals); }, mask != nullptr));
}

/// Waits for events; look(0) returns how many there are now. It does not use the kernel's own epoll wait, which also
/// ends at a signal that is withdrawn before its handler runs. A tick is withdrawn if its timer is set again at that
/// moment, and then no handler counts it.
template <class Look>
int wait_for_events(int set, const timespec* time, Look look) {
  deadline until(time);
  for (;;) {
    const int found = look(0);
    if (found != 0 || (time != nullptr && time->tv_sec == 0 && time->tv_nsec == 0)) return found;
    pollfd file{set, POLLIN, 0};
    const auto changed = restarted_call(
        [&] { return syscall(SYS_ppoll, &file, nfds_t{1}, until.left(), nullptr, std::size_t{_NSIG / 8}); });
    if (changed <= 0) return static_cast<int>(changed);
  }
}

const timespec* pointer(const std::optional<timespec>& time) noexcept { return time ? &*time : nullptr; }

}  // namespace

CALLISTO_OPENMP_ABI int ppoll(pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask) {
  deadline until(time);
  return static_cast<int>(restarted_call(
      [&] { return syscall(SYS_ppoll, files, count, until.left(), mask, std::size_t{_NSIG / 8}); }, mask != nullptr));
}

CALLISTO_OPENMP_ABI int poll(pollfd* files, nfds_t count, int time) {
  const auto limit = of_milliseconds(time);
  return ppoll(files, count, pointer(limit), nullptr);
}

// The forms of code compiled with _FORTIFY_SOURCE.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): their names
CALLISTO_OPENMP_ABI int __ppoll_chk(pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask,
                                    std::size_t room) {
  if (room / sizeof *files < count) __chk_fail();
  return ppoll(files, count, time, mask);
}

CALLISTO_OPENMP_ABI int __poll_chk(pollfd* files, nfds_t count, int time, std::size_t room) {
  if (room / sizeof *files < count) __chk_fail();
  return poll(files, count, time);
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

CALLISTO_OPENMP_ABI int pselect(int count, fd_set* in, fd_set* out, fd_set* special, const timespec* time,
                                const sigset_t* mask) {
  deadline until(time);
  return wait_for(count, in, out, special, until, mask);
}

CALLISTO_OPENMP_ABI int select(int count, fd_set* in, fd_set* out, fd_set* special, timeval* time) {
  if (time != nullptr && (time->tv_sec < 0 || time->tv_usec < 0)) {
    errno = EINVAL;
    return -1;
  }
  // As in the C library, more than a second of microseconds is valid.
  std::optional<timespec> limit;
  if (time != nullptr)
    limit = timespec{time->tv_sec + time->tv_usec / 1'000'000, static_cast<long>(time->tv_usec % 1'000'000) * 1'000};
  deadline until(pointer(limit));
  const int result = wait_for(count, in, out, special, until, nullptr);
  if (time != nullptr) {
    // Linux returns the remaining time.
    const timespec* const left = until.left();
    *time = {left->tv_sec, left->tv_nsec / 1'000};
  }
  return result;
}

CALLISTO_OPENMP_ABI int epoll_pwait(int set, epoll_event* events, int most, int time, const sigset_t* mask) {
  const auto look = [&](int milliseconds) {
    return static_cast<int>(restarted_call(
        [&] { return syscall(SYS_epoll_pwait, set, events, most, milliseconds, mask, std::size_t{_NSIG / 8}); },
        mask != nullptr));
  };
  if (mask != nullptr) return look(time);
  const auto limit = of_milliseconds(time);
  return wait_for_events(set, pointer(limit), look);
}

CALLISTO_OPENMP_ABI int epoll_pwait2(int set, epoll_event* events, int most, const timespec* time,
                                     const sigset_t* mask) {
  if (mask == nullptr &&
      (time == nullptr || (time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < nanoseconds_per_second)))
    return wait_for_events(set, time, [&](int) { return epoll_pwait(set, events, most, 0, nullptr); });
  return static_cast<int>(
      cancellable([&] { return syscall(epoll_pwait2_number, set, events, most, time, mask, std::size_t{_NSIG / 8}); }));
}

CALLISTO_OPENMP_ABI int epoll_wait(int set, epoll_event* events, int most, int time) {
  return epoll_pwait(set, events, most, time, nullptr);
}

}  // namespace callisto::openmp
