// Functions that change the process's users and groups, called in a region.
//
// The C library has all threads make the change, except the thread with the calling identity: it takes that one for the
// caller. The identity of a member belongs to its lender thread. So a temporary thread, which is no member, makes the
// call. machine/fibers/thread_identity.cpp has the part of the other threads.
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/libc/unpinned_call.hpp>
#include <callisto/openmp/region/omp_thread.hpp>

#include <cstddef>

#include <dlfcn.h>
#include <grp.h>
#include <unistd.h>

namespace callisto::openmp {
namespace {

template <class... P>
int set_ids(const char* name, P... ids) {
  const auto systems = reinterpret_cast<int (*)(P...)>(dlsym(RTLD_NEXT, name));
  // A child of vfork() changes its own ids, which no other thread could do. The lender may also run the member itself.
  if (calling_member() != nullptr && machine::thread_identity::own_register() == nullptr) return systems(ids...);
  return unpinned_call<int>([&] { return systems(ids...); });
}

}  // namespace

CALLISTO_OPENMP_ABI int setuid(uid_t id) { return set_ids("setuid", id); }
CALLISTO_OPENMP_ABI int setgid(gid_t id) { return set_ids("setgid", id); }
CALLISTO_OPENMP_ABI int seteuid(uid_t id) { return set_ids("seteuid", id); }
CALLISTO_OPENMP_ABI int setegid(gid_t id) { return set_ids("setegid", id); }
CALLISTO_OPENMP_ABI int setreuid(uid_t real, uid_t id) { return set_ids("setreuid", real, id); }
CALLISTO_OPENMP_ABI int setregid(gid_t real, gid_t id) { return set_ids("setregid", real, id); }
CALLISTO_OPENMP_ABI int setresuid(uid_t real, uid_t id, uid_t kept) { return set_ids("setresuid", real, id, kept); }
CALLISTO_OPENMP_ABI int setresgid(gid_t real, gid_t id, gid_t kept) { return set_ids("setresgid", real, id, kept); }
CALLISTO_OPENMP_ABI int setgroups(std::size_t count, const gid_t* groups) {
  return set_ids("setgroups", count, groups);
}
CALLISTO_OPENMP_ABI int initgroups(const char* user, gid_t group) { return set_ids("initgroups", user, group); }

}  // namespace callisto::openmp
