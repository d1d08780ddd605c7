// The program's actions and masks.
#include <callisto/workers/preemption/program_signal.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers {
namespace {

using machine::bit_of;
using machine::signal_bits;

/// The signals that were taken.
std::atomic<signal_bits> taken{0};
signal_bits all_taken() noexcept {
  return taken.load(std::memory_order_relaxed);
}  // relaxed: the kernel orders signals

// Of the thread, or the identity that runs. Handlers read them, too, by one load each.

/// Signals that the program believes to be blocked.
constinit thread_local signal_bits blocked_by_program [[gnu::tls_model("initial-exec")]] = 0;
/// Signals among these that came meanwhile.
constinit thread_local signal_bits held_back [[gnu::tls_model("initial-exec")]] = 0;
/// Further signals that are never really blocked: other activations run on the thread, which have handlers for what
/// they cause.
constinit thread_local signal_bits open_for_others [[gnu::tls_model("initial-exec")]] = 0;
/// The real mask as the last call of the program's has set it.
constinit thread_local signal_bits set_by_call [[gnu::tls_model("initial-exec")]] = 0;

/// An action as the kernel has it: the handler, flags, how to return, a mask. sigaction() may be the program's view.
using kernel_action = std::array<std::uint64_t, 4>;

long set_kernel_action(int signal, const kernel_action* action, kernel_action* before) noexcept {
  return syscall(SYS_rt_sigaction, signal, action, before, std::size_t{_NSIG / 8});
}

}  // namespace

class program_signal::locked {
 public:
  explicit locked(program_signal& of) noexcept : of_(of) {
    while (of_.acting_.test_and_set(std::memory_order_acquire)) {  // acquire: pairs with the destructor's release
    }
  }
  ~locked() { of_.acting_.clear(std::memory_order_release); }  // release: pairs with the constructor's acquire
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  const machine::signals_blocked_here blocked_{machine::all_signals};
  program_signal& of_;
};

bool program_signal::take(int flags) noexcept {
  if (is_taken()) return true;
  struct sigaction action{};
  action.sa_sigaction = ours_;
  action.sa_flags = SA_SIGINFO | SA_RESTART | flags;
  // A handler of the program's on top of ours would find ours on another stack, and may be left with it.
  const signal_bits mask = ~machine::caused_signals;
  std::memcpy(&action.sa_mask, &mask, sizeof mask);
  const locked held(*this);
  if (sigaction(number_, &action, &programs_) != 0) return false;
  taken.fetch_or(bit_of(number_), std::memory_order_relaxed);  // relaxed: see all_taken()
  return true;
}

bool program_signal::is_taken() const noexcept {
  kernel_action present{};
  return set_kernel_action(number_, nullptr, &present) == 0 && present[0] == reinterpret_cast<std::uintptr_t>(ours_);
}

bool program_signal::act_for_program(const struct sigaction* action, struct sigaction* before) noexcept {
  if (!is_taken()) return false;
  const locked held(*this);
  const struct sigaction last = programs_;
  if (action != nullptr) programs_ = *action;
  if (before != nullptr) *before = last;
  return true;
}

void program_signal::pass_on(siginfo_t* info, void* context) noexcept {
  // A signal that an instruction has caused cannot be held.
  const bool can_wait = number_ == SIGURG || info->si_code <= 0;
  if (can_wait && (blocked_by_program & bit_of(number_)) != 0) {
    held_back |= bit_of(number_);
    return;
  }
  struct sigaction action{};
  {
    const locked held(*this);
    action = programs_;
    if ((static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) != 0) programs_.sa_handler = SIG_DFL;
  }
  if (action.sa_handler == SIG_IGN || (action.sa_handler == SIG_DFL && number_ == SIGURG)) return;
  if (action.sa_handler == SIG_DFL) {
    // The process ends, as without the runtime. The kernel's words for the default action are zeros.
    const kernel_action usual{};
    set_kernel_action(number_, &usual, nullptr);
    raise(number_);
    return;
  }
  signal_bits also = 0;
  std::memcpy(&also, &action.sa_mask, sizeof also);
  // As the kernel would: what was interrupted blocks, and the action. Ours blocks all.
  signal_bits mask = 0;
  std::memcpy(&mask, &static_cast<const ucontext_t*>(context)->uc_sigmask, sizeof mask);
  mask |= (also & ~all_taken()) | bit_of(number_);
  signal_bits before = 0;
  machine::change_signal_mask(SIG_SETMASK, &mask, &before);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number_, info, context);
  } else {
    action.sa_handler(number_);
  }
  machine::change_signal_mask(SIG_SETMASK, &before, nullptr);
}

int change_mask_for_program(int how, const signal_bits* wanted, signal_bits* before) noexcept {
  const signal_bits never = all_taken() | open_for_others;
  signal_bits real = wanted != nullptr ? *wanted : 0;
  if (how != SIG_UNBLOCK) real &= ~never;
  signal_bits old = 0;
  const int error = machine::change_signal_mask(how, wanted != nullptr ? &real : nullptr, &old);
  if (error != 0) return error;
  const signal_bits blocked = blocked_by_program;
  if (before != nullptr) *before = old | blocked;
  if (wanted == nullptr) return 0;
  set_by_call = machine::signals_blocked();
  const signal_bits now = how == SIG_BLOCK ? blocked | *wanted : how == SIG_UNBLOCK ? blocked & ~*wanted : *wanted;
  blocked_by_program = now & never;
  if ((held_back & ~now & bit_of(SIGURG)) != 0) {
    held_back &= ~bit_of(SIGURG);
    raise(SIGURG);
  }
  return 0;
}

bool is_mask_of_program(signal_bits real) noexcept { return real == set_by_call; }

void unblock_for_runtime() noexcept {
  open_for_others = machine::caused_signals;
  const signal_bits never = all_taken() | open_for_others;
  blocked_by_program |= machine::signals_blocked() & never;
  machine::unblock_signals(never);
}

}  // namespace callisto::workers
