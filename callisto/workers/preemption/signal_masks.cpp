// Masks of signals, of workers and of what runs on them.
#include <callisto/workers/preemption/signal_masks.hpp>

#include <callisto/workers/preemption/program_signal.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>
#include <callisto/workers/preemption/tick_frame.hpp>

#include <atomic>
#include <csignal>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers::ticks {

namespace {

/// Signals that workers block usually. relaxed, always: alike for all workers.
std::atomic<machine::signal_bits> workers_block{0};

}  // namespace

void workers_have_mask(machine::signal_bits mask) noexcept { workers_block.store(mask, std::memory_order_relaxed); }

machine::signal_bits usual_mask() noexcept {
  return workers_block.load(std::memory_order_relaxed) & ~machine::bit_of(tick_signal);
}

bool is_pending(machine::signal_bits which) noexcept {
  machine::signal_bits come = 0;
  return which != 0 && syscall(SYS_rt_sigpending, &come, sizeof come) == 0 && (come & which) != 0;
}

bool has_more_blocked(thread_timer& p, const void* frame) noexcept {
  const stack_t& alternate = static_cast<const ucontext_t*>(frame)->uc_stack;
  if (alternate.ss_sp != p.alternate) note_alternate_stack(alternate);
  const unsigned most_ticks = has_alternate_stacks() ? 2000 : 50;
  const machine::signal_bits mask = mask_in(frame);
  if ((mask & ~p.usually_blocked) == 0 || p.with_more_blocked >= most_ticks || is_mask_of_program(mask)) {
    p.usually_blocked = mask;
    p.with_more_blocked = 0;
    return false;
  }
  ++p.with_more_blocked;
  return true;
}

}  // namespace callisto::workers::ticks

namespace callisto::workers {

void posix_runaway_timer::unblock() noexcept {
  const machine::signal_bits mask = ticks::usual_mask();
  machine::change_signal_mask(SIG_SETMASK, &mask, nullptr);
}

void posix_runaway_timer::block() noexcept { machine::block_signals(~machine::caused_signals); }

void posix_runaway_timer::unblock_only(std::uint64_t signals) noexcept { machine::unblock_signals(signals); }

std::uint64_t posix_runaway_timer::put_off_mask(bool kept) noexcept {
  const machine::signal_bits usual = ticks::usual_mask();
  machine::signal_bits mask = 0;
  machine::change_signal_mask(SIG_SETMASK, kept ? nullptr : &usual, &mask);
  return mask;
}
void posix_runaway_timer::put_on_mask(std::uint64_t mask) noexcept {
  machine::change_signal_mask(SIG_SETMASK, &mask, nullptr);
}
bool posix_runaway_timer::is_usual(std::uint64_t mask) const noexcept { return mask == ticks::usual_mask(); }
bool posix_runaway_timer::has_held() const noexcept {
  return ticks::is_pending(machine::signals_blocked() & ~ticks::usual_mask());
}

}  // namespace callisto::workers
