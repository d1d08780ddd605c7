// Waiting, parking and clocks of the native machine.
#include <callisto/machine/native.hpp>

#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/spare_room.hpp>
#include <callisto/machine/spin_limits.hpp>
#include <callisto/machine/system/at_thread_end.hpp>
#include <callisto/machine/timed_park.hpp>
#include <callisto/machine/works_for.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <ctime>
#include <new>
#include <thread>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>  // mwaitx: clang has it outside immintrin.h
#endif
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

/// How a context can wait for a change of a line.
enum class wait_kind { pause, mwaitx, umwait };

#if defined(__x86_64__)

wait_kind best_wait() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned waitpkg = 1u << 5;    // CPUID.7.0:ECX, Intel SDM volume 2
  constexpr unsigned monitorx = 1u << 29;  // CPUID.80000001:ECX, AMD APM volume 3
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & waitpkg) != 0) return wait_kind::umwait;
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d) != 0 && (c & monitorx) != 0) return wait_kind::mwaitx;
  return wait_kind::pause;
}

__attribute__((target("waitpkg"))) void arm_umwait(const void* address) noexcept {
  _umonitor(const_cast<void*>(address));
}
// Control 1 asks for C0.1, the state with the faster exit.
__attribute__((target("waitpkg"))) void umwait_until(std::uint64_t deadline) noexcept { _umwait(1, deadline); }
__attribute__((target("mwaitx"))) void arm_mwaitx(const void* address) noexcept {
  _mm_monitorx(const_cast<void*>(address), 0, 0);
}
// Extension bit 1: `clock` is a time limit in ticks. Hint 0xf0 stays in C0, so that waking is fast.
__attribute__((target("mwaitx"))) void mwaitx_for(unsigned clock) noexcept { _mm_mwaitx(2, 0xf0, clock); }

#else

wait_kind best_wait() noexcept { return wait_kind::pause; }

#endif

/// Found at the first call, not when the library is loaded: loops may run earlier, in static constructors.
wait_kind kind() noexcept {
  static const wait_kind best = best_wait();
  return best;
}

#if defined(__x86_64__)
/// One reading of both clocks. Neither stands still while the machine is suspended.
struct moment {
  std::uint64_t nanoseconds = 0;
  std::uint64_t ticks = 0;

  static moment now() noexcept {
    timespec t;
    // Not clock_gettime(), which libraries that are loaded before programs replace (libfaketime): a clock of theirs may
    // stand still, and this thread would wait for it for ever.
    syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &t);
    const std::uint64_t ticks = native::ticks();
    return {std::uint64_t(t.tv_sec) * 1'000'000'000u + std::uint64_t(t.tv_nsec), ticks};
  }
};
/// The reading when the library was loaded, so that a starting program need not wait for the second one. Zeros before
/// that: loops may run in static constructors.
const moment at_load = moment::now();
#endif

