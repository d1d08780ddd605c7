// Counts of what began and what ended, from which another thread can tell that nothing is left.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::global {

/// What one thread began (tasks created, messages sent) and ended (tasks finished, messages handled). Both only grow.
/// What one thread begins another may end. One thread writes; any thread reads.
template <machine::policy M>
class activity {
  using order = machine::order;

 public:
  // relaxed: a task is created before it is published, and what publishes it orders this.
  void begin() noexcept { begun_.store(begun_.load(order::relaxed) + 1, order::relaxed); }
  // release: what the task began is visible to a thread that sees its end (ended()).
  void end() noexcept { ended_.store(ended_.load(order::relaxed) + 1, order::release); }

  std::uint64_t begun() const noexcept { return begun_.load(order::relaxed); }  // relaxed: ended() comes first
  std::uint64_t ended() const noexcept { return ended_.load(order::acquire); }  // acquire: pairs with end()

 private:
  machine::atomic_of<M, std::uint64_t> begun_{0};
  machine::atomic_of<M, std::uint64_t> ended_{0};
};

/// Sums of what began and what ended, over threads or ranks.
struct activity_sums {
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;

  activity_sums& operator+=(const activity_sums& more) noexcept {
    begun += more.begun;
    ended += more.ended;
    return *this;
  }
  bool operator==(const activity_sums&) const = default;
};

/// Sums over `all`, a range of pointers to activities. If both sums are equal, there was a moment between the two
/// passes at which nothing that the caller can know of was under way: all ends are read before all beginnings, so a
/// thing that is missing among the beginnings was begun by one that is missing among the ends.
template <class Range>
activity_sums sum_of(const Range& all) noexcept {
  activity_sums sums;
  for (const auto* a : all) sums.ended += a->ended();
  for (const auto* a : all) sums.begun += a->begun();
  return sums;
}

}  // namespace callisto::global
