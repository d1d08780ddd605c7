// Threads that lend their identity.
#include <callisto/machine/thread_identity.hpp>

#include <callisto/machine/blocked_signals.hpp>
#include <callisto/machine/error.hpp>
#include <callisto/machine/placement.hpp>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CALLISTO_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CALLISTO_SANITIZED 1
#endif
#endif

namespace callisto::machine {
namespace {

/// Waits while `word` is 0, without a touch of thread-local data, errno included: they belong to somebody else by now.
void wait_untouching([[maybe_unused]] const std::atomic<std::uint32_t>& word) noexcept {
#if defined(__x86_64__)
  // acquire: what whoever ends the identity did, and what ran under it.
  while (word.load(std::memory_order_acquire) == 0) {
    long result = SYS_futex;
    register long timeout asm("r10") = 0;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(&word), "S"(FUTEX_WAIT_PRIVATE), "d"(0), "r"(timeout)
                 : "rcx", "r11", "memory");
  }
#endif
}

/// The kernel writes to a thread's rseq area on which processor it runs; the lender's is not where it is used.
void forget_rseq() noexcept {
#if __has_include(<sys/rseq.h>) && defined(SYS_rseq)
  if (__rseq_size == 0) return;
  auto* const area = static_cast<std::byte*>(thread_identity::running_register()) + __rseq_offset;
  // The size that glibc registers: what the kernel says, 32 at least.
  for (const unsigned size : {32U, __rseq_size}) {
    if (syscall(SYS_rseq, area, size, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0) return;
  }
#endif
}

}  // namespace

struct thread_identity::state {
  static void* main(void* argument) noexcept {
    state& s = *static_cast<state*>(argument);
    if (!s.carried) {
      for (;;) {
        s.entered.acquire();
        if (s.call == nullptr) return nullptr;
        s.call(s.argument);
        s.left.release();
      }
    }
    forget_rseq();
    s.thread_register = running_register();
    s.left.release();
    wait_untouching(s.ended);
    return nullptr;
  }

  const bool carried;
  pthread_t lender{};
  void* thread_register = nullptr;  ///< once it is parked
  bool parked = false;              ///< that is known
  bool over = false;
  std::atomic<std::uint32_t> ended{0};
  void (*call)(void*) = nullptr;
  void* argument = nullptr;
  std::binary_semaphore entered{0};
  std::binary_semaphore left{0};
};

thread_identity::thread_identity(bool carried, std::size_t stack_bytes) : state_(new state{.carried = carried}) {
  if (carried && !can_be_carried()) throw usage_error("thread_identity: this machine cannot carry identities");
  const auto create = [&](bool anywhere) {
    pthread_attr_t how;
    pthread_attr_init(&how);
    int failed = pthread_attr_setstacksize(&how, stack_bytes);
    if (failed == 0 && anywhere) failed = unpin(how);
    if (failed == 0) {
      std::optional<blocked_signals> blocked;
      if (carried) blocked.emplace();  // those are for threads that run
      failed = pthread_create(&state_->lender, &how, &state::main, state_.get());
    }
    pthread_attr_destroy(&how);
    return failed;
  };
  // Wherever there is room: the creator may be pinned, and would be in the way of all that it creates.
  int failed = create(true);
  if (failed == EPERM) failed = create(false);  // nobody may be moved here (a seccomp filter)
  if (failed != 0) throw error(std::string("thread_identity: the system refuses a thread: ") + std::strerror(failed));
}

thread_identity::~thread_identity() {
  end();
  pthread_join(state_->lender, nullptr);
}

void thread_identity::end() noexcept {
  if (std::exchange(state_->over, true)) return;
  if (state_->carried) {
    // release: the lender's thread_local destructors see what ran under the identity.
    state_->ended.store(1, std::memory_order_release);
    syscall(SYS_futex, &state_->ended, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  } else {
    state_->call = nullptr;
    state_->entered.release();
  }
}

bool thread_identity::can_be_carried() noexcept {
#if defined(__x86_64__) && !defined(CALLISTO_SANITIZED)
  constexpr unsigned long fsgsbase = 1UL << 1;  // HWCAP2_FSGSBASE, Linux: Documentation/arch/x86/x86_64/fsgs.rst
  // A program under ThreadSanitizer waits for locks of that, in which it cannot be left.
  static const bool under_sanitizer = dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
  return (getauxval(AT_HWCAP2) & fsgsbase) != 0 && !under_sanitizer;
#else
  return false;
#endif
}

void* thread_identity::running_register() noexcept {
#if defined(__x86_64__)
  // Its own address stands at its beginning. Not __builtin_thread_pointer(), which compilers take for a constant.
  void* value;
  asm volatile("movq %%fs:0, %0" : "=r"(value));
  return value;
#else
  return nullptr;
#endif
}

void* thread_identity::thread_register() const noexcept {
  // Not before: many that are created together start side by side.
  if (state_->carried && !state_->parked) {
    state_->left.acquire();
    state_->parked = true;
  }
  return state_->thread_register;
}

void thread_identity::prepare(void (*call)(void*), void* argument) noexcept {
  state_->call = call;
  state_->argument = argument;
}

void thread_identity::enter() noexcept {
  state_->entered.release();
  state_->left.acquire();
}

void thread_identity::leave() noexcept {
  const int saved = errno;  // what runs under the identity has it
  state_->left.release();
  state_->entered.acquire();
  errno = saved;
}

}  // namespace callisto::machine
