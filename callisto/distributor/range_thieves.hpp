// Threads that have run out of iterations: they take half of what another thread has stealable, then ask for what
// threads have reserved. range_tree.hpp says where they look.
#pragma once

#include <callisto/distributor/limits.hpp>
#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/waiting/forced_steal.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::distributor {

template <machine::policy M>
inline void splitting_ranges<M>::adopt(cursor& c, std::uint32_t from, std::uint32_t to, std::uint64_t k) noexcept {
  const std::uint64_t count = to - from;
  const auto mine = static_cast<std::uint32_t>(std::min(k / range_limits::adopted_share + 1, count - count / 2));
  c.from = c.next = from;
  c.limit = from + mine;
  c.left = count - mine;
  c.own->stealable.store(pack(c.limit, to), order::relaxed);  // it was empty, so no other thread writes it
  if (count > 1) {
    c.live = true;
    tell_others(c.position);
  }
}

template <machine::policy M>
inline bool splitting_ranges<M>::take_half(cursor& c, stripe& victim, std::uint64_t k) noexcept {
  std::uint64_t word = victim.stealable.load(order::relaxed);
  while (!empty(word)) {
    const std::uint32_t from = first(word) + static_cast<std::uint32_t>(size(word) / 2);
    const std::uint32_t to = last(word);
    if (victim.stealable.compare_exchange(word, pack(first(word), from), order::relaxed)) {
      ++c.counts.steals;
      adopt(c, from, to, k);
      return true;
    }
  }
  return false;
}

template <machine::policy M>
inline bool splitting_ranges<M>::reserves_nothing(const stripe& of) noexcept {
  const std::uint64_t reserved = of.reserved.load(order::relaxed);
  // Otherwise it has reserved the last of its range and not yet published that.
  return reserved == 0 || (empty(reserved) && last(reserved) == last(of.stealable.load(order::relaxed)));
}

template <machine::policy M>
inline bool splitting_ranges<M>::take_under(cursor& c, unsigned level, unsigned index, std::uint64_t k) noexcept {
  if (level != 0) {
    return any_child(c, has_stealable, level, index,
                     [&](unsigned below) { return take_under(c, level - 1, below, k); });
  }
  std::uint64_t without = 0;
  const auto take = [&](unsigned p) {
    if (take_half(c, stripes_[p], k)) return true;
    without |= bit(p, 0) * (reserves_nothing(stripes_[p]) ? both : has_stealable);
    return false;
  };
  if (any_child(c, has_stealable, 0, index, take)) return true;
  // The next thief need not look there.
  if (without != 0) clear(index * arity, without);
  return false;
}

/// A thief that looks at the reservation of `victim`. relaxed: the iterations travel through the entry gate.
template <machine::policy M>
struct splitting_ranges<M>::thief {
  const stripe& victim;
  std::uint64_t part = 0;
  bool look() noexcept { return !empty(part = victim.reserved.load(order::relaxed)); }
  std::uint64_t cut() const noexcept { return first(part); }
  void prepare(const atomic<std::uint64_t>&, std::uint64_t) const noexcept {}
  void commit() const noexcept {}
  void cancel() const noexcept {}
};

template <machine::policy M>
inline typename splitting_ranges<M>::reply splitting_ranges<M>::ask(cursor& c, unsigned p, std::uint64_t k) noexcept {
  thief asking{stripes_[p]};
  const reply heard = stripes_[p].request.ask(asking);
  if (heard == reply::got) {
    ++c.counts.taken_back;
    adopt(c, first(asking.part), last(asking.part), k);
  }
  return heard;
}

template <machine::policy M>
inline typename splitting_ranges<M>::reply splitting_ranges<M>::ask_under(cursor& c, unsigned level, unsigned index,
                                                                          std::uint64_t k) noexcept {
  reply heard = reply::nothing;
  any_child(c, has_reserved, level, index, [&](unsigned below) {
    heard = level != 0 ? ask_under(c, level - 1, below, k) : ask(c, below, k);
    return heard != reply::nothing;
  });
  return heard;
}

template <machine::policy M>
inline bool splitting_ranges<M>::hunt(cursor& c, std::uint64_t k) noexcept {
  const unsigned root = tree_.levels - 1;
  // Among many threads, some have work in hand that they are about to offer: look again.
  unsigned looks = root == 0 ? 1 : range_limits::looks;
  for (;;) {
    if (ended_.load(order::relaxed) != 0) return false;
    if (take_any(c, k)) return true;
    const reply heard = ask_under(c, root, 0, k);
    if (heard == reply::got) return true;
    if (heard == reply::nothing && (--looks == 0 || kinds_in(live_of(0, root).load(order::relaxed)) == 0)) {
      return false;
    }
  }
}

template <machine::policy M>
bool splitting_ranges<M>::find_elsewhere(cursor& c, std::uint64_t k) noexcept {
  has_nothing(c);
  c.own->request.refuse();
  const unsigned root = tree_.levels - 1;
  unsigned hunts = 0;  // levels at which the thread looks on behalf of its node
  bool found = false;
  bool leave = false;
  while (!found && !leave) {
    if ((found = take_any(c, k))) break;
    if (hunts == root) {
      found = hunt(c, k);
      leave = !found;
      break;
    }
    auto& live = live_of(c.position, hunts);
    std::uint64_t seen = live.load(order::relaxed);
    bool hunts_here = false;
    while ((seen & (hunting | done)) == 0 && !hunts_here) {
      hunts_here = live.compare_exchange(seen, seen | hunting, order::relaxed);
    }
    if (hunts_here) {
      ++hunts;
    } else if (!(leave = (seen & done) != 0 || ended_.load(order::relaxed) != 0)) {
      M::wait_while(live, [seen](std::uint64_t word) { return word == seen; }, machine::patience::brief);
    }
  }
  // The waiting threads steal from what was found, or leave as well.
  while (hunts-- > 0) {
    auto& live = live_of(c.position, hunts);
    if (found) {
      live.fetch_and(~hunting, order::relaxed);
    } else {
      live.fetch_or(done, order::relaxed);
    }
  }
  return found;
}

}  // namespace callisto::distributor
