// A step that one thread takes some time after the start, while other threads may forbid it.
//
// One word says whether the taker is at it, whether the step is forbidden, and how many threads put it off:
//
// 1. *Taker, its time has come:* sets `taking` by compare-and-swap, which succeeds only while nothing else is set.
//    Otherwise it tries again later, or gives up because the step is forbidden.
// 2. *Taker, has done it:* clears `taking`, and wakes the threads that wait for that.
// 3. *Another thread, forbids or puts off:* sets its part of the word. If the taker is at it, the thread sleeps until
//    `taking` is cleared. From then on the step has been taken whole, or is not taken.
//
// Both sides change the word by read-modify-writes, which have one order: either the taker finds the other thread's
// part, or that thread finds `taking`.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <limits>

namespace callisto::waiting {

template <machine::policy M>
class late_step {
  using order = machine::order;

 public:
  /// Begins the step, unless it is put off or forbidden. Called by the taker; true at most once.
  bool begin() noexcept {
    std::uint64_t nothing = 0;
    return word_.compare_exchange(nothing, taking, order::acquire);  // acquire: pairs with let_go()
  }

  /// Ends a step that has begun: forbid() and put_off() see what the taker did.
  void end() noexcept {
    word_.fetch_sub(taking, order::release);  // release: pairs with the acquires of wait()
    M::unpark(word_, std::numeric_limits<std::uint32_t>::max());
  }

  /// Forbids the step for good, and waits while it is being taken. From any thread, any number of times.
  void forbid() noexcept { wait(word_.fetch_or(forbidden, order::acquire) | forbidden); }

  /// Puts the step off until let_go(), and waits while it is being taken. From any thread.
  void put_off() noexcept { wait(word_.fetch_add(one, order::acquire) + one); }

  void let_go() noexcept { word_.fetch_sub(one, order::release); }  // release: pairs with begin()

  /// True if the step is forbidden; a hint.
  bool is_forbidden() const noexcept { return (word_.load(order::relaxed) & forbidden) != 0; }

 private:
  static constexpr std::uint64_t taking = 1;
  static constexpr std::uint64_t forbidden = 2;
  static constexpr std::uint64_t one = 4;

  void wait(std::uint64_t now) noexcept {
    while ((now & taking) != 0) {
      M::park(word_, static_cast<std::uint32_t>(now));
      now = word_.load(order::acquire);  // acquire, all: pair with end()
    }
  }

  machine::atomic_of<M, std::uint64_t> word_{0};
};

}  // namespace callisto::waiting
