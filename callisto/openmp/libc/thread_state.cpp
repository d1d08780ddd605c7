// Calls that change what the kernel keeps for the calling thread: priority and scheduling class, filters of system
// calls, capabilities and ids, namespaces, a private working folder, memory policy, timer slack, key rings, counters.
//
// Before such a call a member goes on upon the thread that lends its identity, and stays there; so its own thread has
// the change, and no other member ever sees it. A thread of the program, a leader among them, is set apart
// (region/kernel_state.hpp), and keeps members away until it is. docs/reference/openmp-support.md has the list.
//
// The runtime's own calls of syscall() and prctl() do not come here: the library is linked so that they go to
// __wrap_syscall() and __wrap_prctl().
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <asm/prctl.h>
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming, google-runtime-int): the linker's names, and
// the C library's types
extern "C" {
int callisto_pthread_setname_np(pthread_t thread, const char* name);
int callisto_pthread_getname_np(pthread_t thread, char* name, std::size_t room);

[[gnu::visibility("hidden")]] long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}
[[gnu::visibility("hidden")]] int __wrap_prctl(int option, long a, long b, long c, long d) {
  return static_cast<int>(__wrap_syscall(SYS_prctl, option, a, b, c, d, 0));
}
}

namespace callisto::openmp {
namespace {

template <class... P>
long kernel(long number, P... arguments) noexcept {
  const std::array<long, 6> all{(long)arguments...};
  return __wrap_syscall(number, all[0], all[1], all[2], all[3], all[4], all[5]);
}

/// True if the kernel's calls name the calling thread so.
bool is_here(pid_t thread) noexcept { return thread == 0 || thread == gettid(); }

/// Called before the calling thread changes its state.
void go_to_own_thread() noexcept {
  // Not in a child of vfork(), which runs on its parent's stack.
  if (calling_member() != nullptr && machine::thread_identity::own_register() != nullptr) workers::stay_on_own_thread();
}

/// Makes a call that changes the state of `thread`, a number for the kernel's calls. A negative result is a failure.
template <class Call>
auto changing(pid_t thread, Call call) noexcept {
  const bool here = is_here(thread);
  const keeps_members_away until_said;
  if (here) {
    go_to_own_thread();
  } else if (const pthread_t lender = machine::thread_identity::lender_with(thread); lender != 0) {
    workers::let_stay_on_own_thread(lender);
  }
  const auto result = call();
  if (here && result >= 0) kernel_state_changes();
  return result;
}
template <class Call>
auto changing_here(Call call) noexcept {
  return changing(0, call);
}

/// True if prctl() only asks, or acts on the whole process. A future option counts as the thread's.
bool leaves_thread(int option, long argument) noexcept {
  switch (option) {
    case PR_GET_PDEATHSIG:
    case PR_GET_DUMPABLE:
    case PR_SET_DUMPABLE:
    case PR_GET_UNALIGN:
    case PR_GET_KEEPCAPS:
    case PR_GET_FPEMU:
    case PR_GET_FPEXC:
    case PR_GET_TIMING:
    case PR_GET_ENDIAN:
    case PR_GET_SECCOMP:
    case PR_CAPBSET_READ:
    case PR_GET_TSC:
    case PR_GET_SECUREBITS:
    case PR_GET_TIMERSLACK:
    case PR_TASK_PERF_EVENTS_DISABLE:
    case PR_TASK_PERF_EVENTS_ENABLE:
    case PR_MCE_KILL_GET:
    case PR_SET_MM:
    case PR_SET_CHILD_SUBREAPER:
    case PR_GET_CHILD_SUBREAPER:
    case PR_GET_NO_NEW_PRIVS:
    case PR_GET_TID_ADDRESS:
    case PR_SET_THP_DISABLE:
    case PR_GET_THP_DISABLE:
    case PR_GET_FP_MODE:
    case PR_GET_SPECULATION_CTRL:
    case PR_SET_PTRACER:
#ifdef PR_GET_IO_FLUSHER
    case PR_GET_IO_FLUSHER:
#endif
#ifdef PR_SET_VMA
    case PR_SET_VMA:
#endif
    case 65:  // PR_SET_MDWE
    case 66:  // PR_GET_MDWE
    case 67:  // PR_SET_MEMORY_MERGE
    case 68:  // PR_GET_MEMORY_MERGE
      return true;
    case PR_CAP_AMBIENT:
      return argument == PR_CAP_AMBIENT_IS_SET;
    default:
      return false;
  }
}

/// prctl(), for a program.
long process_control(int option, long a, long b, long c, long d) noexcept {
  const auto call = [=] { return kernel(SYS_prctl, option, a, b, c, d); };
  const bool is_name = option == PR_SET_NAME || option == PR_GET_NAME;
  if (leaves_thread(option, a) || (is_name && calling_member() == nullptr)) return call();
  if (!is_name) return changing_here(call);
  // The name of the lender, as pthread_setname_np() sets it.
  std::array<char, 16> name{};
  int failed = 0;
  if (option == PR_SET_NAME) {
    std::strncpy(name.data(), reinterpret_cast<const char*>(a), name.size() - 1);
    failed = callisto_pthread_setname_np(pthread_self(), name.data());
  } else {
    failed = callisto_pthread_getname_np(pthread_self(), reinterpret_cast<char*>(a), name.size());
  }
  if (failed == 0) return 0;
  errno = failed;
  return -1;
}

// Of <linux/landlock.h>, which is not everywhere, and <linux/ioprio.h>, which is no C++.
constexpr long landlock_restrict_self_number = 446, ioprio_of_one_thread = 1;
/// With it, setfsuid() and setfsgid() only ask.
constexpr unsigned no_id = ~0U;

}  // namespace

CALLISTO_OPENMP_ABI long callisto_syscall(long number, long a, long b, long c, long d, long e, long f) {
  const auto call = [=] { return __wrap_syscall(number, a, b, c, d, e, f); };
  switch (number) {
    case SYS_setpriority:
      return a == PRIO_PROCESS ? changing(static_cast<pid_t>(b), call) : call();
    case SYS_sched_setscheduler:
    case SYS_sched_setparam:
    case SYS_sched_setattr:
      return changing(static_cast<pid_t>(a), call);
    case SYS_ioprio_set:
      return a == ioprio_of_one_thread ? changing(static_cast<pid_t>(b), call) : call();
    case SYS_seccomp: {
      // A filter for all threads is none of a thread's.
      const bool is_own =
          a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && (b & long{SECCOMP_FILTER_FLAG_TSYNC}) == 0);
      return is_own ? changing_here(call) : call();
    }
    case SYS_prctl:
      return process_control(static_cast<int>(a), b, c, d, e);
    case SYS_arch_prctl:
      return a == ARCH_GET_FS || a == ARCH_GET_GS ? call() : changing_here(call);
    case SYS_perf_event_open:
      return is_here(static_cast<pid_t>(b)) ? changing_here(call) : call();
    case SYS_setfsuid:
    case SYS_setfsgid:
      return static_cast<unsigned>(a) == no_id ? call() : changing_here(call);
    case SYS_personality:
      return static_cast<unsigned>(a) == 0xffffffffU ? call() : changing_here(call);
    case SYS_sched_setaffinity: {
      const int failed =
          sched_setaffinity(static_cast<pid_t>(a), static_cast<std::size_t>(b), reinterpret_cast<const cpu_set_t*>(c));
      return failed;
    }
    case SYS_capset:
    case SYS_unshare:
    case SYS_setns:
    case SYS_setuid:
    case SYS_setgid:
    case SYS_setreuid:
    case SYS_setregid:
    case SYS_setresuid:
    case SYS_setresgid:
    case SYS_setgroups:
    case SYS_set_mempolicy:
    case SYS_keyctl:
    case SYS_ioperm:
    case SYS_iopl:
    case SYS_set_robust_list:
    case landlock_restrict_self_number:
      return changing_here(call);
    default:
      return call();
  }
}
// Versions on x86-64 of this function and of the functions below.
asm(".symver callisto_syscall, syscall@@GLIBC_2.2.5");

