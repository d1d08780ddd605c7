// Ctrl-C and its kin: the first asks the running operation to stop, the next ends the process at once.
#pragma once

#include <atomic>
#include <csignal>
#include <mutex>
#include <stop_token>
#include <thread>

namespace callisto::app {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request for as long as it lives. Create it before any other thread:
/// threads inherit its signal mask. A signal that the process was started with ignored stays ignored.
///
/// SIGPIPE is ignored meanwhile, so that a vanished reader is noticed where it is written to.
///
/// Where the system refuses a thread, signals end the process as if this were not there.
///
/// After the first signal the operation has one second to wind up. Then, or at a second signal, the process removes
/// unfinished output files and scratch folders, gives the terminal back, says that it was interrupted and exits with
/// 128 + the number of the first signal. A terminal that takes no output keeps it for a fifth of a second at most.
class signal_watch {
 public:
  signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;
  ~signal_watch();

  std::stop_token token() const noexcept { return source_.get_token(); }

  /// Prints `callisto: interrupted` on standard error, once, however often and by whom it is called: has been printed
  /// when it returns, unless whoever reads standard error keeps the first caller waiting.
  void tell() const noexcept;

  /// 128 + the number of the first signal received, 0 if none was.
  int exit_code() const noexcept { return exit_code_.load(); }

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

}  // namespace callisto::app
