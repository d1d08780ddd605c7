// The switch between fibers: a few instructions on x86-64 and AArch64, ucontext elsewhere.
#include <callisto/machine/fibers/fiber.hpp>

#include <callisto/machine/fibers/bound_context.hpp>
#include <callisto/machine/fibers/exception_globals.hpp>
#include <callisto/machine/fibers/stack_switch.hpp>
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/machine/system/sanitizers.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#if defined(CALLISTO_UNDER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(CALLISTO_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

// It returns by a jump, because the processor predicts `ret` from calls that were made on the other stack: 13 ns
// against 4 (docs/notebook/2026-11-22-activations-cost.md). The control words of the floating-point units belong to
// what a call must keep: a context that sets another rounding mode and is suspended must not round for other contexts.
#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl callisto_fiber_switch
.hidden callisto_fiber_switch
.type callisto_fiber_switch, @function
callisto_fiber_switch:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset rbp, 0
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset rbx, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset r12, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset r13, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset r14, 0
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset r15, 0
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r15
  .cfi_adjust_cfa_offset -8
  .cfi_restore r15
  popq %r14
  .cfi_adjust_cfa_offset -8
  .cfi_restore r14
  popq %r13
  .cfi_adjust_cfa_offset -8
  .cfi_restore r13
  popq %r12
  .cfi_adjust_cfa_offset -8
  .cfi_restore r12
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore rbx
  popq %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_restore rbp
  popq %r8
  .cfi_adjust_cfa_offset -8
  .cfi_register rip, r8
  notrack jmpq *%r8
  .cfi_endproc
.size callisto_fiber_switch, .-callisto_fiber_switch

.p2align 4
.globl callisto_fiber_start
.hidden callisto_fiber_start
.type callisto_fiber_start, @function
callisto_fiber_start:
  .cfi_startproc
  .cfi_undefined rip
  endbr64
  movq %r12, %rdi
  callq *%rbx
  ud2
  .cfi_endproc
.size callisto_fiber_start, .-callisto_fiber_start

.p2align 4
.globl callisto_call_on_stack
.hidden callisto_call_on_stack
.type callisto_call_on_stack, @function
callisto_call_on_stack:
  .cfi_startproc
  .cfi_signal_frame
  endbr64
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset rbp, 0
  movq %rsp, %rbp
  .cfi_def_cfa_register rbp
  movq %rdi, %rsp
  movq %rbp, (%rcx)
  movq %rdx, %rdi
  callq *%rsi
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa rsp, 8
  retq
  .cfi_endproc
.size callisto_call_on_stack, .-callisto_call_on_stack
)");
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.globl callisto_fiber_switch
.hidden callisto_fiber_switch
.type callisto_fiber_switch, %function
callisto_fiber_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size callisto_fiber_switch, .-callisto_fiber_switch

.p2align 4
.globl callisto_fiber_start
.hidden callisto_fiber_start
.type callisto_fiber_start, %function
callisto_fiber_start:
  .cfi_startproc
  .cfi_undefined x30
  mov x0, x20
  blr x19
  brk #1
  .cfi_endproc
.size callisto_fiber_start, .-callisto_fiber_start
)");
#endif

