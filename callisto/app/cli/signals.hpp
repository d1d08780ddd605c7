// SIGINT, SIGTERM and SIGHUP: the first asks the running operation to stop, the next ends the process at once. A
// service may count SIGHUP instead.
#pragma once

#include <atomic>
#include <csignal>
#include <mutex>
#include <stop_token>
#include <thread>

namespace callisto::app {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request for as long as it lives. Create it before any other thread:
/// threads inherit its signal mask. A signal that was ignored when the process started stays ignored.
///
/// SIGPIPE is ignored meanwhile: a write to a reader that has gone fails instead.
///
/// If the system refuses a thread, signals end the process as without this object.
///
/// After the first signal the operation has one second to wind up. Then, or at a second signal, the process removes
/// unfinished output files and scratch folders, gives the terminal back, says that it was interrupted and exits with
/// 128 + the number of the first signal. If the terminal takes no output, this delays the exit by at most 0.2 s.
class signal_watch {
 public:
  signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;
  ~signal_watch();

  std::stop_token token() const noexcept { return source_.get_token(); }

  /// Prints `NAME: interrupted`, NAME being the program, on standard error at the first call. When any call returns,
  /// the line has been printed, unless the reader of standard error has kept the first caller waiting for 0.2 s.
  /// Thread-safe.
  void tell() const noexcept;

  /// Returns 128 + the number of the first signal received; 0: none was.
  int exit_code() const noexcept { return exit_code_.load(std::memory_order_relaxed); }  // relaxed: watch()

 private:
  void watch();

  sigset_t watched_{};
  sigset_t mask_at_start_{};
  void (*pipe_at_start_)(int) = SIG_DFL;
  std::stop_source source_;
  std::atomic<int> exit_code_{0};
  mutable std::timed_mutex telling_;
  mutable bool told_ = false;
  std::thread watcher_;
};

/// Lets SIGHUP stop nothing from now on; hangups() counts it. Before the first signal.
void count_hangups() noexcept;
/// Returns how often SIGHUP has come since.
unsigned hangups() noexcept;

/// Lets signals end the process without a line from now on: another process tells why.
void silence_interruption() noexcept;

}  // namespace callisto::app
