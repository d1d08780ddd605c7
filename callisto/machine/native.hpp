// The native machine: the policy on the hardware and the operating system at hand.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/host/floating_environment.hpp>
#include <callisto/machine/policy.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace callisto::machine {

/// The machine policy of real hardware. Stateless; any thread may call every member.
struct native {
  template <class T>
  class atomic;
  template <class T>
  using plain = T;
  class thread_environment;

  /// Two lines: x86 fetches lines in pairs, and several Arm cores have lines of 128 bytes.
  static constexpr std::size_t line_size = 128;

  static std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t t;
    asm volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::uint64_t(t.tv_sec) * 1'000'000'000u + std::uint64_t(t.tv_nsec);
#endif
  }

  /// Returns the rate of ticks(), measured once; the first call takes about 0.1 ms.
  CALLISTO_API static std::uint64_t ticks_per_second() noexcept;

  /// Does what the other members do at their first call. Called before a thread is started that could be in such a
  /// first call while another thread forks: the child would wait for it for ever.
  CALLISTO_API static void prepare() noexcept;

  /// Returns the instruction that lasting waits use here: "umwait", "mwaitx", "pause", "isb" or "none".
  CALLISTO_API static const char* wait_instruction() noexcept;

  /// Returns memory for what does not fit a loop leader's stack, aligned to lines; never null, may throw
  /// std::bad_alloc. A thread gets back what it gave, so consecutive loops allocate nothing.
  [[nodiscard]] CALLISTO_API static std::byte* take_room(std::size_t bytes);
  CALLISTO_API static void give_room(std::byte* room) noexcept;

  /// Limits the compiler only: the light one of the asymmetric fences (policy.hpp).
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
  /// Interrupts every processor that runs another thread of the process. Only if has_heavy_fence(). Takes 0.6 us if no
  /// other thread runs, else about 5 us.
  CALLISTO_API static void heavy_fence() noexcept;
  /// True if the kernel has membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED), Linux 4.14, and lets the process use it. The
  /// first call registers the process, which takes milliseconds if it has other threads.
  CALLISTO_API static bool has_heavy_fence() noexcept;

  /// Returns the most threads that a loop of the calling thread may have; 0: any number.
  CALLISTO_API static std::uint32_t most_threads() noexcept;
  CALLISTO_API static void set_most_threads(std::uint32_t most) noexcept;
  /// Returns what the calling thread works for: the task around its present code, or around the loop that it runs;
  /// null: none.
  CALLISTO_API static const void* works_for() noexcept;
  CALLISTO_API static void set_works_for(const void* task) noexcept;

  /// Pauses in one turn of a spin loop.
  static void relax() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");  // `yield` is a no-op on most Arm cores; isb gives the pipeline away
#endif
  }

  template <class T, class Keep>
  static T wait_while(const atomic<T>& word, Keep keep, patience grade) noexcept;

  /// Counts the ticks for which the calling thread has spun in vain: what it waited for did not come. Any thread.
  CALLISTO_API static void spun_in_vain(std::uint64_t ticks) noexcept;
  /// Returns the processor time of this process in nanoseconds, without what its threads have spun in vain; more of
  /// that may be counted than they had, if other threads ran meanwhile, so it may fall. A system call. Any thread.
  CALLISTO_API static std::int64_t working_time() noexcept;

  static void park(const atomic<std::uint64_t>& word, std::uint32_t low) noexcept;
  static void unpark(atomic<std::uint64_t>& word, unsigned count) noexcept;

 private:
  /// Returns after about 0.5 us, or earlier if the line of `address` is written and the processor can tell (umwait,
  /// mwaitx). Calls `still` once more after the monitor is armed, so that no write is missed.
  template <class Still>
  static void doze(const void* address, Still still) noexcept;

  CALLISTO_API static void park_word(const void* word, std::uint32_t low) noexcept;
  CALLISTO_API static void unpark_word(const void* word, unsigned count) noexcept;
  CALLISTO_API static void doze_unmonitored() noexcept;
  CALLISTO_API static void monitor(const void* address) noexcept;
  CALLISTO_API static void doze_monitored() noexcept;
  CALLISTO_API static bool can_monitor() noexcept;
  /// Lets another thread have the processor, if one waits for it.
  CALLISTO_API static void give_way() noexcept;
  /// Returns the ticks for which wait_while polls before it returns to its caller, which parks or waits again.
  CALLISTO_API static std::uint64_t spin_ticks(patience grade) noexcept;
};

