// The kernel's reports about threads, and the sleeps.
#include <callisto/workers/activations/descheduled_peer_wait.hpp>

#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/timed_park.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::workers {
namespace {

using machine::order;

constexpr std::uint64_t sleep_ns = 2'000'000;
constexpr int most_sleeps = 5;  // in one wait: about two slices that the kernel gives other processes

/// Other processes compete for the processors if a thread waits for one for more than 1/20 of the time. A process of
/// one thread beside it costs it a half, a nice one a tenth, the kernel's own threads less than a hundredth.
constexpr std::uint64_t crowded_part = 20;
/// Nanoseconds between two looks, at least; a shorter time would count too little.
constexpr std::uint64_t least_between_looks = 50'000'000;

std::uint64_t nanoseconds_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// A text file of the kernel's about a thread of this process. Async-signal-safe.
class thread_file {
 public:
  thread_file(pid_t thread, std::string_view name) noexcept {
    std::array<char, 64> path{};
    char* end = append(path.data(), "/proc/self/task/");
    end = std::to_chars(end, path.data() + path.size(), thread).ptr;
    append(end, name);
    const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t got = read(file, text_.data(), text_.size());
    bytes_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    close(file);
  }

  /// Returns the number that stands behind `after` and `before` other numbers; nullopt: there is none.
  std::optional<std::uint64_t> number(std::string_view after, unsigned before = 0) const noexcept {
    const std::string_view all(text_.data(), bytes_);
    std::size_t at = all.find(after);
    if (at == std::string_view::npos) return std::nullopt;
    at += after.size();
    for (;; --before) {
      at = all.find_first_not_of(" \t", at);
      std::uint64_t value = 0;
      if (at == std::string_view::npos) return std::nullopt;
      const auto [end, failed] = std::from_chars(all.data() + at, all.data() + all.size(), value);
      if (failed != std::errc{}) return std::nullopt;
      if (before == 0) return value;
      at = static_cast<std::size_t>(end - all.data());
    }
  }

 private:
  static char* append(char* to, std::string_view what) noexcept { return std::copy(what.begin(), what.end(), to); }

  std::array<char, 4096> text_;
  std::size_t bytes_ = 0;
};

/// Returns how long in all the thread could have run but had no processor, in nanoseconds (the kernel's
/// Documentation/scheduler/sched-stats.rst); 0: unknown.
std::uint64_t waited_for_processor(pid_t thread) noexcept {
  return thread_file(thread, "/schedstat").number("", 1).value_or(0);
}

/// True if the thread has no processor now: it has left one as often as it got one. Takes some 10 us.
bool is_off(pid_t thread) noexcept {
  const thread_file status(thread, "/status");
  const auto by_itself = status.number("\nvoluntary_ctxt_switches:");
  const auto by_force = status.number("\nnonvoluntary_ctxt_switches:");
  const auto got = thread_file(thread, "/schedstat").number("", 2);
  return by_itself && by_force && got && *by_itself + *by_force == *got;
}

/// Keeps the calling thread on this context while it lives, if the thread may be there. Not for longer: threads and
/// programs that it starts would inherit it.
class stay_on {
 public:
  explicit stay_on(unsigned context) noexcept
      : there_(sched_getaffinity(0, sizeof before_, &before_) == 0 && context < CPU_SETSIZE &&
               CPU_ISSET(context, &before_) && machine::pin_this_thread(context)) {}
  ~stay_on() {
    if (there_) sched_setaffinity(0, sizeof before_, &before_);
  }
  stay_on(const stay_on&) = delete;
  stay_on& operator=(const stay_on&) = delete;

 private:
  cpu_set_t before_;
  const bool there_;
};

}  // namespace

// All operations on atomics are relaxed here: nothing is handed on, and a thread that sees a hint too late sleeps, or
// spins, for an instant too long.

descheduled_peer_wait::descheduled_peer_wait(unsigned threads, std::vector<unsigned> contexts)
    : threads_(threads), contexts_(std::move(contexts)), each_(new known[threads]) {}

void descheduled_peer_wait::adopt(unsigned thread) noexcept { each_[thread].thread.store(gettid(), order::relaxed); }

bool descheduled_peer_wait::look() noexcept {
  const std::uint64_t now = nanoseconds_now();
  const std::uint64_t elapsed = now - looked_at_;
  if (elapsed < least_between_looks) return false;
  looked_at_ = now;
  bool is = false;
  for (unsigned n = 0; n < threads_; ++n) {
    known& k = each_[n];
    const bool is_here = k.is.load(order::relaxed) != absent;
    const std::uint64_t waited = is_here ? waited_for_processor(k.thread.load(order::relaxed)) : 0;
    // A thread that was absent at the last look counts from now on.
    const std::uint64_t before = std::exchange(k.waited, waited);
    is = is || (before != 0 && waited > before && waited - before > elapsed / crowded_part);
  }
  return !crowded_.exchange(is, order::relaxed) && is;
}

void descheduled_peer_wait::end_waits() noexcept {
  if (asleep_.load(order::relaxed) == 0) return;
  // The woken threads want their processors from now on, and may be waited for.
  for (unsigned n = 0; n < threads_; ++n) {
    state found = sleeping;
    while (found == sleeping && !each_[n].is.compare_exchange(found, present, order::relaxed)) {
    }
  }
  times_back_.fetch_add(1, order::relaxed);
  native::unpark(times_back_, threads_);
}

void descheduled_peer_wait::go_to(unsigned context) noexcept {
  unsigned here = 0;
  // Asks the kernel itself: under a carried identity the C library reads what the kernel keeps for another thread
  // (machine/fibers/thread_identity.hpp).
  if (syscall(SYS_getcpu, &here, nullptr, nullptr) != 0 || here == contexts_[context]) return;
  const stay_on there(contexts_[context]);
}

bool descheduled_peer_wait::wait(unsigned thread, unsigned context) noexcept {
  const std::uint64_t seen = times_back_.load(order::relaxed);
  if (!another_is_off(thread)) return false;
  // No thread waits for one that sleeps: it could not go on if it had its processor.
  each_[thread].is.store(sleeping, order::relaxed);
  asleep_.fetch_add(1, order::relaxed);
  {
    // Without this the kernel may wake it on the processor of the thread that wakes it.
    std::optional<stay_on> here;
    if (context != pinned) here.emplace(contexts_[context]);
    for (int n = 0; n < most_sleeps; ++n) {
      const bool timed_out = machine::park_for(times_back_, static_cast<std::uint32_t>(seen), sleep_ns);
      if (!timed_out || !another_is_off(thread)) break;
    }
  }
  asleep_.fetch_sub(1, order::relaxed);
  each_[thread].is.store(present, order::relaxed);
  end_waits();
  return true;
}

bool descheduled_peer_wait::another_is_off(unsigned thread) const noexcept {
  for (unsigned n = 0; n < threads_; ++n) {
    const known& other = each_[n];
    if (n == thread || other.is.load(order::relaxed) != present) continue;
    if (is_off(other.thread.load(order::relaxed))) return true;
  }
  return false;
}

}  // namespace callisto::workers