namespace callisto::machine {
namespace {

/// Not inlined, and each on its own: __cxa_get_globals is declared to return the same to each call, which does not hold
/// if the thread register is written in between.
[[gnu::noinline]] void save_exceptions(exceptions_in_flight& to) noexcept {
  to = *reinterpret_cast<exceptions_in_flight*>(abi::__cxa_get_globals());
}
[[gnu::noinline]] void restore_exceptions(const exceptions_in_flight& from) noexcept {
  *reinterpret_cast<exceptions_in_flight*>(abi::__cxa_get_globals()) = from;
}

void write_thread_register([[maybe_unused]] void* value) noexcept {
#if defined(__x86_64__)
  asm volatile("wrfsbase %0" : : "r"(value) : "memory");
#endif
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

struct fiber::state {
  ~state() {
#if defined(CALLISTO_UNDER_TSAN)
    if (memory != nullptr) __tsan_destroy_fiber(own_tsan);
#endif
    if (memory == nullptr) return;
#if defined(CALLISTO_UNDER_ASAN)
    // Memory that is mapped here next has no frames.
    __asan_unpoison_memory_region(bottom(), stack_bytes());
#endif
    munmap(memory, memory_bytes);
  }

  std::byte* bottom() const noexcept { return memory + page_bytes(); }
  std::size_t stack_bytes() const noexcept { return memory_bytes - page_bytes(); }
  /// Returns where the stack begins; it grows down.
  std::byte* top() const noexcept { return memory + memory_bytes - colour; }

  std::byte* memory = nullptr;  ///< a guard page, then the stack; null for a thread's own context
  std::size_t memory_bytes = 0;
  std::size_t colour = 0;  ///< bytes left free above the stack
  entry start = nullptr;
  void* argument = nullptr;
  exceptions_in_flight exceptions;  ///< a fiber that switches inside a handler takes its own with it
  void* identity = nullptr;         ///< the thread register that the context carries; null: none
  std::byte* left_at = nullptr;     ///< where its own stack was left by call_on(); null: it stands there
  void* thread_register =
      nullptr;  ///< in a thread's own context, the thread's register, known to a context that carries one
#if defined(__x86_64__) || defined(__aarch64__)
  void* stack = nullptr;  ///< where the registers are saved while the context does not run
#else
  ucontext_t context;
#endif
#if defined(CALLISTO_UNDER_ASAN)
  void* fake_stack = nullptr;
  const void* asan_bottom = nullptr;
  std::size_t asan_bytes = 0;
#endif
#if defined(CALLISTO_UNDER_TSAN)
  void* own_tsan = nullptr;
  /// The bounds of what ran when this context was left: a fiber's code may itself run fibers (an activation in a thread
  /// of the checked machine), for which this one then stands.
  void* tsan = nullptr;
  unsigned restarts = 0;
#endif

#if defined(CALLISTO_UNDER_ASAN)
  static inline thread_local state* left = nullptr;  ///< the context with the bounds that the next finish_switch tells
#endif

  static void swap(state& a, state& b) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
    callisto_fiber_switch(&a.stack, b.stack);
#else
    swapcontext(&a.context, &b.context);
#endif
  }

  /// Runs first on a context after a switch, maybe on another thread than the last thing before. Not inlined: compilers
  /// keep the address of a thread-local over what they take for a call.
  [[gnu::noinline]] void arrive() noexcept {
#if defined(CALLISTO_UNDER_ASAN)
    __sanitizer_finish_switch_fiber(fake_stack, &left->asan_bottom, &left->asan_bytes);
#endif
  }

  static void first_entry(void* self) noexcept {
    auto& s = *static_cast<state*>(self);
    s.arrive();
    s.start(s.argument);
    __builtin_trap();
  }
};

fiber::fiber() noexcept : state_(std::make_unique<state>()) { become_this_threads(); }

void fiber::become_this_threads() noexcept {
#if defined(CALLISTO_UNDER_TSAN)
  state_->tsan = state_->own_tsan = __tsan_get_current_fiber();
#endif
}

fiber::fiber(std::size_t stack_bytes, entry start, void* argument) : state_(std::make_unique<state>()) {
  // Stacks of equal size stand at equal distances, so their tops, which every switch touches, would share a few sets of
  // the caches. Each begins at another pair of lines of a page (docs/notebook/2026-11-22-activations-cost.md).
  constexpr std::size_t pair_of_lines = 128;
  static std::atomic<std::size_t> made{0};
  const std::size_t page = page_bytes();
  // relaxed: only the number matters.
  state_->colour = made.fetch_add(1, std::memory_order_relaxed) * pair_of_lines % page;
  // The guard page, what was asked for, and the page that colours are taken from.
  const std::size_t bytes = page + (stack_bytes + page - 1) / page * page + page;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  state_->memory = static_cast<std::byte*>(memory);
  state_->memory_bytes = bytes;
  // Refused where the process has as many mappings as the system lets it have (vm.max_map_count): not without a guard.
  if (mprotect(memory, page, PROT_NONE) != 0) throw std::bad_alloc();
#if defined(CALLISTO_UNDER_TSAN)
  state_->own_tsan = __tsan_create_fiber(0);
#endif
  adopt_stack(start, argument);
}

fiber::~fiber() = default;

void fiber::restart(entry start, void* argument) noexcept {
#if defined(CALLISTO_UNDER_TSAN)
  // ThreadSanitizer keeps calls that never return on a separate stack, with room for 2^16.
  if (++state_->restarts % 256 == 0) {
    __tsan_destroy_fiber(state_->own_tsan);
    state_->own_tsan = __tsan_create_fiber(0);
  }
#endif
  adopt_stack(start, argument);
}

void fiber::adopt_stack(entry start, void* argument) noexcept {
  state& s = *state_;
  s.start = start;
  s.argument = argument;
  s.exceptions = {};
#if defined(CALLISTO_UNDER_TSAN)
  s.tsan = s.own_tsan;
#endif
#if defined(CALLISTO_UNDER_ASAN)
  // Frames that were never left have poisoned their surroundings, here or in an earlier mapping at this address.
  __asan_unpoison_memory_region(s.bottom(), s.stack_bytes());
  s.fake_stack = nullptr;
  s.asan_bottom = s.bottom();
  s.asan_bytes = s.stack_bytes();
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  s.stack = first_frame(s.top(), &state::first_entry, &s);
#else
  make_first_context<&state::first_entry>(s.context, s.bottom(), s.stack_bytes(), &s);
#endif
}

void fiber::let_go() noexcept {
  // With ucontext the position of the context is the C library's secret: all of the stack stays.
#if defined(__x86_64__) || defined(__aarch64__)
  const state& s = *state_;
  const auto bottom = reinterpret_cast<std::uintptr_t>(s.bottom());
  const auto used = reinterpret_cast<std::uintptr_t>(s.stack);
  const std::uintptr_t page = page_bytes();
  // The page below the stack pointer stays, too: the ABI lets code use some of it (System V AMD64, the red zone).
  const std::uintptr_t end = used / page * page - page;
  if (s.memory == nullptr || end <= bottom) return;
  // Linux 4.5. Fails on older ones, where the pages then stay.
  const int saved = errno;
  madvise(s.bottom(), end - bottom, MADV_FREE);
  errno = saved;
#endif
}

void* const* fiber::saved_stack() const noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  return &state_->stack;
#else
  return nullptr;
#endif
}

void fiber::call_on([[maybe_unused]] fiber& self, [[maybe_unused]] void* stack, void (*call)(void*),
                    void* argument) noexcept {
#if defined(__x86_64__)
  callisto_call_on_stack(stack, call, argument, &self.state_->left_at);
  self.state_->left_at = nullptr;
#else
  call(argument);  // identities are not carried here
#endif
}

void* fiber::free_stack() const noexcept { return state_->left_at; }

void fiber::take_on(fiber& self, fiber& home, void* thread_register) noexcept {
  save_exceptions(self.state_->exceptions);
  home.state_->thread_register = thread_identity::running_register();
  self.state_->identity = thread_register;
  write_thread_register(thread_register);
}

void fiber::put_off(fiber& self, fiber& home) noexcept {
  write_thread_register(home.state_->thread_register);
  self.state_->identity = nullptr;
  restore_exceptions(self.state_->exceptions);
}

// Not inlined anywhere: __cxa_get_globals is declared to return the same to each call, which holds for one thread.
[[gnu::noinline]] void fiber::switch_to(fiber& from, fiber& to) noexcept {
  state& a = *from.state_;
  state& b = *to.state_;
  if (a.identity != nullptr || b.identity != nullptr) [[unlikely]] {
    // A block that is carried keeps its exceptions' state in itself; only a thread's own changes hands.
    if (b.identity != nullptr) {
      save_exceptions(a.exceptions);
      a.thread_register = thread_identity::running_register();
      write_thread_register(b.identity);
    } else {
      write_thread_register(b.thread_register);
      // If a lender runs the context itself, both have the same block, which keeps the exceptions of the context.
      if (a.identity != b.thread_register) restore_exceptions(b.exceptions);
    }
  } else {
    auto* const exceptions = reinterpret_cast<exceptions_in_flight*>(abi::__cxa_get_globals());
    a.exceptions = *exceptions;
    *exceptions = b.exceptions;
  }
#if defined(CALLISTO_UNDER_TSAN)
  a.tsan = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(b.tsan, 0);
#endif
#if defined(CALLISTO_UNDER_ASAN)
  state::left = &a;
  __sanitizer_start_switch_fiber(&a.fake_stack, b.asan_bottom, b.asan_bytes);
#endif
#if defined(CALLISTO_UNDER_ASAN) || !(defined(__x86_64__) || defined(__aarch64__))
  state::swap(a, b);
  a.arrive();
}
#else
  // The last act, so that compilers make it a jump: a return address that is not returned to would mislead the
  // processor's next prediction.
  callisto_fiber_switch(&a.stack, b.stack);
}
#endif

}  // namespace callisto::machine
