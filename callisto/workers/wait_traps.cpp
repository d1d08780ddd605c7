// Breakpoints in the program's own code, and the handler of their signal.
#include <callisto/workers/wait_traps.hpp>

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
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers::wait_traps {

#if defined(__x86_64__)

namespace {

constexpr std::uint8_t breakpoint = 0xCC;  // int3
/// Loops that can have traps in a program's life: waits of the program's own are written in few places.
constexpr unsigned most_traps = 16;
/// Code around an instruction in which its loop is looked for: more than 16 instructions.
constexpr std::size_t reach = 256;
constexpr unsigned most_in_vain = 16;

/// Written once, before it is published, but for the last two. Never taken back: threads may come to the handler late.
struct trap {
  std::atomic<std::uintptr_t> branch{0};  ///< its address; 0: there is none yet
  std::uintptr_t begin = 0;
  wait_loop loop;
  std::uint8_t original = 0;         ///< the first byte of the branch
  std::uintptr_t pass = 0;           ///< of the loop, elsewhere (wait_pass); 0: there is none
  std::uintptr_t pass_end = 0;       ///< its breakpoint
  std::atomic<bool> is_set{false};   ///< the breakpoint is there
  std::atomic<unsigned> in_vain{0};  ///< in a row
};

trap traps[most_traps];
/// Held by who changes code, or `traps`, in a handler: who finds it held goes without. What `is_set` says, the code
/// has.
std::atomic_flag changing = ATOMIC_FLAG_INIT;
std::atomic<asker> asked{nullptr};
/// Executable segments of the program itself; from prepare().
std::array<std::span<const std::uint8_t>, 4> text;

/// The program's own action. Read by handlers: under a lock that is held for a few instructions with signals blocked.
struct sigaction others_action;
std::atomic_flag acting = ATOMIC_FLAG_INIT;

class locked_actions {
 public:
  locked_actions() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    while (acting.test_and_set(std::memory_order_acquire)) {  // acquire: what its last holder wrote
    }
  }
  ~locked_actions() {
    acting.clear(std::memory_order_release);  // release: as above
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  locked_actions(const locked_actions&) = delete;
  locked_actions& operator=(const locked_actions&) = delete;

 private:
  sigset_t before_;
};

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

/// With `changing` held: memory for so much code, so near to the program's that code can say how far it is; 0: there is
/// none.
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
  for (trap& t : traps) {
    const std::uintptr_t at = t.branch.load(std::memory_order_acquire);  // acquire: what is written before it
    if (at == 0) break;
    if (at == address || t.pass_end == address) return &t;
  }
  return nullptr;
}

/// With `changing` held: the trap of this loop, new or not; null: there are as many as can be.
trap* trap_of(const wait_loop& loop, std::span<const std::uint8_t> code) noexcept {
  const auto base = reinterpret_cast<std::uintptr_t>(code.data());
  const std::uintptr_t branch = base + loop.branch;
  for (trap& t : traps) {
    const std::uintptr_t at = t.branch.load(std::memory_order_relaxed);  // relaxed: written under `changing`
    if (at == branch) return &t;
    if (at != 0) continue;
    t.loop = loop;
    t.begin = base + loop.begin;
    t.original = code[loop.branch];
    const std::uintptr_t room = take_room(sizeof(wait_pass::code));
    const wait_pass pass = copy_pass(code, loop, static_cast<std::ptrdiff_t>(room - base));
    if (room != 0 && pass.bytes != 0 && write_code(room, std::span(pass.code).first(pass.bytes))) {
      t.pass = room;
      t.pass_end = room + pass.bytes - 1;
    }
    t.branch.store(branch, std::memory_order_release);  // release: for trap_at()
    return &t;
  }
  return nullptr;
}

/// With `changing` held.
bool set(trap& t) noexcept {
  const std::uintptr_t branch = t.branch.load(std::memory_order_relaxed);  // relaxed: written under `changing`
  if (t.is_set.load(std::memory_order_relaxed)) return true;               // relaxed: likewise
  if (is_debugged() || !write_code(branch, std::span(&breakpoint, 1))) return false;
  t.in_vain.store(0, std::memory_order_relaxed);  // relaxed: a hint
  t.is_set.store(true, std::memory_order_relaxed);
  return true;
}

void take_out(trap& t) noexcept {
  if (changing.test_and_set(std::memory_order_acquire)) return;  // acquire: what its last holder wrote
  // relaxed: written under `changing`.
  if (t.is_set.load(std::memory_order_relaxed) &&
      write_code(t.branch.load(std::memory_order_relaxed), std::span(&t.original, 1)))
    t.is_set.store(false, std::memory_order_relaxed);
  changing.clear(std::memory_order_release);  // release: as above
}

/// The signal is none of ours.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  struct sigaction action{};
  act_for_program(nullptr, &action);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else if (action.sa_handler == SIG_DFL) {
    // As without us, the process ends. Not by sigaction(), which may be for the program (act_for_program()): the
    // kernel's words for the default are zeros.
    const std::array<std::uint64_t, 4> usual{};
    syscall(SYS_rt_sigaction, signal, usual.data(), nullptr, std::size_t{_NSIG / 8});
    raise(signal);
  } else if (action.sa_handler != SIG_IGN) {
    action.sa_handler(signal);
  }
}

