// Threads that lend their identity.
#include <callisto/machine/fibers/thread_identity.hpp>

#include <callisto/machine/fibers/lender_orders.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/sanitizers.hpp>
#include <callisto/machine/system/signal_mask.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
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
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

// Needed to carry identities: the processor's instructions for the thread register, and glibc 2.32.
#if defined(__x86_64__) && !defined(CALLISTO_UNDER_ASAN) && !defined(CALLISTO_UNDER_TSAN) && \
    defined(PTHREAD_ATTR_NO_SIGMASK_NP)
#define CALLISTO_CARRIES 1
#endif

namespace callisto::machine {
namespace {

/// Words on which threads wait in the kernel.
struct kernel_words {
  using word = std::atomic<std::uint32_t>;
  template <class T>
  using plain = T;
  [[maybe_unused]] static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr auto acquire = std::memory_order_acquire;
  static constexpr auto release = std::memory_order_release;
  static void wait(const word& on, std::uint32_t value) noexcept {
    syscall(SYS_futex, &on, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
  }
  static void wake(const word& on) noexcept {
    syscall(SYS_futex, &on, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
};

/// Assembly knows the layout.
using orders = lender_orders<kernel_words>;
static_assert(offsetof(orders, told) == 0 && offsetof(orders, parked) == 4 && offsetof(orders, call) == 8 &&
              offsetof(orders, argument) == 16 && offsetof(orders, left_at) == 24);

/// Does what orders::follow() does. Touches no thread-local data, errno included: they belong to another thread by now.
/// Its stack pointer stands at `reserve` meanwhile, since the lender's own stack
/// belongs to that thread, too; handlers of the C library's signals run there. Waiting writes to no stack.
[[gnu::noinline]] void follow_orders([[maybe_unused]] orders& given, [[maybe_unused]] std::byte* reserve) noexcept {
#if defined(CALLISTO_CARRIES)
  // On this machine all stores release and all loads acquire. That of `parked` publishes `left_at` to await_parked().
  // The load of `told` pairs with tell(), after what ran under the identity. Other threads tell the lender something
  // again only after they have acquired what the call releases.
  asm volatile(
      "movq %%rsp, %%r12\n\t"
      "movq %[reserve], %%rsp\n\t"
      "movq %%r12, 24(%%rbx)\n\t"
      "movl $1, 4(%%rbx)\n\t"
      "movl %[futex], %%eax\n\t"
      "leaq 4(%%rbx), %%rdi\n\t"
      "movl %[wake], %%esi\n\t"
      "movl $1, %%edx\n\t"
      "syscall\n"
      "1: movl (%%rbx), %%eax\n\t"
      "testl %%eax, %%eax\n\t"
      "jne 2f\n\t"
      "movl %[futex], %%eax\n\t"
      "movq %%rbx, %%rdi\n\t"
      "movl %[wait], %%esi\n\t"
      "xorl %%edx, %%edx\n\t"
      "xorl %%r10d, %%r10d\n\t"
      "syscall\n\t"
      "jmp 1b\n"
      "2: cmpl %[end], %%eax\n\t"
      "je 3f\n\t"
      "movl $0, (%%rbx)\n\t"
      "movq 16(%%rbx), %%rdi\n\t"
      "callq *8(%%rbx)\n\t"
      "jmp 1b\n"
      "3: movq %%r12, %%rsp"
      :
      : "b"(&given), [reserve] "r"(reserve), [futex] "i"(SYS_futex), [wait] "i"(FUTEX_WAIT_PRIVATE),
        [wake] "i"(FUTEX_WAKE_PRIVATE), [end] "i"(orders::to_end)
      : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
        "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
#endif
}

/// The stack of a parked lender. Its pages are there once they are used.
class reserve_stack {
 public:
  reserve_stack() {
    void* const memory =
        mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
  }
  ~reserve_stack() { munmap(memory_, bytes()); }
  reserve_stack(const reserve_stack&) = delete;
  reserve_stack& operator=(const reserve_stack&) = delete;
  std::byte* top() const noexcept { return memory_ + bytes(); }

 private:
  /// Room for a signal, and for calls.
  static std::size_t bytes() noexcept {
    constexpr std::size_t page = 4096;
    return (static_cast<std::size_t>(sysconf(_SC_MINSIGSTKSZ)) + 4 * page + page - 1) / page * page;
  }
  std::byte* memory_;
};

/// Unregisters rseq. The kernel writes to a thread's rseq area on which processor it runs; the lender's would be wrong
/// where it is used.
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

// setuid() and its like run on all threads, each in a handler of a signal of the C library. The handler marks the block
// that the thread register points to, and the library sends the signal again to a thread with an unmarked block: for
// ever to a thread that carries an identity meanwhile. So the handler finds the thread's own block here.

constexpr int set_ids_signal = 33;  // what the C library calls SIGSETXID; <csignal> hides it
/// An action as the kernel has it: the handler, flags, how to return, a mask.
using kernel_action = std::array<std::uint64_t, 4>;

std::atomic<std::uintptr_t> systems_set_ids{0};
std::atomic<std::ptrdiff_t> robust_list_in_block{0};

/// Returns where the kernel looks for the running thread's robust mutexes, which is in the thread's own block. Null:
/// nowhere.
std::byte* robust_list() noexcept {
  void* list = nullptr;
  std::size_t bytes = 0;
  return syscall(SYS_get_robust_list, 0, &list, &bytes) == 0 ? static_cast<std::byte*>(list) : nullptr;
}

void set_ids_as_oneself([[maybe_unused]] int signal, [[maybe_unused]] siginfo_t* info, [[maybe_unused]] void* context) {
#if defined(__x86_64__)
  const int saved = errno;
  void* const carried = thread_identity::running_register();
  void* const own = thread_identity::own_register();
  asm volatile("wrfsbase %0" : : "r"(own != nullptr ? own : carried) : "memory");
  // relaxed: it was there before this was the handler.
  reinterpret_cast<void (*)(int, siginfo_t*, void*)>(systems_set_ids.load(std::memory_order_relaxed))(signal, info,
                                                                                                      context);
  asm volatile("wrfsbase %0" : : "r"(carried) : "memory");
  errno = saved;
#endif
}

/// Called by a thread under its own identity; several may do so at once, and find the same. The C library has installed
/// its handler before it made a thread, in a child of fork() maybe again.
void take_set_ids_signal() noexcept {
  kernel_action action{};
  const auto ours = reinterpret_cast<std::uintptr_t>(&set_ids_as_oneself);
  std::byte* const list = robust_list();
  if (list == nullptr || syscall(SYS_rt_sigaction, set_ids_signal, nullptr, &action, std::size_t{_NSIG / 8}) != 0 ||
      action[0] == ours || action[0] == reinterpret_cast<std::uintptr_t>(SIG_DFL))
    return;
  // relaxed, both: the kernel's table of actions hands them on.
  robust_list_in_block.store(list - static_cast<std::byte*>(thread_identity::running_register()),
                             std::memory_order_relaxed);
  systems_set_ids.store(action[0], std::memory_order_relaxed);
  action[0] = ours;
  action[3] = ~std::uint64_t{0};  // no tick may leave it for another activation
  syscall(SYS_rt_sigaction, set_ids_signal, &action, nullptr, std::size_t{_NSIG / 8});
}

/// Blocks signals for new threads, except those that an instruction causes: signals are for threads that run. Not by
/// the creator's mask: the creator may wait for a lock of the C library that a preempted thread holds, and goes on only
/// if a tick ends another thread's turn.
int block_signals_of([[maybe_unused]] pthread_attr_t& how) noexcept {
#if defined(CALLISTO_CARRIES)
  const signal_bits blocked = all_signals & ~(caused_signals | bit_of(SIGTRAP));
  sigset_t mask{};
  std::memcpy(&mask, &blocked, sizeof blocked);  // the kernel's set, of which the C library's is a longer form
  return pthread_attr_setsigmask_np(&how, &mask);
#else
  return ENOTSUP;
#endif
}

/// Waits until the lender is parked. Returns where its stack is free. Lenders' stacks of equal size stand at equal
/// distances: each free part begins at another pair of lines, so that they do not share a few sets of the caches.
void* await_parked(orders& given) noexcept {
  const std::byte* const left_at = given.await_parked();
  static std::atomic<unsigned> made{0};
  constexpr unsigned pair_of_lines = 128, pairs = 8;
  constexpr unsigned red_zone = 128;  // System V AMD64
  // relaxed: only the number matters.
  const std::uintptr_t colour = made.fetch_add(1, std::memory_order_relaxed) % pairs * std::uintptr_t{pair_of_lines};
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(left_at) - red_zone - colour) & ~std::uintptr_t{15});
}

}  // namespace

namespace {

constinit thread_local int lenders_number [[gnu::tls_model("initial-exec")]] = 0;

/// Lenders by their numbers: each stands at the first free place behind the one that its number says.
struct listed_lender {
  std::atomic<int> number{0};  ///< 0: the place is free; -1: it was used, and the search goes on behind it
  std::atomic<pthread_t> thread{0};
};
std::array<listed_lender, 4096> lenders;

/// While the calling lender lives, it can be found.
class listed {
 public:
  listed() noexcept {
    lenders_number = static_cast<int>(syscall(SYS_gettid));
    const auto first = static_cast<unsigned>(lenders_number) % lenders.size();
    for (std::size_t n = 0; n < lenders.size() && place_ == nullptr; ++n) {
      listed_lender& here = lenders[(first + n) % lenders.size()];
      pthread_t free = 0;
      // acquire: pairs with the release in the destructor, so its -1 comes before the number.
      if (!here.thread.compare_exchange_strong(free, pthread_self(), std::memory_order_acquire)) continue;
      here.number.store(lenders_number, std::memory_order_release);  // release: lender_with()'s acquire
      place_ = &here;
    }
  }
  ~listed() {
    if (place_ == nullptr) return;
    place_->number.store(-1, std::memory_order_relaxed);
    place_->thread.store(0, std::memory_order_release);  // release: the next one's acquire
  }
  listed(const listed&) = delete;
  listed& operator=(const listed&) = delete;

