// Signals for a thread, and what else needs the thread itself: a member's number in the kernel, the processors that it
// asks for, timers that signal it. A member has the identity of a thread, its lender, on which it need not run. A
// signal that is sent to that thread calls it there; a member that pins itself, or has its own timer, stays there
// (docs/explanation/blocking.md).
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/machine/host/cpu_mask.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::openmp {
namespace {

/// A function of the C library. It is found when this library is loaded, since handlers of signals call it, too, or
/// before that, when a constructor of another library calls it.
template <class F>
class c_function {
 public:
  constexpr explicit c_function(const char* name) noexcept : name_(name) {}
  F* find() noexcept {
    F* const found = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name_));
    found_.store(found, std::memory_order_relaxed);  // relaxed: each thread would find the same
    return found;
  }
  template <class... P>
  int operator()(P... arguments) noexcept {
    F* const found = found_.load(std::memory_order_relaxed);
    return (found != nullptr ? found : find())(arguments...);
  }

 private:
  const char* name_;
  std::atomic<F*> found_{nullptr};
};
struct c_functions {
  c_function<int(pthread_t, int)> kill{"pthread_kill"};
  c_function<int(pthread_t, int, sigval)> queue{"pthread_sigqueue"};
  c_function<int(pthread_t, std::size_t, const cpu_set_t*)> set_affinity{"pthread_setaffinity_np"};
  c_function<int(pthread_t, std::size_t, cpu_set_t*)> get_affinity{"pthread_getaffinity_np"};
  c_function<int(clockid_t, sigevent*, timer_t*)> make_timer{"timer_create"};
};
constinit c_functions c_library;
[[gnu::constructor(101)]] void find_functions() {
  c_library.kill.find();
  c_library.queue.find();
  c_library.set_affinity.find();
  c_library.get_affinity.find();
  c_library.make_timer.find();
}

/// True if the set has every processor that the process had at its beginning.
bool has_all(const cpu_set_t* set, std::size_t bytes) noexcept {
  const auto& all = machine::affinity_at_start();
  return std::all_of(all.begin(), all.end(), [&](unsigned n) { return CPU_ISSET_S(n, bytes, set); });
}

/// True if `thread`, a number for the kernel's calls, is the calling member. Its lender has the number.
bool is_calling_member(pid_t thread) noexcept {
  return calling_member() != nullptr && (thread == 0 || thread == machine::thread_identity::number_here());
}

int failed_with(int error) noexcept {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int set_affinity(pthread_t thread, std::size_t bytes, const cpu_set_t* set) noexcept {
  const keeps_members_away until_said;
  const int failed = c_library.set_affinity(thread, bytes, set);
  const bool itself = pthread_equal(thread, pthread_self()) != 0;
  if (failed == 0 && itself) is_bound_here(!has_all(set, bytes));
  if (failed != 0 || has_all(set, bytes)) return failed;
  if (!itself) {
    workers::let_stay_on_own_thread(thread);
  } else if (calling_member() != nullptr && !workers::stay_on_own_thread()) {
    // It has no thread to stay on: its worker goes there.
    return syscall(SYS_sched_setaffinity, 0, bytes, set) == 0 ? 0 : errno;
  }
  return 0;
}

}  // namespace

CALLISTO_OPENMP_ABI int callisto_pthread_kill(pthread_t thread, int signal) {
  if (calling_member() != nullptr && signal != 0 && pthread_equal(thread, pthread_self()) != 0) {
    const int saved = errno;
    const int failed = raise(signal) == 0 ? 0 : errno;
    errno = saved;
    return failed;
  }
  const auto send = [](pthread_t to, int number, void*) { return c_library.kill(to, number); };
  if (pthread_equal(thread, pthread_self()) != 0) return send(thread, signal, nullptr);
  return workers::send_signal(thread, signal, send, nullptr);
}
// Versions on x86-64 of this function and of the functions below; since glibc 2.34 all are in libc.so.6.
asm(".symver callisto_pthread_kill, pthread_kill@@GLIBC_2.34");
asm(".symver callisto_pthread_kill, pthread_kill@GLIBC_2.2.5");

