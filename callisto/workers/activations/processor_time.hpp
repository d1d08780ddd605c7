// The processor time of an activation: the sum of its turns, wherever it had them. The kernel counts for threads, on
// which activations take turns. Nothing is counted before the first question in the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::workers {

/// The processor time of one activation. For the thread that runs it.
class processor_time {
 public:
  /// Returns the calling thread's own processor time, in nanoseconds. A system call.
  static std::uint64_t of_thread() noexcept {
    timespec now{};
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);  // not openmp/libc/clocks.cpp
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  }
  /// True once the process has asked. relaxed, all: turns are counted from some moment on.
  static bool is_counted() noexcept { return counted.load(std::memory_order_relaxed); }
  static void count() noexcept { counted.store(true, std::memory_order_relaxed); }

  /// On the thread that the turn is on, before it and after it.
  void begin_turn() noexcept { begun_ = is_counted() ? of_thread() : unknown; }
  void end_turn() noexcept {
    if (begun_ != unknown) spent_ += of_thread() - begun_;
  }

  /// Returns the time so far, in its own turn, of which the thread must not change. The first time that it asks, the
  /// activation has spent what its thread has.
  std::uint64_t so_far() noexcept {
    const std::uint64_t now = of_thread();
    if (begun_ == unknown) {
      count();
      begun_ = now;
      if (spent_ == 0) spent_ = now;
    }
    return spent_ + now - begun_;
  }

 private:
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  static inline std::atomic<bool> counted{false};

  std::uint64_t spent_ = 0;
  std::uint64_t begun_ = unknown;
};

}  // namespace callisto::workers