CALLISTO_OPENMP_ABI int callisto_prctl(int option, long a, long b, long c, long d) {
  return static_cast<int>(process_control(option, a, b, c, d));
}
asm(".symver callisto_prctl, prctl@@GLIBC_2.2.5");

CALLISTO_OPENMP_ABI int callisto_setpriority(unsigned of, id_t which, int nice) {
  return static_cast<int>(callisto_syscall(SYS_setpriority, of, static_cast<int>(which), nice, 0, 0, 0));
}
asm(".symver callisto_setpriority, setpriority@@GLIBC_2.2.5");

CALLISTO_OPENMP_ABI int nice(int by) {
  static const auto systems = reinterpret_cast<decltype(&::nice)>(dlsym(RTLD_NEXT, "nice"));
  const keeps_members_away until_said;
  go_to_own_thread();
  const int saved = errno;
  errno = 0;
  const int now = systems(by);  // -1 is a priority, too
  if (now != -1 || errno == 0) kernel_state_changes();
  if (errno == 0) errno = saved;
  return now;
}

CALLISTO_OPENMP_ABI int callisto_sched_setscheduler(pid_t thread, int policy, const sched_param* with) {
  return static_cast<int>(changing(thread, [=] { return kernel(SYS_sched_setscheduler, thread, policy, with); }));
}
asm(".symver callisto_sched_setscheduler, sched_setscheduler@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_sched_setparam(pid_t thread, const sched_param* with) {
  return static_cast<int>(changing(thread, [=] { return kernel(SYS_sched_setparam, thread, with); }));
}
asm(".symver callisto_sched_setparam, sched_setparam@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_sched_setattr(pid_t thread, void* how, unsigned flags) {
  return static_cast<int>(changing(thread, [=] { return kernel(SYS_sched_setattr, thread, how, flags); }));
}
asm(".symver callisto_sched_setattr, sched_setattr@@GLIBC_2.41");

