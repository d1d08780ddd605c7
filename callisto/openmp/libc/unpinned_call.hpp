// Calls of the C library that must not depend on a member's worker: the worker is pinned, and its identity
// differs.
#pragma once

#include <callisto/machine/host/placement.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/omp_thread.hpp>

#include <cerrno>

#include <pthread.h>

namespace callisto::openmp {

/// Returns the result of call(), made on a temporary thread that runs where the member may, not its worker, and has the
/// caller's signal mask. If the caller is no member, or the system refuses the thread, the caller makes the call
/// itself.
template <class R, class F>
R unpinned_call(F call) {
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
  const bool may = kernel_state_here().is_bound || machine::unpin(how) == 0;  // a bound member is on its own thread
  const bool made_it = may && pthread_create(&made, &how, body, &here) == 0;
  pthread_attr_destroy(&how);
  if (!made_it) return call();
  pthread_join(made, nullptr);
  errno = here.error;
  return here.result;
}

}  // namespace callisto::openmp
