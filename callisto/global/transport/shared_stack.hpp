// Numbers that many threads push and one thread takes all at once, in memory that processes may share.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::global {

/// A stack of numbers from 0. Each number is in at most one stack; its link stands in an array of the caller. Zeroed
/// memory is an empty stack. Taking everything in one step leaves no ABA problem.
template <machine::policy M>
class shared_stack {
  using order = machine::order;

 public:
  using link = machine::plain_of<M, std::uint32_t>;

  /// Pushes `number`, which the caller owns. True if the stack was empty. Any thread.
  bool push(std::uint32_t number, link* links) noexcept {
    std::uint32_t top = top_.load(order::relaxed);  // relaxed: the exchange below decides
    do {
      links[number] = top;
      // release: publishes the link, and what the number stands for, to take_all()'s acquire.
    } while (!top_.compare_exchange(top, number + 1, order::release));
    return top == 0;
  }

  /// Empties the stack. Returns the number pushed last plus 1; its link leads to the one before, and so on, to 0.
  std::uint32_t take_all() noexcept {
    if (top_.load(order::relaxed) == 0) return 0;  // relaxed: a later call finds what is pushed at this moment
    // acquire: pairs with push(); earlier pushes are in the release sequence of the last one.
    return top_.exchange(0, order::acquire);
  }

  bool is_empty() const noexcept { return top_.load(order::relaxed) == 0; }  // relaxed: a hint

 private:
  machine::atomic_of<M, std::uint32_t> top_{0};
};

}  // namespace callisto::global
