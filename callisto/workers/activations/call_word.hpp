// Calls of an activation to its own thread: where a signal that was sent to that thread finds it. One word says where
// the activation runs and whether it is called, so that exactly one of two threads finds what its peer wrote: the
// caller learns which thread to interrupt, or the thread that is about to run the activation learns of the call.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// The word of one activation. A caller has sent its signal before. All orders are relaxed: the word publishes nothing,
/// and the kernel hands signals on.
template <machine::policy M>
class call_word {
  using order = machine::order;

 public:
  /// Places beside the numbers of the set's threads.
  static constexpr std::uint32_t nowhere = (1U << 30) - 1;
  static constexpr std::uint32_t own_thread = nowhere - 1;

  /// Calls the activation, and says whether it `stays` on its own thread for good. Returns the thread to interrupt;
  /// `nowhere`: none. From any thread, also in handlers of signals.
  std::uint32_t call(bool stays) noexcept {
    const std::uint32_t found = word_.fetch_or(called | (stays ? stay : 0), order::relaxed) & ~flags;
    return found == own_thread ? nowhere : found;
  }

  /// On a thread of the set that is about to run the activation. True: it is called, and goes on upon its own thread
  /// instead.
  bool enter(std::uint32_t number) noexcept {
    for (;;) {
      std::uint32_t found = word_.load(order::relaxed);
      if ((found & flags) != 0) return true;
      if (word_.compare_exchange(found, number, order::relaxed)) return false;
    }
  }
  /// On its own thread, which takes the signals from now on: the call is heard. The signals may still be blocked, but
  /// no activation leaves the thread before they were not.
  void enter_own() noexcept {
    for (std::uint32_t found = word_.load(order::relaxed);
         !word_.compare_exchange(found, own_thread | (found & stay), order::relaxed);) {
    }
  }
  /// On its own thread, which the activation is about to leave, and which takes no signals afterwards. False: it is
  /// called.
  bool leave_own() noexcept {
    for (std::uint32_t found = own_thread; found == own_thread;) {
      if (word_.compare_exchange(found, nowhere, order::relaxed)) return true;
    }
    return false;
  }
  /// In the activation's turn, elsewhere than on its own thread, and in handlers there.
  bool is_called() const noexcept { return (word_.load(order::relaxed) & flags) != 0; }

  /// The activation begins under an identity, on the thread that it has entered: earlier calls were not for that.
  void forget_calls() noexcept { word_.fetch_and(~flags, order::relaxed); }

 private:
  static constexpr std::uint32_t called = 1U << 30;
  static constexpr std::uint32_t stay = 1U << 31;
  static constexpr std::uint32_t flags = called | stay;

  machine::atomic_of<M, std::uint32_t> word_{nowhere};
};

}  // namespace callisto::workers
