// A thread waits for the signals, so that ordinary code handles them instead of an asynchronous handler.
#include <callisto/app/cli/signals.hpp>

#include <callisto/app/cli/program_name.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/terminal.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <mutex>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

namespace callisto::app {
namespace {

std::atomic<bool> is_silent{false};
std::atomic<bool> counts_hangups{false};
std::atomic<unsigned> hung_up{0};

constexpr timespec grace{1, 0};  // from the first signal to the end of a process that does not stop by itself

/// The signal that ends the watching thread; it is sent to that thread alone.
int end_of_watch() noexcept { return SIGRTMIN; }

/// Ends the process in 0.2 s, whatever its threads wait for.
void end_soon(int exit_code) noexcept {
  static std::atomic<int> with;
  with.store(exit_code, std::memory_order_relaxed);  // relaxed: the handler reads this word alone
  struct sigaction end{};
  end.sa_handler = [](int) { ::_exit(with.load(std::memory_order_relaxed)); };
  ::sigaction(SIGALRM, &end, nullptr);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
  const itimerval moment{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 200'000}};
  ::setitimer(ITIMER_REAL, &moment, nullptr);
}

bool ignored(int signal) noexcept {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == SIG_IGN;
}

}  // namespace

signal_watch::signal_watch() {
  sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!ignored(signal)) sigaddset(&watched_, signal);
  }
  sigaddset(&watched_, end_of_watch());
  ::pthread_sigmask(SIG_BLOCK, &watched_, &mask_at_start_);
  pipe_at_start_ = std::signal(SIGPIPE, SIG_IGN);
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    // The system refuses threads (ulimit -u): signals do what they do to any process.
    ::pthread_sigmask(SIG_SETMASK, &mask_at_start_, nullptr);
  }
}

signal_watch::~signal_watch() {
  if (watcher_.joinable()) {
    ::pthread_kill(watcher_.native_handle(), end_of_watch());
    watcher_.join();
  }
  // After a first signal the mask stays: a second one must not change the exit code.
  if (exit_code() != 0) return;
  std::signal(SIGPIPE, pipe_at_start_);
  ::pthread_sigmask(SIG_SETMASK, &mask_at_start_, nullptr);
}

void count_hangups() noexcept { counts_hangups.store(true, std::memory_order_relaxed); }
unsigned hangups() noexcept { return hung_up.load(std::memory_order_relaxed); }

void silence_interruption() noexcept { is_silent.store(true, std::memory_order_relaxed); }  // relaxed: as in tell()

void signal_watch::tell() const noexcept {
  if (is_silent.load(std::memory_order_relaxed)) return;  // relaxed: set before the work begins
  std::array<char, 80> line{};                            // no memory is taken: the process may be about to end
  const std::size_t length =
      std::min(line.size(), fmt::format_to_n(line.data(), line.size(), "{}: interrupted\n", program_name()).size);
  const std::unique_lock held(telling_, std::chrono::milliseconds(200));
  if (!held || std::exchange(told_, true)) return;
  if (::write(STDERR_FILENO, line.data(), length) < 0) return;  // no reader is left
}

void signal_watch::watch() {
  int signal = 0;
  for (;;) {
    if (::sigwait(&watched_, &signal) != 0 || signal == end_of_watch()) return;
    // relaxed, here and below: a flag and a count by themselves.
    if (signal != SIGHUP || !counts_hangups.load(std::memory_order_relaxed)) break;
    hung_up.fetch_add(1, std::memory_order_relaxed);
  }
  exit_code_.store(128 + signal, std::memory_order_relaxed);  // relaxed: the stop request below publishes it
  source_.request_stop();
  do {
    signal = ::sigtimedwait(&watched_, nullptr, &grace);
  } while (signal == -1 && errno == EINTR);
  if (signal == end_of_watch()) return;
  kill_groups();
  machine::remove_unfinished_outputs();
  machine::remove_scratch_folders();
  // The rest waits for the readers of the output; for ever, if Ctrl-S has stopped the terminal.
  end_soon(exit_code());
  terminal::leave_now();
  progress_bar::erase_now();
  tell();
  ::_exit(exit_code());
}

}  // namespace callisto::app
