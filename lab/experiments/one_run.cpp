// Descriptors of files in memory, a process group, and a descriptor of the process.
#include <lab/experiments/one_run.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::lab {
namespace {

std::string read_all(int fd, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

/// Owns what a call has opened. Throws error, with what errno says, if that is nothing.
machine::descriptor opened(int number) {
  if (number < 0) throw error("bench: cannot open a file: " + std::generic_category().message(errno));
  return machine::descriptor(number);
}

}  // namespace

one_run::one_run(const std::string& name, spawn_request what, std::string* output)
    : name_(name),
      output_(output),
      out_(opened(output == nullptr ? ::open("/dev/null", O_WRONLY | O_CLOEXEC)
                                    : ::memfd_create("callisto-output", MFD_CLOEXEC))),
      err_(opened(::memfd_create("callisto-errors", MFD_CLOEXEC))) {
  const machine::descriptor nothing = opened(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  what.in = nothing.get();
  what.out = out_.get();
  what.err = err_.get();
  try {
    pid_ = spawn(what);
  } catch (const spawn_failure& e) {
    throw error(fmt::format("{}: {}", name_, e.what()));
  }
  // Sets the group here too: otherwise a signal to the group could come before the group exists.
  ::setpgid(pid_, pid_);
  group_.emplace(pid_);
  end_ = opened(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
}

one_run::~one_run() {
  ::kill(-pid_, SIGKILL);
  group_.reset();
  if (!over_) ::waitpid(pid_, nullptr, 0);
}

bool one_run::ended() {
  if (::waitpid(pid_, &status_, WNOHANG) != pid_) return false;
  over_ = true;
  if (WIFSIGNALED(status_)) {
    fail(fmt::format("ended by signal {} ({})", WTERMSIG(status_), ::strsignal(WTERMSIG(status_))));
  } else if (WEXITSTATUS(status_) != 0) {
    fail(fmt::format("ended with exit code {}", WEXITSTATUS(status_)));
  } else if (output_ != nullptr) {
    const std::string said = read_all(out_.get(), 1 << 16);
    if (output_->empty()) {
      *output_ = said;
    } else if (said != *output_) {
      fail(fmt::format("wrong result: expected '{}', found '{}'", one_line(output_->substr(0, 60)),
                       one_line(said.substr(0, 60))));
    }
  }
  return true;
}

void one_run::fail(std::string message) const {
  const std::string said = read_all(err_.get(), 400);
  if (!said.empty()) message += ": " + said;
  while (message.ends_with('\n')) message.pop_back();
  throw error(fmt::format("{}: {}", name_, one_line(message)));
}

}  // namespace callisto::lab