// As the handler of ticks (runaway_timer.cpp): it runs under any identity, and may be left in the middle. Its own
// signal is not blocked meanwhile: a thread that left it for another activation must meet traps there, too. Ticks are:
// what runs here would go on elsewhere while the handler still thinks of the worker that it was on.
void on_trap(int signal, siginfo_t* info, void* context) {
  auto& frame = *static_cast<ucontext_t*>(context);
  greg_t& next = frame.uc_mcontext.gregs[REG_RIP];
  trap* const t = info->si_code == SI_KERNEL ? trap_at(static_cast<std::uintptr_t>(next) - 1) : nullptr;
  if (t == nullptr) return pass_on(signal, info, context);
  const std::uintptr_t branch = t->branch.load(std::memory_order_relaxed);  // relaxed: trap_at() has seen it
  const auto here = static_cast<std::uintptr_t>(next) - 1;
  if (here == branch && !t->loop.goes_on(static_cast<std::uint64_t>(frame.uc_mcontext.gregs[REG_EFL]))) {
    next = static_cast<greg_t>(branch + t->loop.branch_bytes);
    return;
  }
  const int saved = errno;
  // relaxed: there are no traps before it is set.
  switch (asked.load(std::memory_order_relaxed)(context)) {
    case met::in_vain:
      // relaxed: a hint.
      if (t->in_vain.fetch_add(1, std::memory_order_relaxed) >= most_in_vain) take_out(*t);
      break;
    case met::left:
    case met::stayed:
      t->in_vain.store(0, std::memory_order_relaxed);  // relaxed: a hint
      break;
  }
  // Often what it waits for has happened meanwhile: then the pass ends the loop, where the branch would be a breakpoint
  // again. relaxed: a hint.
  const bool is_set = t->is_set.load(std::memory_order_relaxed);
  next = static_cast<greg_t>(is_set && t->pass != 0 ? t->pass : t->begin);
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
    struct sigaction action{};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, tick_signal);
    if (sigaction(SIGTRAP, &action, &others_action) != 0) return;
    // A child has none of the threads that may have held these.
    pthread_atfork(nullptr, nullptr, [] {
      changing.clear(std::memory_order_relaxed);  // relaxed, both: it has one thread
      acting.clear(std::memory_order_relaxed);
    });
    asked.store(ask, std::memory_order_release);  // release: what is above
  });
}

bool put(std::uintptr_t instruction) noexcept {
  if (asked.load(std::memory_order_acquire) == nullptr) return false;  // acquire: what prepare() wrote
  for (const trap& t : traps) {
    const std::uintptr_t branch = t.branch.load(std::memory_order_acquire);  // acquire: what is written before it
    if (branch == 0) break;
    const bool is_in = (instruction >= t.begin && instruction <= branch) ||
                       (instruction >= t.pass && instruction <= t.pass_end && t.pass != 0);
    if (is_in && t.is_set.load(std::memory_order_relaxed)) return true;  // relaxed: a hint
  }
  const auto* const at = reinterpret_cast<const std::uint8_t*>(instruction);
  for (const auto& segment : text) {
    if (at < segment.data() || at >= segment.data() + segment.size()) continue;
    const auto before = static_cast<std::size_t>(at - segment.data());
    const std::size_t first = before > reach ? before - reach : 0;
    const auto around = segment.subspan(first, std::min(segment.size() - first, before - first + reach));
    if (changing.test_and_set(std::memory_order_acquire)) return false;  // acquire: what its last holder wrote
    // Under `changing`: else another one's breakpoint may be read as code.
    const auto loop = find_wait_loop(around, before - first);
    trap* const t = loop ? trap_of(*loop, around) : nullptr;
    const bool is_set = t != nullptr && set(*t);
    changing.clear(std::memory_order_release);  // release: as above
    return is_set;
  }
  return false;
}

bool act_for_program(const struct sigaction* action, struct sigaction* before) noexcept {
  if (asked.load(std::memory_order_acquire) == nullptr) return false;  // acquire: what prepare() wrote
  const locked_actions held;
  const struct sigaction present = others_action;
  if (action != nullptr) others_action = *action;
  if (before != nullptr) *before = present;
  return true;
}

#else

void prepare(asker, int) {}
bool put(std::uintptr_t) noexcept { return false; }
bool act_for_program(const struct sigaction*, struct sigaction*) noexcept { return false; }

#endif

}  // namespace callisto::workers::wait_traps
