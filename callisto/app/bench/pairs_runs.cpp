// Handles the commands' process groups, their ends and their output.
#include <callisto/app/bench/pairs_runs.hpp>

#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::app {
namespace {

/// Owns a file descriptor, and closes it.
class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {
    if (fd < 0) throw error("bench pairs: cannot open a file: " + std::generic_category().message(errno));
  }
  descriptor(const descriptor&) = delete;
  ~descriptor() { ::close(fd_); }
  int number() const noexcept { return fd_; }

 private:
  int fd_;
};

std::string read_all(int fd, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

/// One run of a command, with all processes that it starts and that stay in its group. The destructor kills them.
class one_run {
 public:
  explicit one_run(const repeated_command& command)
      : command_(command),
        out_(command.output == nullptr ? ::open("/dev/null", O_WRONLY | O_CLOEXEC)
                                       : ::memfd_create("callisto-output", MFD_CLOEXEC)),
        err_(::memfd_create("callisto-errors", MFD_CLOEXEC)) {
    const descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    spawn_request what = command.what;
    what.in = nothing.number();
    what.out = out_.number();
    what.err = err_.number();
    try {
      pid_ = spawn(what);
    } catch (const spawn_failure& e) {
      throw error(fmt::format("{}: {}", command.name, e.what()));
    }
    // Sets the group here too: otherwise a signal to the group could come before the group exists.
    ::setpgid(pid_, pid_);
    group_.emplace(pid_);
    end_.emplace(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  }
  one_run(const one_run&) = delete;
  ~one_run() {
    ::kill(-pid_, SIGKILL);
    group_.reset();
    if (!over_) ::waitpid(pid_, nullptr, 0);
  }

  /// Returns a descriptor that becomes readable when the run ends.
  int end() const noexcept { return end_->number(); }
  double seconds() const { return time_.seconds(); }

  /// True if the run has ended. Throws error if it failed or wrote the wrong output.
  bool ended() {
    if (::waitpid(pid_, &status_, WNOHANG) != pid_) return false;
    over_ = true;
    if (WIFSIGNALED(status_)) {
      fail(fmt::format("ended by signal {} ({})", WTERMSIG(status_), ::strsignal(WTERMSIG(status_))));
    } else if (WEXITSTATUS(status_) != 0) {
      fail(fmt::format("ended with exit code {}", WEXITSTATUS(status_)));
    } else if (command_.output != nullptr) {
      const std::string said = read_all(out_.number(), 1 << 16);
      if (command_.output->empty()) {
        *command_.output = said;
      } else if (said != *command_.output) {
        fail(fmt::format("wrong result: expected '{}', found '{}'", one_line(command_.output->substr(0, 60)),
                         one_line(said.substr(0, 60))));
      }
    }
    return true;
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    const std::string said = read_all(err_.number(), 400);
    if (!said.empty()) message += ": " + said;
    while (message.ends_with('\n')) message.pop_back();
    throw error(fmt::format("{}: {}", command_.name, one_line(message)));
  }

  const repeated_command& command_;
  descriptor out_;
  descriptor err_;
  stopwatch time_;
  pid_t pid_ = -1;
  std::optional<group_to_kill> group_;
  std::optional<descriptor> end_;
  int status_ = 0;
  bool over_ = false;
};

}  // namespace

double run_times::median() const { return seconds.empty() ? unfinished : median_of(seconds); }
double run_times::best() const {
  return seconds.empty() ? unfinished : *std::min_element(seconds.begin(), seconds.end());
}
double run_times::worst() const {
  return seconds.empty() ? unfinished : *std::max_element(seconds.begin(), seconds.end());
}

std::vector<run_times> run_together(std::span<const repeated_command> commands, double limit,
                                    const std::stop_token& stop, const std::function<void()>& on_run) {
  std::vector<run_times> times(commands.size());
  std::vector<std::unique_ptr<one_run>> running;
  for (const repeated_command& c : commands) running.push_back(std::make_unique<one_run>(c));
  const auto enough = [&](std::size_t i) { return times[i].seconds.size() >= commands[i].rounds; };
  const stopwatch since;
  for (;;) {
    std::vector<pollfd> ends;
    for (const auto& run : running) ends.push_back({run->end(), POLLIN, 0});
    ::poll(ends.data(), ends.size(), 50);  // wakes every 50 ms to check the time and the stop token
    if (stop.stop_requested()) throw graph::cancelled();
    bool all = true;
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const double seconds = running[i]->seconds();
      if ((ends[i].revents & POLLIN) != 0 && running[i]->ended()) {
        if (!enough(i)) on_run();
        times[i].seconds.push_back(seconds);
        again.push_back(i);
      }
      all = all && enough(i);
    }
    if (all) return times;
    for (const std::size_t i : again) {
      running[i].reset();  // ends the old run first, so that there are never two
      running[i] = std::make_unique<one_run>(commands[i]);
    }
    if (since.seconds() > limit) break;
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (times[i].seconds.empty()) times[i].unfinished = running[i]->seconds();
  }
  return times;
}

}  // namespace callisto::app
