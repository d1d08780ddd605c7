// What the kernel keeps for a thread: a member or a leader that changes it keeps the change, and no other thread of a
// region ever sees it. The kinds are those of docs/reference/openmp-support.md. Each runs in a process of its own,
// since a filter or a dropped capability cannot be taken back; one that the system refuses is left out.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/mempolicy.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

namespace {

int threads = 1;

// The kernel's headers for these do not compile as C++, or beside the C library's.
constexpr int of_one_thread = 1, best_effort_6 = 2 << 13 | 6;
struct scheduling {
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;
};

// A filter that refuses one harmless call.
constexpr int refusal = 77;
const std::array<sock_filter, 4> refuses_getppid{
    sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
    sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid},
    sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | refusal},
    sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
};
sock_fprog program() { return {refuses_getppid.size(), const_cast<sock_filter*>(refuses_getppid.data())}; }
long is_filtered() { return syscall(SYS_getppid) == -1 && errno == refusal ? 1 : 0; }

constexpr unsigned dropped = CAP_MKNOD;
bool capabilities(int call, std::array<__user_cap_data_struct, 2>& all) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  return syscall(call, &header, all.data()) == 0;
}
long has_capability() {
  std::array<__user_cap_data_struct, 2> all{};
  return capabilities(SYS_capget, all) ? all[0].effective >> dropped & 1 : -1;
}
extern "C" int capset(void* header, const void* data);
bool drop_capability(bool by_number) {
  std::array<__user_cap_data_struct, 2> all{};
  if (!capabilities(SYS_capget, all) || (all[0].effective >> dropped & 1) == 0) return false;
  all[0].effective &= ~(1U << dropped);
  if (by_number) return capabilities(SYS_capset, all);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  return capset(&header, all.data()) == 0;
}

long policy_of_memory() {
  int mode = 0;
  return syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0) == 0 ? mode : -1;
}
long folder() {
  struct stat is{};
  return stat(".", &is) == 0 ? static_cast<long>(is.st_ino) : -1;
}
long has_file() { return fcntl(200, F_GETFD) == -1 ? 0 : 1; }
long scheduling_class() { return syscall(SYS_sched_getscheduler, 0); }
long niceness() { return syscall(SYS_getpriority, PRIO_PROCESS, 0); }
long session_keyring() { return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 0); }
// The kernel only follows it when the thread ends.
thread_local std::array<void*, 3> list_of_locks{};
/// 1 if the kernel knows the thread's own list. Else it is some worker's.
long has_robust_list() {
  void* list = nullptr;
  std::size_t bytes = 0;
  return syscall(SYS_get_robust_list, 0, &list, &bytes) == 0 && list == list_of_locks.data() ? 1 : 0;
}
long name() {
  std::array<char, 16> is{};
  prctl(PR_GET_NAME, is.data());
  return is[0];
}
long filesystem_user() {
  // setfsuid(-1) changes nothing.
  return setfsuid(static_cast<uid_t>(-1));
}
long user() {
  uid_t real = 0, effective = 0, saved = 0;
  syscall(SYS_getresuid, &real, &effective, &saved);
  return effective;
}
long death_signal() {
  int is = 0;
  prctl(PR_GET_PDEATHSIG, &is);
  return is;
}

long processors() {
  cpu_set_t where;
  CPU_ZERO(&where);
  return sched_getaffinity(0, sizeof where, &where) == 0 ? long{CPU_COUNT(&where)} : -1;
}

