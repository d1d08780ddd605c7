// The temporal policy with the real entries and a made-up clock: rules 1 to 4 one by one, then random sequences of
// arrivals, departures, idling, stops and crashes.
#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/context_entry.hpp>
#include <callisto/machine/native.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace callisto::cosched {
namespace {

using machine::native;
constexpr std::uint64_t ms = 1'000'000;

/// Some contexts, and jobs with one thread for each. Only what a test does happens.
class world {
 public:
  enum class state { absent, alive, stopped, dead };

  explicit world(unsigned contexts) : entries(std::make_unique<context_entry<native>[]>(contexts)), n(contexts) {
    for (unsigned c = 0; c < n; ++c) core_of.push_back(c);
    divide_again();
  }

  // World, as the entries see it.
  std::uint64_t now() const { return clock; }
  void unpark(native::atomic<std::uint64_t>&, job_set) {}
  bool gone(unsigned job) {
    if (states[job] != state::dead && states[job] != state::absent) return false;
    for (unsigned c = 0; c < n; ++c) entries[c].reap(*this, job);
    if (states[job] == state::dead) {
      states[job] = state::absent;
      divide_again();
    }
    return true;
  }
  unsigned waiting() const { return 1; }
  bool dormant(unsigned job) { return states[job] == state::stopped && clock - stopped_at[job] >= t.h_high; }

  void come(unsigned job, unsigned weight = 1) {
    states[job] = state::alive;
    weights[job] = weight;
    divide_again();
  }
  void go(unsigned job) {
    for (unsigned c = 0; c < n; ++c) {
      entries[c].leave(*this, job, d.high[c]);
      at(job, c) = {};
    }
    states[job] = state::absent;
    divide_again();
  }
  void die(unsigned job) {
    states[job] = state::dead;
    for (unsigned c = 0; c < n; ++c) at(job, c) = {};
  }
  void stop(unsigned job) {
    states[job] = state::stopped;
    stopped_at[job] = clock;
  }

  /// Runs one step of the job's thread on the context: its check-in, or its next attempt.
  void step(unsigned job, unsigned context) {
    if (states[job] != state::alive) return;
    thread& me = at(job, context);
    context_entry<native>& e = entries[context];
    if (me.running) {
      if (!e.undisturbed(me.mine)) me.running = e.keep(*this, job, d.high[context], me.mine);
      if (me.running && !me.busy) {
        e.idle(*this, job, d.high[context]);
        me.running = false;
      }
    } else if (me.busy) {
      std::uint64_t wait = 0;
      me.running = e.try_take(*this, job, d.high[context], t, me.wanted, me.mine, wait);
      if (me.running) me.wanted = {};
    } else {
      e.withdraw(job);
    }
  }
  void step_all() {
    for (unsigned c = 0; c < n; ++c) {
      for (unsigned j = 0; j < max_jobs; ++j) step(j, c);
    }
  }
  /// Runs the world for so long: every job acts each half millisecond.
  void run_for(std::uint64_t nanoseconds) {
    for (std::uint64_t end = clock + nanoseconds; clock < end; clock += ms / 2) step_all();
  }

  unsigned runner(unsigned context) const {
    const context_state s = entries[context].state();
    return s.runs == no_job || s.idle ? no_job : s.runs;
  }
  void set_busy(unsigned job, bool busy) {
    for (unsigned c = 0; c < n; ++c) at(job, c).busy = busy;
  }

  struct thread {
    bool busy = false;
    bool running = false;
    lease mine;
    request wanted;
  };
  thread& at(unsigned job, unsigned context) { return threads[context * max_jobs + job]; }

  void divide_again() {
    std::vector<job_demand> jobs;
    for (unsigned j = 0; j < max_jobs; ++j) {
      // A dead job counts as a job until another notices its death.
      if (states[j] == state::absent) continue;
      job_demand c{.job = j, .weight = weights[j], .contexts = {}};
      for (unsigned k = 0; k < n; ++k) c.contexts.add(k);
      jobs.push_back(c);
    }
    d = divide(core_of, jobs);
    for (unsigned c = 0; c < n; ++c) entries[c].notify_holder();
  }

