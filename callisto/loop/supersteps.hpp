// Supersteps: threads that stay together over thousands of short steps, each of which makes the work of the next
// (bulk-synchronous steps: Valiant, CACM 1990).
//
// A loop and its end cost threads a few microseconds; the levels of a search in a grid take as long. Here a single loop
// serves many supersteps, numbered by round. The loop's iterations are *slots*. The thread that runs a slot has two
// lists: in this round all threads take entries from one list, while the slot's thread fills a second list for the next
// round. A thread takes from the front of its list, then from the backs of other slots' lists. So it mostly goes on
// with what it has found itself, and that stays in its caches. As in work-stealing loops (Blumofe and Leiserson, JACM
// 1999), but the owner halves what it takes, so that no thread waits long for the last entries.
//
//   place.word   round | first | last: the entries of a slot's list that no thread has taken. Of another round: none.
//   state        over | round | found | left: the entries of this round that are not reported as done, and the entries
//                of the next round that were reported as found.
//
// A thread that finds no more entries 1. publishes the size of its next list in its slot's word, then 2. subtracts what
// it processed from `left` in the state, once a round. The thread that brings `left` to 0 starts the next round or ends
// the run. So a round costs a thread one compare-and-swap if all do theirs, and waiting threads read the state. No
// thread waits for one that has taken nothing: a thread may come late or never, and the running threads do the part of
// a thread that the kernel has stopped.
//
// Orders: the state orders everything. A thread's change of the state releases its lists, words and data. A thread that
// finds a new round there acquires what all wrote in the one before, since changes of one word follow each other. So
// the words need no order: an entry is taken by a change of one word, and the taker has acquired the word's round.
#pragma once

#include <callisto/loop/superstep_words.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace callisto::loop {

template <machine::policy M>
class supersteps : superstep_words {
  using order = machine::order;

 public:
  /// Sizes above this count as this.
  using superstep_words::largest;
  static constexpr std::uint64_t most_rounds = (std::uint64_t{1} << round_bits) - 4;

  struct limits {
    std::uint64_t rounds;  ///< at most most_rounds
    std::uint64_t fewest;  ///< the fewest entries of a round, at least 1: with fewer the run is over
    std::uint64_t most;    ///< the most entries of a round: with more the run is over; below `largest`
  };

  /// Makes slots [0, slots). A thread takes at least `least` entries of its list at a time.
  supersteps(unsigned slots, std::uint64_t least)
      : slots_(slots), piece_(least), places_(std::make_unique<place[]>(slots)) {}

  unsigned slots() const noexcept { return slots_; }

  // For the leader, while no thread runs a slot. Relaxed throughout: the loop around it orders it.

  /// Sets up the first round with size(s) entries in list 0 of each slot s.
  template <class Size>
  void put(Size size) noexcept {
    std::uint64_t all = 0;
    for (unsigned s = 0; s < slots_; ++s) {
      const std::uint64_t here = size(s);
      all += here;
      places_[s].size = here;
      places_[s].word.store(here == 0 ? 0 : word(2, 0, here), order::relaxed);
    }
    state_.store(over_bit | word(2, all, 0), order::relaxed);
  }

  /// Lets rounds run, from where they were over. Their entries must be within the limits.
  void start(const limits& within) noexcept {
    const std::uint64_t ended = round_of(state_.load(order::relaxed));
    const std::uint64_t first = 2 + ended % 2;  // numbered anew; each round still has the list that it had
    for (unsigned s = 0; s < slots_; ++s) {
      const std::uint64_t size = in_list(s);
      places_[s].word.store(size == 0 ? 0 : word(first, 0, size), order::relaxed);
    }
    most_rounds_ = within.rounds;
    fewest_ = within.fewest;
    most_ = within.most;
    begun_ = first;
    state_.store(word(first, 0, entries()), order::relaxed);
  }

  /// After the run: the number of rounds since start(), the number of entries of the next round (at most `largest`),
  /// and their place: the number in list parity() of a slot.
  std::uint64_t run_so_far() const noexcept { return round_of(state_.load(order::relaxed)) - begun_; }
  std::uint64_t first_round() const noexcept { return begun_; }
  std::uint64_t entries() const noexcept { return state_.load(order::relaxed) >> size_bits & largest; }
  unsigned parity() const noexcept { return static_cast<unsigned>(round_of(state_.load(order::relaxed)) % 2); }
  std::uint64_t in_list(unsigned slot) const noexcept {
    const place& p = places_[slot];
    return round_of(p.word.load(order::relaxed)) == round_of(state_.load(order::relaxed)) ? std::uint64_t{p.size} : 0;
  }