struct kind {
  const char* name;
  long (*look)();
  bool (*set)();
};
const std::vector<kind> kinds{
    {"setpriority", niceness, [] { return setpriority(PRIO_PROCESS, 0, 12) == 0; }},
    {"SYS_setpriority", niceness, [] { return syscall(SYS_setpriority, PRIO_PROCESS, 0, 13) == 0; }},
    {"setpriority of a number", niceness,
     [] { return setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 11) == 0; }},
    {"nice", niceness, [] { return nice(7) != -1; }},
    {"sched_setscheduler", scheduling_class,
     [] {
       const sched_param none{};
       return sched_setscheduler(0, SCHED_BATCH, &none) == 0;
     }},
    {"pthread_setschedparam", scheduling_class,
     [] {
       const sched_param none{};
       return pthread_setschedparam(pthread_self(), SCHED_BATCH, &none) == 0;
     }},
    {"SYS_sched_setattr", scheduling_class,
     [] {
       scheduling how{};
       how.size = sizeof how;
       how.policy = SCHED_BATCH;
       return syscall(SYS_sched_setattr, 0, &how, 0) == 0;
     }},
    {"SYS_ioprio_set", [] { return syscall(SYS_ioprio_get, of_one_thread, 0); },
     [] { return syscall(SYS_ioprio_set, of_one_thread, 0, best_effort_6) == 0; }},
    {"PR_SET_TIMERSLACK", [] { return long{prctl(PR_GET_TIMERSLACK)}; },
     [] { return prctl(PR_SET_TIMERSLACK, 123456UL) == 0; }},
    {"SYS_prctl", [] { return long{prctl(PR_GET_TIMERSLACK)}; },
     [] { return syscall(SYS_prctl, PR_SET_TIMERSLACK, 234567UL) == 0; }},
    {"PR_SET_NO_NEW_PRIVS", [] { return long{prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)}; },
     [] { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }},
    {"PR_SET_SECCOMP", is_filtered,
     [] {
       const sock_fprog with = program();
       return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &with) == 0;
     }},
    {"SYS_seccomp", is_filtered,
     [] {
       const sock_fprog with = program();
       return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &with) == 0;
     }},
    {"capset", has_capability, [] { return drop_capability(false); }},
    {"SYS_capset", has_capability, [] { return drop_capability(true); }},
    {"PR_CAPBSET_DROP", [] { return long{prctl(PR_CAPBSET_READ, dropped)}; },
     [] { return prctl(PR_CAPBSET_READ, dropped) == 1 && prctl(PR_CAPBSET_DROP, dropped) == 0; }},
    {"PR_SET_SECUREBITS", [] { return long{prctl(PR_GET_SECUREBITS)}; },
     [] { return prctl(PR_SET_SECUREBITS, 4UL) == 0; }},
    {"PR_SET_KEEPCAPS", [] { return long{prctl(PR_GET_KEEPCAPS)}; }, [] { return prctl(PR_SET_KEEPCAPS, 1UL) == 0; }},
    {"PR_MCE_KILL", [] { return long{prctl(PR_MCE_KILL_GET, 0, 0, 0, 0)}; },
     [] { return prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0) == 0; }},
    {"PR_SET_PDEATHSIG", death_signal, [] { return prctl(PR_SET_PDEATHSIG, SIGCONT) == 0; }},
    {"PR_SET_NAME", name, [] { return prctl(PR_SET_NAME, "!mine") == 0; }},
    {"setfsuid", filesystem_user,
     [] {
       setfsuid(12345);
       return filesystem_user() == 12345;
     }},
    {"SYS_setfsuid", filesystem_user,
     [] {
       syscall(SYS_setfsuid, 12346);
       return filesystem_user() == 12346;
     }},
    {"SYS_setresuid", user, [] { return geteuid() == 0 && syscall(SYS_setresuid, -1, 12347, -1) == 0; }},
    {"unshare of the folder", folder, [] { return unshare(CLONE_FS) == 0 && chdir("/proc") == 0; }},
    {"unshare of files", has_file, [] { return unshare(CLONE_FILES) == 0 && dup2(2, 200) == 200; }},
    {"SYS_unshare", folder, [] { return syscall(SYS_unshare, CLONE_FS) == 0 && chdir("/sys") == 0; }},
    {"SYS_set_mempolicy", policy_of_memory,
     [] {
       const unsigned long first = 1;
       return syscall(SYS_set_mempolicy, MPOL_PREFERRED, &first, 8 * sizeof first) == 0;
     }},
    {"personality", [] { return long{personality(0xffffffffUL)}; },
     [] { return personality(ADDR_NO_RANDOMIZE) != -1; }},
    {"keyctl", session_keyring, [] { return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) > 0; }},
    {"SYS_sched_setaffinity", processors,
     [] {
       cpu_set_t where;
       sched_getaffinity(0, sizeof where, &where);
       if (CPU_COUNT(&where) < 2) return false;
       int first = 0;
       while (!CPU_ISSET(first, &where)) ++first;
       CPU_ZERO(&where);
       CPU_SET(first, &where);
       return syscall(SYS_sched_setaffinity, 0, sizeof where, &where) == 0;
     }},
    {"SYS_set_robust_list", has_robust_list,
     [] {
       list_of_locks = {&list_of_locks, nullptr, nullptr};
       return syscall(SYS_set_robust_list, list_of_locks.data(), 3 * sizeof(void*)) == 0;
     }},
};

void compute() {
  for (const double begin = omp_get_wtime(); omp_get_wtime() - begin < .001;) {
  }
}