 private:
  listed_lender* place_ = nullptr;
};

}  // namespace

struct thread_identity::state {
  explicit state(bool is_carried) : carried(is_carried) {}

  static void* main(void* argument) noexcept {
    state& s = *static_cast<state*>(argument);
    if (!s.carried) {
      for (;;) {
        s.entered.acquire();
        if (s.given.call == nullptr) return nullptr;
        s.given.call(s.given.argument);
        s.left.release();
      }
    }
    const listed here;
    forget_rseq();
    take_set_ids_signal();
    s.thread_register = running_register();
    follow_orders(s.given, s.reserve->top());
    return nullptr;
  }

  const bool carried;
  pthread_t lender{};
  void* thread_register = nullptr;  ///< once it is parked
  void* stack = nullptr;            ///< where its stack is free, once it is parked
  bool parked = false;              ///< that is known
  bool over = false;
  orders given;
  std::optional<reserve_stack> reserve;  ///< of a carried identity
  std::binary_semaphore entered{0};
  std::binary_semaphore left{0};
};

thread_identity::thread_identity(bool carried, std::size_t stack_bytes, bool anywhere) : state_(new state(carried)) {
  if (carried && !can_be_carried()) throw usage_error("thread_identity: this machine cannot carry identities");
  if (carried) state_->reserve.emplace();
  const auto create = [&](bool moves) {
    pthread_attr_t how;
    pthread_attr_init(&how);
    int failed = pthread_attr_setstacksize(&how, stack_bytes);
    if (failed == 0 && moves) failed = unpin(how);
    if (failed == 0 && carried) failed = block_signals_of(how);
    if (failed == 0) failed = pthread_create(&state_->lender, &how, &state::main, state_.get());
    pthread_attr_destroy(&how);
    return failed;
  };
  // Anywhere with room: the creator may be pinned, and would be in the way of all that it creates.
  int failed = create(anywhere);
  if (failed == EPERM) failed = create(false);  // no thread may be moved here (a seccomp filter)
  if (failed != 0) throw error(std::string("thread_identity: the system refuses a thread: ") + std::strerror(failed));
}

thread_identity::~thread_identity() {
  end();
  pthread_join(state_->lender, nullptr);
}

void thread_identity::end() noexcept {
  if (std::exchange(state_->over, true)) return;
  if (state_->carried) {
    state_->given.tell(orders::to_end);  // its thread_local destructors see what ran under the identity
  } else {
    state_->given.call = nullptr;
    state_->entered.release();
  }
}

bool thread_identity::can_be_carried() noexcept {
#if defined(CALLISTO_CARRIES)
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

void* thread_identity::own_register() noexcept {
  std::byte* const list = robust_list();
  // relaxed: known before any context carries an identity.
  const std::ptrdiff_t at = robust_list_in_block.load(std::memory_order_relaxed);
  return list == nullptr || at == 0 ? nullptr : list - at;
}

int thread_identity::number_here() noexcept { return lenders_number; }
void thread_identity::forget_number() noexcept { lenders_number = 0; }

pthread_t thread_identity::lender_with(int number) noexcept {
  const auto first = static_cast<unsigned>(number) % lenders.size();
  for (std::size_t n = 0; number > 0 && n < lenders.size(); ++n) {
    const listed_lender& here = lenders[(first + n) % lenders.size()];
    const int found = here.number.load(std::memory_order_acquire);  // acquire: pairs with the release in listed
    if (found == number) return here.thread.load(std::memory_order_relaxed);
    if (found == 0 && here.thread.load(std::memory_order_relaxed) == 0) break;
  }
  return 0;
}

void* thread_identity::thread_register() const noexcept {
  // Not before: many that are created together start side by side.
  if (state_->carried && !state_->parked) {
    state_->stack = await_parked(state_->given);
    state_->parked = true;
  }
  return state_->thread_register;
}

void* thread_identity::stack() const noexcept { return state_->stack; }

void thread_identity::run(void (*call)(void*), void* argument) noexcept { state_->given.tell_to_call(call, argument); }

void thread_identity::prepare(void (*call)(void*), void* argument) noexcept {
  state_->given.call = call;
  state_->given.argument = argument;
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
