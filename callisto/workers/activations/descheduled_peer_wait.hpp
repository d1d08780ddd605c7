// Waiting for a descheduled peer: where other processes compete for the processors, a thread that waits for a thread of
// the same process which the kernel has taken off its processor sleeps until that thread is back.
//
// Beside programs that compute, and are no Callisto jobs, the kernel gives each thread its share of a processor. A
// thread that spends its share on watching a flag, while the thread that would set the flag is off its processor, lacks
// that time when the other thread is back. Then the two have their processors at different times, and get on only while
// both happen to have one. A thread that sleeps instead keeps its share, and runs when the other thread does.
//
// A thread is off its processor if the kernel has taken processors from it as often as it has given it one. The
// thread's clock of processor time would tell as well. But a look at that of a running thread makes the kernel see
// whether the thread's slice is over, and end it before its own next tick: a watched thread would lose its processor
// early.
//
// No wait depends on this: the sleeps end by time. So all that threads know of each other here are hints.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include <sys/types.h>

namespace callisto::workers {

/// The threads of one set of workers, by number.
class CALLISTO_API descheduled_peer_wait {
 public:
  /// `contexts`: the system's numbers of the workers' contexts.
  descheduled_peer_wait(unsigned threads, std::vector<unsigned> contexts);
  descheduled_peer_wait(const descheduled_peer_wait&) = delete;
  descheduled_peer_wait& operator=(const descheduled_peer_wait&) = delete;

  /// Notes the calling thread as number `thread`, before it is present for the first time.
  void adopt(unsigned thread) noexcept;

  /// Says that the calling thread has something to do from now on, or has nothing.
  void set_present(unsigned thread, bool is) noexcept {
    each_[thread].is.store(is ? present : absent, machine::order::relaxed);  // relaxed: a hint
  }

  /// Finds out whether other processes compete for the processors. Called now and then by one thread. True if they have
  /// done so since the last look, and did not before. Takes some microseconds for each thread that is present.
  bool look() noexcept;
  /// True if the last look() found competition.
  bool crowded() const noexcept { return crowded_.load(machine::order::relaxed); }  // relaxed: a hint

  // In a handler on a thread of the set:

  /// The thread has its processor: ends the sleeps of the other threads.
  void end_waits() noexcept;
  /// Moves the calling thread, which is pinned nowhere, to this one of the contexts, if the kernel has put it
  /// elsewhere: another thread of the set may be there. Takes at least a system call.
  void go_to(unsigned context) noexcept;
  /// Called by a thread that waits. Sleeps while another thread that is present has no processor, for 10 ms at most.
  /// Unless `context` is `pinned`, the thread wakes up on that one of the contexts. False: all threads that are present
  /// have processors. Takes some 10 us for each thread that is present.
  bool wait(unsigned thread, unsigned context) noexcept;
  static constexpr unsigned pinned = ~0U;

 private:
  using native = machine::native;

  enum state : std::uint8_t { absent, present, sleeping };
  struct alignas(native::line_size) known {
    native::atomic<state> is{absent};
    native::atomic<pid_t> thread{0};  ///< as the kernel numbers it
    std::uint64_t waited = 0;         ///< for a processor, in nanoseconds, as look() last saw it
  };

  bool another_is_off(unsigned thread) const noexcept;

  const unsigned threads_;
  const std::vector<unsigned> contexts_;
  std::unique_ptr<known[]> each_;
  native::atomic<std::uint64_t> times_back_{0};  ///< counts end_waits(); sleeping threads are parked on it
  native::atomic<unsigned> asleep_{0};
  native::atomic<bool> crowded_{false};
  std::uint64_t looked_at_ = 0;  ///< when look() was called last, in nanoseconds
};

}  // namespace callisto::workers
