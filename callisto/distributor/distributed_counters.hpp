// Distributed counters: the iteration space in stripes, each with a counter on a line of its own (ATC'15 section 3,
// "Distributed counters").
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>

namespace callisto::distributor {

/// Stripes of equal size, one for each thread as far as they go round. A thread has a home stripe and a current one:
/// it claims from its current stripe until that is used up, then moves on to the next until it is back home. A stripe
/// whose thread never comes is used up by the others, to its last iteration.
template <class M>
class distributed_counters {
  using order = machine::order;

 public:
  static constexpr unsigned max_stripes = 64;

  struct cursor {
    unsigned stripe;
    unsigned tried;  ///< stripes found empty in a row
    typename shared_counter<M>::cursor inner;
  };

  /// `n` <= 2^62 iterations for up to `threads` threads, in stripes of at least `smallest` iterations where that
  /// leaves more than one; a `smallest` of n or more makes it a shared counter.
  distributed_counters(std::uint64_t n, unsigned threads, std::uint64_t smallest) noexcept
      : threads_(std::max(1u, threads)) {
    const std::uint64_t most = std::max<std::uint64_t>(1, n / std::max<std::uint64_t>(1, smallest));
    stripes_ = static_cast<unsigned>(std::min<std::uint64_t>({threads_, max_stripes, most}));
    live_.store(stripes_, order::relaxed);  // relaxed: the gate publishes the loop
    sharer_bits_ = static_cast<unsigned>(std::bit_width(threads_ / stripes_)) - 1;
    const std::uint64_t each = n / stripes_;
    const std::uint64_t longer = n % stripes_;
    std::uint64_t begin = 0;
    for (unsigned s = 0; s < stripes_; ++s) {
      const std::uint64_t end = begin + each + (s < longer ? 1 : 0);
      ::new (static_cast<void*>(&counters_[s].counter)) shared_counter<M>(begin, end);
      begin = end;
    }
    if (n == 0) live_.store(0, order::relaxed);
  }

  // Nothing natively; a checked machine is told that the counters end here.
  ~distributed_counters() {
    for (unsigned s = 0; s < stripes_; ++s) std::destroy_at(&counters_[s].counter);
  }
  distributed_counters(const distributed_counters&) = delete;
  distributed_counters& operator=(const distributed_counters&) = delete;

  unsigned stripes() const noexcept { return stripes_; }

  cursor cursor_of(unsigned thread) const noexcept {
    const unsigned home = static_cast<unsigned>(std::uint64_t{thread % threads_} * stripes_ / threads_);
    return {home, 0, counters_[home].counter.cursor_of(thread)};
  }

  std::uint64_t near(const cursor& c) const noexcept { return c.inner.left >> sharer_bits_; }

  range claim(cursor& c, std::uint64_t k) noexcept {
    for (;;) {
      range r = counters_[c.stripe].counter.claim(c.inner, k);
      if (!r.empty()) {
        // The claim that empties the last live stripe has taken the loop's last iterations. relaxed: only the count
        // matters, and each stripe is counted down once.
        if (r.is_final && stripes_ > 1) r.is_final = live_.fetch_sub(1, order::relaxed) == 1;
        return r;
      }
      do {
        if (++c.tried >= stripes_) return {};
        c.stripe = c.stripe + 1 == stripes_ ? 0 : c.stripe + 1;
      } while (counters_[c.stripe].counter.looks_empty());
      c.inner = counters_[c.stripe].counter.cursor_of(0);
    }
  }

  bool exhaust() noexcept {
    bool dropped = false;
    for (unsigned s = 0; s < stripes_; ++s) dropped |= counters_[s].counter.exhaust();
    return dropped;
  }

 private:
  /// Room for a counter: a short loop must not pay for the lines of stripes that it does not use.
  union room {
    room() noexcept {}
    ~room() {}
    shared_counter<M> counter;
  };

  typename M::template plain<unsigned> threads_;
  typename M::template plain<unsigned> stripes_;
  typename M::template plain<unsigned> sharer_bits_;  ///< log2 of the threads whose home one stripe is
  typename M::template atomic<unsigned> live_{0};
  std::array<room, max_stripes> counters_;
};

}  // namespace callisto::distributor
