// The table's entry of one hardware context: how a job takes the context, lends it, asks for it and hands it over.
//
// Two words, each alone on its line, decide. `state` says which job runs and whether it has work
// (temporal_policy.hpp). The holder keeps a copy of the value that it wrote. A check-in is one load of that line and a
// comparison: other jobs write the line only if they want something of the holder or have taken the context. `wants`
// has a bit for each job that wants to run here. Two more words name the holder's thread, and the last holder that did
// not answer.
//
// Protocol, without lost wake-ups:
//
// 1. *Job that wants the context:* sets its bit in `wants`, then loads `state`. If decide() says so, it takes the
//    context by a compare-and-swap of `state`. Before its thread sleeps, the kernel compares the low half of `state`
//    once more: job, idle, grants.
// 2. *Job that idles or yields:* changes `state`, then reads `wants` by a read-modify-write. It wakes the job with high
//    priority if that one wants the context, else all that want it. A job that reaps a dead holder wakes all. A job
//    that idles or leaves has cleared its own bit before; one that yields keeps it.
// 3. *Job with high priority, finds another at work:* sets the asked bit of `state`, and asks again each p_low.
// 4. *Holder, finds `state` changed at a check-in:* calls keep(). If the context is its own still, it yields to a job
//    with high priority that wants it (step 2); otherwise it clears the asked bit.
//
// The changes of `wants` have one order. If that of step 1 comes first, step 2 finds the bit; otherwise step 1 loads
// the changed `state`. A job may be killed before it wakes another job, so every sleep has a limit.
//
// No job waits for another without a limit, and no job trusts what it reads:
//
// - *Job that has asked for p_low:* checks whether the holder is dead (World::gone), which frees the context.
// - *Job that has asked for grace():* takes the context, although the holder lives. The former holder finds this at its
//   next check-in, however late.
// - *Job that waits without asking:* checks from time to time whether the job that it waits for is dead, or stopped or
//   asleep (World::dormant). From a dormant one it takes the context. A job that does not come to a context left for it
//   is woken.
#pragma once

#include <callisto/cosched/limits.hpp>
#include <callisto/cosched/temporal_policy.hpp>
#include <callisto/cosched/time_slices.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::cosched {

/// A thread's lease of a context, from take() to idle(), leave() or its loss.
struct lease {
  std::uint64_t word = ~std::uint64_t{0};  ///< the value of `state` when the thread took the context or last checked
};

/// A thread's attempt to get a context, from its request to its success.
struct request {
  std::uint64_t asked_at = 0;  ///< when this thread first asked the holder to leave; 0: it has not asked
  unsigned asked = no_job;     ///< the holder that was asked
  std::uint64_t seen = 0;      ///< the state at the last attempt
};

/// Counts the holders of a context that did not answer in time and lost it, and names the last of them.
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

/// One entry on machine M. `World` supplies what lies outside the words:
///   now()                       nanoseconds, on a clock that all jobs share
///   park(word, low, ns, job)    as machine::park_shared, for a thread of `job`
///   unpark(word, jobs)          wakes threads of these jobs
///   gone(job)                   true if the job has ended; reap() was then called on all its entries
///   dormant(job)                true if the job lives but has not run for h_high: it is stopped, or all of it sleeps
///   waiting()                   how many threads of this job wait for contexts; a hint
template <machine::policy M>
class context_entry {
  using order = machine::order;

 public:
  /// The check-in. False if another job wants the context or has taken it; keep() then says what to do. One load.
  bool undisturbed(const lease& mine) const {
    return state_.load(order::relaxed) == mine.word;
  }  // relaxed: keep() loads the state again

