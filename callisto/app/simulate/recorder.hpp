// What loops on the simulated machine tell about themselves. Every file of the command that runs loops there includes
// it.
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/loop/record/recorder.hpp>
#include <callisto/machine/simulated/machine.hpp>

#include <cstdint>

/// On the simulated machine a loop's record is the sum of what its threads' cursors have counted.
template <>
class callisto::loop::recorder<callisto::machine::simulated> {
 public:
  class part {
   public:
    explicit part(distributor::claim_counts* sum) noexcept : sum_(sum) {}
    void entered() const noexcept {}
    template <class Cursor>
    void claimed(std::uint64_t, std::uint64_t, const Cursor&) const noexcept {}
    void worked() const noexcept {}
    template <class Cursor>
    void left(const Cursor& cursor) const noexcept {
      if (sum_ == nullptr) return;
      sum_->steals += cursor.counts.steals;
      sum_->given_back += cursor.counts.given_back;
      sum_->taken_back += cursor.counts.taken_back;
      sum_->combined += cursor.counts.combined;
    }

   private:
    distributor::claim_counts* sum_;
  };

  /// Counts nothing.
  recorder() noexcept = default;
  /// `sum` outlives the loop.
  explicit recorder(distributor::claim_counts& sum) noexcept : sum_(&sum) {}

  part part_of(unsigned) const noexcept { return part(sum_); }

 private:
  distributor::claim_counts* sum_ = nullptr;
};
