// The order of collective operations: the mains of all ranks call the same ones in the same order.
#pragma once

#include <callisto/global/session/collective.hpp>
#include <callisto/global/session/rank_parts.hpp>

#include <array>

namespace callisto::global {

/// Compares what this rank's main is in with what its children's are in. A rank's main cannot leave an operation before
/// the ranks above and below it are in it. So where two ranks of one number differ, an upper one and a lower one do
/// that speak to each other.
class collective_order {
 public:
  explicit collective_order(rank_parts& rank) noexcept : rank_(rank) {}

  /// Says that main is in `what`. Ends the job if a child is in another operation of the same number.
  told_collective enter(const collective& what);
  /// Takes what a child is in. Handlers.
  void hear_of(int child, const told_collective& told);
  /// Returns the collective operation of main, or its last one. Under the rank's lock.
  const told_collective& at() const noexcept { return at_; }

 private:
  void require_agreement(int child);

  rank_parts& rank_;
  // Under the rank's lock:
  told_collective at_;
  std::array<told_collective, 2> at_of_children_{};  ///< until this rank's main is there too
};

}  // namespace callisto::global
