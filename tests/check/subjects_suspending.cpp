// Subjects: suspendables that stop and go on, latches, SVars, waits for conditions on them, and sequencers.
#include "subject.hpp"

#include <callisto/waiting/latch.hpp>
#include <callisto/waiting/sequencer.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <array>
#include <mutex>

namespace callisto::check {
namespace {

using machine::checked;
using latch = waiting::latch<checked>;
using svar = waiting::svar<checked>;

/// A thread that spins until a wait ends early, then stops.
struct plain_thread : waiting::plain_thread<checked> {
  plain_thread() : waiting::plain_thread<checked>(0) {}
};

/// A suspendable that stops on a thread of its own, without being saved: no other thread can go on with it.
class own_thread final : public waiting::suspendable<checked> {
 public:
  own_thread() : suspendable(0) {}
  bool has_better_to_do() const noexcept override { return false; }

 private:
  void stop() noexcept override {
    if (settle_asleep()) sleep();
  }
  void go_on(bool sleeps) noexcept override {
    require(sleeps, "only its own thread goes on with it");
    wake();
  }
};

/// A thread that suspends in each round, and one that resumes it, maybe before it has stopped.
template <unsigned Rounds, class Suspendable = plain_thread>
class pausers {
 public:
  static constexpr unsigned threads = 2;
  void run(unsigned thread) {
    for (unsigned round = 1; round <= Rounds; ++round) {
      if (thread == 0) {
        told_.store(round, order::release);
        suspendable_.suspend();
        require(written_ == round, "what the resumer wrote is visible");
      } else {
        const auto is_early = [round](unsigned t) { return t < round; };
        while (is_early(checked::wait_while(told_, is_early, machine::patience::brief))) {
        }
        written_ = round;
        suspendable_.resume();
      }
    }
  }

 private:
  Suspendable suspendable_;
  atomic<unsigned> told_{0};
  plain<unsigned> written_{0};
};

/// A suspendable that any thread can continue once it has settled, as workers do with an activation. What it had to
/// save is a plain number.
class saved_suspendable final : public waiting::suspendable<checked> {
 public:
  saved_suspendable() : suspendable(0) {}
  /// Called by the worker that it runs on, at home: true if it has stopped.
  bool come_home(unsigned context) {
    saved_ = context;
    return settle();
  }
  /// Called by the thread that goes on with it.
  void take_up(unsigned context) {
    require(saved_ == context, "the context is as it was saved");
    word_.store(running, machine::order::relaxed);
  }
  bool has_better_to_do() const noexcept override { return false; }
  unsigned times = 0;

 private:
  void stop() noexcept override {}
  void go_on(bool) noexcept override {
    take_up(1);
    ++times;
  }

  plain<unsigned> saved_{0};
};

/// A worker with an activation that stops, and a thread that resumes the activation: exactly one of them continues it.
class settlers {
 public:
  static constexpr unsigned threads = 2;
  void run(unsigned thread) {
    if (thread == 0) {
      if (suspendable_.come_home(1)) return;
      suspendable_.take_up(1);
      gone_on_ = gone_on_ + 1;
    } else {
      suspendable_.resume();
    }
  }
  void finish() { require(gone_on_ + suspendable_.times == 1, "exactly one goes on with it"); }

 private:
  saved_suspendable suspendable_;
  plain<unsigned> gone_on_{0};
};

/// Threads that add to one number with the latch held, two SVars changing with it.
template <unsigned Threads, unsigned Rounds>
class latchers {
 public:
  static constexpr unsigned threads = Threads;
  static constexpr unsigned first_alike = 0;
  void run(unsigned) {
    for (unsigned r = 0; r < Rounds; ++r) {
      const std::scoped_lock held(latch_);
      total_ = total_ + 1;
    }
  }
  void finish() { require(total_ == Threads * Rounds, "the latch keeps every addition"); }

 private:
  latch latch_;
  plain<unsigned> total_{0};
};

/// Two threads that pass one item to and fro: each waits until the SVar has its number.
template <unsigned Rounds>
class passers {
 public:
  static constexpr unsigned threads = 2;
  void run(unsigned thread) {
    for (unsigned round = 0; round < Rounds; ++round) {
      const std::scoped_lock held(latch_);
      waiting::sync_wait_until_true(latch_, [&] { return turn_.read() == thread; }, parties_[thread]);
      require(item_ == 2 * round + thread, "the item is as the other left it");
      item_ = item_ + 1;
      turn_.write(1 - thread);
    }
  }

 private:
  latch latch_;
  svar turn_{latch_, 0};
  std::array<plain_thread, 2> parties_;
  plain<unsigned> item_{0};
};

/// Waiters for different values of one SVar, which a thread counts up under the latch, writing nothing in between once.
template <unsigned Waiters>
class counters {
 public:
  static constexpr unsigned threads = 1 + Waiters;
  void run(unsigned thread) {
    if (thread == 0) {
      for (unsigned value = 1; value <= Waiters; ++value) {
        const std::scoped_lock held(latch_);
        count_.write(value);
      }
      const std::scoped_lock nothing_written(latch_);
      return;
    }
    const std::scoped_lock held(latch_);
    waiting::sync_wait_until_true(latch_, [&] { return count_.read() >= thread; }, parties_[thread - 1]);
    require(count_.read() >= thread, "the condition holds");
  }

