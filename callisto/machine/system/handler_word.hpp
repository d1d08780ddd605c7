// A word that a thread shares with handlers of signals that interrupt it.
#pragma once

#include <atomic>

namespace callisto::machine {

/// Read and written by one thread at a time, and by handlers on it; where another thread goes on with it, what hands it
/// on orders that. So relaxed operations suffice; and what stands before a store or a load, and behind it, is not moved
/// across by the compiler, so that it happens before or after for a handler, too. Costs what a plain word costs.
template <class T>
class signal_safe {
 public:
  explicit signal_safe(T value) noexcept : value_(value) {}
  T get() const noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const T value = value_.load(std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return value;
  }
  void set(T value) noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    value_.store(value, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

 private:
  std::atomic<T> value_;
};

}  // namespace callisto::machine
