// How a line of units is dealt to ranks in blocks, in turn: block 0 to rank 0, block 1 to rank 1, and round again.
#pragma once

#include <callisto/global/memory/invariant_divisor.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::global {

/// Where one unit of a dealt line lies.
struct dealt_place {
  std::uint64_t rank;
  std::uint64_t local;  ///< the unit's number among those of its rank
  bool operator==(const dealt_place&) const = default;
};

/// Units [0, ...) in blocks of `block`, dealt to `ranks`. A unit is a byte of the global heap or an element of an
/// array. The units that one rank owns of a contiguous range are contiguous among all units of that rank.
class block_cyclic {
 public:
  constexpr block_cyclic() noexcept = default;
  constexpr block_cyclic(std::uint64_t block, std::uint64_t ranks) noexcept : block_(block), ranks_(ranks) {}

  constexpr std::uint64_t block() const noexcept { return block_.divisor(); }
  constexpr std::uint64_t ranks() const noexcept { return ranks_.divisor(); }

  /// Returns the rank of a unit and its place there.
  constexpr dealt_place place(std::uint64_t unit) const noexcept {
    const std::uint64_t number = block_.quotient(unit);
    const std::uint64_t round = ranks_.quotient(number);
    return {number - round * ranks(), round * block() + (unit - number * block())};
  }

  /// Returns how many units of its block a rank has from its unit `local` on.
  constexpr std::uint64_t left_in_block(std::uint64_t local) const noexcept {
    return block() - block_.remainder(local);
  }

  constexpr std::uint64_t rank_of(std::uint64_t unit) const noexcept { return ranks_.remainder(block_.quotient(unit)); }

  /// Returns the unit at a place: the inverse of place().
  constexpr std::uint64_t unit_at(dealt_place p) const noexcept {
    const std::uint64_t round = block_.quotient(p.local);
    return (round * ranks() + p.rank) * block() + (p.local - round * block());
  }

  /// Returns how many of the units [0, end) `rank` owns.
  constexpr std::uint64_t owned_before(std::uint64_t end, std::uint64_t rank) const noexcept {
    const std::uint64_t number = block_.quotient(end);
    const std::uint64_t round = ranks_.quotient(number);
    const std::uint64_t at = number - round * ranks();  // the rank that the block of `end` belongs to
    const std::uint64_t inside = end - number * block();
    return round * block() + (rank < at ? block() : rank == at ? inside : 0);
  }

 private:
  invariant_divisor block_{64};
  invariant_divisor ranks_{1};
};

}  // namespace callisto::global