 private:
  latch latch_;
  svar count_{latch_, 0};
  std::array<plain_thread, Waiters> parties_;
};

/// Two threads that each take one thing, and one that brings two, one after the other.
class takers {
 public:
  static constexpr unsigned threads = 3;
  static constexpr unsigned first_alike = 1;
  void run(unsigned thread) {
    const std::scoped_lock held(latch_);
    if (thread != 0) {
      waiting::sync_wait_until_true(latch_, [&] { return things_.read() != 0; }, parties_[thread]);
      require(things_.read() != 0, "the condition holds with the latch held");
      things_.write(things_.read() - 1);
      return;
    }
    for (int thing = 0; thing < 2; ++thing) {
      waiting::sync_wait_until_true(latch_, [&] { return things_.read() == 0; }, parties_[thread]);
      things_.write(1);
    }
  }

 private:
  latch latch_;
  svar things_{latch_, 0};
  std::array<plain_thread, 3> parties_;
};

/// Threads that meet in two rounds: each but the last waits for a change of the generation, without the latch.
template <unsigned Threads>
class meeters {
 public:
  static constexpr unsigned threads = Threads;
  void run(unsigned thread) {
    for (unsigned round = 1; round <= 2; ++round) {
      written_[thread] = round;
      // acq_rel: the last thread to arrive sees what the others wrote, and hands it on.
      if (arrived_.fetch_add(1, order::acq_rel) + 1 == round * Threads) {
        const std::scoped_lock held(latch_);
        generation_.write(round);
      } else {
        const std::uint64_t seen =
            waiting::sync_wait_value(generation_, [round](std::uint64_t g) { return g >= round; }, parties_[thread]);
        require(seen >= round, "the value is one that was waited for");
      }
      for (const auto& w : written_) require(w >= round, "what each wrote before it arrived is visible");
      if (round == 1) {
        // No thread may write again while another still reads.
        left_.fetch_add(1, order::acq_rel);
        const auto is_early = [](unsigned l) { return l < Threads; };
        while (is_early(checked::wait_while(left_, is_early, machine::patience::brief))) {
        }
      }
    }
  }

 private:
  latch latch_;
  svar generation_{latch_, 0};
  atomic<unsigned> arrived_{0};
  atomic<unsigned> left_{0};
  std::array<plain_thread, Threads> parties_;
  std::array<plain<unsigned>, Threads> written_{};
};

/// Threads that wait for their numbers one after the other, and count while they have them.
template <unsigned Threads, unsigned Rounds>
class counters_in_turn {
 public:
  static constexpr unsigned threads = Threads;
  void run(unsigned thread) {
    for (unsigned mine = thread; mine < Threads * Rounds; mine += Threads) {
      turn_.wait_for(mine, parties_[thread]);
      require(count_ == mine, "numbers come in order, and what the thread before did is visible");
      count_ = mine + 1;
      turn_.hand_on(mine + 1);
    }
  }
  void finish() { require(count_ == Threads * Rounds, "each thread has had each of its turns"); }

 private:
  waiting::sequencer<checked> turn_;
  plain<unsigned> count_{0};
  std::array<plain_thread, Threads> parties_;
};

constexpr const char* resumes = "each suspension ends once; the resumer's writes are seen";
constexpr const char* excludes = "one holder at a time; additions kept";
constexpr const char* in_turn = "turns in order, none missed; what was done in them is visible";
constexpr const char* waits = "every condition that comes to hold wakes its waiters; a false condition wakes none";

/// Executions in which loads return one of the two newest values: a waiter with a latch reads its words again and
/// again.
machine::checking::options few(unsigned bound, whims w) {
  machine::checking::options o = preemptions(bound, w);
  o.stale = 1;
  return o;
}

const registered<pausers<2>> pause("suspendable.pause", resumes, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<pausers<2, own_thread>> pause_apart("suspendable.own_thread", resumes, exhaustive({1, 1}),
                                                     exhaustive({2, 2}));
const registered<settlers> settle("suspendable.settle", resumes, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<latchers<2, 2>> latch_2("latch.2x2", excludes, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<latchers<3, 1>> latch_3("latch.3x1", excludes, exhaustive({1, 1}), exhaustive({2, 1}));
const registered<passers<1>> pass_1("latch.pass.1", waits, few(1, {1, 0}), few(2, {1, 1}));
const registered<passers<2>> pass_2("latch.pass.2", waits, pct(3, 10'000, {1, 0}), few(1, {1, 0}));
const registered<counters<1>> count_1("latch.count.1", waits, exhaustive({1, 0}), exhaustive({2, 1}));
const registered<counters<2>> count_2("latch.count.2", waits, pct(3, 10'000, {1, 0}), few(1, {1, 0}));
const registered<takers> take("latch.take", waits, pct(3, 20'000, {1, 0}), few(1, {1, 0}));
const registered<meeters<2>> meet_2("svar.meet.2", waits, few(1, {1, 0}), few(2, {1, 0}));
const registered<meeters<3>> meet_3("svar.meet.3", waits, pct(3, 10'000, {1, 0}), few(1, {0, 0}));
const registered<counters_in_turn<2, 1>> turn_2("sequencer.2", in_turn, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<counters_in_turn<2, 2>> turn_2x2("sequencer.2x2", in_turn, few(2, {1, 0}), few(3, {1, 1}));
const registered<counters_in_turn<3, 1>> turn_3("sequencer.3", in_turn, pct(3, 20'000, {1, 0}), few(2, {1, 0}));
const registered<counters_in_turn<3, 2>> turn_3x2("sequencer.3x2", in_turn, pct(4, 20'000, {1, 0}),
                                                  pct(5, 200'000, {1, 0}));

}  // namespace
}  // namespace callisto::check