/// Threads of a loop compute as its leader does, work for the same task, and loops in it have the leader's limit.
class native::thread_environment {
 public:
  static thread_environment here() noexcept {
    return {floating_environment::here(), native::most_threads(), native::works_for()};
  }
  void apply() const noexcept {
    computes_.apply();
    native::set_most_threads(most_);
    native::set_works_for(works_for_);
  }
  /// Says that the calling thread, which applied one, has left the loop: the leader's task may end.
  static void left() noexcept { native::set_works_for(nullptr); }

 private:
  thread_environment(const floating_environment& computes, std::uint32_t most, const void* works_for) noexcept
      : computes_(computes), most_(most), works_for_(works_for) {}

  floating_environment computes_;
  std::uint32_t most_;
  const void* works_for_;
};

/// std::atomic<T> with every order stated, and without seq_cst.
template <class T>
class native::atomic {
 public:
  atomic() noexcept = default;
  constexpr explicit atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order o) const noexcept { return value_.load(to_std(o)); }
  void store(T value, order o) noexcept { value_.store(value, to_std(o)); }
  T exchange(T value, order o) noexcept { return value_.exchange(value, to_std(o)); }
  T fetch_add(T value, order o) noexcept { return value_.fetch_add(value, to_std(o)); }
  T fetch_sub(T value, order o) noexcept { return value_.fetch_sub(value, to_std(o)); }
  T fetch_and(T value, order o) noexcept { return value_.fetch_and(value, to_std(o)); }
  T fetch_or(T value, order o) noexcept { return value_.fetch_or(value, to_std(o)); }

  /// Does a weak compare-and-swap. True if `expected` was replaced by `desired` with order `o`; else `expected` holds
  /// the value found, read relaxed. May fail spuriously, so it stands in loops.
  bool compare_exchange(T& expected, T desired, order o) noexcept {
    return value_.compare_exchange_weak(expected, desired, to_std(o), std::memory_order_relaxed);
  }

 private:
  static constexpr std::memory_order to_std(order o) noexcept {
    switch (o) {
      case order::relaxed:
        return std::memory_order_relaxed;
      case order::acquire:
        return std::memory_order_acquire;
      case order::release:
        return std::memory_order_release;
      case order::acq_rel:
        return std::memory_order_acq_rel;
    }
    __builtin_unreachable();
  }

  std::atomic<T> value_;
};

template <class T, class Keep>
T native::wait_while(const atomic<T>& word, Keep keep, patience grade) noexcept {
  // acquire: pairs with the release of the awaited value's writer.
  T value = word.load(order::acquire);
  if (grade == patience::none || !keep(value)) return value;
  const std::uint64_t limit = spin_ticks(grade);
  const std::uint64_t begin = ticks();
  do {
    // Every wait begins eagerly: loops that follow each other closely are joined at once.
    if (grade == patience::brief || ticks() - begin < limit / 16) {
      relax();
    } else {
      doze(&word, [&] { return keep(word.load(order::relaxed)); });
    }
    value = word.load(order::acquire);
  } while (keep(value) && ticks() - begin < limit);
  // A few instructions would have ended the wait: the kernel has taken the processor from the thread that ends it.
  if (!keep(value)) return value;
  if (grade == patience::brief) {
    give_way();
  } else {
    spun_in_vain(limit);
  }
  return value;
}

template <class Still>
void native::doze(const void* address, Still still) noexcept {
  if (!can_monitor()) return doze_unmonitored();
  monitor(address);
  if (still()) doze_monitored();
}

inline void native::park(const atomic<std::uint64_t>& word, std::uint32_t low) noexcept { park_word(&word, low); }
inline void native::unpark(atomic<std::uint64_t>& word, unsigned count) noexcept { unpark_word(&word, count); }

}  // namespace callisto::machine
