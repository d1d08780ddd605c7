// A word that a thread shares with the handlers of signals that interrupt it.
#pragma once

#include <atomic>

namespace callisto::machine {

/// A word that one thread at a time reads and writes, and handlers on that thread. If another thread continues with it,
/// the hand-over orders that, so relaxed operations suffice. The compiler moves nothing across a load or store, so that
/// a handler, too, sees each action before or after. Costs what a plain word costs.
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
