// A process that a test forks, talks with and kills.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <utility>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::tests {

/// A forked process that runs f(say) and ends. The destructor kills it. It sends one byte at a time.
class child {
 public:
  using say = std::function<void(char)>;

  explicit child(const std::function<void(const say&)>& f) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      f([&](char c) {
        if (write(ends[1], &c, 1) != 1) _exit(1);
      });
      _exit(0);
    }
    close(ends[1]);
    from_ = ends[0];
  }
  child(const child&) = delete;
  ~child() {
    if (pid_ > 0) {
      kill(SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(from_);
  }

  void kill(int signal) const { ::kill(pid_, signal); }
  /// Stops all threads of the process, and waits until they stand still.
  void stop() const {
    kill(SIGSTOP);
    waitpid(pid_, nullptr, WUNTRACED);
  }
  /// Kills the process, and waits until it is gone.
  void end() {
    kill(SIGKILL);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  /// Waits until it ends by itself; returns its status as waitpid() has it.
  int status() {
    int s = 0;
    waitpid(std::exchange(pid_, -1), &s, 0);
    return s;
  }
  /// Returns the next byte; 0 if none comes in time.
  char hear(std::chrono::milliseconds patience = std::chrono::minutes(5)) const {
    pollfd p{.fd = from_, .events = POLLIN, .revents = 0};
    char c = 0;
    return poll(&p, 1, static_cast<int>(patience.count())) == 1 && read(from_, &c, 1) == 1 ? c : '\0';
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int from_ = -1;
};

}  // namespace callisto::tests