namespace {

/// Makes a call of the C library on a thread that it knows.
template <class Call>
int changing_thread(pthread_t thread, Call call) noexcept {
  const bool here = pthread_equal(thread, pthread_self()) != 0;
  const keeps_members_away until_said;
  if (here) {
    go_to_own_thread();
  } else {
    workers::let_stay_on_own_thread(thread);
  }
  const int failed = call();
  if (here && failed == 0) kernel_state_changes();
  return failed;
}

}  // namespace

CALLISTO_OPENMP_ABI int callisto_pthread_setschedparam(pthread_t thread, int policy, const sched_param* with) {
  static const auto systems =
      reinterpret_cast<decltype(&::pthread_setschedparam)>(dlsym(RTLD_NEXT, "pthread_setschedparam"));
  return changing_thread(thread, [=] { return systems(thread, policy, with); });
}
asm(".symver callisto_pthread_setschedparam, pthread_setschedparam@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_pthread_setschedprio(pthread_t thread, int priority) {
  static const auto systems =
      reinterpret_cast<decltype(&::pthread_setschedprio)>(dlsym(RTLD_NEXT, "pthread_setschedprio"));
  return changing_thread(thread, [=] { return systems(thread, priority); });
}
asm(".symver callisto_pthread_setschedprio, pthread_setschedprio@@GLIBC_2.34");
asm(".symver callisto_pthread_setschedprio, pthread_setschedprio@GLIBC_2.3.4");

CALLISTO_OPENMP_ABI int callisto_unshare(int what) {
  return static_cast<int>(changing_here([=] { return kernel(SYS_unshare, what); }));
}
asm(".symver callisto_unshare, unshare@@GLIBC_2.4");
CALLISTO_OPENMP_ABI int callisto_setns(int file, int kind) {
  return static_cast<int>(changing_here([=] { return kernel(SYS_setns, file, kind); }));
}
asm(".symver callisto_setns, setns@@GLIBC_2.14");
CALLISTO_OPENMP_ABI int callisto_setfsuid(uid_t id) {
  return static_cast<int>(callisto_syscall(SYS_setfsuid, id, 0, 0, 0, 0, 0));
}
asm(".symver callisto_setfsuid, setfsuid@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_setfsgid(gid_t id) {
  return static_cast<int>(callisto_syscall(SYS_setfsgid, id, 0, 0, 0, 0, 0));
}
asm(".symver callisto_setfsgid, setfsgid@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_capset(void* header, const void* data) {
  return static_cast<int>(changing_here([=] { return kernel(SYS_capset, header, data); }));
}
asm(".symver callisto_capset, capset@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_personality(unsigned long of) {
  return static_cast<int>(callisto_syscall(SYS_personality, static_cast<long>(of), 0, 0, 0, 0, 0));
}
asm(".symver callisto_personality, personality@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_arch_prctl(int option, unsigned long with) {
  return static_cast<int>(callisto_syscall(SYS_arch_prctl, option, static_cast<long>(with), 0, 0, 0, 0));
}
asm(".symver callisto_arch_prctl, arch_prctl@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_ioperm(unsigned long from, unsigned long count, int on) {
  return static_cast<int>(changing_here([=] { return kernel(SYS_ioperm, from, count, on); }));
}
asm(".symver callisto_ioperm, ioperm@@GLIBC_2.2.5");
CALLISTO_OPENMP_ABI int callisto_iopl(int level) {
  return static_cast<int>(changing_here([=] { return kernel(SYS_iopl, level); }));
}
asm(".symver callisto_iopl, iopl@@GLIBC_2.2.5");

}  // namespace callisto::openmp
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming, google-runtime-int)
