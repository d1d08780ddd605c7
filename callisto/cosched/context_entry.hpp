// The table's entry of one hardware context: how a job comes to run there, lends it, asks for it and hands it over.
//
// Two words, each on a line of its own. `state` says who runs and whether it has work (turns.hpp); who runs keeps a
// copy of what it wrote, and a check-in is one load of that line and a comparison: others write it only when they want
// something, or have taken the context. `wants` says which jobs wish to run here.
//
// Both are changed by read-modify-writes only, in an order that loses no wake-up: who comes registers in `wants`, then
// reads `state` (the kernel compares it once more before it lets the thread sleep); who idles or yields changes
// `state`, then reads `wants` by a read-modify-write. One of them sees the other. Nobody relies on it, though: the one
// who is to wake the other may be killed before it does, so every sleep has a limit.
//
// No job waits for another without a limit, and none trusts what it reads. A holder that does not answer in time is
// looked after (World::gone), and what it holds taken; it finds that out at its next check-in, however late.
#pragma once

#include <callisto/cosched/time_slices.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/cosched/temporal_policy.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::cosched {

/// A thread's claim to a context.
struct lease {
  std::uint64_t word = ~std::uint64_t{0};  ///< what `state` was when it was taken, or last looked at
};

/// A thread's attempt to get a context, from its wish to its success.
struct request {
  std::uint64_t asked_at = 0;  ///< when who runs was first asked to leave; 0: not
  unsigned asked = no_job;     ///< who that was
  std::uint64_t seen = 0;      ///< the state at the last attempt
};

/// How often who ran on a context did not answer in time, and so lost it; and who that was last, and when.
struct missed_answers {
  std::uint32_t times = 0;  ///< modulo 2^24
  unsigned last = no_job;
  std::uint32_t at = 0;  ///< in units of 2^20 ns

  static constexpr missed_answers of(std::uint64_t word) noexcept {
    const auto number = static_cast<unsigned>(word & 0xff);
    return {.times = static_cast<std::uint32_t>(word >> 8 & 0xffffff),
            .last = number == 0 || number > max_jobs ? no_job : number - 1,
            .at = static_cast<std::uint32_t>(word >> 32)};
  }
  static constexpr std::uint64_t word(std::uint32_t times, unsigned job, std::uint64_t now) noexcept {
    return (now >> 20) << 32 | (times & 0xffffff) << 8 | (job + 1);
  }
  static constexpr std::uint64_t anonymous(std::uint64_t word) noexcept { return word & ~std::uint64_t{0xff}; }
  /// Nanoseconds since then, to a millisecond.
  constexpr std::uint64_t elapsed(std::uint64_t now) const noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(now >> 20) - at} << 20;
  }
};

/// M: the machine policy. World, what there is beside the words:
///   now()                       nanoseconds, the same for all jobs
///   park(word, low, ns, job)    as machine::park_shared, for a thread of `job`
///   unpark(word, jobs)          wakes threads of these jobs
///   gone(job)                   whether it has ended; then bury() was called on all its entries
///   dormant(job)                whether it lives but has not run at all for h_high: stopped, or asleep as a whole
///   waiting()                   how many threads of this job wait for contexts; a hint
template <machine::policy M>
class context_entry {
  using order = machine::order;

 public:
  /// The check-in: false if somebody wants something of who holds it; then keep() says what to do. One load.
  bool undisturbed(const lease& mine) const {
    return state_.load(order::relaxed) == mine.word;
  }  // relaxed: keep() looks

