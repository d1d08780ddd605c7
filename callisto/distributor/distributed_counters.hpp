// Distributed counters: the iteration space in stripes, each with a counter on a separate line (ATC 2015, section 3,
// "Distributed counters"). With one stripe it is the paper's shared counter.
#pragma once

#include <callisto/distributor/line_array.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>

namespace callisto::distributor {

/// One stripe for each group of threads at a level of the machine, sized by the threads in the group. A thread has a
/// home stripe and a current one: it claims from the current stripe until that is used up, then moves to the next,
/// until it is back home. Other threads use up the stripe of threads that never come.
template <machine::policy M>
class distributed_counters {
  using order = machine::order;

 public:
  static constexpr std::uint64_t most = std::uint64_t{1} << 62;

  struct cursor {
    unsigned stripe;
    unsigned tried;  ///< stripes found empty in a row
    std::uint64_t left;
    unsigned sharers;  ///< the threads that have the stripe as home
    claim_counts counts = {};
  };

  /// Meets work_distributor. The first stage is a counter, at any level.
  distributed_counters(std::uint64_t n, const layout& where, std::span<const stage> stages)
      : where_(where), at_(stages.front().at), stripes_(stripes(n, where, at_), [&](unsigned s, void* place) {
          const auto begin = [&](unsigned stripe) {
            const unsigned thread = stripe < where.groups(at_) ? where.first(at_, stripe) : where.threads();
            return share(n, thread, where.threads());
          };
          // If there are fewer iterations than groups, one stripe has all of them.
          const bool only = stripes(n, where, at_) == 1;
          ::new (place) shared_counter<M>(only ? 0 : begin(s), only ? n : begin(s + 1));
        }) {}

  unsigned stripes() const noexcept { return stripes_.size(); }

  cursor cursor_of(unsigned thread) const noexcept { return home_of(where_.group(at_, thread)); }

  /// Returns the cursor of a combiner for a group at level `inner`, which is no wider than the distributor's level.
  cursor cursor_of(level inner, unsigned group) const noexcept {
    return home_of(where_.outer_group(inner, group, at_));
  }

  std::uint64_t near(const cursor& c) const noexcept { return c.left / c.sharers; }

  range claim(cursor& c, std::uint64_t k) noexcept {
    while (c.tried < stripes_.size()) {
      const range r = stripes_[c.stripe].claim(k, c.left);
      if (!r.empty()) return r;
      do {
        if (++c.tried == stripes_.size()) return {};
        c.stripe = c.stripe + 1 == stripes_.size() ? 0 : c.stripe + 1;
        c.left = stripes_[c.stripe].left();
      } while (c.left == 0);
      ++c.counts.steals;
    }
    return {};
  }

  void leave(cursor&) noexcept {}
  bool free(const cursor&) const noexcept { return true; }

  void exhaust() noexcept {
    for (unsigned s = 0; s < stripes_.size(); ++s) {
      // relaxed: read after the loop, when no thread uses the distributor.
      if (stripes_[s].exhaust()) dropped_.store(1, order::relaxed);
    }
  }

  bool dropped() const noexcept { return dropped_.load(order::relaxed) != 0; }

 private:
  cursor home_of(unsigned group) const noexcept {
    const unsigned home = stripes_.size() == 1 ? 0 : group;
    return {home, 0, stripes_[home].left(), stripes_.size() == 1 ? where_.threads() : where_.size(at_, group), {}};
  }

  static unsigned stripes(std::uint64_t n, const layout& where, level at) noexcept {
    return n < where.groups(at) ? 1 : where.groups(at);
  }

  /// Returns the first iteration of the thread at a position if iterations are dealt out evenly.
  static std::uint64_t share(std::uint64_t n, unsigned position, unsigned threads) noexcept {
    return n / threads * position + n % threads * position / threads;
  }

  const layout& where_;
  const level at_;
  machine::atomic_of<M, unsigned> dropped_{0};
  line_array<M, shared_counter<M>> stripes_;
};

}  // namespace callisto::distributor
