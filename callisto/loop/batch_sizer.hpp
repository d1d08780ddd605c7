// How much a thread claims at a time.
#pragma once

#include <callisto/loop/limits.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::loop {

/// Chooses how much to ask the distributor for: the caller's batch, or what takes a target time: 10 us, in long loops a
/// thousandth of the time since the loop began, but at most 100 us.
///
/// Every claim is measured: a single probe that is preempted would mislead for a whole loop (hpx#2173). The next size
/// is the one that would have met the target, so iterations of a nanosecond and of a millisecond are both right from
/// the second claim on. 10 us keep the cost of a claim and of reading the clock near 0.5%. They also bound the work
/// that a thread can have left when other threads run out; so does the rule that near the end a claim takes only a
/// share of what is left. Longer claims pay by what a thread keeps in its own caches from one iteration to the next: 1
/// to 2% in triangle counting.
template <machine::policy M>
class batch_sizer {
 public:
  /// Takes the fixed size to ask for, or 0: by time, beginning with one iteration. If that is light, `hint` are asked
  /// for next. An earlier loop of the same place may give the hint, but says nothing certain of this one: with many
  /// light iterations in mind, a thread would keep heavy ones to itself.
  explicit batch_sizer(std::uint64_t fixed, std::uint64_t hint = 1) noexcept
      : timed_(fixed == 0), size_(fixed), hint_(hint) {
    if (!timed_) return;
    shortest_ = M::ticks_per_second() / loop_limits::claims_a_second;
    target_ = shortest_;
    loop_began_ = M::ticks();
    begin_ = loop_began_;
    size_ = 1;
  }

  /// Returns the size to ask for when `near` iterations are left nearby: at most half of them, so that other threads
  /// find a half, unless all of them take less than a microsecond, for which no other thread comes.
  std::uint64_t next(std::uint64_t near) const noexcept {
    return timed_ ? std::max<std::uint64_t>(1, std::min(size_, std::max(near / 2, std::min(near, size_ / 8)))) : size_;
  }

  /// Returns the size of the pieces in which to run a reservation of `size`: an eighth of it. If the body takes
  /// iterations one by one, as many as fit a fifth of a microsecond at the last batch's pace: iterations that become
  /// heavy inside a piece stay with its thread, and iterations of other pieces can be stolen. A piece costs 1 to 2 ns.
  std::uint64_t piece(std::uint64_t size, bool one_by_one) const noexcept {
    const std::uint64_t part = size / loop_limits::pieces + (size % loop_limits::pieces != 0 ? 1 : 0);
    // After a short batch, the clock and the claim are most of what was measured.
    if (!one_by_one || !timed_ || last_took_ < target_ / 4) return part;
    const double fitting = static_cast<double>(size_) * static_cast<double>(shortest_) / loop_limits::short_pieces /
                           static_cast<double>(target_);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(fitting), 1, part);
  }

  /// True if one unit at a time is enough, or nothing is known yet.
  bool one_at_a_time() const noexcept { return size_ <= 1; }

  /// Returns when the last batch ended, or the first began, in ticks; 0: not measured.
  std::uint64_t time() const noexcept { return begin_; }

  /// Says that `count` iterations have run since the last call, or the beginning.
  void ended(std::uint64_t count) noexcept {
    if (!timed_) return;
    const std::uint64_t now = M::ticks();
    const std::uint64_t took = std::max<std::uint64_t>(1, now - begin_);
    begin_ = now;
    target_ =
        std::clamp((now - loop_began_) / loop_limits::share_of_loop, shortest_, loop_limits::most_longer * shortest_);
    // In floating point: neither the product nor the ratio is certain to fit 64 bits.
    const double fitting = static_cast<double>(count) * static_cast<double>(target_) / static_cast<double>(took);
    size_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(fitting, largest)));
    if (last_took_ == 0 && took < shortest_ / loop_limits::light_share) size_ = std::max(size_, hint_);
    last_took_ = took;
  }

 private:
  static constexpr double largest = 1u << 30;

  bool timed_;
  std::uint64_t size_;
  std::uint64_t hint_;
  std::uint64_t last_took_ = 0;
  std::uint64_t shortest_ = 0;
  std::uint64_t target_ = 0;
  std::uint64_t loop_began_ = 0;
  std::uint64_t begin_ = 0;
};

}  // namespace callisto::loop