CALLISTO_OPENMP_ABI int callisto_pthread_sigqueue(pthread_t thread, int signal, const sigval value) {
  sigval with = value;
  const auto send = [](pthread_t to, int number, void* a_value) {
    return c_library.queue(to, number, *static_cast<const sigval*>(a_value));
  };
  if (pthread_equal(thread, pthread_self()) != 0) return send(thread, signal, &with);
  return workers::send_signal(thread, signal, send, &with);
}
asm(".symver callisto_pthread_sigqueue, pthread_sigqueue@@GLIBC_2.34");
asm(".symver callisto_pthread_sigqueue, pthread_sigqueue@GLIBC_2.11");

CALLISTO_OPENMP_ABI int tgkill(pid_t process, pid_t thread, int signal) {
  const auto by_number = [](pid_t in, pid_t to, int number) {
    return static_cast<int>(syscall(SYS_tgkill, in, to, number));
  };
  if (process != getpid()) return by_number(process, thread, signal);
  if (signal != 0 && is_calling_member(thread)) return raise(signal);
  const pthread_t lender = machine::thread_identity::lender_with(thread);
  if (lender == 0) return by_number(process, thread, signal);
  return failed_with(callisto_pthread_kill(lender, signal));
}

CALLISTO_OPENMP_ABI pid_t gettid() {
  const pid_t lender = calling_member() != nullptr ? machine::thread_identity::number_here() : 0;
  return lender != 0 ? lender : static_cast<pid_t>(syscall(SYS_gettid));
}

CALLISTO_OPENMP_ABI int callisto_pthread_setaffinity_np(pthread_t thread, std::size_t bytes, const cpu_set_t* set) {
  return set_affinity(thread, bytes, set);
}
asm(".symver callisto_pthread_setaffinity_np, pthread_setaffinity_np@@GLIBC_2.34");
asm(".symver callisto_pthread_setaffinity_np, pthread_setaffinity_np@GLIBC_2.3.4");

CALLISTO_OPENMP_ABI int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* set) {
  const pthread_t lender = is_calling_member(thread) ? pthread_self() : machine::thread_identity::lender_with(thread);
  if (lender != 0) return failed_with(set_affinity(lender, bytes, set));
  const keeps_members_away until_said;
  const long failed = syscall(SYS_sched_setaffinity, thread, bytes, set);
  if (failed == 0 && (thread == 0 || thread == syscall(SYS_gettid))) is_bound_here(!has_all(set, bytes));
  return static_cast<int>(failed);
}

// A worker's processors are no member's: the member may use the processors of its lender.
CALLISTO_OPENMP_ABI int sched_getaffinity(pid_t thread, std::size_t bytes, cpu_set_t* set) {
  if (is_calling_member(thread)) return failed_with(c_library.get_affinity(pthread_self(), bytes, set));
  const long done = syscall(SYS_sched_getaffinity, thread, bytes, set);
  if (done < 0) return -1;
  std::fill(reinterpret_cast<std::byte*>(set) + done, reinterpret_cast<std::byte*>(set) + bytes, std::byte{0});
  return 0;
}

// A timer that signals the calling member, or counts its processor time.
CALLISTO_OPENMP_ABI int callisto_timer_create(clockid_t clock, sigevent* how, timer_t* made) {
  const bool is_own = clock == CLOCK_THREAD_CPUTIME_ID ||
                      (how != nullptr && how->sigev_notify == SIGEV_THREAD_ID &&
                       is_calling_member(how->_sigev_un._tid));  // glibc 2.36 has no other name for it
  if (is_own && calling_member() != nullptr) workers::stay_on_own_thread();
  return c_library.make_timer(clock, how, made);
}
asm(".symver callisto_timer_create, timer_create@@GLIBC_2.34");
asm(".symver callisto_timer_create, timer_create@GLIBC_2.3.3");

}  // namespace callisto::openmp
