// Ranks without work get tasks of other ranks: by requests, answers, and gifts to ranks that wait.
#pragma once

#include <callisto/global/transport/limits.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace callisto::global {

/// The ranks that remember a request: those at distances 1, 2, 4, ... on a ring of all ranks (Saraswat et al.,
/// "Lifeline-based global load balancing", PPoPP 2011). Tasks reach all ranks over them in as many steps as the number
/// of ranks has binary digits.
struct lifelines {
  int rank;
  int ranks;

  unsigned count() const noexcept { return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(ranks - 1))); }
  /// Returns the rank that remembers a request of this rank by its lifeline `i`.
  int to(unsigned i) const noexcept { return static_cast<int>((rank + (std::int64_t{1} << i)) % ranks); }
  /// Returns the rank that asks this rank by its lifeline `i`.
  int from(unsigned i) const noexcept { return static_cast<int>((rank - (std::int64_t{1} << i) + ranks) % ranks); }
};

/// A set of lifelines in one phase, in one word: lifelines that hold a request of this rank, or lifelines by which this
/// rank holds a request. Lifelines of an earlier phase do not count.
template <machine::policy M>
class lifeline_set {
  using order = machine::order;

 public:
  /// Adds a lifeline, unless the set is of a later phase.
  void add(std::uint32_t phase, unsigned lifeline) noexcept {
    // relaxed, all: the word says which ranks wait; what they get comes by messages.
    std::uint64_t word = word_.load(order::relaxed);
    for (;;) {
      const bool is_of_now = phase_of(word) == phase;
      if (!is_of_now && static_cast<std::int32_t>(phase - phase_of(word)) < 0) return;
      const std::uint64_t next = (is_of_now ? word : std::uint64_t{phase} << 32) | std::uint64_t{1} << lifeline;
      if (word_.compare_exchange(word, next, order::relaxed)) return;
    }
  }
  /// Removes a lifeline. True if it was there, in this phase.
  bool remove(std::uint32_t phase, unsigned lifeline) noexcept {
    std::uint64_t word = word_.load(order::relaxed);
    while (phase_of(word) == phase && (word >> lifeline & 1) != 0) {
      if (word_.compare_exchange(word, word & ~(std::uint64_t{1} << lifeline), order::relaxed)) return true;
    }
    return false;
  }
  /// Returns the members, a bit each.
  std::uint32_t members(std::uint32_t phase) const noexcept {
    const std::uint64_t word = word_.load(order::relaxed);
    return phase_of(word) == phase ? static_cast<std::uint32_t>(word) : 0;
  }
  /// Removes one; nothing if there is none.
  std::optional<unsigned> take(std::uint32_t phase) noexcept {
    while (const std::uint32_t all = members(phase)) {
      const auto first = static_cast<unsigned>(std::countr_zero(all));
      if (remove(phase, first)) return first;
    }
    return std::nullopt;
  }

 private:
  static std::uint32_t phase_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }

  machine::atomic_of<M, std::uint64_t> word_{0};  ///< the phase, and a bit a lifeline
};

/// A request for tasks.
struct steal_request {
  static constexpr std::uint32_t no_lifeline = 32;  ///< the victim does not remember the request

  int thief;
  std::uint32_t phase;
  std::uint32_t lifeline;
};

/// The answer to a thief.
struct steal_answer {
  std::uint32_t phase;
  std::uint32_t lifeline;  ///< as in the request
  std::uint64_t given;     ///< number of tasks, which travel as separate messages
};

/// The steps of stealing between ranks. `Rank` is the rank, as a core of it sees it:
///
///   phase()                      the latest phase that it has heard of, modulo 2^32
///   ticks(), ticks_of(ns)        its clock
///   pick(n)                      a random number below n
///   take_half(most)              removes half of the tasks that the calling core may give, as a vector
///   travel(task, rank)           sends a task as a message, which counts, and then counts it as ended here
///   tell_request(rank, r)        lets give_to(r) be called there, later; likewise:
///   tell_answer(rank, a)         take_answer(a)
///   tell_gift(rank, a)           take_gift(a)
///
/// 1. *Rank without work:* asks another one at random (ask()). One request is under way at a time, whichever core began
///    it.
/// 2. *Vain:* it asks its lifelines in turn, which remember the request for this phase if they have nothing. When all
///    hold one, it asks at random again, with pauses that double.
/// 3. *Rank that has tasks:* gives half of what it has to each rank that waits (give_to_waiting()), as soon as it gets
///    tasks, and at each look.
/// 4. *Phase:* a rank that waits in a phase is in that phase: main is not about to work for long.
template <machine::policy M, class Rank>
class steal_protocol {
  using order = machine::order;
  static constexpr std::uint32_t no_lifeline = steal_request::no_lifeline;

