// Traps in the program's own code: which loops have one, and what a thread does that meets one.
#include <callisto/workers/preemption/spin_traps/spin_traps.hpp>

#include <callisto/machine/native.hpp>
#include <callisto/workers/preemption/spin_traps/program_code.hpp>
#include <callisto/workers/preemption/spin_traps/spin_jump.hpp>
#include <callisto/workers/preemption/spin_traps/spin_loop.hpp>
#include <callisto/workers/preemption/spin_traps/trap_table.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

namespace callisto::workers::spin_traps {

#if defined(__x86_64__)

namespace {

using machine::order;

/// Loops that can have traps in a program's life; a program waits in few places of its own code.
constexpr unsigned most_traps = 16;
/// How often in a row a trap is met without demand before it is taken out: for some 10 us.
constexpr unsigned most_without_demand = 128;

using table = trap_table<machine::native, trapped_loop, most_traps>;
using trap = table::trap;

table traps;
std::atomic<bool> can_read{false};
/// Null: no traps are put, and those that are there do nothing.
std::atomic<loop_traps::call_handler> called{nullptr};

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

/// Returns the trap that has the instruction in its loop, or in its code elsewhere.
trap* trap_around(std::uintptr_t instruction) noexcept {
  return traps.find([instruction](std::uintptr_t branch, const trapped_loop& w) {
    return (instruction >= w.begin && instruction <= branch) ||
           (instruction >= w.room && instruction <= w.room_end && w.room != 0);
  });
}

/// Counts how a trap was met, and takes it out if there is no demand for long.
void account(trap& t, bool yielded) noexcept {
  const trapped_loop& w = t.what;
  if (yielded) {
    t.without_demand.store(0, order::relaxed);  // relaxed, here and below: a hint
  } else if (t.without_demand.fetch_add(1, order::relaxed) >= most_without_demand) {
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

/// The only object of its kind.
class process_traps final : public loop_traps {
 public:
  void prepare(call_handler by_call) override;
  bool is_wait(std::uintptr_t instruction) const noexcept override;
  bool put(std::uintptr_t instruction) noexcept override;
};

void process_traps::prepare(call_handler by_call) {
  static std::mutex one_at_a_time;
  const std::scoped_lock held(one_at_a_time);
  // relaxed, both: ordered by the mutex.
  if (!can_read.load(std::memory_order_relaxed)) {
    note_program();
    spin_jump::call(on_landing);
    // A child has none of the threads that may have held these, and no workers to yield to.
    pthread_atfork(nullptr, nullptr, [] {
      traps.forget_others();
      called.store(nullptr, std::memory_order_relaxed);  // relaxed: it has one thread
      new (&one_at_a_time) std::mutex;
    });
    can_read.store(true, std::memory_order_release);  // release: publishes what is above to is_wait()'s acquire
  }
  // release: publishes what it calls, and what is above, to on_landing()'s and put()'s acquires.
  if (by_call != nullptr) called.store(by_call, std::memory_order_release);
}

bool process_traps::is_wait(std::uintptr_t instruction) const noexcept {
  if (!can_read.load(std::memory_order_acquire)) return false;  // acquire: pairs with prepare()'s release
  if (trap_around(instruction) != nullptr) return true;
  const place p = around(instruction);
  return !p.code.empty() && find_spin_loop(p.code, p.at);
}

bool process_traps::put(std::uintptr_t instruction) noexcept {
  if (called.load(std::memory_order_acquire) == nullptr) return false;  // acquire: pairs with prepare()'s release
  const trap* const known = trap_around(instruction);
  if (known != nullptr && traps.is_set(*known)) return true;
  const place p = around(instruction);
  if (p.code.empty()) return false;
  // Within alone(): else a byte that another thread has changed may be read as code.
  return traps.alone([&] {
    const auto loop = find_spin_loop(p.code, p.at);
    if (!loop) return false;
    const std::uintptr_t branch = reinterpret_cast<std::uintptr_t>(p.code.data()) + loop->branch;
    trap* const t = traps.claim(branch, [&] { return make_trap(*loop, p.code); });
    if (t == nullptr) return false;
    const trapped_loop& w = t->what;
    return w.at != 0 && traps.set(*t, [&w] { return !is_debugged() && write_code(w.at, std::span(&w.trapped, 1)); });
  });
}

}  // namespace

#else

namespace {

class process_traps final : public loop_traps {
 public:
  void prepare(call_handler) override {}
  bool is_wait(std::uintptr_t) const noexcept override { return false; }
  bool put(std::uintptr_t) noexcept override { return false; }
};

}  // namespace

#endif

loop_traps& of_this_process() noexcept {
  static constinit process_traps only;
  return only;
}

}  // namespace callisto::workers::spin_traps
