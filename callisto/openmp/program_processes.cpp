// Processes that the program starts inside of regions. A member runs on a worker, which is pinned to its context; what
// the member starts is to run wherever the program may. After fork() the child sees to that itself (omp_thread.cpp);
// these start a process without the child's running any code of ours. vfork() stays the system's: its child returns to
// the caller's frame.
#include <callisto/machine/placement.hpp>
#include <callisto/openmp/abi.hpp>
#include <callisto/openmp/omp_thread.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>

namespace callisto::openmp {
namespace {

/// The member of a region that calls; null: a thread of the program's own, which nobody pins.
const omp_thread* calling_member() noexcept {
  const omp_thread* const self = this_thread_or_null;
  return self != nullptr && self->initial == nullptr ? self : nullptr;
}

/// Calls start() while the worker that this member is upon may run where the program may: the child inherits that. It
/// keeps the worker meanwhile, so start() is to be short and to want no lock that another member may hold.
template <class F>
int unpinned(const omp_thread& self, F start) noexcept {
  const party::shielded keeps_its_worker(*self.self);
  cpu_set_t before;
  // A machine of more processors than fit: the child is pinned, as the worker is.
  const bool knows = sched_getaffinity(0, sizeof before, &before) == 0 && machine::unpin_this_thread();
  const int failed = start();
  if (knows) {
    const int saved = errno;
    static_cast<void>(sched_setaffinity(0, sizeof before, &before));
    errno = saved;
  }
  return failed;
}

/// The result of call(), on a thread made for it, which nobody pins and which has the caller's mask of signals; by the
/// caller itself if it is no member, or if the system refuses the thread.
template <class R, class F>
R on_own_thread(F call) {
  struct work {
    F& call;
    R result{};
    int error = 0;
  } here{call};
  const auto body = [](void* a_work) -> void* {
    work& w = *static_cast<work*>(a_work);
    errno = w.error;
    w.result = w.call();
    w.error = errno;
    return nullptr;
  };
  here.error = errno;
  if (calling_member() == nullptr) return call();
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_t made{};
  const bool made_it = machine::unpin(how) == 0 && pthread_create(&made, &how, body, &here) == 0;
  pthread_attr_destroy(&how);
  if (!made_it) return call();
  pthread_join(made, nullptr);
  errno = here.error;
  return here.result;
}

}  // namespace

CALLISTO_OPENMP_ABI int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                                    const posix_spawnattr_t* how, char* const arguments[], char* const environment[]) {
  static const auto systems = reinterpret_cast<decltype(&::posix_spawn)>(dlsym(RTLD_NEXT, "posix_spawn"));
  const auto start = [&] { return systems(child, path, actions, how, arguments, environment); };
  const omp_thread* const self = calling_member();
  return self != nullptr ? unpinned(*self, start) : start();
}

CALLISTO_OPENMP_ABI int posix_spawnp(pid_t* child, const char* name, const posix_spawn_file_actions_t* actions,
                                     const posix_spawnattr_t* how, char* const arguments[], char* const environment[]) {
  static const auto systems = reinterpret_cast<decltype(&::posix_spawnp)>(dlsym(RTLD_NEXT, "posix_spawnp"));
  const auto start = [&] { return systems(child, name, actions, how, arguments, environment); };
  const omp_thread* const self = calling_member();
  return self != nullptr ? unpinned(*self, start) : start();
}

// These two allocate or wait for long, and call the C library's own posix_spawn().

CALLISTO_OPENMP_ABI int system(const char* command) {
  static const auto systems = reinterpret_cast<decltype(&::system)>(dlsym(RTLD_NEXT, "system"));
  return on_own_thread<int>([&] { return systems(command); });
}

CALLISTO_OPENMP_ABI FILE* popen(const char* command, const char* mode) {
  static const auto systems = reinterpret_cast<decltype(&::popen)>(dlsym(RTLD_NEXT, "popen"));
  return on_own_thread<FILE*>([&] { return systems(command, mode); });
}

}  // namespace callisto::openmp
