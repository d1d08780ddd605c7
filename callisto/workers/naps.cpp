// What the kernel says about threads, and sleep.
#include <callisto/workers/naps.hpp>

#include <callisto/machine/placement.hpp>
#include <callisto/machine/timed_park.hpp>

#include <optional>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::workers {
namespace {

using machine::native;
using machine::order;

constexpr std::uint64_t nap_ns = 2'000'000;
constexpr int most_naps = 5;  // in one: about two slices that the kernel gives others

/// So often in a second the kernel takes threads of the process off their processors where others want these: whoever
/// shares one loses it at the end of each slice of some milliseconds, 250 times a second with two such. Else it is the
/// kernel's own threads, and this process's that look out: 20 to 90 times.
constexpr std::uint64_t crowded_per_second = 100;
/// Looks are so far apart, at least, in nanoseconds, else they count too little.
constexpr std::uint64_t least_between_looks = 50'000'000;

/// 0: there is no such clock.
std::uint64_t nanoseconds_by(clockid_t clock) noexcept {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// While it lives, the calling thread is on this context, if it may be. Not for good: threads and programs that it
/// starts would be there, too.
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

// All operations on atomics are relaxed here: nothing is handed on, and who sees something too late naps in vain, or
// does not, for an instant.

naps::naps(unsigned threads, std::vector<unsigned> contexts)
    : threads_(threads), contexts_(std::move(contexts)), each_(new known[threads]) {}

void naps::adopt(unsigned thread) noexcept {
  clockid_t clock = 0;
  if (pthread_getcpuclockid(pthread_self(), &clock) != 0) clock = 0;
  each_[thread].clock.store(clock, order::relaxed);
}

bool naps::look() noexcept {
  const std::uint64_t now = nanoseconds_by(CLOCK_MONOTONIC);
  const std::uint64_t elapsed = now - looked_at_;
  rusage used{};
  if (elapsed < least_between_looks || getrusage(RUSAGE_SELF, &used) != 0) return false;
  const auto taken_off = static_cast<std::uint64_t>(used.ru_nivcsw - std::exchange(taken_off_, used.ru_nivcsw));
  looked_at_ = now;
  const bool is = taken_off * 1'000'000'000 > crowded_per_second * elapsed;
  return !crowded_.exchange(is, order::relaxed) && is;
}

void naps::is_back() noexcept {
  if (asleep_.load(order::relaxed) == 0) return;
  // They want their processors from now on, and may be waited for.
  for (unsigned n = 0; n < threads_; ++n) {
    state found = napping;
    while (found == napping && !each_[n].is.compare_exchange(found, present, order::relaxed)) {
    }
  }
  times_back_.fetch_add(1, order::relaxed);
  native::unpark(times_back_, threads_);
}

void naps::go_to(unsigned context) noexcept {
  unsigned here = 0;
  // The kernel's own word: the C library reads what the kernel keeps for another thread (machine/thread_identity.hpp).
  if (syscall(SYS_getcpu, &here, nullptr, nullptr) != 0 || here == contexts_[context]) return;
  const stay_on there(contexts_[context]);
}

bool naps::nap(unsigned thread, unsigned context) noexcept {
  const std::uint64_t seen = times_back_.load(order::relaxed);
  if (!another_is_off(thread)) return false;
  // Who naps is not waited for: he could not go on if he were there.
  each_[thread].is.store(napping, order::relaxed);
  asleep_.fetch_add(1, order::relaxed);
  {
    // Else the kernel may wake it where whoever wakes it runs.
    std::optional<stay_on> here;
    if (context != pinned) here.emplace(contexts_[context]);
    for (int n = 0; n < most_naps; ++n) {
      const bool in_vain = machine::park_for(times_back_, static_cast<std::uint32_t>(seen), nap_ns);
      if (!in_vain || !another_is_off(thread)) break;
    }
  }
  asleep_.fetch_sub(1, order::relaxed);
  each_[thread].is.store(present, order::relaxed);
  is_back();
  return true;
}

bool naps::another_is_off(unsigned thread) const noexcept {
  for (unsigned n = 0; n < threads_; ++n) {
    const known& other = each_[n];
    if (n == thread || other.is.load(order::relaxed) != present) continue;
    const clockid_t clock = other.clock.load(order::relaxed);
    if (clock == 0) continue;
    const std::uint64_t used = nanoseconds_by(clock);
    if (used != 0 && used == nanoseconds_by(clock)) return true;
  }
  return false;
}

}  // namespace callisto::workers
