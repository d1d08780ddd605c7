// A lock for a few instructions of work among the threads of a loop.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::waiting {

/// A test-and-test-and-set lock. Meets the requirements of std::scoped_lock and std::unique_lock.
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

  /// Takes the lock if no thread holds it. True if so.
  bool try_lock() noexcept {
    return held_.exchange(1, order::acquire) == 0;  // acquire: as in lock()
  }

  void unlock() noexcept {
    // release: publishes this holder's writes to the next holder's acquire.
    held_.store(0, order::release);
  }

 private:
  machine::atomic_of<M, std::uint32_t> held_{0};
};

}  // namespace callisto::waiting