 public:
  explicit steal_protocol(const lifelines& of) noexcept : of_(of) {}

  /// Asks a rank for tasks, if it is time. True if so. The job has two ranks or more.
  bool ask(Rank& rank) {
    if (rank.ticks() < ask_again_at_.load(order::relaxed)) return false;  // relaxed: a time
    // relaxed, here and in take_answer(): the answer comes by a message, which orders all.
    if (asking_.exchange(1, order::relaxed) != 0) return false;
    const std::uint32_t phase = rank.phase();
    steal_request r{of_.rank, phase, no_lifeline};
    int victim = of_.rank;
    if (asks_lifelines_.load(order::relaxed) != 0 && free_lifelines(phase) != 0) {
      r.lifeline = static_cast<std::uint32_t>(std::countr_zero(free_lifelines(phase)));
      // Before the request leaves: a gift may overtake the answer.
      held_.add(phase, r.lifeline);
      victim = of_.to(r.lifeline);
    } else {
      const auto other = static_cast<int>(rank.pick(static_cast<unsigned>(of_.ranks - 1)));
      victim = other + (other >= of_.rank ? 1 : 0);
    }
    rank.tell_request(victim, r);
    return true;
  }

  /// Handles a thief's request at the victim.
  void give_to(Rank& rank, const steal_request& r) {
    const std::size_t given = send_half(rank, r.thief);
    if (given == 0 && r.lifeline != no_lifeline) waiting_.add(r.phase, r.lifeline);
    rank.tell_answer(r.thief, {r.phase, r.lifeline, given});
  }

  /// Handles an answer. The tasks came as separate messages.
  void take_answer(Rank& rank, const steal_answer& a) {
    // relaxed, all: each is one core's business at a time, and a time or a count.
    if (a.given != 0) {
      if (a.lifeline != no_lifeline) held_.remove(a.phase, a.lifeline);
      asks_at_once();
    } else {
      asks_lifelines_.store(1, order::relaxed);
      std::uint64_t pause = rank_limits::least_pause_ns;
      if (free_lifelines(rank.phase()) == 0) {
        pause = std::min(2 * pause_.load(order::relaxed), rank_limits::most_pause_ns);
        pause_.store(pause, order::relaxed);
      }
      ask_again_at_.store(rank.ticks() + rank.ticks_of(pause), order::relaxed);
    }
    asking_.store(0, order::relaxed);
    if (a.given != 0) give_to_waiting(rank);
  }

  /// Handles the word of tasks that a lifeline gave.
  void take_gift(Rank& rank, const steal_answer& a) {
    held_.remove(a.phase, a.lifeline);
    asks_at_once();
    give_to_waiting(rank);
  }

  /// Gives half of this rank's tasks to each rank that waits, as long as there are some. True if any left.
  bool give_to_waiting(Rank& rank) {
    const std::uint32_t phase = rank.phase();
    bool any = false;
    while (const auto lifeline = waiting_.take(phase)) {
      const int thief = of_.from(*lifeline);
      const std::size_t given = send_half(rank, thief);
      if (given == 0) {
        waiting_.add(phase, *lifeline);
        return any;
      }
      rank.tell_gift(thief, {phase, *lifeline, given});
      any = true;
    }
    return any;
  }

  /// True if a rank waits for tasks, as a hint. One load.
  bool has_waiting(std::uint32_t phase) const noexcept { return waiting_.members(phase) != 0; }

 private:
  /// Returns the lifelines that hold no request, a bit each.
  std::uint32_t free_lifelines(std::uint32_t phase) const noexcept {
    return ~held_.members(phase) & ((std::uint32_t{1} << of_.count()) - 1);
  }
  void asks_at_once() noexcept {
    // relaxed, all: as in take_answer()
    asks_lifelines_.store(0, order::relaxed);
    pause_.store(rank_limits::least_pause_ns, order::relaxed);
    ask_again_at_.store(0, order::relaxed);
  }
  static std::size_t send_half(Rank& rank, int thief) {
    auto tasks = rank.take_half(rank_limits::most_given);
    for (auto& t : tasks) rank.travel(t, thief);
    return tasks.size();
  }

  const lifelines of_;
  machine::atomic_of<M, std::uint32_t> asking_{0};          ///< a request is under way
  machine::atomic_of<M, std::uint32_t> asks_lifelines_{0};  ///< a request to a random rank was vain
  machine::atomic_of<M, std::uint64_t> ask_again_at_{0};    ///< ticks
  machine::atomic_of<M, std::uint64_t> pause_{rank_limits::least_pause_ns};
  lifeline_set<M> held_;     ///< lifelines that remember this rank's request
  lifeline_set<M> waiting_;  ///< by their numbers, ranks that wait for this one's tasks
};

}  // namespace callisto::global
