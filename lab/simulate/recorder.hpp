// The record of loops on the simulated machine. Every file of the command that runs loops there includes this header.
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/loop/record/recorder.hpp>
#include <callisto/machine/simulated/machine.hpp>
#include <lab/names.hpp>

#include <cstdint>

/// Sums what the cursors of a loop's threads have counted on the simulated machine.
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

  /// Makes a recorder that counts nothing.
  recorder() noexcept = default;
  /// Makes a recorder that adds to `sum`, which must outlive the loop.
  explicit recorder(distributor::claim_counts& sum) noexcept : sum_(&sum) {}

  part part_of(unsigned) const noexcept { return part(sum_); }

 private:
  distributor::claim_counts* sum_ = nullptr;
};