  /// Runs a slot until the run is over. Each slot is run once after start(), by any threads in any order; no thread
  /// waits for a slot that is not run. work(round, owner, first, last) does entries [first, last) of list round % 2 of
  /// the slot `owner`; the first round since start() is first_round(). work appends to the other list of its slot,
  /// which belongs to this thread until the next round, and returns the size of that list.
  template <class Work>
  void run(unsigned slot, Work work) noexcept {
    place& mine = places_[slot];
    std::uint64_t state =
        state_.load(order::acquire);  // acquire: pairs with the release in report(): work of earlier rounds
    while (!is_over(state)) {
      const std::uint64_t round = round_of(state);
      std::uint64_t done = 0;
      std::uint64_t found = 0;
      for (unsigned s = 0; s < slots_; ++s) {
        const unsigned owner = slot + s < slots_ ? slot + s : slot + s - slots_;
        for (;;) {
          const piece p = s == 0 ? take_front(mine, round) : take_back(places_[owner], round);
          if (p.first == p.last) break;
          found = work(round, owner, p.first, p.last);
          done += p.last - p.first;
        }
      }
      if (done != 0) {
        mine.size = found;
        mine.word.store(word(round + 1, 0, std::min(found, largest)), order::relaxed);
        report(done, found);
      }
      state = M::wait_while(
          state_, [round](std::uint64_t s) { return !is_over(s) && round_of(s) == round; }, machine::patience::brief);
    }
  }

 private:
  struct alignas(M::line_size) place {
    machine::atomic_of<M, std::uint64_t> word{0};
    machine::plain_of<M, std::uint64_t> size{0};  ///< the size when the word was stored, without limit
  };

  piece take_front(place& of, std::uint64_t round) noexcept {
    std::uint64_t seen = of.word.load(order::relaxed);
    for (;;) {
      const piece all = left_of(seen, round);
      const std::uint64_t n = all.last - all.first;
      const piece taken{all.first, all.first + std::min(n, std::max(piece_, n / 2))};
      if (n == 0 || of.word.compare_exchange(seen, word(round, taken.last, all.last), order::relaxed)) return taken;
    }
  }

  piece take_back(place& of, std::uint64_t round) noexcept {
    std::uint64_t seen = of.word.load(order::relaxed);
    for (;;) {
      const piece all = left_of(seen, round);
      const std::uint64_t n = all.last - all.first;
      const piece taken{all.last - (n <= piece_ ? n : n / 2), all.last};
      if (n == 0 || of.word.compare_exchange(seen, word(round, all.first, taken.first), order::relaxed)) return taken;
    }
  }

  static constexpr piece left_of(std::uint64_t seen, std::uint64_t round) noexcept {
    if (round_of(seen) != round) return {};
    return {seen >> size_bits & largest, seen & largest};
  }

  void report(std::uint64_t done, std::uint64_t found) noexcept {
    std::uint64_t seen = state_.load(order::relaxed);  // relaxed: the exchange below must find the same value
    for (;;) {
      const std::uint64_t round = round_of(seen);
      const std::uint64_t all = std::min(largest, (seen >> size_bits & largest) + std::min(found, largest));
      const std::uint64_t left = (seen & largest) - done;
      const std::uint64_t next = left != 0 ? word(round, all, left) : after(round + 1, all);
      // release: publishes this thread's writes to the thread that finds the next round, also to the one that opens it:
      // all of them load the state before they go on.
      if (state_.compare_exchange(seen, next, order::release)) return;
    }
  }

  std::uint64_t after(std::uint64_t round, std::uint64_t size) const noexcept {
    const bool on = size >= fewest_ && size <= most_ && round - begun_ < most_rounds_;
    return on ? word(round, 0, size) : over_bit | word(round, size, 0);
  }

  const unsigned slots_;
  const std::uint64_t piece_;
  const std::unique_ptr<place[]> places_;
  machine::plain_of<M, std::uint64_t> most_rounds_{0};
  machine::plain_of<M, std::uint64_t> fewest_{0};
  machine::plain_of<M, std::uint64_t> most_{0};
  machine::plain_of<M, std::uint64_t> begun_{0};
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> state_{over_bit};
};

}  // namespace callisto::loop