  /// One attempt of `me` to run here. Whether it does now; else how long to wait for the state to change from
  /// wish::seen before the next one. Registers the wish.
  template <class World>
  bool try_take(World& world, unsigned me, const time_slices& who, const timing& t, request& w, lease& mine, std::uint64_t& wait) {
    // acquire: either who idles, yields or buries finds the wish in its own read-modify-write of this word, or the wish
    // comes after that, and then the state is seen that it left.
    wants_.fetch_or(only(me), order::acquire);
    // acquire: what the one who left the context did is visible to the next.
    std::uint64_t word = state_.load(order::acquire);
    for (;;) {
      w.seen = word;
      // relaxed: not older than the state. Who gives up a context that he does not want any more says that first.
      const job_set wants = wants_.load(order::relaxed);
      const std::uint64_t now = world.now();
      const context_state s = context_state::of(word);
      const unsigned top = who.holder(now);
      const decision next = decide(me, s, who, wants, world.waiting(), now, t);
      bool taking = next.what == decision::move::take;
      if (next.what == decision::move::ask) {
        if (w.asked != s.runs || w.asked_at == 0) {
          w.asked = s.runs;
          w.asked_at = now;
        }
        // release: who runs sees the wish behind the question.
        if (!s.asked) word = state_.fetch_or(context_state::asked_bit, order::release) | context_state::asked_bit;
        if (context_state::of(word).runs != s.runs) continue;
        w.seen = word;
        // Not before it had time to answer.
        if (now - w.asked_at >= t.p_low && world.gone(s.runs)) return retry(wait);
        if (now - w.asked_at >= t.grace()) {
          taking = true;
          note_unanswered(s.runs, now);
        }
      } else {
        w.asked_at = 0;
      }
      if (next.what == decision::move::check_alive) {
        if (world.gone(next.whom)) return retry(wait);
        // A job that ended while it had no work holds nothing up, but has its share of the division.
        if (top != no_job && top != next.whom && (wants & only(top)) == 0 && world.gone(top)) return retry(wait);
        if (world.dormant(next.whom)) {
          // Whoever sleeps wants nothing; it says so again when it wakes.
          wants_.fetch_and(~only(next.whom), order::relaxed);  // relaxed: no news for anybody
          taking = true;
        } else if (next.whom != s.runs) {
          // It is left for who does not come: he may sleep since before the division gave it to him.
          world.unpark(state_, only(next.whom));
        }
      }
      if (!taking) {
        wait = next.nanoseconds;
        return false;
      }
      const context_state mine_now{
          .runs = me, .grants = s.runs == me ? s.grants : s.grants + 1, .since = context_state::stamp(now)};
      std::uint64_t found = word;
      // acquire: as above.
      if (state_.compare_exchange(found, mine_now.word(), order::acquire)) {
        mine.word = mine_now.word();
        return true;
      }
      // Into a variable of its own, and read again: what a failed exchange finds orders nothing.
      word = state_.load(order::acquire);
    }
  }

  /// Runs here when this returns true; false: `give_up()`, asked now and then, at each change and every `longest`
  /// nanoseconds at least, said so, and the wish is withdrawn. `rota_now()`: the rota, which may have changed.
  template <class World, class Rota, class GiveUp>
  bool take(World& world, unsigned me, Rota time_slices_now, const timing& t, lease& mine, GiveUp give_up,
            std::uint64_t longest = watch_period) {
    request w;
    for (;;) {
      std::uint64_t wait = 0;
      if (try_take(world, me, time_slices_now(), t, w, mine, wait)) return true;
      if (give_up()) {
        withdraw(me);
        return false;
      }
      if (wait != 0) world.park(state_, static_cast<std::uint32_t>(w.seen), wait < longest ? wait : longest, me);
    }
  }

  /// `me` does not wish to run here any more; it does not.
  void withdraw(unsigned me) { wants_.fetch_and(~only(me), order::relaxed); }  // relaxed: no news for anybody

  /// After a check-in that found something: whether to go on. If not, the context has been given up, or was lost
  /// before; the wish stays. Unless it `gives`, it may also have to be given up yet, by the next call.
  template <class World>
  bool keep(World& world, unsigned me, const time_slices& who, lease& mine, bool gives = true) {
    for (;;) {
      // acquire: the wish behind the question.
      const std::uint64_t word = state_.load(order::acquire);
      const context_state s = context_state::of(word);
      if (s.runs != me) return false;
      // relaxed: the question was read with acquire, and one that is not seen yet comes again.
      if (must_yield(me, who, wants_.load(order::relaxed), world.now())) {
        if (!gives || give(world, me, word, who)) return false;
        continue;
      }
      // relaxed: only this job's own.
      const context_state calm{.runs = me, .grants = s.grants, .since = s.since};
      std::uint64_t found = word;
      if (word == calm.word() || state_.compare_exchange(found, calm.word(), order::relaxed)) {
        mine.word = calm.word();
        return true;
      }
    }
  }

  /// `me`, which runs here, has no work for now: it keeps the context for some time (rules 2 and 3), and comes back by
  /// take(). `mine` is void afterwards.
  template <class World>
  void idle(World& world, unsigned me, const time_slices& who) {
    // Before the state, so that nobody finds it free for a job that does not come.
    withdraw(me);
    std::uint64_t word = state_.load(order::relaxed);
    for (;;) {
      const context_state s = context_state::of(word);
      if (s.runs != me) return;
      const std::uint64_t now = world.now();
      const context_state lent{.runs = me, .idle = true, .grants = s.grants, .since = context_state::stamp(now)};
      // release: who takes it sees what we did here.
      if (state_.compare_exchange(word, lent.word(), order::release)) {
        // release: as in try_take(), after the state.
        wake(world, wants_.fetch_or(0, order::release), who.holder(now));
        return;
      }
    }
  }

  /// `me` leaves for good.
  template <class World>
  void leave(World& world, unsigned me, const time_slices& who) {
    withdraw(me);
    std::uint64_t word = state_.load(order::relaxed);
    while (context_state::of(word).runs == me) {
      if (give(world, me, word, who)) return;
      word = state_.load(order::relaxed);
    }
  }

