// How a lane of Domino finds tasks: in its own ring, in rings of other lanes, then in their holds.
#pragma once

#include <callisto/domino/scheduler.hpp>

#include <cstdint>
#include <utility>

namespace callisto::domino {

template <machine::policy M>
bool scheduler<M>::find_elsewhere(lane<M>& here) {
  reply asked;
  do {
    do {
      group<M>* const at = here.at_;
      if (at != nullptr && (take_own(here, *at) || steal(here, *at))) return true;
      for (auto& g : groups_) {
        if (g.get() != at && (take_own(here, *g) || steal(here, *g))) return true;
      }
    } while (leave_group(here));  // true: a phase ended, and another began
    // Before this thread waits itself: a thief that has asked late would wait as long. Processors make the empty hold
    // visible before leave_group() has ended.
    here.hold_.turn_away();
    asked = ask_holders(here);
  } while (asked == reply::again);  // the tasks are elsewhere
  return asked == reply::got;
}

template <machine::policy M>
inline bool scheduler<M>::is_open(const group<M>& g, std::uint32_t bucket) noexcept {
  // acquire: pairs with open_phase(), after which all rings of the bucket are published.
  return g.open.load(order::acquire) == bucket;
}

/// How a lane's hold takes from rings.
template <machine::policy M>
struct scheduler<M>::taker {
  scheduler& of;
  lane<M>& here;
  group<M>& g;
  std::uint32_t bucket;
  bool* lost;  ///< set if another thread was faster; null: it tries again

  bool tries_again() const noexcept {
    // At the beginning of a run the first tasks of a ring are worth the wait.
    if (lost == nullptr || here.hold_most_ == 1) return true;
    *lost = true;
    return false;
  }
  std::uint64_t number() const noexcept { return here.number_ + 1; }
  void settle(unsigned lane) const noexcept { of.lanes_[lane]->hold_.settle(); }
  void stage(std::uint64_t i, const task& t) const noexcept { here.hold_.stage(i, t); }
  void draft(std::uint64_t n, const machine::atomic_of<M, std::uint64_t>& word, std::uint64_t value) const noexcept {
    here.hold_.draft(n, std::uint64_t{g.number} << 32 | bucket, word, value);
  }
  void commit() const noexcept { here.hold_.commit(); }
  void cancel() const noexcept { here.hold_.cancel(); }
  bool may_take() const noexcept { return is_open(g, bucket); }
};

template <machine::policy M>
inline bool scheduler<M>::take_from(lane<M>& here, group<M>& g, std::uint32_t bucket, ring<M>& from, bool* lost) {
  if (from.take(here.hold_most_, taker{*this, here, g, bucket, lost}) == 0) return false;
  move_to(here, g);
  return true;
}

template <machine::policy M>
inline bool scheduler<M>::take_own(lane<M>& here, group<M>& g) {
  const std::uint32_t bucket = g.open.load(order::relaxed);
  if (bucket == group<M>::closed) return false;
  ring<M>& own = here.part(g).rings[bucket];
  return take_from(here, g, bucket, own);
}

template <machine::policy M>
inline bool scheduler<M>::steal(lane<M>& here, group<M>& g) {
  const std::uint32_t bucket = g.open.load(order::relaxed);
  if (bucket == group<M>::closed) return false;
  const auto all = static_cast<unsigned>(lanes_.size());
  for (;;) {
    bool lost = false;
    const unsigned begin = here.any_below(all);
    for (unsigned i = 0; i < all; ++i) {
      const unsigned victim = (begin + i) % all;
      if (victim == here.number_) continue;
      ring<M>& from = lanes_[victim]->part(g).rings[bucket];
      if (from.looks_empty() || !take_from(here, g, bucket, from, &lost)) continue;
      here.steals_.fetch_add(1, order::relaxed);
      return true;
    }
    if (!lost) return false;
  }
}

template <machine::policy M>
inline typename scheduler<M>::reply scheduler<M>::ask_holders(lane<M>& here) {
  const unsigned all = threads();
  for (unsigned d = 1; d < all; ++d) {
    std::uint64_t source = 0;
    const reply asked = lanes_[(here.number_ + d) % all]->hold_.ask(here.hold_, here.number_, source);
    if (asked == reply::nothing) continue;
    if (asked == reply::got) {
      here.forced_.fetch_add(1, order::relaxed);
      move_to(here, *groups_[source >> 32]);
    }
    return asked;
  }
  return reply::nothing;
}

template <machine::policy M>
inline void scheduler<M>::move_to(lane<M>& here, group<M>& g) noexcept {
  if (here.at_ != &g) {
    leave_group(here);
    here.at_ = &g;
  }
  here.open_ring_ = &here.part(g).rings[g.open.load(order::relaxed)];
}

template <machine::policy M>
inline bool scheduler<M>::leave_group(lane<M>& here) noexcept {
  group<M>* const g = std::exchange(here.at_, nullptr);
  if (g == nullptr) return false;
  const std::uint64_t credits = here.pool_;
  here.pool_ = 0;
  if (credits == 0 || !g->left.give_back(credits)) return false;
  end_phase(here, *g);
  return true;
}

}  // namespace callisto::domino
