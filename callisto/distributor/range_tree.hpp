// Where thieves look, among ranges that split: a tree of words over the threads, neighbours under one node. One bit
// says that the child, a thread or a node, may have something stealable, another that it may have something reserved. A
// thread clears its bits when it begins its last piece, while other threads work. A thief takes from the nearest thread
// that has something stealable. A thief that finds nothing clears the bits of all threads of the node at once, so that
// a thousand thieves do not read the lines of threads that run what they reserved. If the tree shows nothing stealable,
// one thread a node looks on and its other threads wait. The last one asks, and all learn together that nothing is
// left.
#pragma once

#include <callisto/distributor/splitting_ranges.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace callisto::distributor {

template <machine::policy M>
inline std::uint64_t splitting_ranges<M>::live_at_first(unsigned level, unsigned index, const shares& first,
                                                        typename shares::walk& at) const noexcept {
  const unsigned below = level == 0 ? where_.threads() : tree_.begin[level] - tree_.begin[level - 1];
  const unsigned has = std::min(arity, below - index * arity);
  if (first.all_have_some()) return ((std::uint64_t{1} << has) - 1) * both;
  std::uint64_t live = 0;
  for (unsigned i = 0; i < has; ++i) {
    const std::uint64_t begin = at.begin();
    const unsigned p = (index * arity + i) << shift * level;
    const unsigned end = std::min(p + (1u << shift * level), where_.threads());
    for (unsigned q = p; q < end; ++q) at.next(q);
    if (at.begin() != begin) live |= both << i;
  }
  return live;
}

template <machine::policy M>
void splitting_ranges<M>::has_nothing(cursor& c) noexcept {
  if (c.live) clear(c.position, bit(c.position, 0) * both, true);
  c.live = false;
}

template <machine::policy M>
inline void splitting_ranges<M>::tell_others(unsigned position, std::uint64_t kinds, unsigned level) noexcept {
  for (; kinds != 0 && level < tree_.levels; ++level) {
    // release: publishes the iterations to the acquire in clear_bits().
    kinds &= ~kinds_in(live_of(position, level).fetch_or(bit(position, level) * kinds, order::release));
  }
}

template <machine::policy M>
inline std::uint64_t splitting_ranges<M>::clear_bits(atomic<std::uint64_t>& live, std::uint64_t bits,
                                                     bool own) noexcept {
  // relaxed: only the owner fills its own part.
  if (own) return live.fetch_and(~bits, order::relaxed);
  // acquire: pairs with the release in tell_others(). A thread that offers iterations meanwhile sets the bit after
  // this change, or this thread sees them below.
  std::uint64_t seen = live.load(order::relaxed);
  while ((seen & bits) != 0) {
    if (live.compare_exchange(seen, seen & ~bits, order::acquire)) return seen;
  }
  return 0;
}

template <machine::policy M>
inline void splitting_ranges<M>::clear(unsigned position, std::uint64_t bits, bool own) noexcept {
  std::uint64_t before = clear_bits(live_of(position, 0), bits, own);
  for (std::uint64_t left = (before & bits) / has_stealable | (before & bits) / has_reserved; (left & children) != 0;
       left &= left - 1) {
    const unsigned p = (position & ~(arity - 1)) + static_cast<unsigned>(std::countr_zero(left));
    const bool holds =
        (before & bits & bit(p, 0) * has_reserved) != 0 && !empty(stripes_[p].reserved.load(order::relaxed));
    if (holds || !empty(stripes_[p].stealable.load(order::relaxed))) tell_others(p);
  }
  for (unsigned level = 1; level < tree_.levels; ++level) {
    // Kinds that the node had before and has no more. Of several threads that clear its last bits one finds that.
    const std::uint64_t kinds = kinds_in(before) & ~kinds_in(before & ~bits);
    if (kinds == 0) return;
    bits = bit(position, level) * kinds;
    before = clear_bits(live_of(position, level), bits, false);
    // Up to the root: a thread in tell_others() found the bit here still set, and another may have cleared those
    // above.
    if (before != 0) tell_others(position, kinds & kinds_in(live_of(position, level - 1).load(order::relaxed)), level);
  }
}

template <machine::policy M>
template <class F>
inline bool splitting_ranges<M>::any_child(const cursor& c, std::uint64_t kind, unsigned level, unsigned index,
                                           F f) noexcept {
  auto& live = nodes_[tree_.begin[level] + index].live;
  const auto from = static_cast<int>(child(c.position, level));
  const auto turned = [&] { return std::rotr(live.load(order::relaxed) / kind & children, from); };
  std::uint64_t left = turned();
  while (left != 0) {
    const unsigned below = index * arity + static_cast<unsigned>((std::countr_zero(left) + from) % 64);
    if ((level != 0 || below != c.position) && f(below)) return true;
    left &= left - 1;
    if (left != 0) left &= turned();  // other threads may have found that there is nothing
  }
  return false;
}

}  // namespace callisto::distributor