  timing t;
  std::uint64_t clock = 1000 * ms;
  std::unique_ptr<context_entry<native>[]> entries;
  const unsigned n;
  std::vector<unsigned> core_of;
  context_assignment d;
  std::array<state, max_jobs> states{};
  std::array<unsigned, max_jobs> weights{};
  std::array<std::uint64_t, max_jobs> stopped_at{};
  std::vector<thread> threads = std::vector<thread>(n * max_jobs);
};

TEST(Sharing, AJobAloneRunsEverywhere) {
  world w(4);
  w.come(5);
  w.set_busy(5, true);
  w.step_all();
  for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(w.runner(c), 5u);
}

TEST(Sharing, ASecondJobGetsItsHalfAtTheNextCheckIn) {
  world w(2);
  w.come(0);
  w.set_busy(0, true);
  w.step_all();
  w.come(1);
  w.set_busy(1, true);
  w.step_all();  // asks
  w.step_all();  // yields, takes
  w.step_all();
  EXPECT_EQ(w.runner(w.d.main[0]), 0u);
  EXPECT_EQ(w.runner(w.d.main[1]), 1u);
}

/// Two jobs on two contexts, both at work; b has context y.
struct pair_of_jobs : world {
  pair_of_jobs() : world(2) {
    come(0);
    come(1);
    set_busy(0, true);
    set_busy(1, true);
    run_for(5 * ms);
    y = d.main[1];
  }
  unsigned y;
};

TEST(Sharing, Rule2AnIdleJobKeepsItsContextForHHigh) {
  pair_of_jobs w;
  ASSERT_EQ(w.runner(w.y), 1u);
  w.set_busy(1, false);
  w.step_all();
  const std::uint64_t idle_since = w.clock;
  while (w.clock < idle_since + w.t.h_high - ms / 10) {
    w.step_all();
    ASSERT_EQ(w.entries[w.y].state().runs, 1u) << "at " << (w.clock - idle_since);
    w.clock += ms / 20;
  }
  w.clock = idle_since + w.t.h_high + 50'000;
  w.step_all();
  EXPECT_EQ(w.runner(w.y), 0u);
}

TEST(Sharing, Rule2ComingBackInTimeCostsNothing) {
  pair_of_jobs w;
  w.set_busy(1, false);
  w.run_for(5 * ms);
  const std::uint32_t grants = w.entries[w.y].state().grants;
  w.set_busy(1, true);
  w.step_all();
  EXPECT_EQ(w.runner(w.y), 1u);
  EXPECT_EQ(w.entries[w.y].state().grants, grants);
}

TEST(Sharing, Rule3ABorrowerKeepsItForHLow) {
  world w(2);
  w.come(0);
  w.come(1, 2);
  w.come(2);
  const unsigned c = w.d.main[1];
  w.t.h_low = 30 * ms;
  // A context of job 1's alone: the job's weight is worth one.
  ASSERT_EQ(w.d.high[c].size(), 1u);
  w.at(0, c).busy = true;
  w.run_for(2 * ms);
  ASSERT_EQ(w.runner(c), 0u);
  w.at(0, c).busy = false;
  w.at(2, c).busy = true;
  w.step_all();
  const std::uint64_t idle_since = w.clock;
  while (w.clock < idle_since + w.t.h_low - ms / 10) {
    w.step_all();
    ASSERT_EQ(w.entries[c].state().runs, 0u) << "at " << (w.clock - idle_since);
    w.clock += ms / 20;
  }
  w.clock = idle_since + w.t.h_low + 50'000;
  w.step_all();
  EXPECT_EQ(w.runner(c), 2u);
}

TEST(Sharing, Rule3TheOwnerNeedNotWaitForHLow) {
  pair_of_jobs w;
  w.set_busy(1, false);
  w.run_for(15 * ms);
  ASSERT_EQ(w.runner(w.y), 0u);
  w.at(0, w.y).busy = false;
  w.step_all();
  w.set_busy(1, true);
  w.step_all();
  EXPECT_EQ(w.runner(w.y), 1u);
}

TEST(Sharing, Rule4ABorrowerYieldsWhenAsked) {
  pair_of_jobs w;
  w.set_busy(1, false);
  w.run_for(15 * ms);
  ASSERT_EQ(w.runner(w.y), 0u);
  EXPECT_TRUE(w.entries[w.y].undisturbed(w.at(0, w.y).mine));
  w.set_busy(1, true);
  w.step(1, w.y);
  EXPECT_FALSE(w.entries[w.y].undisturbed(w.at(0, w.y).mine)) << "the check-in sees the question";
  EXPECT_EQ(w.runner(w.y), 0u) << "nobody is pushed out";
  w.step(0, w.y);
  w.step(1, w.y);
  EXPECT_EQ(w.runner(w.y), 1u);
}

TEST(Sharing, AnOwnerIsNotAskedByBorrowers) {
  pair_of_jobs w;
  w.run_for(300 * ms);
  EXPECT_TRUE(w.entries[w.y].undisturbed(w.at(1, w.y).mine));
}

TEST(Sharing, AJobThatWaitsWithManyThreadsLooksLessOften) {
  const timing t;
  time_slices who;
  who.add(0, 1);
  const context_state owners{.runs = 0, .idle = false, .grants = 1, .asked = false, .since = 0};
  const auto period = [&](job_set wants, unsigned waiting) {
    const decision next = decide(1, owners, who, wants, waiting, ms, t);
    EXPECT_EQ(next.what, decision::move::check_alive);
    return next.nanoseconds;
  };
  const job_set two = only(0) | only(1);
  EXPECT_EQ(period(two, 1), t.h_high);
  EXPECT_EQ(period(two, 3), 3 * t.h_high);
  EXPECT_EQ(period(two | only(2) | only(3), 1), 2 * t.h_high);
  EXPECT_EQ(period(two, 1000), sharing_limits::watch_period);
}

TEST(Sharing, AHolderThatDoesNotAnswerIsRoutedAroundAndFindsOut) {
  pair_of_jobs w;
  w.set_busy(1, false);
  w.run_for(15 * ms);
  ASSERT_EQ(w.runner(w.y), 0u);
  w.set_busy(1, true);
  const std::uint64_t asked = w.clock;
  for (; w.runner(w.y) != 1; w.clock += ms / 10) {  // job 0 computes on, without a check-in
    w.step(1, w.y);
    ASSERT_LT(w.clock - asked, w.t.grace() + ms);
  }
  EXPECT_GE(w.clock - asked, w.t.grace());
  EXPECT_EQ(w.entries[w.y].unanswered().times, 1u);
  EXPECT_FALSE(w.entries[w.y].undisturbed(w.at(0, w.y).mine));
  w.step(0, w.y);
  EXPECT_FALSE(w.at(0, w.y).running);
  EXPECT_EQ(w.runner(w.y), 1u);
}

TEST(Sharing, WhatADeadJobHeldIsTakenWithin100Milliseconds) {
  pair_of_jobs w;
  w.die(1);
  w.run_for(60 * ms);
  EXPECT_EQ(w.runner(w.y), 0u);
  EXPECT_EQ(w.entries[w.y].wants() & only(1), 0u);
}

TEST(Sharing, AStoppedJobsContextIsLentAndComesBack) {
  pair_of_jobs w;
  w.stop(1);
  w.run_for(60 * ms);
  EXPECT_EQ(w.runner(w.y), 0u);
  w.states[1] = world::state::alive;
  w.run_for(5 * ms);
  EXPECT_EQ(w.runner(w.y), 1u);
}

/// Requires what must hold at every moment, and after a while of quiet.
class chaos {
 public:
  chaos(unsigned contexts, unsigned jobs, unsigned seed) : w(contexts), jobs_(jobs), random_(seed) {}

