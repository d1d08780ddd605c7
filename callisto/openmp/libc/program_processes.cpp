// Processes that the program starts in regions. A member runs on a worker that is pinned to its context, but its child
// may run wherever the program may. A child of fork() unpins itself (omp_thread.cpp). The functions here start a
// process that runs no code of this library. vfork() is the system's own: its child returns to the caller's frame.
#include <callisto/machine/host/placement.hpp>
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/libc/unpinned_call.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/omp_thread.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include <dlfcn.h>
#include <spawn.h>

namespace callisto::openmp {
namespace {

/// Calls the system's posix_spawn() or posix_spawnp() while the member's worker is unpinned, which the child inherits.
/// The member keeps the worker for this short time, and takes no lock that another member may hold.
int start_unpinned(decltype(&::posix_spawn) systems, pid_t* child, const char* program,
                   const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how, char* const arguments[],
                   char* const environment[]) {
  const omp_thread* const self = calling_member();
  if (self == nullptr) return systems(child, program, actions, how, arguments, environment);
  const suspendable::shielded keeps_its_worker(*self->self);
  std::optional<machine::unpinned_here> unpinned;
  if (!kernel_state_here().is_bound) unpinned.emplace();
  return systems(child, program, actions, how, arguments, environment);
}

}  // namespace

CALLISTO_OPENMP_ABI int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                                    const posix_spawnattr_t* how, char* const arguments[], char* const environment[]) {
  static const auto systems = reinterpret_cast<decltype(&::posix_spawn)>(dlsym(RTLD_NEXT, "posix_spawn"));
  return start_unpinned(systems, child, path, actions, how, arguments, environment);
}

CALLISTO_OPENMP_ABI int posix_spawnp(pid_t* child, const char* name, const posix_spawn_file_actions_t* actions,
                                     const posix_spawnattr_t* how, char* const arguments[], char* const environment[]) {
  static const auto systems = reinterpret_cast<decltype(&::posix_spawnp)>(dlsym(RTLD_NEXT, "posix_spawnp"));
  return start_unpinned(systems, child, name, actions, how, arguments, environment);
}

// These two allocate or wait for long, and call the C library's own posix_spawn().

CALLISTO_OPENMP_ABI int system(const char* command) {
  static const auto systems = reinterpret_cast<decltype(&::system)>(dlsym(RTLD_NEXT, "system"));
  return unpinned_call<int>([&] { return systems(command); });
}

CALLISTO_OPENMP_ABI FILE* popen(const char* command, const char* mode) {
  static const auto systems = reinterpret_cast<decltype(&::popen)>(dlsym(RTLD_NEXT, "popen"));
  return unpinned_call<FILE*>([&] { return systems(command, mode); });
}

}  // namespace callisto::openmp
