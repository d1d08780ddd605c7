// The state of a full-empty variable, which is also its lock.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::global {

/// Empty, full, or held by a thread that works on the value and its waiters. Any thread of the owner may call.
template <machine::policy M>
class full_empty_word {
  using order = machine::order;

 public:
  /// Waits until no thread holds the word, and takes it. True if it was full.
  bool hold() noexcept {
    for (;;) {
      // acquire: pairs with release()'s release: the holder sees the value and the waiters.
      const std::uint32_t before = word_.exchange(held, order::acquire);
      if (before != held) return before == full;
      M::wait_while(word_, [](std::uint32_t state) { return state == held; }, machine::patience::brief);
    }
  }

  /// Takes the word if it is full (`as_full`) or empty, without waiting. True if it has.
  bool try_hold(bool as_full) noexcept {
    std::uint32_t expected = as_full ? full : empty;
    return word_.compare_exchange(expected, held, order::acquire);  // acquire: as in hold()
  }

  /// Ends what hold() began, and leaves the word full or empty.
  void release(bool as_full) noexcept {
    word_.store(as_full ? full : empty, order::release);  // release: publishes the value and the waiters to hold()
  }

 private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t full = 1;
  static constexpr std::uint32_t held = 2;

  machine::atomic_of<M, std::uint32_t> word_{empty};
};

}  // namespace callisto::global
