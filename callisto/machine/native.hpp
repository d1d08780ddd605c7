// The native machine: the policy of machine/policy.hpp on the hardware and the operating system at hand.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/policy.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace callisto::machine {

/// The machine policy that runs on real hardware. Stateless; every member may be called from any thread.
struct native {
  template <class T>
  class atomic;
  template <class T>
  using plain = T;

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

  /// The rate of ticks(), measured once; the first call takes about a tenth of a millisecond.
  CALLISTO_API static std::uint64_t ticks_per_second() noexcept;

  /// Does what the other members do at their first call. Before a thread is started that may be in such a first call
  /// when another thread forks: the child would wait for it for ever.
  CALLISTO_API static void prepare() noexcept;

  /// The instruction that lasting waits use here: "umwait", "mwaitx", "pause", "isb" or "none".
  CALLISTO_API static const char* wait_instruction() noexcept;

  /// Memory for what a loop has too much of for its leader's stack, aligned to lines; never null, may throw
  /// std::bad_alloc. What a thread gives back it gets again, so that one loop after the other allocates nothing.
  [[nodiscard]] CALLISTO_API static std::byte* take_room(std::size_t bytes);
  CALLISTO_API static void give_room(std::byte* room) noexcept;

  /// Asymmetric fences (policy.hpp). The light one only keeps the compiler from moving accesses across it.
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
  /// Only where has_heavy_fence(). An interrupt to every processor that runs another thread of the process: 0.6
  /// microseconds where none does, else about 5.
  CALLISTO_API static void heavy_fence() noexcept;
  /// Whether the kernel has membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED), Linux 4.14, and lets the process use it. The
  /// first call registers the process, which takes milliseconds if it has other threads already.
  CALLISTO_API static bool has_heavy_fence() noexcept;

  /// One polite turn of a spin loop.
  static void relax() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");  // `yield` is a no-op on most Arm cores; isb really gives the pipeline away
#endif
  }

  template <class T, class Keep>
  static T wait_while(const atomic<T>& word, Keep keep, patience grade) noexcept;

  static void park(const atomic<std::uint64_t>& word, std::uint32_t low) noexcept;
  static void unpark(atomic<std::uint64_t>& word, unsigned count) noexcept;

 private:
  /// Returns after about half a microsecond, or earlier if the line of `address` is written and the processor can
  /// tell (umwait, mwaitx); `still` is asked once more after the monitor is armed, so that no write is missed.
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
  /// Ticks for which wait_while polls before it returns to its caller, who parks or waits again.
  CALLISTO_API static std::uint64_t spin_ticks(patience grade) noexcept;
};

/// std::atomic<T> with every order spelled out and without seq_cst.
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

  /// Weak compare-and-swap: true if `expected` was replaced by `desired` with order `o`; else `expected` holds the
  /// value found, read relaxed. May fail without cause, so it stands in loops.
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
  // acquire: what the writer of the awaited value did before it is visible to the caller.
  T value = word.load(order::acquire);
  if (grade == patience::none || !keep(value)) return value;
  const std::uint64_t limit = spin_ticks(grade);
  const std::uint64_t begin = ticks();
  do {
    // At first as eagerly as that, too: loops that follow upon each other are joined at once.
    if (grade == patience::brief || ticks() - begin < limit / 16) {
      relax();
    } else {
      doze(&word, [&] { return keep(word.load(order::relaxed)); });
    }
    value = word.load(order::acquire);
  } while (keep(value) && ticks() - begin < limit);
  // What would have taken a few instructions has not happened: the kernel has taken the processor from who does it.
  if (grade == patience::brief && keep(value)) give_way();
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