  /// What a job that has ended left here. Idempotent; by any job that knows that `dead` is, while no other can get its
  /// number.
  template <class World>
  void reap(World& world, unsigned dead) {
    // relaxed look: the words of a dead job do not change any more, and who knows that it is dead knows them.
    if ((wants_.load(order::relaxed) & only(dead)) == 0 && state().runs != dead) return;
    // relaxed: the state after it, so that nobody finds it free and still wanted by the dead.
    wants_.fetch_and(~only(dead), order::relaxed);
    std::uint64_t word = state_.load(order::relaxed);
    while (context_state::of(word).runs == dead) {
      const context_state free{.grants = context_state::of(word).grants + 1,
                               .since = context_state::stamp(world.now())};
      // release: passes on what those know who know that it is dead.
      if (state_.compare_exchange(word, free.word(), order::release)) {
        wake(world, wants_.fetch_or(0, order::release), no_job);
        return;
      }
    }
  }

  /// Says for a job whose thread cannot, as it has just woken up, or joined, that it wants to run here, and asks
  /// whoever does to look.
  void request_for(unsigned job) {
    wants_.fetch_or(only(job), order::relaxed);  // relaxed: no news from that job; the question comes after it
    notify_holder();
  }

  /// What undisturbed() compares with hold::word.
  const machine::atomic_of<M, std::uint64_t>& word() const { return state_; }

  /// Lets threads of `job` look up that wait here.
  template <class World>
  void wake_waiters(World& world, unsigned job) {
    world.unpark(state_, only(job));
  }

  /// Which thread of `job` runs here from now on, as the kernel numbers it; 0: nobody is to know.
  void set_thread(unsigned job, std::uint32_t thread) {
    // relaxed: whoever reads it looks whether there is such a thread.
    thread_.store(std::uint64_t{job + 1} << 32 | thread, order::relaxed);
  }
  /// The thread of `job` that ran here last; 0: not known.
  std::uint32_t thread_of(unsigned job) const {
    const std::uint64_t word = thread_.load(order::relaxed);  // relaxed: as above
    return word >> 32 == job + 1 ? static_cast<std::uint32_t>(word) : 0;
  }

  // For those who only look. relaxed: a picture.
  context_state state() const { return context_state::of(state_.load(order::relaxed)); }
  job_set wants() const { return wants_.load(order::relaxed); }
  missed_answers unanswered() const { return missed_answers::of(unanswered_.load(order::relaxed)); }
  /// Forgets who did not answer; for people who have seen it.
  void forget_unanswered() { unanswered_.store(0, order::relaxed); }  // relaxed: for people
  /// What another job that had this number wished is not wished any more, and what it did is not held against it; that
  /// it happened still counts.
  void clear_blame(unsigned job) {
    withdraw(job);
    // relaxed, both: as note_unanswered().
    const std::uint64_t word = unanswered_.load(order::relaxed);
    if (missed_answers::of(word).last == job) unanswered_.store(missed_answers::anonymous(word), order::relaxed);
  }

  /// Asks whoever runs here, if anybody, to look: the division has changed.
  void notify_holder() {
    // relaxed look: who comes later finds the new division by itself. release: it is seen behind the question.
    if (context_state::of(state_.load(order::relaxed)).runs != no_job) {
      state_.fetch_or(context_state::asked_bit, order::release);
    }
  }

 private:
  static bool retry(std::uint64_t& wait) noexcept {
    wait = 0;
    return false;
  }

  /// From `me` to nobody, and wakes who is to have it. False if the state was not `word` any more.
  template <class World>
  bool give(World& world, unsigned me, std::uint64_t word, const time_slices& who) {
    const std::uint64_t now = world.now();
    const context_state free{.grants = context_state::of(word).grants + 1, .since = context_state::stamp(now)};
    // release: who takes it sees what we did here.
    if (!state_.compare_exchange(word, free.word(), order::release)) return false;
    // release: as in idle().
    wake(world, wants_.fetch_or(0, order::release) & ~only(me), who.holder(now));
    return true;
  }

  /// One that has high priority, else all that want it.
  template <class World>
  void wake(World& world, job_set wanting, unsigned top) {
    if (top != no_job && (wanting & only(top)) != 0) wanting = only(top);
    if (wanting != 0) world.unpark(state_, wanting);
  }

  void note_unanswered(unsigned job, std::uint64_t now) {
    // relaxed, both: for people to read. Of two at a time one may get lost.
    const missed_answers before = missed_answers::of(unanswered_.load(order::relaxed));
    unanswered_.store(missed_answers::word(before.times + 1, job, now), order::relaxed);
  }

  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> state_{0};
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> wants_{0};
  machine::atomic_of<M, std::uint64_t> unanswered_{0};  ///< a missed_answers
  machine::atomic_of<M, std::uint64_t> thread_{0};      ///< of who runs: the job's number + 1, the thread's
};

}  // namespace callisto::cosched
