// Threads that the program creates in regions, their names, and mutexes with priority inheritance. A member runs on a
// worker that is pinned to its context, but a thread that it creates may run wherever the program may, or the member.
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/libc/unpinned_call.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/omp_thread.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

namespace callisto::openmp {
namespace {

struct thread_start {
  void* (*call)(void*);
  void* argument;
  bool unpinned;
  kernel_state inherited;
};

void* begin(void* a_start) {
  const thread_start& now = *static_cast<const thread_start*>(a_start);
  if (now.unpinned) machine::unpin_this_thread();
  inherit_kernel_state(now.inherited);
  const thread_start from = *std::unique_ptr<thread_start>(static_cast<thread_start*>(a_start));
  return from.call(from.argument);
}

/// True if the program specifies where the thread runs. An affinity mask of all possible processors counts as none.
bool says_where(const pthread_attr_t* how) noexcept {
  cpu_set_t where;
  return how != nullptr &&
         (pthread_attr_getaffinity_np(how, sizeof where, &where) != 0 || CPU_COUNT(&where) != CPU_SETSIZE);
}

/// True if the program lets the thread run on some of the process's processors only.
bool is_to_be_bound(const pthread_attr_t* how) noexcept {
  cpu_set_t where;
  if (how == nullptr || pthread_attr_getaffinity_np(how, sizeof where, &where) != 0) return false;
  const auto& all = machine::affinity_at_start();
  return !std::all_of(all.begin(), all.end(), [&](unsigned n) { return CPU_ISSET(n, &where); });
}

}  // namespace

CALLISTO_OPENMP_ABI int callisto_pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*call)(void*),
                                                void* argument) {
  static const auto systems = reinterpret_cast<decltype(&::pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  kernel_state inherited = kernel_state_here();
  const bool placed = says_where(how);
  const bool unpinned = calling_member() != nullptr && !placed && !inherited.is_bound;
  if (placed) inherited.is_bound = is_to_be_bound(how);
  if (!unpinned && inherited == kernel_state{}) return systems(made, how, call, argument);
  std::unique_ptr<thread_start> from(new (std::nothrow) thread_start{call, argument, unpinned, inherited});
  if (from == nullptr) return EAGAIN;
  const int failed = systems(made, how, begin, from.get());
  if (failed == 0) static_cast<void>(from.release());
  return failed;
}
// Its versions on x86-64; since glibc 2.34 it is in libc.so.6.
asm(".symver callisto_pthread_create, pthread_create@@GLIBC_2.34");
asm(".symver callisto_pthread_create, pthread_create@GLIBC_2.2.5");

// The kernel releases a mutex with priority inheritance only for the thread with the number that the C library wrote
// into it. A member's identity has one number, its worker another one. Without real-time priorities there is nothing to
// inherit, so the mutex becomes an ordinary one.
CALLISTO_OPENMP_ABI int callisto_pthread_mutexattr_setprotocol(pthread_mutexattr_t* of, int protocol) {
  static const auto systems =
      reinterpret_cast<decltype(&::pthread_mutexattr_setprotocol)>(dlsym(RTLD_NEXT, "pthread_mutexattr_setprotocol"));
  const bool nothing_to_inherit = protocol == PTHREAD_PRIO_INHERIT && sched_getscheduler(0) == SCHED_OTHER;
  return systems(of, nothing_to_inherit ? PTHREAD_PRIO_NONE : protocol);
}
asm(".symver callisto_pthread_mutexattr_setprotocol, pthread_mutexattr_setprotocol@@GLIBC_2.34");
asm(".symver callisto_pthread_mutexattr_setprotocol, pthread_mutexattr_setprotocol@GLIBC_2.4");

// The C library asks the kernel about the calling thread, which would be the worker. A temporary thread asks about the
// identity's lender instead, which keeps the name.
CALLISTO_OPENMP_ABI int callisto_pthread_setname_np(pthread_t thread, const char* name) {
  static const auto systems = reinterpret_cast<decltype(&::pthread_setname_np)>(dlsym(RTLD_NEXT, "pthread_setname_np"));
  return unpinned_call<int>([=] { return systems(thread, name); });
}
asm(".symver callisto_pthread_setname_np, pthread_setname_np@@GLIBC_2.34");
asm(".symver callisto_pthread_setname_np, pthread_setname_np@GLIBC_2.12");

CALLISTO_OPENMP_ABI int callisto_pthread_getname_np(pthread_t thread, char* name, std::size_t room) {
  static const auto systems = reinterpret_cast<decltype(&::pthread_getname_np)>(dlsym(RTLD_NEXT, "pthread_getname_np"));
  return unpinned_call<int>([=] { return systems(thread, name, room); });
}
asm(".symver callisto_pthread_getname_np, pthread_getname_np@@GLIBC_2.34");
asm(".symver callisto_pthread_getname_np, pthread_getname_np@GLIBC_2.12");

}  // namespace callisto::openmp
