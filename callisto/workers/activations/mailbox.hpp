// Signals for a thread of the application that works as a worker at the moment: activations run on top of it, and would
// be interrupted under their own identities. The thread sends them to itself once it runs its own code again.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// Signals 1 to 64, each at most once, as standard signals are.
template <machine::policy M>
class mailbox {
  using order = machine::order;

 public:
  /// Puts the signal in. False: it is closed, and the signal can be sent. From any thread.
  bool put(unsigned signal) noexcept {
    for (std::uint64_t found = word_.load(order::relaxed); (found & opened) != 0;) {
      // release: publishes what the sender did before to close()'s acquire.
      if (word_.compare_exchange(found, found | std::uint64_t{1} << (signal - 1), order::release)) return true;
    }
    return false;
  }

  // By its thread:

  void open() noexcept { word_.store(opened, order::relaxed); }  // relaxed: publishes nothing
  /// Returns the signals that were put in, signal n as bit n - 1.
  std::uint64_t close() noexcept { return word_.exchange(0, order::acquire) & ~opened; }  // acquire: see put()
  /// True if there are some. From any thread: a hint.
  bool has_mail() const noexcept { return (word_.load(order::relaxed) & ~opened) != 0; }  // relaxed: a hint

 private:
  static constexpr std::uint64_t opened = std::uint64_t{1} << 31;  ///< in place of signal 32, the C library's own

  machine::atomic_of<M, std::uint64_t> word_{0};
};

}  // namespace callisto::workers
