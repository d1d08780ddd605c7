// How main waits in an operation that the mains of all ranks call together.
#pragma once

#include <callisto/global/session/session.hpp>
#include <callisto/machine/system/error.hpp>

#include <mutex>
#include <source_location>
#include <string>
#include <utility>

namespace callisto::global::detail {

/// Throws usage_error unless main calls it, where it may block. `what` names the operation.
inline void require_main(const char* what, const std::source_location& where) {
  require_may_block(where);
  if (&this_worker() != &this_core().root()) {
    throw usage_error(place_of_call(where) + what + " in a task; expected it in main, where all ranks call it");
  }
}

/// Wakes main if it waits. Under the lock that `waiter` stands under.
inline void wake(arrival*& waiter) {
  if (waiter != nullptr) std::exchange(waiter, nullptr)->set();
}

/// Suspends main until ready(), which is asked under `lock`. `what` tells a deadlock's line what main waits for.
template <class Ready>
void wait_until(std::mutex& lock, arrival*& waiter, const char* what, const std::source_location& where, Ready ready) {
  for (;;) {
    arrival changed;
    changed.prepare();
    {
      const std::lock_guard guard(lock);
      if (ready()) return;
      waiter = &changed;
    }
    changed.wait(what, where);
  }
}

}  // namespace callisto::global::detail
