// Traps in the program's own code: breakpoints and the handler of their signal, and jumps.
#include <callisto/workers/preemption/spin_traps/spin_traps.hpp>

#include <callisto/machine/native.hpp>
#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/workers/preemption/program_signal.hpp>
#include <callisto/workers/preemption/spin_traps/program_code.hpp>
#include <callisto/workers/preemption/spin_traps/spin_jump.hpp>
#include <callisto/workers/preemption/spin_traps/spin_loop.hpp>
#include <callisto/workers/preemption/spin_traps/trap_table.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers::spin_traps {

#if defined(__x86_64__)

namespace {

using machine::order;

/// Loops that can have traps in a program's life; a program waits in few places of its own code.
constexpr unsigned most_traps = 16;
// How often in a row a trap is met without demand before it is taken out: for some 10 us.
constexpr unsigned most_breakpoints_without_demand = 16;
constexpr unsigned most_jumps_without_demand = 128;

using table = trap_table<machine::native, trapped_loop, most_traps>;
using trap = table::trap;

table traps;
std::atomic<loop_traps::signal_handler> asked{nullptr};
std::atomic<loop_traps::call_handler> called{nullptr};
void on_trap(int, siginfo_t* info, void* context);
constinit program_signal programs(SIGTRAP, on_trap);

bool is_debugged() noexcept {
  std::array<char, 1024> status{};
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  const ssize_t bytes = ::read(file, status.data(), status.size());
  close(file);
  constexpr std::string_view name = "TracerPid:\t";
  const std::string_view all(status.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  const std::size_t at = all.find(name);
  return at == std::string_view::npos || at + name.size() >= all.size() || all[at + name.size()] != '0';
}

/// Returns the trap that has its breakpoint there.
trap* trap_at(std::uintptr_t address) noexcept {
  return traps.find([address](std::uintptr_t branch, const trapped_loop& w) {
    return !w.jumps && (branch == address || w.room_end == address);
  });
}

/// Returns the trap that has the instruction in its loop, or in its code elsewhere.
trap* trap_around(std::uintptr_t instruction) noexcept {
  return traps.find([instruction](std::uintptr_t branch, const trapped_loop& w) {
    return (instruction >= w.begin && instruction <= branch) ||
           (instruction >= w.room && instruction <= w.room_end && w.room != 0);
  });
}

/// Counts how a trap was met, and takes it out if there is no demand for long.
void account(trap& t, trap_outcome how) noexcept {
  const trapped_loop& w = t.what;
  if (how != trap_outcome::no_demand) {
    t.without_demand.store(0, order::relaxed);  // relaxed, here and below: a hint
  } else if (t.without_demand.fetch_add(1, order::relaxed) >=
             (w.jumps ? most_jumps_without_demand : most_breakpoints_without_demand)) {
    traps.alone([&] { return traps.take_out(t, [&] { return write_code(w.at, std::span(&w.original, 1)); }); });
  }
}

/// Called as if by the program, in the middle of its code.
void on_landing(std::uintptr_t landing) noexcept {
  const int saved = errno;
  trap* const t = trap_around(landing);
  // acquire: pairs with prepare()'s release. Null: in a child of fork().
  const loop_traps::call_handler c = called.load(std::memory_order_acquire);
  if (t != nullptr && c != nullptr) account(*t, c());
  errno = saved;
}

// Like the handler of ticks (runaway_timer.cpp) it runs under any identity, and may be left in the middle. Its own
// signal is not blocked meanwhile: a thread that left it for another activation must meet traps there, too. Ticks are
// blocked: what runs here would go on elsewhere while the handler still uses the worker that it was on.
void on_trap(int, siginfo_t* info, void* context) {
  auto& frame = *static_cast<ucontext_t*>(context);
  greg_t& next = frame.uc_mcontext.gregs[REG_RIP];
  trap* const t = info->si_code == SI_KERNEL ? trap_at(static_cast<std::uintptr_t>(next) - 1) : nullptr;
  if (t == nullptr) return programs.pass_on(info, context);
  const trapped_loop& w = t->what;
  const std::uintptr_t branch = w.branch();
  const auto here = static_cast<std::uintptr_t>(next) - 1;
  if (here == branch && !w.loop.goes_on(static_cast<std::uint64_t>(frame.uc_mcontext.gregs[REG_EFL]))) {
    const std::uintptr_t behind = branch + w.loop.branch_bytes;
    next = static_cast<greg_t>(behind);
    return;
  }
  const int saved = errno;
  // relaxed: there are no traps before it is set.
  account(*t, asked.load(std::memory_order_relaxed)(context));
  // The wait is often over by then. A pass elsewhere then ends the loop; in the loop the branch would be a breakpoint
  // again.
  next = static_cast<greg_t>(traps.is_set(*t) && w.room != 0 ? w.room : w.begin);
  errno = saved;
}

/// The only object of its kind.
class process_traps final : public loop_traps {
 public:
  void prepare(signal_handler by_signal, call_handler by_call, int tick_signal) override;
  bool is_wait(std::uintptr_t instruction) const noexcept override;
  bool put(std::uintptr_t instruction) noexcept override;
};

void process_traps::prepare(signal_handler by_signal, call_handler by_call, int tick_signal) {
  called.store(by_call, std::memory_order_release);  // release: publishes what it calls to on_landing()'s acquire
  static std::once_flag once;
  std::call_once(once, [by_signal, tick_signal] {
    note_program();
    if (!programs.take(SA_NODEFER, machine::bit_of(tick_signal))) return;
    spin_jump::call(on_landing);
    // A child has none of the threads that may have held these, and no workers to yield to.
    pthread_atfork(nullptr, nullptr, [] {
      traps.forget_others();
      programs.forget_others();
      called.store(nullptr, std::memory_order_relaxed);  // relaxed: it has one thread
    });
    // release: publishes what is above to is_wait()'s and put()'s acquires.
    asked.store(by_signal, std::memory_order_release);
  });
}

bool process_traps::is_wait(std::uintptr_t instruction) const noexcept {
  if (asked.load(std::memory_order_acquire) == nullptr) return false;  // acquire: pairs with prepare()'s release
  if (trap_around(instruction) != nullptr) return true;
  const place p = around(instruction);
  return !p.code.empty() && find_spin_loop(p.code, p.at);
}

bool process_traps::put(std::uintptr_t instruction) noexcept {
  if (asked.load(std::memory_order_acquire) == nullptr) return false;  // acquire: pairs with prepare()'s release
  const trap* const known = trap_around(instruction);
  if (known != nullptr && traps.is_set(*known)) return true;
  const place p = around(instruction);
  if (p.code.empty()) return false;
  // Within alone(): else a breakpoint of another thread may be read as code.
  return traps.alone([&] {
    const auto loop = find_spin_loop(p.code, p.at);
    if (!loop) return false;
    const std::uintptr_t branch = reinterpret_cast<std::uintptr_t>(p.code.data()) + loop->branch;
    trap* const t = traps.claim(branch, [&] { return make_trap(*loop, p.code); });
    if (t == nullptr) return false;
    const trapped_loop& w = t->what;
    return traps.set(*t, [&w] { return !is_debugged() && write_code(w.at, std::span(&w.trapped, 1)); });
  });
}

}  // namespace

bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept {
  return programs.act_for_program(action, before);
}

#else

namespace {

class process_traps final : public loop_traps {
 public:
  void prepare(signal_handler, call_handler, int) override {}
  bool is_wait(std::uintptr_t) const noexcept override { return false; }
  bool put(std::uintptr_t) noexcept override { return false; }
};

}  // namespace

bool act_for_program(const struct sigaction*, struct sigaction*) noexcept { return false; }

#endif

loop_traps& of_this_process() noexcept {
  static constinit process_traps only;
  return only;
}

}  // namespace callisto::workers::spin_traps
