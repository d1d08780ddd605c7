// Starts programs by fork and exec.
#include <callisto/app/process/spawn.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr unsigned bits = sizeof(unsigned long) * CHAR_BIT;

}  // namespace

std::string this_program() {
  constexpr const char* link = "/proc/self/exe";
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::read_symlink(link, failed);
  return failed || !std::filesystem::exists(file, failed) ? link : file.string();
}

std::vector<std::string> environment_with(const variables& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool changed = std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
      return text.size() > change.first.size() && text.starts_with(change.first) && text[change.first.size()] == '=';
    });
    if (!changed) all.emplace_back(text);
  }
  for (const auto& [name, value] : changes) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

affinity::affinity(const std::vector<unsigned>& contexts) {
  for (const unsigned c : contexts) {
    if (mask_.size() <= c / bits) mask_.resize(c / bits + 1);
    mask_[c / bits] |= 1ul << c % bits;
  }
}

bool affinity::set() const noexcept {
  return mask_.empty() || ::sched_setaffinity(0, mask_.size() * sizeof(unsigned long),
                                              reinterpret_cast<const cpu_set_t*>(mask_.data())) == 0;
}

namespace {

/// Leaders of the process groups that kill_groups() ends; 0 marks a free slot. `bench pairs` never has as many groups
/// at once.
std::array<std::atomic<pid_t>, 16> groups{};

/// Replaces `from` in the first slot that holds it by `to`; false if no slot holds it. relaxed: publishes no other data
/// than the number itself.
bool change_group(pid_t from, pid_t to) noexcept {
  return std::ranges::any_of(groups, [from, to](std::atomic<pid_t>& at) {
    pid_t found = from;
    return at.compare_exchange_strong(found, to, std::memory_order_relaxed);
  });
}

}  // namespace

group_to_kill::group_to_kill(pid_t leader) noexcept : leader_(leader) { change_group(0, leader); }
group_to_kill::~group_to_kill() { change_group(leader_, 0); }

void kill_groups() noexcept {
  for (const std::atomic<pid_t>& at : groups) {
    const pid_t leader = at.load(std::memory_order_relaxed);  // relaxed: the number alone is read
    if (leader != 0) ::kill(-leader, SIGKILL);
  }
}

pid_t spawn(const spawn_request& what) {
  std::vector<std::string> words{what.program};
  words.insert(words.end(), what.arguments.begin(), what.arguments.end());
  const std::vector<char*> argv = pointers(words);
  std::vector<std::string> texts = environment_with(what.environment);
  const std::vector<char*> envp = pointers(texts);
  const affinity where(what.contexts);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw spawn_failure("cannot start: " + std::generic_category().message(errno));
  if (pid != 0) return pid;
  // The child of a process with several threads may call async-signal-safe functions only until it calls exec.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (::dup2(what.in, 0) >= 0 && ::dup2(what.out, 1) >= 0 && ::dup2(what.err, 2) >= 0 && where.set()) {
    ::execve(argv[0], argv.data(), envp.data());
  }
  const char* why = std::strerror(errno);
  if (::write(2, why, std::strlen(why)) < 0) ::_exit(126);
  ::_exit(127);
}

}  // namespace callisto::app