  void round() {
    for (int i = 0; i < 30; ++i) {
      event();
      for (std::uint64_t end = w.clock + up_to(20) * ms; w.clock < end; w.clock += up_to(1000) * 1000) {
        w.step(up_to(jobs_) - 1, up_to(w.n) - 1);
        one_runner();
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    // Quiet: stopped jobs go on, all have work.
    for (unsigned j = 0; j < jobs_; ++j) {
      if (w.states[j] == world::state::stopped) w.states[j] = world::state::alive;
      if (w.states[j] == world::state::alive) w.set_busy(j, true);
    }
    w.run_for(150 * ms);
    priorities_restored();
    if (!testing::Test::HasFatalFailure()) nobody_starves();
  }

  world w;

 private:
  unsigned up_to(unsigned n) { return std::uniform_int_distribution<unsigned>(1, n)(random_); }

  void event() {
    const unsigned j = up_to(jobs_) - 1;
    switch (up_to(7)) {
      case 1:
        if (w.states[j] == world::state::absent) w.come(j, up_to(3));
        break;
      case 2:
        if (w.states[j] == world::state::alive) w.go(j);
        break;
      case 3:
        if (w.states[j] == world::state::alive) w.die(j);
        break;
      case 4:
        if (w.states[j] == world::state::alive) w.stop(j);
        break;
      case 5:
        if (w.states[j] == world::state::stopped) w.states[j] = world::state::alive;
        break;
      default:
        w.at(j, up_to(w.n) - 1).busy = up_to(2) == 1;
        w.at(j, up_to(w.n) - 1).busy = true;
    }
  }

  /// Requires that at most one of the threads that found themselves undisturbed runs on each context.
  void one_runner() {
    for (unsigned c = 0; c < w.n; ++c) {
      unsigned running = 0;
      for (unsigned j = 0; j < jobs_; ++j) {
        const world::thread& t = w.at(j, c);
        const bool undisturbed = t.running && w.entries[c].undisturbed(t.mine);
        running += undisturbed ? 1 : 0;
        if (undisturbed) {
          ASSERT_EQ(w.entries[c].state().runs, j);
        }
      }
      ASSERT_LE(running, 1u) << "context " << c;
    }
  }

  void priorities_restored() {
    // Only a job that wants what a dead job had notices its death.
    if (std::ranges::count(w.states, world::state::alive) == 0) return;
    // A time slice may just be ending.
    for (unsigned c = 0; c < w.n; ++c) {
      for (int i = 0; i < 30 && w.runner(c) != w.d.high[c].holder(w.clock); ++i) w.run_for(ms / 2);
      const unsigned top = w.d.high[c].holder(w.clock);
      // A job that runs on a dead job's context does not wait for it, so need not notice.
      ASSERT_LT(w.runner(c), max_jobs) << "context " << c;
      ASSERT_EQ(w.states[w.runner(c)], world::state::alive) << "context " << c;
      if (w.states[top] == world::state::alive) {
        ASSERT_EQ(w.runner(c), top) << "context " << c;
      }
    }
  }

  void nobody_starves() {
    std::array<std::uint64_t, max_jobs> had{};
    constexpr std::uint64_t second = 1000 * ms;
    std::uint64_t total_weight = 0;
    for (unsigned j = 0; j < jobs_; ++j) total_weight += w.states[j] == world::state::alive ? w.weights[j] : 0;
    for (std::uint64_t end = w.clock + second; w.clock < end; w.clock += ms / 2) {
      w.step_all();
      for (unsigned c = 0; c < w.n; ++c) {
        if (w.runner(c) != no_job) had[w.runner(c)] += ms / 2;
      }
    }
    for (unsigned j = 0; j < jobs_; ++j) {
      if (w.states[j] != world::state::alive) continue;
      // Its fair share, which is at most one context here: if it were more, whole cores could give the job less.
      const double share = std::min(1.0, double(w.n) * w.weights[j] / double(total_weight));
      ASSERT_GE(double(had[j]), 0.45 * share * second) << "job " << j;
    }
  }

  const unsigned jobs_;
  std::mt19937 random_;
};

TEST(Sharing, RandomSequences) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    chaos c(1 + seed % 4, 1 + seed % 7, seed);
    for (int i = 0; i < 3; ++i) {
      c.round();
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", round " << i;
    }
  }
}

TEST(Sharing, SixteenJobsOnAThousandContexts) {
  constexpr unsigned contexts = max_contexts;
  constexpr unsigned jobs = 16;
  world w(contexts);
  const auto run_for = [&](std::uint64_t nanoseconds) {
    for (std::uint64_t end = w.clock + nanoseconds; w.clock < end; w.clock += ms / 2) {
      for (unsigned c = 0; c < contexts; ++c) {
        for (unsigned j = 0; j < jobs; ++j) w.step(j, c);
      }
    }
  };
  const auto running = [&] {
    std::array<unsigned, jobs> of{};
    for (unsigned c = 0; c < contexts; ++c) {
      if (const unsigned r = w.runner(c); r != no_job) ++of[r];
    }
    return of;
  };
  // Each job, one after the other, finds those before it on all contexts.
  for (unsigned j = 0; j < jobs; ++j) {
    w.come(j);
    w.set_busy(j, true);
    run_for(2 * ms);
    for (unsigned i = 0; i <= j; ++i) {
      ASSERT_GE(running()[i], contexts / (j + 1)) << "job " << i << " of " << j + 1;
      ASSERT_LE(running()[i], contexts / (j + 1) + 1) << "job " << i << " of " << j + 1;
    }
  }
  // Every second job has no work: after H_high the others have all, and after a check-in it has its own back.
  for (unsigned j = 0; j < jobs; j += 2) w.set_busy(j, false);
  run_for(w.t.h_high + ms);
  unsigned all = 0;
  for (unsigned j = 1; j < jobs; j += 2) all += running()[j];
  EXPECT_EQ(all, contexts);
  for (unsigned j = 0; j < jobs; j += 2) w.set_busy(j, true);
  run_for(2 * ms);
  for (unsigned j = 0; j < jobs; ++j) EXPECT_EQ(running()[j], contexts / jobs) << "job " << j;
  // Some jobs are stopped, some crash, some leave: the others have all of it within 100 ms.
  for (const unsigned j : {1u, 5u, 9u}) w.stop(j);
  for (const unsigned j : {2u, 6u}) w.die(j);
  for (const unsigned j : {3u, 7u}) w.go(j);
  run_for(100 * ms);
  all = 0;
  for (const unsigned j : {0u, 4u, 8u, 10u, 11u, 12u, 13u, 14u, 15u}) all += running()[j];
  EXPECT_EQ(all, contexts);
}

TEST(Sharing, RandomBytesAreRepaired) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    pair_of_jobs w;
    w.come(2);
    // State and wants of both contexts, which lie at the beginning of their lines.
    for (unsigned c = 0; c < 2; ++c) {
      auto* const bytes = reinterpret_cast<unsigned char*>(&w.entries[c]);
      for (const std::size_t line : {std::size_t{0}, native::line_size}) {
        for (std::size_t i = 0; i < 8; ++i) bytes[line + i] = static_cast<unsigned char>(random());
      }
    }
    for (unsigned j = 0; j < 3; ++j) w.set_busy(j, true);
    // Within 100 ms; a time slice may just be ending.
    w.run_for(100 * ms);
    for (unsigned c = 0; c < 2; ++c) {
      for (int i = 0; i < 30 && w.runner(c) != w.d.high[c].holder(w.clock); ++i) w.run_for(ms / 2);
      ASSERT_EQ(w.runner(c), w.d.high[c].holder(w.clock)) << "round " << round;
      ASSERT_TRUE(w.at(w.runner(c), c).running) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace callisto::cosched
