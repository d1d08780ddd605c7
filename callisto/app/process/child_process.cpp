// Controls the child by pipes, a socket and signals.
#include <callisto/app/process/child_process.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr std::size_t longest_line = 1 << 16;

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

child_process::child_process(const std::string& program, const std::vector<std::string>& arguments,
                             const variables& environment) {
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  errors_ = ::memfd_create("callisto-child-errors", MFD_CLOEXEC);
  if (errors_ < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0 ||
      ::pipe2(out.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    for (const int fd : {in[0], in[1], out[0], out[1], errors_}) ::close(fd);
    throw child_failure("cannot make pipes: " + reason(error));
  }
  std::string failure;
  try {
    pid_ = spawn({.program = program,
                  .arguments = arguments,
                  .environment = environment,
                  .contexts = {},
                  .in = in[0],
                  .out = out[1],
                  .err = errors_});
  } catch (const spawn_failure& e) {
    failure = e.what();
  }
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  if (pid_ < 0) {
    for (const int fd : {to_, from_, errors_}) ::close(fd);
    throw child_failure(failure);
  }
}

child_process::~child_process() {
  end();
  for (const int fd : {to_, from_, errors_}) ::close(fd);
}

void child_process::end() noexcept {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void child_process::fail(const std::string& what) {
  std::string message = what;
  if (message.empty()) {  // the child has closed its ends of the pipes, so it is about to end by itself
    for (int tries = 0; pid_ >= 0 && tries < 200; ++tries) {
      if (::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
      if (pid_ >= 0) ::usleep(5000);
    }
  }
  end();
  if (message.empty()) {
    message = WIFSIGNALED(status_)
                  ? fmt::format("ended by signal {} ({})", WTERMSIG(status_), ::strsignal(WTERMSIG(status_)))
                  : fmt::format("ended with exit code {}", WEXITSTATUS(status_));
  }
  std::array<char, 400> said{};
  const off_t size = ::lseek(errors_, 0, SEEK_END);
  const ssize_t got =
      ::pread(errors_, said.data(), said.size(), std::max<off_t>(0, size - static_cast<off_t>(said.size())));
  if (got > 0) {
    std::string_view text(said.data(), static_cast<std::size_t>(got));
    text = text.substr(0, text.find_last_not_of(" \n") + 1);
    if (!text.empty()) message += ": " + one_line(text);
  }
  throw child_failure(message);
}

std::string child_process::ask(const std::string& line, std::chrono::seconds patience, const std::stop_token& stop) {
  const std::string text = line + '\n';
  // The line is shorter than the socket's buffer, which is empty: the child answers every line before the next one. A
  // socket rather than a pipe, because send() has MSG_NOSIGNAL: no SIGPIPE if the child is gone.
  if (::send(to_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) fail({});
  return read_line(patience, stop);
}

std::string child_process::read_line(std::chrono::seconds patience, const std::stop_token& stop) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > longest_line) fail("answers with a line that does not end");
    if (stop.stop_requested()) throw graph::cancelled();
    if (std::chrono::steady_clock::now() > give_up) fail(fmt::format("no answer in {} s", patience.count()));
    pollfd readable{from_, POLLIN, 0};
    if (::poll(&readable, 1, 50) <= 0) continue;  // interrupted, or time to check the stop token
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(from_, buffer.data(), buffer.size());
    if (got > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      fail({});
    }
  }
}

void child_process::halt() {
  if (pid_ < 0 || ::kill(pid_, SIGSTOP) != 0) return;
  // Waits until all threads of the child have stopped, or until the child has ended.
  if (::waitpid(pid_, &status_, WUNTRACED) == pid_ && !WIFSTOPPED(status_)) pid_ = -1;
}

void child_process::proceed() {
  if (pid_ >= 0) ::kill(pid_, SIGCONT);
}

}  // namespace callisto::app