/// Threads for which sets(number) holds, set it once, in the third region. Returns 0 if none loses it and no other sees
/// it, -1 if the system refuses.
template <class Sets>
int runs(const kind& k, const char* setters, Sets sets) {
  std::vector<long> usual(static_cast<std::size_t>(threads)), mine(usual);
  std::atomic<int> lost{0}, seen{0}, refused{0};
  constexpr int regions = 10;
  for (int r = 0; r < regions; ++r) {
#pragma omp parallel num_threads(threads)
    {
      const int number = omp_get_thread_num();
      const auto n = static_cast<std::size_t>(number);
      if (r == 0) usual[n] = k.look();
      if (r == 2 && sets(number)) {
        if (!k.set()) ++refused;
        mine[n] = k.look();
      }
      compute();
      const long now = k.look();
      if (r >= 2 && sets(number)) {
        if (now != mine[n]) ++lost;
      } else if (now != usual[n]) {
        ++seen;
      }
    }
    if (refused != 0) return -1;
  }
  if (lost != 0 || seen != 0)
    std::printf("%s by %s: lost %d, seen by others %d\n", k.name, setters, lost.load(), seen.load());
  return lost + seen == 0 ? 0 : 1;
}

/// A thread that has set it before it leads its first region: all of its members have it, and no other leader's.
int inherit(const kind& k) {
  const auto members_with = [&k](long value) {
    std::atomic<int> with{0};
    for (int r = 0; r < 4; ++r) {
#pragma omp parallel num_threads(threads)
      {
        compute();
        if (k.look() == value) ++with;
      }
    }
    return with.load();
  };
  const long usual = k.look();
  if (members_with(usual) != 4 * threads) return 1;
  int failed = 0;
  std::thread([&] {
    if (!k.set()) {
      failed = -1;
      return;
    }
    const long mine = k.look();
    const int with = members_with(mine);
    if (with != 4 * threads) std::printf("%s: %d of %d members inherit\n", k.name, with, 4 * threads);
    if (with != 4 * threads) failed = 1;
  }).join();
  if (failed == 0 && members_with(usual) != 4 * threads) failed = 1;
  return failed;
}

/// Returns what f() returns in a child.
template <class F>
int in_child(F f) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int result = f();
    std::fflush(stdout);
    _exit(result == 0 ? 0 : result < 0 ? 77 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Returns how often a thread of a region found itself outside of the processor.
int elsewhere(int processor, int by) {
  std::atomic<int> bad{0};
  for (int r = 0; r < 10; ++r) {
#pragma omp parallel num_threads(by)
    {
      compute();
      if (sched_getcpu() != processor) ++bad;
    }
  }
  return bad;
}
bool bind_to(int processor) {
  cpu_set_t where;
  CPU_ZERO(&where);
  CPU_SET(processor, &where);
  return sched_setaffinity(0, sizeof where, &where) == 0;
}

/// A program that binds itself before its first region; and leaders that bind themselves, each to its processor.
int binds(int first, int last) {
  check(in_child([&] { return bind_to(last) && elsewhere(last, threads) != 0 ? 1 : 0; }) == 0,
        "a program that binds itself before its first region");
  return in_child([&] {
    std::atomic<int> bad{0};
    const auto lead = [&](int processor) {
      if (bind_to(processor)) bad += elsewhere(processor, threads);
    };
    std::thread one(lead, first), other(lead, last);
    one.join();
    other.join();
    return bad.load();
  });
}

}  // namespace

int main(int count, char** arguments) {
  threads = count > 1 ? std::atoi(arguments[1]) : 4;
  const bool all_roles = threads <= 4;
  for (const kind& k : kinds) {
    const auto judge = [&k](int result) { check(result == 0 || result == 77, k.name); };
    judge(in_child([&] { return runs(k, "members", [](int number) { return number % 2 == 1; }); }));
    if (!all_roles) continue;
    judge(in_child([&] { return runs(k, "the leader", [](int number) { return number == 0; }); }));
    const std::string name = k.name;
    // These are none of a thread's creator: the C library sets a list for each thread, the name is the program's.
    const bool is_inherited = name != "SYS_set_robust_list" && name != "PR_SET_PDEATHSIG" && name != "PR_SET_NAME" &&
                              name != "unshare of the folder" && name != "unshare of files" && name != "SYS_unshare";
    if (is_inherited) judge(in_child([&] { return inherit(k); }));
  }
  cpu_set_t where;
  sched_getaffinity(0, sizeof where, &where);
  int first = -1, last = -1;
  for (int n = 0; n < CPU_SETSIZE; ++n) {
    if (!CPU_ISSET(n, &where)) continue;
    if (first == -1) first = n;
    last = n;
  }
  check(in_child([&] {
          std::atomic<int> bad{0};
#pragma omp parallel num_threads(threads)
          if (omp_get_thread_num() == threads - 1) {
            if (!bind_to(last) || std::system("test $(env -u OMP_NUM_THREADS nproc) = 1") != 0) ++bad;
            const pid_t child = fork();
            if (child == 0) _exit(processors() == 1 ? 0 : 1);
            int status = 0;
            if (waitpid(child, &status, 0) != child || status != 0) ++bad;
          }
          return bad.load();
        }) == 0,
        "processes that a bound member starts");
  check(binds(first, last) == 0, "leaders that bind themselves");
  return verdict();
}
