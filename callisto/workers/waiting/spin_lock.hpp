// A lock for a few instructions of work among the threads of a loop.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// A test-and-test-and-set lock. Meets std::scoped_lock's requirements.
template <machine::policy M>
class spin_lock {
  using order = machine::order;

 public:
  void lock() noexcept {
    // acquire: pairs with unlock(), so this thread sees what the last holder wrote.
    while (held_.exchange(1, order::acquire) != 0) {
      M::wait_while(held_, [](std::uint32_t held) { return held != 0; }, machine::patience::brief);
    }
  }

  void unlock() noexcept {
    // release: publishes this holder's writes to lock()'s acquire.
    held_.store(0, order::release);
  }

 private:
  machine::atomic_of<M, std::uint32_t> held_{0};
};

}  // namespace callisto::workers
