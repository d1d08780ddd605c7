// Naps: where others compete for the processors, a thread that waits for one of its own process which the kernel has
// taken off its processor sleeps until that one is back.
//
// Beside programs that compute, and are no Callisto jobs, the kernel gives each thread its share of a processor. What a
// thread spends of it on watching a flag that nobody can set meanwhile, it lacks when the other one is back: then the
// two have their processors at different times, and get on only while both happen to have one. Who sleeps instead keeps
// his share, and runs when the other does.
//
// Who has a processor is found by how often the kernel has given it one, and has taken it. Not by the thread's clock of
// processor time: a look at that of a thread that runs makes the kernel see whether its slice is over, which ends it
// before the kernel's own next tick, so that a thread that is watched loses the processor early. Nothing depends on
// naps, which end by time, so all that threads know of each other here are hints.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include <sys/types.h>

namespace callisto::workers {

/// One for all threads of a set of workers, by number.
class CALLISTO_API descheduled_peer_wait {
 public:
  /// `contexts`: the system's numbers of the workers' contexts.
  descheduled_peer_wait(unsigned threads, std::vector<unsigned> contexts);
  descheduled_peer_wait(const descheduled_peer_wait&) = delete;
  descheduled_peer_wait& operator=(const descheduled_peer_wait&) = delete;

  /// On the thread, before it is present for the first time.
  void adopt(unsigned thread) noexcept;

  /// The thread has something to do from now on, or has nothing. By the thread.
  void set_present(unsigned thread, bool is) noexcept {
    each_[thread].is.store(is ? present : absent, machine::order::relaxed);  // relaxed: a hint
  }

  /// Now and then, by one thread: finds out whether others compete for the processors. True: they do since the last
  /// time. Some microseconds for each thread that is present.
  bool look() noexcept;
  /// What the last look() found.
  bool crowded() const noexcept { return crowded_.load(machine::order::relaxed); }  // relaxed: a hint

  // In a handler on a thread:

  /// It has its processor: who naps goes on.
  void end_waits() noexcept;
  /// It is pinned nowhere, and belongs on this one of the contexts: goes there if the kernel has put it elsewhere,
  /// maybe where another thread of the set is. A system call at least.
  void go_to(unsigned context) noexcept;
  /// It waits for something. Sleeps while another one that is present has no processor, for ten milliseconds at most.
  /// Unless it is `pinned`, it is woken on this one of the contexts. False: nobody was without. Some ten microseconds
  /// for each that is present.
  bool wait(unsigned thread, unsigned context) noexcept;
  static constexpr unsigned pinned = ~0U;

 private:
  using native = machine::native;

  enum state : std::uint8_t { absent, present, waiting };
  struct alignas(native::line_size) known {
    native::atomic<state> is{absent};
    native::atomic<pid_t> thread{0};  ///< as the kernel numbers it
    std::uint64_t waited = 0;         ///< of who looks: for a processor, in nanoseconds, as last seen
  };

  bool another_is_off(unsigned thread) const noexcept;

  const unsigned threads_;
  const std::vector<unsigned> contexts_;
  std::unique_ptr<known[]> each_;
  native::atomic<std::uint64_t> times_back_{0};  ///< who naps sleeps on it
  native::atomic<unsigned> asleep_{0};
  native::atomic<bool> crowded_{false};
  // Of who looks:
  std::uint64_t looked_at_ = 0;
};

}  // namespace callisto::workers