  /// Makes one attempt to run job `me` here, and registers its request. True if the job now runs here. Otherwise `wait`
  /// says for how many nanoseconds to wait for a change of the state from request::seen before the next attempt.
  template <class World>
  bool try_take(World& world, unsigned me, const time_slices& slices, const timing& t, request& w, lease& mine,
                std::uint64_t& wait) {
    // acquire: pairs with the fetch_or in idle(), give() and reap(). Either that read-modify-write sees this bit, or it
    // came before and the load below sees the state that it followed.
    wants_.fetch_or(only(me), order::acquire);
    // acquire: pairs with the release exchanges in idle(), give() and reap(), so the next holder sees what the last one
    // did.
    std::uint64_t word = state_.load(order::acquire);
    for (;;) {
      w.seen = word;
      // relaxed: not older than the state. A job that no longer wants the context clears its bit before it changes the
      // state.
      const job_set wants = wants_.load(order::relaxed);
      const std::uint64_t now = world.now();
      const context_state s = context_state::of(word);
      const unsigned top = slices.holder(now);
      const decision next = decide(me, s, slices, wants, world.waiting(), now, t);
      bool taking = next.what == decision::move::take;
      if (next.what == decision::move::ask) {
        if (w.asked != s.runs || w.asked_at == 0) {
          w.asked = s.runs;
          w.asked_at = now;
        }
        // release: pairs with the acquire load in keep(), so the holder that sees the question also sees the request.
        if (!s.asked) word = state_.fetch_or(context_state::asked_bit, order::release) | context_state::asked_bit;
        if (context_state::of(word).runs != s.runs) continue;
        w.seen = word;
        // The holder first gets p_low to answer.
        if (now - w.asked_at >= t.p_low && world.gone(s.runs)) return retry(wait);
        if (now - w.asked_at >= t.grace()) {
          taking = true;
          note_unanswered(s.runs, now);
        }
      } else {
        w.asked_at = 0;
      }
      if (next.what == decision::move::check_alive) {
        if (world.gone(next.job)) return retry(wait);
        // A job that ended while it was idle blocks no context, but it still has its share of the assignment.
        if (top != no_job && top != next.job && (wants & only(top)) == 0 && world.gone(top)) return retry(wait);
        if (world.dormant(next.job)) {
          // A job that sleeps wants nothing. It sets its bit again when it wakes.
          wants_.fetch_and(~only(next.job), order::relaxed);  // relaxed: publishes nothing
          taking = true;
        } else if (next.job != s.runs) {
          // The context is left for a job that does not come. That job may have slept since before the assignment gave
          // it this context.
          world.unpark(state_, only(next.job));
        }
      }
      if (!taking) {
        wait = next.nanoseconds;
        return false;
      }
      const context_state mine_now{
          .runs = me, .grants = s.runs == me ? s.grants : s.grants + 1, .since = context_state::stamp(now)};
      std::uint64_t found = word;
      // acquire: as the load of `state` above.
      if (state_.compare_exchange(found, mine_now.word(), order::acquire)) {
        mine.word = mine_now.word();
        return true;
      }
      // A failed exchange orders nothing: load the state again.
      word = state_.load(order::acquire);
    }
  }

