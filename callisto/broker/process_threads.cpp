// Reads /proc/PID/task.
#include <callisto/broker/process_threads.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using cosched::context_set;
using mask = std::array<std::uint64_t, context_set::words>;

}  // namespace

std::vector<pid_t> threads_of(pid_t process, unsigned most) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(("/proc/" + std::to_string(process) + "/task").c_str()),
                                                   ::closedir);
  std::vector<pid_t> all;
  for (const dirent* e = nullptr; folder != nullptr && (e = ::readdir(folder.get())) != nullptr;) {
    pid_t thread = 0;
    if (std::from_chars(e->d_name, e->d_name + std::strlen(e->d_name), thread).ec != std::errc()) continue;
    if (all.size() == most) return {};
    all.push_back(thread);
  }
  return all;
}

bool is_thread(pid_t process, pid_t thread) noexcept {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task/%d", static_cast<int>(process), static_cast<int>(thread));
  return ::access(path.data(), F_OK) == 0;
}

std::optional<context_set> affinity_of_thread(pid_t thread) noexcept {
  mask bits{};
  if (::syscall(SYS_sched_getaffinity, thread, sizeof bits, bits.data()) <= 0) return std::nullopt;
  context_set s;
  for (unsigned i = 0; i < context_set::words; ++i) s.word(i) = bits[i];
  return s;
}

bool set_affinity(pid_t process, pid_t thread, const context_set& to) noexcept {
  mask bits{};
  for (unsigned i = 0; i < context_set::words; ++i) bits[i] = to.word(i);
  // The number may be another process's by now.
  return is_thread(process, thread) && ::syscall(SYS_sched_setaffinity, thread, sizeof bits, bits.data()) == 0;
}

}  // namespace callisto::broker
