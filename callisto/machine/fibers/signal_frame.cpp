// Frames of signals: where they stand, and their move.
#include <callisto/machine/fibers/signal_frame.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// Runs what is left of a handler on a moved frame. The frame begins with the address of the code that returns from the
// signal, as a call's frame with its return address: so unwinders and debuggers find what was interrupted.
#if defined(__x86_64__)
extern "C" [[noreturn, gnu::visibility("hidden")]] void callisto_call_in_frame(void* frame, siginfo_t* info,
                                                                               void* context,
                                                                               void (*call)(siginfo_t*, void*));
asm(R"(
.text
.p2align 4
.globl callisto_call_in_frame
.hidden callisto_call_in_frame
.type callisto_call_in_frame, @function
callisto_call_in_frame:
  .cfi_startproc
  endbr64
  movq %rdi, %rsp
  movq %rcx, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  callq *%rax
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  retq
  .cfi_endproc
.size callisto_call_in_frame, .-callisto_call_in_frame
)");
#endif

namespace callisto::machine {
namespace {

bool is_within(const stack_t& stack, std::uintptr_t at) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
  return (stack.ss_flags & SS_DISABLE) == 0 && at > begin && at - begin <= stack.ss_size;
}

}  // namespace

bool is_on_alternate_stack(const void* context) noexcept {
  return is_within(static_cast<const ucontext_t*>(context)->uc_stack, reinterpret_cast<std::uintptr_t>(context));
}

bool has_interrupted_alternate_stack(const void* context) noexcept {
  const auto& interrupted = *static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  const auto at = static_cast<std::uintptr_t>(interrupted.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const auto at = static_cast<std::uintptr_t>(interrupted.uc_mcontext.sp);
#else
  const std::uintptr_t at = 0;
#endif
  return is_within(interrupted.uc_stack, at);
}

void move_signal_frame([[maybe_unused]] void* stack, siginfo_t* info, void* context,
                       void (*call)(siginfo_t*, void*)) noexcept {
#if defined(__x86_64__)
  // Everything from the frame's begin to the end of the alternate stack, on which it is the first: the kernel's frame
  // with the processor's extended state, or what an emulator has in their place.
  constexpr std::uintptr_t line = 64;  // the alignment of the extended state
  const auto begin = reinterpret_cast<std::uintptr_t>(context) - sizeof(void*);
  const stack_t& alternate = static_cast<const ucontext_t*>(context)->uc_stack;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(alternate.ss_sp) + alternate.ss_size;
  const std::uintptr_t bytes = end - begin;
  const std::uintptr_t to = (reinterpret_cast<std::uintptr_t>(stack) - bytes - line) / line * line + begin % line;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(begin), bytes);
  const auto moved = [=](const void* from) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(from) - begin + to);
  };
  auto* const copy = static_cast<ucontext_t*>(moved(context));
  const auto state = reinterpret_cast<std::uintptr_t>(copy->uc_mcontext.fpregs);
  if (state >= begin && state < end)
    copy->uc_mcontext.fpregs = static_cast<decltype(copy->uc_mcontext.fpregs)>(moved(copy->uc_mcontext.fpregs));
  // The kernel has disarmed such a stack for as long as its first handler runs.
  if ((static_cast<unsigned>(alternate.ss_flags) & (1U << 31)) != 0) syscall(SYS_sigaltstack, &copy->uc_stack, nullptr);
  callisto_call_in_frame(reinterpret_cast<void*>(to), static_cast<siginfo_t*>(moved(info)), copy, call);
#else
  call(info, context);
#endif
}

}  // namespace callisto::machine
