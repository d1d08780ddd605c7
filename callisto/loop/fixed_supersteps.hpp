// Supersteps with entries that are known beforehand: threads that stay together over many short steps, back through
// what supersteps (supersteps.hpp) have found.
//
// There a list grows in the round before. Here all rounds have lists of known sizes, one for each slot, like the levels
// of a search that goes back to its source. A thread takes from the front of its list, then from the backs of other
// slots' lists.
//
//   place.word   round | first | last: the entries of a slot's list that no thread has taken. Of an earlier round: all.
//   state        over | round | left: the entries of this round that are not reported as done.
//
// A thread that finds no more entries reports, once a round, what it has done. The report that brings `left` to 0 opens
// the next round. No thread waits for one that has taken nothing; the first thread that comes begins a slot's list.
//
// Orders: as in supersteps. A change of the state releases what the thread has written; a thread that finds a new round
// there acquires what all wrote in earlier rounds. The words need no order: a thread that changes a word of this round,
// or of an earlier one, has taken entries that count as left, so this round still runs.
#pragma once

#include <callisto/loop/superstep_words.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace callisto::loop {

template <machine::policy M>
class fixed_supersteps : superstep_words {
  using order = machine::order;

 public:
  /// The most entries of a round.
  using superstep_words::largest;
  static constexpr std::uint64_t most_rounds = (std::uint64_t{1} << round_bits) - 2;

  /// Makes slots [0, slots). A thread takes at least `least` entries of its list at a time.
  fixed_supersteps(unsigned slots, std::uint64_t least)
      : slots_(slots), piece_(least), places_(std::make_unique<place[]>(slots)) {}

  unsigned slots() const noexcept { return slots_; }

  /// Lets rounds [0, rounds) run; called by the leader while no thread runs a slot. Each round has at least one entry:
  /// the sum of size(round, slot). Relaxed throughout: the loop around it orders it.
  template <class Size>
  void start(std::uint64_t rounds, const Size& size) noexcept {
    for (unsigned s = 0; s < slots_; ++s) places_[s].word.store(0, order::relaxed);
    rounds_ = rounds;
    state_.store(rounds == 0 ? over_bit : word(1, 0, all_of(0, size)), order::relaxed);
  }

  /// Runs a slot until all rounds are over. Each slot is run once after start(), by any threads in any order; no thread
  /// waits for a slot that is not run. work(round, owner, first, last) does entries [first, last) of the round's list
  /// of the slot `owner`. `size` as at start().
  template <class Size, class Work>
  void run(unsigned slot, const Size& size, Work work) noexcept {
    std::uint64_t state =
        state_.load(order::acquire);  // acquire: pairs with the release in report(): work of earlier rounds
    while (!is_over(state)) {
      const std::uint64_t round = round_of(state);
      std::uint64_t done = 0;
      for (unsigned s = 0; s < slots_; ++s) {
        const unsigned owner = slot + s < slots_ ? slot + s : slot + s - slots_;
        const std::uint64_t all = size(round - 1, owner);
        for (;;) {
          const piece p = take(places_[owner], round, all, s == 0);
          if (p.first == p.last) break;
          work(round - 1, owner, p.first, p.last);
          done += p.last - p.first;
        }
      }
      if (done != 0) report(done, size);
      state = M::wait_while(
          state_, [round](std::uint64_t s) { return !is_over(s) && round_of(s) == round; }, machine::patience::brief);
    }
  }

 private:
  struct alignas(M::line_size) place {
    machine::atomic_of<M, std::uint64_t> word{0};
  };

  /// Takes half of what is left of a slot's list, which had `all` entries at the beginning of the round.
  piece take(place& of, std::uint64_t round, std::uint64_t all, bool mine) noexcept {
    std::uint64_t seen = of.word.load(order::relaxed);
    for (;;) {
      const piece left = left_of(seen, round, all);
      const std::uint64_t n = left.last - left.first;
      if (n == 0) return {};
      const std::uint64_t half = n <= piece_ ? n : std::max(piece_, n / 2);
      const piece taken = mine ? piece{left.first, left.first + half} : piece{left.last - half, left.last};
      const std::uint64_t rest = mine ? word(round, taken.last, left.last) : word(round, left.first, taken.first);
      if (of.word.compare_exchange(seen, rest, order::relaxed)) return taken;
    }
  }

  static constexpr piece left_of(std::uint64_t seen, std::uint64_t round, std::uint64_t all) noexcept {
    if (round_of(seen) < round) return {0, all};
    if (round_of(seen) > round) return {};  // this round is over
    return {seen >> size_bits & largest, seen & largest};
  }

  template <class Size>
  void report(std::uint64_t done, const Size& size) noexcept {
    std::uint64_t seen = state_.load(order::relaxed);  // relaxed: the exchange below must find the same value
    for (;;) {
      const std::uint64_t round = round_of(seen);
      const std::uint64_t left = (seen & largest) - done;
      std::uint64_t next = word(round, 0, left);
      if (left == 0) next = round < rounds_ ? word(round + 1, 0, all_of(round, size)) : over_bit;
      // release: publishes this thread's writes to the thread that finds the next round, also to the one that opens it:
      // all of them load the state before they go on.
      if (state_.compare_exchange(seen, next, order::release)) return;
    }
  }

  template <class Size>
  std::uint64_t all_of(std::uint64_t round, const Size& size) const noexcept {
    std::uint64_t all = 0;
    for (unsigned s = 0; s < slots_; ++s) all += size(round, s);
    return all;
  }

  const unsigned slots_;
  const std::uint64_t piece_;
  const std::unique_ptr<place[]> places_;
  machine::plain_of<M, std::uint64_t> rounds_{0};
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> state_{over_bit};
};

}  // namespace callisto::loop