  /// Blocks until the job runs here, and returns true. Calls `give_up()` at each change and at least every `longest`
  /// nanoseconds; if it is true, withdraws the request and returns false. `time_slices_now()` returns the current time
  /// slices, which may have changed.
  template <class World, class TimeSlices, class GiveUp>
  bool take(World& world, unsigned me, TimeSlices time_slices_now, const timing& t, lease& mine, GiveUp give_up,
            std::uint64_t longest = sharing_limits::watch_period) {
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

  /// Withdraws the request of `me`, which does not run here.
  void withdraw(unsigned me) { wants_.fetch_and(~only(me), order::relaxed); }  // relaxed: publishes nothing

  /// Answers a check-in that found something: true if the job may go on. False if it has given the context up, or had
  /// lost it before; its request stays. Without `gives`, true may also mean that the next call must give it up.
  template <class World>
  bool keep(World& world, unsigned me, const time_slices& slices, lease& mine, bool gives = true) {
    for (;;) {
      // acquire: pairs with the fetch_or of asked_bit in try_take(), so the request behind the question is visible.
      const std::uint64_t word = state_.load(order::acquire);
      const context_state s = context_state::of(word);
      if (s.runs != me) return false;
      // relaxed: the load above has acquired the question; a request that is not visible yet brings another
      // question.
      if (must_yield(me, slices, wants_.load(order::relaxed), world.now())) {
        if (!gives || give(world, me, word, slices)) return false;
        continue;
      }
      // relaxed: the exchange only clears a bit that concerns this job.
      const context_state calm{.runs = me, .grants = s.grants, .since = s.since};
      std::uint64_t found = word;
      if (word == calm.word() || state_.compare_exchange(found, calm.word(), order::relaxed)) {
        mine.word = calm.word();
        return true;
      }
    }
  }

  /// Marks the context, on which `me` runs, as idle. The job keeps it for h_high or h_low (rules 2 and 3) and comes
  /// back by take(). `mine` is void afterwards.
  template <class World>
  void idle(World& world, unsigned me, const time_slices& slices) {
    // First the request, so that no job finds the context free for a job that does not come.
    withdraw(me);
    std::uint64_t word = state_.load(order::relaxed);
    for (;;) {
      const context_state s = context_state::of(word);
      if (s.runs != me) return;
      const std::uint64_t now = world.now();
      const context_state lent{.runs = me, .idle = true, .grants = s.grants, .since = context_state::stamp(now)};
      // release: pairs with the acquire in try_take(): the next holder sees what this thread did here.
      if (state_.compare_exchange(word, lent.word(), order::release)) {
        // release: the read-modify-write orders this look at `wants` after the state, for step 2 of the protocol.
        wake(world, wants_.fetch_or(0, order::release), slices.holder(now));
        return;
      }
    }
  }

  /// Gives the context up, if `me` has it, and withdraws its request.
  template <class World>
  void leave(World& world, unsigned me, const time_slices& slices) {
    withdraw(me);
    std::uint64_t word = state_.load(order::relaxed);
    while (context_state::of(word).runs == me) {
      if (give(world, me, word, slices)) return;
      word = state_.load(order::relaxed);
    }
  }

  /// Clears what job `dead`, which has ended, left here. Idempotent. Any job may call it that knows of the end, as long
  /// as no other job can get the number.
  template <class World>
  void reap(World& world, unsigned dead) {
    // relaxed: the words of a dead job no longer change, and a caller that knows of its end knows them.
    if ((wants_.load(order::relaxed) & only(dead)) == 0 && state().runs != dead) return;
    // relaxed: the exchange of the state follows, so no job finds the context free and still wanted by the dead job.
    wants_.fetch_and(~only(dead), order::relaxed);
    std::uint64_t word = state_.load(order::relaxed);
    while (context_state::of(word).runs == dead) {
      const context_state free{.grants = context_state::of(word).grants + 1,
                               .since = context_state::stamp(world.now())};
      // release: pairs with the acquire in try_take(): the next holder knows what the caller knows of the dead job.
      if (state_.compare_exchange(word, free.word(), order::release)) {
        wake(world, wants_.fetch_or(0, order::release), no_job);
        return;
      }
    }
  }

  /// Registers a request for `job`, and asks the holder to look. For a job that cannot do so itself, since its thread
  /// has just woken up or joined.
  void request_for(unsigned job) {
    wants_.fetch_or(
        only(job),
        order::relaxed);  // relaxed: publishes nothing of that job; notify_holder() orders it before the question
    notify_holder();
  }

  /// Returns the word that undisturbed() compares with lease::word.
  const machine::atomic_of<M, std::uint64_t>& word() const { return state_; }

  /// Wakes the threads of `job` that wait here, so that they call their give_up().
  template <class World>
  void wake_waiters(World& world, unsigned job) {
    world.unpark(state_, only(job));
  }

  /// Records which thread of `job` runs here, by the kernel's number; 0: hidden.
  void set_thread(unsigned job, std::uint32_t thread) {
    // relaxed: a reader checks that the process has such a thread.
    thread_.store(std::uint64_t{job + 1} << 32 | thread, order::relaxed);
  }
  /// Returns the thread of `job` that ran here last; 0: unknown.
  std::uint32_t thread_of(unsigned job) const {
    const std::uint64_t word = thread_.load(order::relaxed);  // relaxed: as above
    return word >> 32 == job + 1 ? static_cast<std::uint32_t>(word) : 0;
  }

  // For readers of the table. relaxed: a picture of one moment.
  context_state state() const { return context_state::of(state_.load(order::relaxed)); }
  job_set wants() const { return wants_.load(order::relaxed); }
  missed_answers unanswered() const { return missed_answers::of(unanswered_.load(order::relaxed)); }
  /// Forgets which job did not answer, after a person has seen it.
  void forget_unanswered() { unanswered_.store(0, order::relaxed); }  // relaxed: for people to read
  /// Removes what an earlier job of this number left: its request, and its name beside the unanswered question, which
  /// still counts.
  void clear_blame(unsigned job) {
    withdraw(job);
    // relaxed, both: as in note_unanswered().
    const std::uint64_t word = unanswered_.load(order::relaxed);
    if (missed_answers::of(word).last == job) unanswered_.store(missed_answers::anonymous(word), order::relaxed);
  }

  /// Asks the holder, if there is one, to look, for example since the assignment has changed.
  void notify_holder() {
    // relaxed load: a job that comes later finds the new assignment by itself. release: pairs with the acquire in
    // keep(), so the holder sees the assignment behind the question.
    if (context_state::of(state_.load(order::relaxed)).runs != no_job) {
      state_.fetch_or(context_state::asked_bit, order::release);
    }
  }

 private:
  static bool retry(std::uint64_t& wait) noexcept {
    wait = 0;
    return false;
  }

  /// Frees the context of `me` and wakes the job that is to have it. False if the state was not `word` any more.
  template <class World>
  bool give(World& world, unsigned me, std::uint64_t word, const time_slices& slices) {
    const std::uint64_t now = world.now();
    const context_state free{.grants = context_state::of(word).grants + 1, .since = context_state::stamp(now)};
    // release: pairs with the acquire in try_take(): the next holder sees what this thread did here.
    if (!state_.compare_exchange(word, free.word(), order::release)) return false;
    // release: as in idle(), step 2 of the protocol.
    wake(world, wants_.fetch_or(0, order::release) & ~only(me), slices.holder(now));
    return true;
  }

  /// Wakes the job that has high priority, if it wants the context, else all jobs that want it.
  template <class World>
  void wake(World& world, job_set wanting, unsigned top) {
    if (top != no_job && (wanting & only(top)) != 0) wanting = only(top);
    if (wanting != 0) world.unpark(state_, wanting);
  }

  void note_unanswered(unsigned job, std::uint64_t now) {
    // relaxed, both: for people to read. If two threads note at a time, one note may get lost.
    const missed_answers before = missed_answers::of(unanswered_.load(order::relaxed));
    unanswered_.store(missed_answers::word(before.times + 1, job, now), order::relaxed);
  }

  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> state_{0};
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> wants_{0};
  machine::atomic_of<M, std::uint64_t> unanswered_{0};  ///< a missed_answers
  machine::atomic_of<M, std::uint64_t> thread_{0};  ///< of the holder: the job's number + 1, then the thread's number
};

}  // namespace callisto::cosched
