// The limits of loops. They change times, never which iterations run.
// Behind each: its unit, and how flat its optimum is within a factor of 4 (docs/results/limits.md).
#pragma once

#include <cstdint>

namespace callisto::loop {

/// How much a thread claims at a time, and how a loop begins that is expected to be brief.
struct loop_limits {
  /// Claims a second that a thread makes, from 10 us each: they keep the cost of a claim and of reading the clock near
  /// 0.5 %, and bound the work that a thread can have left when other threads run out.
  static constexpr std::uint64_t claims_a_second = 100'000;  ///< 1/s; flat
  /// In long loops a claim is a share 1/1024 of the time since the loop began, but at most this many times as long:
  /// what a thread keeps in its caches from one iteration to the next is worth 1 to 2 % in triangle counting.
  static constexpr std::uint64_t share_of_loop = 1024;  ///< share; flat
  static constexpr std::uint64_t most_longer = 10;      ///< factor; flat
  /// A reservation is run in this many pieces, between which the rest can be given back.
  static constexpr std::uint64_t pieces = 8;  ///< pieces; 1.17 (loop.short)
  /// If the body takes iterations one by one, pieces take a share of a claim's least time: 0.2 us. A piece costs 1 to 2
  /// ns.
  static constexpr std::uint64_t short_pieces = 50;  ///< share; flat
  /// The first iteration is light if it takes less than this share of a claim: the hint of an earlier loop is used.
  static constexpr std::uint64_t light_share = 100;  ///< share; flat
  /// Pieces in 10 us of a loop that its leader begins alone: each costs some 20 ns, most of it for the clock.
  static constexpr std::uint64_t pieces_alone = 32;  ///< pieces; 1.20 (loop.inner)
  /// Such a beginning ends after 1 s by this, 5 us: followers could have come. So does a piece of an inner loop.
  static constexpr std::uint64_t beginnings_a_second = 200'000;  ///< 1/s; flat
  /// Iterations of the first pieces of an inner loop, which double: no clock is read yet.
  static constexpr std::uint64_t untimed = 7;  ///< iterations; 1.60 (loop.short)
};

}  // namespace callisto::loop
