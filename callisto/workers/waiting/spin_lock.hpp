// A lock for a few instructions of work among the threads of a loop.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// Test-and-test-and-set. Meets std::scoped_lock's requirements.
template <machine::policy M>
class spin_lock {
  using order = machine::order;

 public:
  void lock() noexcept {
    // acquire: sees what the last holder wrote.
    while (held_.exchange(1, order::acquire) != 0) {
      M::wait_while(held_, [](std::uint32_t held) { return held != 0; }, machine::patience::brief);
    }
  }

  void unlock() noexcept {
    // release: the next holder sees what we wrote.
    held_.store(0, order::release);
  }

 private:
  machine::atomic_of<M, std::uint32_t> held_{0};
};

}  // namespace callisto::workers
