// Orders to a lender of an identity, and how the lender waits for them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace callisto::machine {

/// The orders of one lender (thread_identity.cpp). One thread at a time gives them: after await_parked(), and after it
/// has acquired what the last call released. `Words` has the words, their orders, and waiting for them.
template <class Words>
struct lender_orders {
  static constexpr std::uint32_t to_end = 1;
  static constexpr std::uint32_t to_call = 2;
  using function = void (*)(void*);

  typename Words::word told{0};    ///< 0: to stay parked
  typename Words::word parked{0};  ///< 1: the lender has left its stack
  typename Words::template plain<function> call{nullptr};
  typename Words::template plain<void*> argument{nullptr};
  typename Words::template plain<std::byte*> left_at{nullptr};  ///< where it has left its stack, once it is parked

  void tell(std::uint32_t what) noexcept {
    told.store(what, Words::release);  // release: publishes what the lender is to find to follow()'s acquire.
    Words::wake(told);
  }
  void tell_to_call(function what, void* with) noexcept {
    call = what;
    argument = with;
    tell(to_call);
  }
  /// Waits until the lender is parked. Returns where its stack is free.
  std::byte* await_parked() noexcept {
    while (parked.load(Words::acquire) == 0) Words::wait(parked, 0);  // acquire: pairs with follow()'s release
    return left_at;
  }

  /// Calls what it is told to.
  void follow_once() {
    const function what = call;
    what(argument);
  }
  /// The lender's part: parks, having left its stack there, and calls what it is told to, until it is told to end. A
  /// lender that must not touch its stack does the same in assembly.
  void follow(std::byte* stack) noexcept {
    left_at = stack;
    parked.store(1, Words::release);  // release: publishes left_at to await_parked()'s acquire.
    Words::wake(parked);
    for (;;) {
      const auto what = told.load(Words::acquire);  // acquire: pairs with tell()'s release
      if (what == to_end) return;
      if (what == to_call) {
        told.store(0, Words::relaxed);  // relaxed: what is called releases it to the next order
        follow_once();
      } else {
        Words::wait(told, 0);
      }
    }
  }
};

}  // namespace callisto::machine