std::uint64_t measure_ticks_per_second() noexcept {
#if defined(__x86_64__)
  // Two readings at least 0.1 ms apart: exact to about 0.1%, enough to size batches and waits. At most a second apart:
  // processors that were suspended may count from zero again.
  moment second = moment::now();
  const bool is_recent = at_load.ticks != 0 && second.nanoseconds - at_load.nanoseconds < 1'000'000'000;
  const moment first = is_recent ? at_load : second;
  while (second.nanoseconds - first.nanoseconds < 100'000) second = moment::now();
  return static_cast<std::uint64_t>(static_cast<double>(second.ticks - first.ticks) * 1e9 /
                                    static_cast<double>(second.nanoseconds - first.nanoseconds));
#elif defined(__aarch64__)
  std::uint64_t frequency;
  asm("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency;
#else
  return 1'000'000'000u;
#endif
}

/// Returns the low half of a 64-bit word, as the kernel reads it.
const std::uint32_t* low_half(const void* word) noexcept {
  return static_cast<const std::uint32_t*>(word) + (std::endian::native == std::endian::big ? 1 : 0);
}

}  // namespace

std::uint64_t native::ticks_per_second() noexcept {
  static const std::uint64_t rate = std::max<std::uint64_t>(1, measure_ticks_per_second());
  return rate;
}

void native::prepare() noexcept {
  static_cast<void>(ticks_per_second());
  static_cast<void>(kind());
  static_cast<void>(has_heavy_fence());
}

bool native::has_heavy_fence() noexcept {
  // A child of fork() inherits the registration with its memory.
  static const bool registered = [] {
    const int saved = errno;
    const bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    errno = saved;
    return done;
  }();
  return registered;
}

namespace {
/// Registers when the library is loaded. That takes no time while the process has one thread; later the kernel waits
/// for all processors, about 10 ms.
[[maybe_unused]] const bool registered_at_load = native::has_heavy_fence();
}  // namespace

void native::heavy_fence() noexcept {
  // Fails only in a process that is not registered.
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

const char* native::wait_instruction() noexcept {
  switch (kind()) {
    case wait_kind::umwait:
      return "umwait";
    case wait_kind::mwaitx:
      return "mwaitx";
    case wait_kind::pause:
      break;
  }
#if defined(__x86_64__)
  return "pause";
#elif defined(__aarch64__)
  return "isb";
#else
  return "none";
#endif
}

namespace {

constinit thread_local spare_room* spare = nullptr;
constinit at_thread_end spare_end([]() noexcept { delete std::exchange(spare, nullptr); });

}  // namespace

std::byte* native::take_room(std::size_t bytes) {
  if (spare == nullptr) {
    spare = new spare_room;
    spare_end.expect();
  }
  return spare->take(bytes);
}
void native::give_room(std::byte* room) noexcept {
  return spare != nullptr ? spare->give(room) : spare_room::drop(room);
}

bool native::can_monitor() noexcept { return kind() != wait_kind::pause; }

void native::monitor([[maybe_unused]] const void* address) noexcept {
#if defined(__x86_64__)
  if (kind() == wait_kind::umwait) arm_umwait(address);
  if (kind() == wait_kind::mwaitx) arm_mwaitx(address);
#endif
}

void native::doze_monitored() noexcept {
#if defined(__x86_64__)
  // 10 us bound the damage of a missed wake-up; a write to the line ends the wait at once.
  const std::uint64_t limit = ticks_per_second() / 100'000;
  if (kind() == wait_kind::umwait) umwait_until(ticks() + limit);
  if (kind() == wait_kind::mwaitx) mwaitx_for(static_cast<unsigned>(limit));
#endif
}

void native::doze_unmonitored() noexcept {
  const std::uint64_t limit = ticks_per_second() / 2'000'000;
  const std::uint64_t begin = ticks();
  do {
    for (int i = 0; i < 8; ++i) relax();
  } while (ticks() - begin < limit);
}

// Not by sched_yield(), which the OpenMP library replaces.
void native::give_way() noexcept { syscall(SYS_sched_yield); }

namespace {
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t most_threads_here = 0;
}  // namespace
constinit thread_local const void* works_for_here = nullptr;

std::uint32_t native::most_threads() noexcept { return most_threads_here; }
void native::set_most_threads(std::uint32_t most) noexcept { most_threads_here = most; }
const void* native::works_for() noexcept { return works_for_here; }
void native::set_works_for(const void* task) noexcept { works_for_here = task; }

namespace {
constinit std::atomic<std::uint64_t> vain_ticks{0};  // relaxed, all: a sum by itself
}  // namespace

void native::spun_in_vain(std::uint64_t ticks) noexcept { vain_ticks.fetch_add(ticks, std::memory_order_relaxed); }

std::int64_t native::working_time() noexcept {
  const double vain =
      static_cast<double>(vain_ticks.load(std::memory_order_relaxed)) * 1e9 / static_cast<double>(ticks_per_second());
  return static_cast<std::int64_t>(processor_time_of(getpid())) - static_cast<std::int64_t>(vain);
}

std::uint64_t native::spin_ticks(patience grade) noexcept {
  const std::uint64_t per_microsecond = std::max<std::uint64_t>(1, ticks_per_second() / 1'000'000);
  return (grade == patience::brief ? spin_limits::brief_us : spin_limits::long_us) * per_microsecond;
}

void native::park_word(const void* word, std::uint32_t low) noexcept {
  // EAGAIN (the word has changed), EINTR and spurious returns are all the same to the caller, which looks again.
  const int saved = errno;
  syscall(SYS_futex, low_half(word), FUTEX_WAIT_PRIVATE, low, nullptr, nullptr, 0);
  errno = saved;
}

bool park_for(const native::atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t nanoseconds) noexcept {
  const int saved = errno;
  const timespec limit{.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000),
                       .tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000)};
  const bool over =
      syscall(SYS_futex, low_half(&word), FUTEX_WAIT_PRIVATE, low, &limit, nullptr, 0) != 0 && errno == ETIMEDOUT;
  errno = saved;
  return over;
}

void native::unpark_word(const void* word, unsigned count) noexcept {
  const int saved = errno;
  syscall(SYS_futex, low_half(word), FUTEX_WAKE_PRIVATE, std::min<unsigned>(count, INT_MAX), nullptr, nullptr, 0);
  errno = saved;
}

}  // namespace callisto::machine
