// Sets affinities by the numbers of threads that /proc lists now. No number comes from the job.
#include <callisto/broker/moved_threads.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <dirent.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using cosched::context_set;
using mask = std::array<std::uint64_t, context_set::words>;

/// Returns a thread's affinity; nullopt if it has ended.
std::optional<context_set> affinity_of(pid_t thread) noexcept {
  mask bits{};
  if (::syscall(SYS_sched_getaffinity, thread, sizeof bits, bits.data()) <= 0) return std::nullopt;
  context_set s;
  for (unsigned i = 0; i < context_set::words; ++i) s.word(i) = bits[i];
  return s;
}

bool set_affinity(pid_t process, pid_t thread, const context_set& to) noexcept {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task/%d", static_cast<int>(process), static_cast<int>(thread));
  mask bits{};
  for (unsigned i = 0; i < context_set::words; ++i) bits[i] = to.word(i);
  // The number may be another process's by now.
  return ::access(path.data(), F_OK) == 0 && ::syscall(SYS_sched_setaffinity, thread, sizeof bits, bits.data()) == 0;
}

void remove(context_set& from, unsigned context) noexcept {
  from.word(context / 64) &= ~(std::uint64_t{1} << (context % 64));
}

/// Returns the threads of a process; none if there are more than `most`.
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

}  // namespace

unsigned moved_threads::keep_off(pid_t process, unsigned context, context_set instead, unsigned most) {
  remove(instead, context);
  const std::vector<pid_t> threads = threads_of(process, most);
  for (const pid_t thread : threads) {
    const std::optional<context_set> now = affinity_of(thread);
    if (!now || !now->has(context)) continue;
    context_set given = *now;
    remove(given, context);
    if (given.empty()) given = instead;
    if (given.empty() || !set_affinity(process, thread, given)) continue;
    all_.push_back({.process = process, .thread = thread, .context = context, .before = *now, .given = given});
  }
  return static_cast<unsigned>(threads.size());
}

void moved_threads::give_back(unsigned context) {
  for (const moved& m : all_) {
    if (m.context != context) continue;
    const std::optional<context_set> now = affinity_of(m.thread);
    if (!now) continue;
    if (*now == m.given) {
      set_affinity(m.process, m.thread, m.before);
      continue;
    }
    // It was moved off a further context since: that one's memory has this context from now on.
    const auto later = std::ranges::find_if(all_, [&](const moved& other) {
      return other.thread == m.thread && other.context != context && other.given == *now;
    });
    if (later == all_.end()) continue;
    later->given.add(context);
    later->before.add(context);
    set_affinity(m.process, m.thread, later->given);
  }
  std::erase_if(all_, [&](const moved& m) { return m.context == context; });
}

void moved_threads::give_all_back() {
  while (!all_.empty()) give_back(all_.back().context);
}

bool may_move_others() noexcept {
  __user_cap_header_struct head{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> has{};
  return ::syscall(SYS_capget, &head, has.data()) == 0 && (has[0].effective >> CAP_SYS_NICE & 1) != 0;
}

}  // namespace callisto::broker
