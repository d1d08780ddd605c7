// Sets affinities by the numbers of threads that /proc lists now. No number comes from the job.
#include <callisto/broker/moved_threads.hpp>

#include <callisto/broker/process_threads.hpp>

#include <algorithm>
#include <array>
#include <optional>

#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using cosched::context_set;
// The C library's functions of these names are for processes in some libraries.
int policy_of(pid_t thread) noexcept { return static_cast<int>(::syscall(SYS_sched_getscheduler, thread)); }
bool set_policy(pid_t process, pid_t thread, int policy) noexcept {
  const sched_param none{};
  return is_thread(process, thread) && ::syscall(SYS_sched_setscheduler, thread, policy, &none) == 0;
}

/// Gives a thread of an ordinary class SCHED_IDLE, and returns its class before; -1: it stays as it is.
int demote(pid_t process, pid_t thread) noexcept {
  const int policy = policy_of(thread);
  const int kind = policy & ~SCHED_RESET_ON_FORK;
  if (policy < 0 || (kind != SCHED_OTHER && kind != SCHED_BATCH)) return -1;
  return set_policy(process, thread, SCHED_IDLE | (policy & SCHED_RESET_ON_FORK)) ? policy : -1;
}

void remove(context_set& from, unsigned context) noexcept {
  from.word(context / 64) &= ~(std::uint64_t{1} << (context % 64));
}

}  // namespace

unsigned moved_threads::keep_off(pid_t process, unsigned context, context_set instead, unsigned most) {
  remove(instead, context);
  const std::vector<pid_t> threads = threads_of(process, most);
  // Without the right, SCHED_IDLE could not be undone.
  static const bool demotes = may_move_others();
  for (const pid_t thread : threads) {
    const std::optional<context_set> now = affinity_of_thread(thread);
    if (!now || !now->has(context)) continue;
    context_set given = *now;
    remove(given, context);
    if (given.empty()) given = instead;
    if (given.empty() && demotes) {
      const int policy = demote(process, thread);
      if (policy < 0) continue;
      all_.push_back({.process = process, .thread = thread, .context = context, .before = {}, .given = {}});
      all_.back().policy = policy;
      continue;
    }
    if (given.empty() || !set_affinity(process, thread, given)) continue;
    all_.push_back({.process = process, .thread = thread, .context = context, .before = *now, .given = given});
  }
  return static_cast<unsigned>(threads.size());
}

void moved_threads::give_back(unsigned context) {
  for (const moved& m : all_) {
    if (m.context != context) continue;
    if (m.policy >= 0) {
      if ((policy_of(m.thread) & ~SCHED_RESET_ON_FORK) == SCHED_IDLE) set_policy(m.process, m.thread, m.policy);
      continue;
    }
    const std::optional<context_set> now = affinity_of_thread(m.thread);
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
