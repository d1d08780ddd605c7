// Breakpoints in the program's own code, and the handler of their signal.
#include <callisto/workers/wait_traps.hpp>

#include <callisto/machine/native.hpp>
#include <callisto/machine/signal_mask.hpp>
#include <callisto/workers/program_signal.hpp>
#include <callisto/workers/trap_table.hpp>
#include <callisto/workers/wait_loop.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers::wait_traps {

#if defined(__x86_64__)

namespace {

using machine::order;

constexpr std::uint8_t breakpoint = 0xCC;  // int3
/// Loops that can have traps in a program's life: waits of the program's own are written in few places.
constexpr unsigned most_traps = 16;
/// Code around an instruction in which its loop is looked for: more than 16 instructions.
constexpr std::size_t reach = 256;
constexpr unsigned most_in_vain = 16;

/// A loop that has a trap.
struct waits {
  std::uintptr_t begin = 0;
  wait_loop loop;
  std::uint8_t original = 0;    ///< the first byte of the branch
  std::uintptr_t pass = 0;      ///< of the loop, elsewhere (wait_pass); 0: there is none
  std::uintptr_t pass_end = 0;  ///< its breakpoint
};
using table = trap_table<machine::native, waits, most_traps>;
using trap = table::trap;

table traps;
std::atomic<asker> asked{nullptr};
/// Executable segments of the program itself; from prepare().
std::array<std::span<const std::uint8_t>, 4> text;

void on_trap(int, siginfo_t* info, void* context);
constinit program_signal programs(SIGTRAP, on_trap);

bool is_debugged() noexcept {
  std::array<char, 1024> status{};
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  const ssize_t bytes = read(file, status.data(), status.size());
  close(file);
  constexpr std::string_view name = "TracerPid:\t";
  const std::string_view all(status.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  const std::size_t at = all.find(name);
  return at == std::string_view::npos || at + name.size() >= all.size() || all[at + name.size()] != '0';
}

/// A file that stays open would be, in a child, the parent's.
bool write_code(std::uintptr_t address, std::span<const std::uint8_t> code) noexcept {
  const int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t written = pwrite(file, code.data(), code.size(), static_cast<off_t>(address));
  close(file);
  return written == static_cast<ssize_t>(code.size());
}

/// By who alone changes code: memory for so much of it, so near to the program's that code can say how far it is; 0:
/// there is none.
std::uintptr_t take_room(std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;
  static std::uintptr_t next = 0;
  static std::uintptr_t end = 0;
  if (next == 0) {
    const auto program = reinterpret_cast<std::uintptr_t>(text[0].data()) & ~(page - 1);
    for (std::uintptr_t back = 64 * page; back <= 64 * 64 * page && back + page < program && next == 0;
         back += 64 * page) {
      void* const wanted = reinterpret_cast<void*>(program - back);
      void* const got =
          mmap(wanted, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (got == MAP_FAILED) continue;
      next = reinterpret_cast<std::uintptr_t>(got);
      end = next + page;
    }
  }
  if (end - next < bytes) return 0;
  return std::exchange(next, next + bytes);
}

/// Whose breakpoint is there.
trap* trap_at(std::uintptr_t address) noexcept {
  return traps.find(
      [address](std::uintptr_t branch, const waits& w) { return branch == address || w.pass_end == address; });
}

/// Whose loop, or pass of it, the instruction is in.
const trap* trap_around(std::uintptr_t instruction) noexcept {
  return traps.find([instruction](std::uintptr_t branch, const waits& w) {
    return (instruction >= w.begin && instruction <= branch) ||
           (instruction >= w.pass && instruction <= w.pass_end && w.pass != 0);
  });
}

struct place {
  std::span<const std::uint8_t> code;  ///< empty: none of the program's
  std::size_t at = 0;
};
place around(std::uintptr_t instruction) noexcept {
  const auto* const at = reinterpret_cast<const std::uint8_t*>(instruction);
  for (const auto& segment : text) {
    if (at < segment.data() || at >= segment.data() + segment.size()) continue;
    const auto before = static_cast<std::size_t>(at - segment.data());
    const std::size_t first = before > reach ? before - reach : 0;
    return {segment.subspan(first, std::min(segment.size() - first, before - first + reach)), before - first};
  }
  return {};
}

/// By who alone changes code.
waits describe(const wait_loop& loop, std::span<const std::uint8_t> code) noexcept {
  const auto base = reinterpret_cast<std::uintptr_t>(code.data());
  waits w{.begin = base + loop.begin, .loop = loop, .original = code[loop.branch]};
  const std::uintptr_t room = take_room(sizeof(wait_pass::code));
  if (room == 0) return w;
  const wait_pass pass = copy_pass(code, loop, static_cast<std::ptrdiff_t>(room - base));
  if (pass.bytes == 0 || !write_code(room, std::span(pass.code).first(pass.bytes))) return w;
  w.pass = room;
  w.pass_end = room + pass.bytes - 1;
  return w;
}

// As the handler of ticks (runaway_timer.cpp): it runs under any identity, and may be left in the middle. Its own
// signal is not blocked meanwhile: a thread that left it for another activation must meet traps there, too. Ticks are:
// what runs here would go on elsewhere while the handler still thinks of the worker that it was on.
void on_trap(int, siginfo_t* info, void* context) {
  auto& frame = *static_cast<ucontext_t*>(context);
  greg_t& next = frame.uc_mcontext.gregs[REG_RIP];
  trap* const t = info->si_code == SI_KERNEL ? trap_at(static_cast<std::uintptr_t>(next) - 1) : nullptr;
  if (t == nullptr) return programs.pass_on(info, context);
  const waits& w = t->what;
  const std::uintptr_t branch = w.begin + (w.loop.branch - w.loop.begin);
  const auto here = static_cast<std::uintptr_t>(next) - 1;
  if (here == branch && !w.loop.goes_on(static_cast<std::uint64_t>(frame.uc_mcontext.gregs[REG_EFL]))) {
    const std::uintptr_t behind = branch + w.loop.branch_bytes;
    next = static_cast<greg_t>(behind);
    return;
  }
  const int saved = errno;
  // relaxed: there are no traps before it is set.
  switch (asked.load(std::memory_order_relaxed)(context)) {
    case met::in_vain:
      // relaxed, both: a hint.
      if (t->in_vain.fetch_add(1, order::relaxed) >= most_in_vain)
        traps.alone([&] { return traps.take_out(*t, [&] { return write_code(branch, std::span(&w.original, 1)); }); });
      break;
    case met::left:
    case met::stayed:
      t->in_vain.store(0, order::relaxed);
      break;
  }
  // Often what it waits for has happened meanwhile: then the pass ends the loop, where the branch would be a breakpoint
  // again.
  next = static_cast<greg_t>(traps.is_set(*t) && w.pass != 0 ? w.pass : w.begin);
  errno = saved;
}

/// The program comes first.
int note_text(dl_phdr_info* object, std::size_t, void*) noexcept {
  std::size_t found = 0;
  for (unsigned n = 0; n < object->dlpi_phnum && found < text.size(); ++n) {
    const auto& segment = object->dlpi_phdr[n];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
      text[found++] = {reinterpret_cast<const std::uint8_t*>(object->dlpi_addr + segment.p_vaddr), segment.p_filesz};
  }
  return 1;
}

}  // namespace

void prepare(asker ask, int tick_signal) {
  static std::once_flag once;
  std::call_once(once, [ask, tick_signal] {
    dl_iterate_phdr(note_text, nullptr);
    if (!programs.take(SA_NODEFER, machine::bit_of(tick_signal))) return;
    // A child has none of the threads that may have held these.
    pthread_atfork(nullptr, nullptr, [] {
      traps.forget_others();
      programs.forget_others();
    });
    asked.store(ask, std::memory_order_release);  // release: what is above
  });
}

bool is_wait(std::uintptr_t instruction) noexcept {
  if (asked.load(std::memory_order_acquire) == nullptr) return false;  // acquire: what prepare() wrote
  if (trap_around(instruction) != nullptr) return true;
  const place p = around(instruction);
  return !p.code.empty() && find_wait_loop(p.code, p.at);
}

bool put(std::uintptr_t instruction) noexcept {
  if (asked.load(std::memory_order_acquire) == nullptr) return false;  // acquire: what prepare() wrote
  const trap* const known = trap_around(instruction);
  if (known != nullptr && traps.is_set(*known)) return true;
  const place p = around(instruction);
  if (p.code.empty()) return false;
  // Alone: else another one's breakpoint may be read as code.
  return traps.alone([&] {
    const auto loop = find_wait_loop(p.code, p.at);
    if (!loop) return false;
    const std::uintptr_t branch = reinterpret_cast<std::uintptr_t>(p.code.data()) + loop->branch;
    trap* const t = traps.claim(branch, [&] { return describe(*loop, p.code); });
    return t != nullptr && traps.set(*t, [branch] { return !is_debugged() && write_code(branch, {&breakpoint, 1}); });
  });
}

bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept {
  return programs.act_for_program(action, before);
}

#else

void prepare(asker, int) {}
bool is_wait(std::uintptr_t) noexcept { return false; }
bool put(std::uintptr_t) noexcept { return false; }
bool act_for_program(const struct sigaction*, struct sigaction*) noexcept { return false; }

#endif

}  // namespace callisto::workers::wait_traps
