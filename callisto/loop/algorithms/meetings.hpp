// Where the values of neighbours meet: which of two threads combines them, in a tree over blocks.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <memory>

namespace callisto::loop {

/// A tree over blocks [0, n): neighbours, then neighbours of these. The shape depends on n alone. A pair is combined by
/// the thread that comes to it second, so no thread waits, and few values are there at a time.
template <machine::policy M>
class meetings {
  using order = machine::order;

 public:
  /// Throws std::bad_alloc.
  explicit meetings(std::uint64_t n) : n_(n), came_(std::make_unique<machine::atomic_of<M, std::uint8_t>[]>(n)) {}

  /// Says that `block` has its value. Calls combine(left, right) for each pair that is complete by that: it combines
  /// the value at `right` into the one at `left`. The value of all is then at 0.
  template <class Combine>
  void arrive(std::uint64_t block, Combine combine) {
    std::uint64_t at = block;
    for (std::uint64_t step = 1; step < n_; step *= 2) {
      const bool is_right = (at & step) != 0;
      const std::uint64_t right = is_right ? at : at + step;
      if (right >= n_) continue;  // it has no neighbour here
      // release: publishes this side's value. acquire: pairs with it, for the side that comes second.
      if (came_[right].exchange(1, order::acq_rel) == 0) return;
      at = right - step;
      combine(at, right);
    }
  }

 private:
  const std::uint64_t n_;
  const std::unique_ptr<machine::atomic_of<M, std::uint8_t>[]> came_;  ///< by the right one of a pair: one side came
};

}  // namespace callisto::loop
