// How it works:
// 1. The command makes a socket and a descriptor of the command's process, and a child that makes the watcher and ends.
//    So the watcher is no child of the program that takes the command's place.
// 2. A job that joins the table sends a datagram to the socket (run_message.hpp), and to the socket of each other
//    `callisto run` that has started this one. The watcher ends. No watcher passes a message on: the program of the
//    other `callisto run` could end before that.
//    A job that a broker refuses sends the reason, which the watcher prints.
// 3. If the program ends first, the watcher says so.
// 4. A program that is another `callisto run` is still the same process. It takes over from the watcher before it, or
//    both would say so.
#include <callisto/app/jobs/run_watcher.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/cosched/run_message.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::app {
namespace {

using machine::descriptor;

/// Forks a child that sends no signal when it ends: one that is pending would reach the program.
pid_t quiet_fork() noexcept { return static_cast<pid_t>(::syscall(SYS_clone, 0, 0, 0, 0, 0)); }

/// Moves a descriptor out of the way of standard input, output and error, which may be closed.
descriptor above_standard(const descriptor& from) noexcept {
  return descriptor(from.get() < 0 ? -1 : ::fcntl(from.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

[[noreturn]] void watch(const descriptor& socket, const descriptor& itself, const std::string& program, bool always) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  ::prctl(PR_SET_NAME, "callisto-watch");
  // Keeps nothing of the caller's open but standard error.
  constexpr int heard = STDIN_FILENO;
  constexpr int ended = STDOUT_FILENO;
  if (::dup2(socket.get(), heard) < 0 || ::dup2(itself.get(), ended) < 0 ||
      ::syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0) != 0 || ::chdir("/") != 0) {
    ::_exit(1);
  }
  const std::uint64_t begin = machine::shared_nanoseconds();
  std::array<pollfd, 2> events{{{heard, POLLIN, 0}, {ended, POLLIN, 0}}};
  while (::poll(events.data(), events.size(), -1) < 0) {
    if (errno != EINTR) ::_exit(1);
  }
  if ((events[0].revents & POLLIN) != 0) {
    // A text: a broker has refused the job. The job runs, so this is said now.
    std::array<char, cosched::most_of_refusal> text{};
    const ssize_t got = ::recv(heard, text.data(), text.size(), MSG_DONTWAIT);
    if (got > 0) {
      std::fprintf(stderr, "callisto: run: %s was refused by the broker, and runs outside of all sharing: %s\n",
                   one_line(program).c_str(),
                   one_line(std::string(text.data(), static_cast<std::size_t>(got))).c_str());
    }
    ::_exit(0);
  }
  constexpr std::uint64_t worth_telling = 3'000'000'000;
  if (always || machine::shared_nanoseconds() - begin >= worth_telling) {
    const std::string refusal = why_no_table();
    const std::string why = refusal.empty()
                                ? "it ran no loop of Callisto's or of GCC's OpenMP that could be shared (a loop of one "
                                  "thread cannot); see 'callisto machine' and 'callisto run --check'"
                                : "jobs cannot share this machine: " + refusal;
    std::fprintf(stderr, "callisto: run: %s never became a job: %s\n", one_line(program).c_str(), why.c_str());
  }
  ::_exit(0);
}

}  // namespace

variables watch_for_a_job(const std::string& program, bool always) {
  // The first process of a container would get the watcher as a child, and may wait for all of its children.
  if (::getpid() == 1 || ::fcntl(STDERR_FILENO, F_GETFD) < 0) return {};
  const std::string_view others = machine::file_variable(cosched::run_variable);
  const std::string_view before = others.substr(0, others.find(','));
  const bool takes_over = before.starts_with(fmt::format("{}-", ::getpid()));
  always |= takes_over && before.ends_with('!');
  const std::string mark = fmt::format("{}-{:x}{}", ::getpid(), machine::shared_nanoseconds(), always ? "!" : "");
  const cosched::run_address address(mark);
  const descriptor socket = above_standard(descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)));
  const descriptor itself = above_standard(descriptor(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0))));
  if (socket.get() < 0 || itself.get() < 0 || ::bind(socket.get(), address.get(), address.length) != 0) return {};
  const pid_t between = quiet_fork();
  if (between < 0) return {};
  if (between == 0) {
    const pid_t watcher = quiet_fork();
    if (watcher == 0) watch(socket, itself, program, always);
    ::_exit(watcher < 0 ? 1 : 0);
  }
  int status = 0;
  while (::waitpid(between, &status, __WALL) < 0 && errno == EINTR) {
  }
  if (takes_over) cosched::tell_runs(before);
  return {{cosched::run_variable, others.empty() ? mark : fmt::format("{},{}", mark, others)}};
}

void watch_no_more(const variables& mark) noexcept {
  for (const auto& [name, value] : mark) cosched::tell_runs(value);
}

}  // namespace callisto::app
