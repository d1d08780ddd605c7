// The arbiter with jobs that a test plays, on a clock that the test moves: each user's part, lending, asking, force,
// debt, death and sleep.
#include <callisto/broker/arbiter.hpp>
#include <callisto/broker/overrun.hpp>
#include <callisto/machine/native.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace callisto::broker {
namespace {

using cosched::no_job;
using machine::native;
using machine::order;

constexpr std::uint64_t ms = 1'000'000;

/// Jobs as their broker sees them.
class played : public arbiter_world {
 public:
  explicit played(unsigned contexts) : arbiter_(cores(contexts), {}, *this), contexts_(contexts) {}

  reply look(unsigned job, unsigned c) override {
    return broker_side<native>(its(job).offers[c], its(job).replies[c]).look();
  }
  void say(unsigned job, unsigned c, const offer& what, bool) override {
    broker_side<native>(its(job).offers[c], its(job).replies[c]).say(what);
  }
  void watch(unsigned job, unsigned c, bool on) override {
    broker_side<native>(its(job).offers[c], its(job).replies[c]).watch(on);
  }
  void tell_share(unsigned job, unsigned c, double share) override { its(job).share[c] = share; }
  void tell_change(unsigned job, unsigned main, bool alone) override { its(job).main = main, its(job).alone = alone; }
  bool keep_off(unsigned job, unsigned c) override {
    EXPECT_TRUE(kept_off.emplace(job, c).second);
    return confines;
  }
  void give_back(unsigned job, unsigned c) override { EXPECT_EQ(kept_off.erase({job, c}), 1u); }
  void confine(unsigned job) override { confined.push_back(job); }
  bool dormant(unsigned job) override { return asleep.contains(job); }
  std::uint64_t processor_time(unsigned job) override { return starving.contains(job) ? 1 : now_; }
  bool could_run(unsigned job) override { return !asleep.contains(job); }

  unsigned join(std::uint64_t user, unsigned weight = 1) {
    cosched::job_demand d{.job = 0, .weight = 1, .contexts = {}};
    for (unsigned c = 0; c < contexts_; ++c) d.contexts.add(c);
    return arbiter_.join(user, weight, d, now_).value_or(no_job);
  }

  // --- the World of a job
  struct as_job {
    played& of;
    unsigned job;
    std::uint64_t now() const { return of.now_; }
    void ring(unsigned c) const { of.rings.emplace_back(job, c); }
  };
  bool try_take(unsigned job, unsigned c) {
    std::uint64_t seen = 0;
    as_job w{*this, job};
    const bool taken = side(job, c).try_take(w, its(job).mine[c], seen);
    hear();
    return taken;
  }
  /// The check-in and what follows.
  bool keep(unsigned job, unsigned c) {
    if (its(job).offers[c].word.load(order::relaxed) == its(job).mine[c].word) return true;
    as_job w{*this, job};
    const bool kept = side(job, c).keep(w, its(job).mine[c]);
    hear();
    return kept;
  }
  void idle(unsigned job, unsigned c) {
    as_job w{*this, job};
    side(job, c).idle(w);
    hear();
  }
  void hear() {
    for (const auto& [job, c] : std::exchange(rings, {})) arbiter_.rung(job, c, now_);
  }
  void pass_time(std::uint64_t ns) {
    for (const std::uint64_t end = now_ + ns; now_ < end;) {
      const std::uint64_t due = arbiter_.pass(arbiter_.all(), now_);
      now_ = std::min(end, std::max(due, now_ + 1));
    }
    arbiter_.pass(arbiter_.all(), now_);
  }
  /// All jobs have work everywhere, and check in each `period`; returns what each got, in contexts' time.
  std::map<unsigned, double> run(const std::vector<unsigned>& jobs, std::uint64_t time, std::uint64_t period = ms,
                                 unsigned deaf = no_job) {
    std::map<unsigned, double> had;
    std::map<std::pair<unsigned, unsigned>, bool> runs;
    for (std::uint64_t t = 0; t < time; t += period) {
      for (const unsigned j : jobs) {
        for (unsigned c = 0; c < contexts_; ++c) {
          bool& here = runs[{j, c}];
          if (j == deaf && here) continue;  // it never looks
          here = (here && keep(j, c)) || try_take(j, c);
        }
      }
      pass_time(period);
      for (unsigned c = 0; c < contexts_; ++c) {
        if (arbiter_.holder(c) != no_job)
          had[arbiter_.holder(c)] += static_cast<double>(period) / static_cast<double>(time);
      }
    }
    return had;
  }

  struct one {
    std::array<offer_line<native>, 8> offers;
    std::array<reply_line<native>, 8> replies;
    std::array<cosched::lease, 8> mine;
    std::array<double, 8> share{};
    unsigned main = no_job;
    bool alone = false;
  };
  one& its(unsigned job) {
    auto& made = jobs_[job];
    if (made == nullptr) made = std::make_unique<one>();
    return *made;
  }
  job_side<native> side(unsigned job, unsigned c) { return {its(job).offers[c], its(job).replies[c], c}; }
  static std::vector<unsigned> cores(unsigned contexts) {
    std::vector<unsigned> all(contexts);
    for (unsigned c = 0; c < contexts; ++c) all[c] = c;
    return all;
  }

  std::uint64_t now_ = 1'000'000 * ms;
  std::map<unsigned, std::unique_ptr<one>> jobs_;
  std::vector<std::pair<unsigned, unsigned>> rings;
  std::set<unsigned> asleep;
  std::set<unsigned> starving;
  bool confines = false;
  std::set<std::pair<unsigned, unsigned>> kept_off;
  std::vector<unsigned> confined;
  arbiter arbiter_;
  unsigned contexts_;
};

/// The job gives the context up, and wants it no more.
void as_if_left(played& w, unsigned job, unsigned context) {
  played::as_job as{w, job};
  w.side(job, context).leave(as);
  w.hear();
}

TEST(Arbiter, AHolderMakesRoomForTheJobWithHighPriority) {
  played w(2);
  const unsigned a = w.join(1);
  EXPECT_TRUE(w.its(a).alone);
  EXPECT_FALSE(w.try_take(a, 0));
  EXPECT_TRUE(w.try_take(a, 0));
  EXPECT_FALSE(w.try_take(a, 1));
  EXPECT_TRUE(w.try_take(a, 1));
  const unsigned b = w.join(2);
  EXPECT_FALSE(w.its(a).alone);
  const unsigned its = w.its(b).main;
  EXPECT_NE(its, w.its(a).main);
  EXPECT_FALSE(w.try_take(b, its));
  EXPECT_TRUE(w.keep(a, 1 - its)) << "its own context stays";
  EXPECT_FALSE(w.keep(a, its)) << "the borrowed one goes";
  EXPECT_EQ(w.arbiter_.holder(its), b);
  EXPECT_TRUE(w.try_take(b, its));
  EXPECT_EQ(w.arbiter_.held_by(a), 1u);
  EXPECT_EQ(w.arbiter_.debt_of(1), 0u);
}

TEST(Arbiter, NewWeightsAndReservedContextsHoldAtOnce) {
  played w(4);
  const unsigned a = w.join(1);
  const unsigned b = w.join(2);
  const auto had = [&] { return w.run({a, b}, 1000 * ms); };
  had();
  EXPECT_NEAR(had()[a], 2, 0.05);
  w.arbiter_.set_weight(1, 3);
  w.arbiter_.set_weight(77, 3);  // no such user
  w.arbiter_.set_cores(played::cores(4), w.now_);
  had();
  EXPECT_NEAR(had()[a], 3, 0.05);
  std::vector<unsigned> some = played::cores(4);
  some[0] = cosched::no_core;
  w.arbiter_.set_cores(some, w.now_);
  EXPECT_EQ(w.arbiter_.holder(0), no_job);
  had();
  auto now = had();
  EXPECT_NEAR(now[a] + now[b], 3, 0.05);
  EXPECT_EQ(w.arbiter_.holder(0), no_job);
  EXPECT_EQ(w.its(a).share[0] + w.its(b).share[0], 0);
  w.arbiter_.set_cores(std::vector<unsigned>(4, cosched::no_core), w.now_);
  EXPECT_TRUE(had().empty());
  // Their requests have stayed in their replies.
  w.arbiter_.set_cores(played::cores(4), w.now_);
  had();
  now = had();
  EXPECT_NEAR(now[a], 3, 0.05);
  EXPECT_NEAR(now[b], 1, 0.05);
}

TEST(Arbiter, WhatIsIdleIsLentAfterItsTime) {
  played w(2);
  const unsigned a = w.join(1);
  const unsigned b = w.join(2);
  const unsigned c = w.its(a).main;
  w.try_take(a, c);
  ASSERT_TRUE(w.try_take(a, c));
  EXPECT_FALSE(w.try_take(b, c));
  w.idle(a, c);
  w.pass_time(9 * ms);
  EXPECT_EQ(w.arbiter_.holder(c), a) << "rule 2";
  w.pass_time(2 * ms);
  EXPECT_EQ(w.arbiter_.holder(c), b) << "rule 3";
  ASSERT_TRUE(w.try_take(b, c));
  EXPECT_FALSE(w.try_take(a, c));
  EXPECT_FALSE(w.keep(b, c)) << "rule 4";
  EXPECT_TRUE(w.try_take(a, c));
}

TEST(Arbiter, AJobThatDoesNotAnswerLosesTheContextAndItsUserPays) {
  played w(2);
  const unsigned a = w.join(1);
  for (const unsigned c : {0u, 1u}) w.try_take(a, c), w.try_take(a, c);
  const unsigned b = w.join(2);
  const unsigned its = w.its(b).main;
  w.try_take(b, its);
  w.pass_time(9 * ms);
  EXPECT_EQ(w.arbiter_.holder(its), a);
  w.pass_time(2 * ms);
  EXPECT_EQ(w.arbiter_.holder(its), b);
  EXPECT_TRUE(w.try_take(b, its));
  EXPECT_EQ(w.arbiter_.forced(), 1u);
  EXPECT_EQ(w.arbiter_.had_by(a).forced, 1u);
  EXPECT_EQ(w.arbiter_.had_by(b).forced, 0u);
  EXPECT_TRUE(w.kept_off.contains({a, its}));
  w.pass_time(100 * ms);
  const std::uint64_t debt = w.arbiter_.debt_of(1);
  EXPECT_GE(debt, 100 * ms) << "it still runs there";
  EXPECT_LE(debt, 112 * ms);
  // It answers. The debt stays until the other user has got it on the debtor's own context.
  EXPECT_FALSE(w.keep(a, its));
  EXPECT_FALSE(w.try_take(a, its));
  w.pass_time(20 * ms);
  EXPECT_TRUE(w.kept_off.empty());
  EXPECT_FALSE(w.try_take(b, 1 - its));
  EXPECT_FALSE(w.keep(a, 1 - its)) << "other users come first";
  EXPECT_TRUE(w.try_take(b, 1 - its));
  EXPECT_FALSE(w.try_take(a, 1 - its));
  w.pass_time(debt + 10 * ms);
  EXPECT_EQ(w.arbiter_.debt_of(1), 0u);
  EXPECT_FALSE(w.keep(b, 1 - its));
  EXPECT_EQ(w.arbiter_.holder(1 - its), a);
}

TEST(Arbiter, ABrokerThatWokeLateBlamesNoJob) {
  played w(2);
  const unsigned a = w.join(1);
  for (const unsigned c : {0u, 1u}) w.try_take(a, c), w.try_take(a, c);
  const unsigned b = w.join(2);
  const unsigned its = w.its(b).main;
  w.try_take(b, its);
  w.now_ += 5000 * ms;
  w.arbiter_.excuse(w.arbiter_.all(), 5000 * ms, w.now_);
  w.arbiter_.pass(w.arbiter_.all(), w.now_);
  EXPECT_EQ(w.arbiter_.holder(its), a);
  EXPECT_EQ(w.arbiter_.debt_of(1), 0u);
}

/// A job with both contexts that does not answer, and the other user's job that wants one of them.
struct unanswered {
  explicit unanswered(bool confines = false, bool starves = false) : w(2), a(w.join(1)) {
    w.confines = confines;
    if (starves) w.starving.insert(a);
    for (const unsigned c : {0u, 1u}) w.try_take(a, c), w.try_take(a, c);
    b = w.join(2);
    its = w.its(b).main;
    w.try_take(b, its);
  }
  played w;
  unsigned a;
  unsigned b = no_job;
  unsigned its = 0;
};

TEST(Arbiter, AConfinedJobOwesAnAnswerAndNoTime) {
  unanswered u(true);
  EXPECT_FALSE(u.w.arbiter_.confinement_of(u.a));
  u.w.pass_time(11 * ms);
  ASSERT_EQ(u.w.arbiter_.holder(u.its), u.b);
  u.w.pass_time(500 * ms);
  EXPECT_LE(u.w.arbiter_.debt_of(1), 12 * ms);
  const auto where = u.w.arbiter_.confinement_of(u.a);
  ASSERT_TRUE(where);
  EXPECT_TRUE(where->contexts.has(1 - u.its)) << "what it has";
  EXPECT_FALSE(where->contexts.has(u.its));
  EXPECT_EQ(where->time, 0);
  EXPECT_FALSE(u.w.keep(u.a, u.its));
  EXPECT_FALSE(u.w.try_take(u.a, u.its));
  u.w.pass_time(20 * ms);
  EXPECT_FALSE(u.w.arbiter_.confinement_of(u.a)) << "it has answered";
}

TEST(Arbiter, AJobThatOverrunsStaysOnItsUsersContextsWithLessThanItsShare) {
  played w(2);
  const unsigned spinner = w.join(1);
  const unsigned fellow = w.join(1);
  const unsigned other = w.join(2);
  EXPECT_FALSE(w.arbiter_.has_competitors(spinner)) << "no job has work yet";
  for (const unsigned c : {0u, 1u}) w.try_take(other, c);
  EXPECT_TRUE(w.arbiter_.has_competitors(spinner));
  EXPECT_TRUE(w.arbiter_.has_competitors(fellow));
  EXPECT_FALSE(w.arbiter_.has_competitors(other)) << "it is the only one with work";
  w.arbiter_.set_overrun(spinner, true, w.now_);
  w.arbiter_.set_overrun(spinner, true, w.now_);
  EXPECT_EQ(w.confined, std::vector<unsigned>{spinner}) << "once";
  const auto where = w.arbiter_.confinement_of(spinner);
  ASSERT_TRUE(where);
  EXPECT_EQ(where->contexts.count(), 1u) << "the user's half";
  EXPECT_NEAR(where->time, 1.0 / 3, 0.02) << "two thirds of half a context";
  EXPECT_FALSE(w.arbiter_.confinement_of(fellow));
  const auto turns = [&](unsigned job) { return w.its(job).share[0] + w.its(job).share[1]; };
  EXPECT_NEAR(turns(fellow), 8.0 / 9, 0.02) << "its quota runs out in its fellow's turns";
  EXPECT_NEAR(turns(spinner), 1.0 / 9, 0.02);
  EXPECT_NEAR(turns(other), 1, 0.02);
  // It borrows no idle context, also of a user that wants nothing.
  for (const unsigned c : {0u, 1u}) w.idle(other, c);
  w.pass_time(100 * ms);
  const unsigned not_its = where->contexts.has(0) ? 1 : 0;
  w.try_take(spinner, not_its);
  w.pass_time(100 * ms);
  EXPECT_FALSE(w.try_take(spinner, not_its));
  w.arbiter_.set_overrun(spinner, false, w.now_);
  EXPECT_FALSE(w.arbiter_.confinement_of(spinner));
  EXPECT_NEAR(turns(fellow), 0.5, 0.02);
  w.pass_time(100 * ms);
  EXPECT_TRUE(w.try_take(spinner, not_its));
}

TEST(Overrun, IsFarMoreProcessorTimeThanContextTimeTwiceInARow) {
  overrun watch;
  overrun::facts f{.now = 1000 * ms, .used = 7 * ms, .competes = true};
  const auto look = [&](std::uint64_t used, std::uint64_t had) {
    f.now += 100 * ms;
    f.used += used;
    f.had += had;
    return watch.look(f);
  };
  EXPECT_FALSE(watch.look(f)) << "what it used before is not known";
  for (unsigned i = 0; i < 10; ++i) EXPECT_FALSE(look(120 * ms, 100 * ms)) << "a fifth of a context";
  EXPECT_FALSE(look(140 * ms, 100 * ms));
  EXPECT_FALSE(look(100 * ms, 100 * ms)) << "once does not count";
  EXPECT_FALSE(look(140 * ms, 100 * ms));
  EXPECT_TRUE(look(140 * ms, 100 * ms));
  // As long as threads without a context could run, whatever they get.
  f.surplus = true;
  for (unsigned i = 0; i < 50; ++i) EXPECT_TRUE(look(30 * ms, 50 * ms));
  f.surplus = false;
  for (unsigned i = 0; i < 19; ++i) EXPECT_TRUE(look(30 * ms, 50 * ms));
  EXPECT_FALSE(look(30 * ms, 50 * ms));
  // Beside no other user's work it harms no other user.
  f.competes = false;
  for (unsigned i = 0; i < 10; ++i) EXPECT_FALSE(look(200 * ms, 0));
}

TEST(Arbiter, AJobWithoutAnyContextOfItsUserIsSlow) {
  played w(1);
  const unsigned a = w.join(1);
  w.try_take(a, 0);
  ASSERT_TRUE(w.try_take(a, 0));
  const unsigned b = w.join(1);
  w.try_take(b, 0);
  for (unsigned i = 0; i < 100 && w.arbiter_.holder(0) != b; ++i) w.pass_time(ms);
  ASSERT_EQ(w.arbiter_.holder(0), b);
  const auto where = w.arbiter_.confinement_of(a);
  ASSERT_TRUE(where);
  EXPECT_GT(where->time, 0);
  EXPECT_LT(where->time, 0.1);
  EXPECT_TRUE(where->contexts.has(0));
  // In its turn it has the context again: it may compute in code that cannot answer.
  ASSERT_TRUE(w.try_take(b, 0));
  for (unsigned i = 0; i < 100 && w.keep(b, 0); ++i) w.pass_time(ms);
  EXPECT_EQ(w.arbiter_.holder(0), a);
  EXPECT_FALSE(w.arbiter_.confinement_of(a));
  EXPECT_TRUE(w.kept_off.empty());
}

TEST(Arbiter, AHolderWithoutAProcessorIsNotBlamed) {
  unanswered u(false, true);
  u.w.pass_time(11 * ms);
  EXPECT_EQ(u.w.arbiter_.holder(u.its), u.b) << "no other job waits for it";
  u.w.pass_time(500 * ms);
  EXPECT_EQ(u.w.arbiter_.debt_of(1), 0u);
  EXPECT_TRUE(u.w.kept_off.empty());
  // It runs, and does not answer.
  u.w.starving.clear();
  u.w.pass_time(50 * ms);
  EXPECT_TRUE(u.w.kept_off.contains({u.a, u.its}));
  EXPECT_GE(u.w.arbiter_.debt_of(1), 20 * ms);
  EXPECT_LE(u.w.arbiter_.debt_of(1), 60 * ms);
  // A stopped process, which could not run, has had its time.
  unanswered stopped(false, true);
  stopped.w.asleep.insert(stopped.a);
  stopped.w.pass_time(11 * ms);
  EXPECT_EQ(stopped.w.arbiter_.holder(stopped.its), stopped.b);
  EXPECT_TRUE(stopped.w.kept_off.contains({stopped.a, stopped.its}));
}

TEST(Arbiter, AJobThatDidNotAnswerIsNotGivenTheSameTimeAgain) {
  played w(1);
  const unsigned a = w.join(1);
  w.try_take(a, 0);
  ASSERT_TRUE(w.try_take(a, 0));
  const unsigned b = w.join(1);
  // Returns how long the first job has the context after it was asked, in milliseconds, at most 20.
  const auto answers_within = [&] {
    w.try_take(b, 0);
    for (unsigned i = 0; i < 100 && !offer::of(w.its(a).offers[0].word.load(order::relaxed)).asked; ++i) {
      w.pass_time(ms / 4);
    }
    unsigned n = 0;
    for (; n < 20 && w.arbiter_.holder(0) == a; ++n) w.pass_time(ms);
    return n;
  };
  EXPECT_GE(answers_within(), 9u);
  ASSERT_TRUE(w.try_take(b, 0));
  // The first job, which runs there, has it again, since no other job wants it.
  as_if_left(w, b, 0);
  ASSERT_EQ(w.arbiter_.holder(0), a);
  EXPECT_TRUE(w.kept_off.empty());
  EXPECT_LE(answers_within(), 2u);
  // An answer makes that good.
  EXPECT_FALSE(w.keep(a, 0));
  EXPECT_FALSE(w.try_take(a, 0));
  ASSERT_TRUE(w.try_take(b, 0));
  as_if_left(w, b, 0);
  ASSERT_TRUE(w.try_take(a, 0));
  EXPECT_GE(answers_within(), 9u);
}

TEST(Arbiter, AJobThatOwesAnAnswerBorrowsNothing) {
  played w(3);
  const unsigned a = w.join(1);
  for (unsigned c = 0; c < 3; ++c) w.try_take(a, c), w.try_take(a, c);
  const unsigned b = w.join(2);
  const unsigned c = w.join(3);
  const unsigned its = w.its(b).main;
  w.try_take(b, its);
  w.pass_time(11 * ms);
  ASSERT_EQ(w.arbiter_.holder(its), b);
  // The third job's context is free, and no other job wants it.
  const unsigned third = w.its(c).main;
  EXPECT_FALSE(w.keep(a, third) && w.arbiter_.holder(third) != a);
  as_if_left(w, a, third);
  w.try_take(a, third);
  EXPECT_EQ(w.arbiter_.holder(third), no_job);
  EXPECT_FALSE(w.keep(a, its));
  EXPECT_FALSE(w.try_take(a, its));
  w.pass_time(20 * ms);
  w.try_take(a, third);
  w.pass_time(20 * ms);
  EXPECT_EQ(w.arbiter_.holder(third), a) << "it has answered";
}

TEST(Arbiter, AUserHasNoMoreContextsThanItsLimit) {
  played w(4);
  const unsigned a = w.join(1);
  const unsigned b = w.join(1);
  const unsigned c = w.join(2);
  w.arbiter_.set_limit(1);
  w.arbiter_.set_cores(played::cores(4), w.now_);
  w.run({a, b, c}, 100 * ms);
  auto had = w.run({a, b, c}, 1000 * ms);
  EXPECT_NEAR(had[a] + had[b], 1, .05);
  EXPECT_NEAR(had[c], 1, .05);
  EXPECT_GT(had[a], .3);
  w.arbiter_.set_limit(0);
  w.arbiter_.set_cores(played::cores(4), w.now_);
  w.run({a, b, c}, 100 * ms);
  had = w.run({a, b, c}, 1000 * ms);
  EXPECT_NEAR(had[c], 2, .1);
}

TEST(Arbiter, AContextThatAJobDemandsNoMoreIsTaken) {
  played w(2);
  const unsigned a = w.join(1);
  w.run({a}, 10 * ms);
  ASSERT_EQ(w.arbiter_.held_by(a), 2u);
  cosched::job_demand one{.job = 0, .weight = 1, .contexts = {}};
  one.contexts.add(0);
  w.arbiter_.change(a, one, w.now_);
  EXPECT_EQ(w.arbiter_.holder(1), no_job);
  EXPECT_EQ(w.its(a).share[1], 0);
  EXPECT_FALSE(w.keep(a, 1));
  EXPECT_FALSE(w.try_take(a, 1));
  EXPECT_EQ(w.arbiter_.holder(1), no_job);
  // It has asked meanwhile, and waits.
  one.contexts.add(1);
  w.arbiter_.change(a, one, w.now_);
  EXPECT_EQ(w.arbiter_.holder(1), a);
}

TEST(Arbiter, AJobThatEndsLeavesNothing) {
  played w(1);
  const unsigned a = w.join(1);
  const unsigned b = w.join(2);
  const auto first = w.run({a}, 2 * ms);
  EXPECT_EQ(w.arbiter_.holder(0), a);
  w.try_take(b, 0);
  w.arbiter_.leave(a, w.now_);
  EXPECT_EQ(w.arbiter_.holder(0), b);
  w.arbiter_.leave(b, w.now_);
  EXPECT_EQ(w.arbiter_.holder(0), no_job);
  EXPECT_EQ(w.arbiter_.users(), 0u);
}

TEST(Arbiter, AMainThreadThatSleepsLendsItsContextAndGetsItBack) {
  played w(2);
  const unsigned a = w.join(1);
  const unsigned b = w.join(2);
  const unsigned c = w.its(a).main;
  w.try_take(a, c);
  ASSERT_TRUE(w.try_take(a, c));
  w.try_take(b, c);
  w.pass_time(200 * ms);
  EXPECT_EQ(w.arbiter_.holder(c), a) << "rule 1";
  w.asleep.insert(a);
  w.pass_time(100 * ms);
  EXPECT_EQ(w.arbiter_.holder(c), b);
  ASSERT_TRUE(w.try_take(b, c));
  w.asleep.clear();  // in code that does not ask
  w.pass_time(20 * ms);
  EXPECT_FALSE(w.keep(b, c));
  EXPECT_EQ(w.arbiter_.holder(c), a);
}

TEST(Arbiter, AUserWithThreeJobsGetsHalf) {
  played w(2);
  const std::vector<unsigned> jobs = {w.join(1), w.join(2), w.join(2), w.join(2)};
  const auto had = w.run(jobs, 2000 * ms);
  EXPECT_NEAR(had.at(jobs[0]), 1, .05);
  for (unsigned j = 1; j < 4; ++j) EXPECT_NEAR(had.at(jobs[j]), 1. / 3, .05);
  EXPECT_EQ(w.arbiter_.forced(), 0u);
}

TEST(Arbiter, NotAnsweringDoesNotPay) {
  played w(2);
  const std::vector<unsigned> jobs = {w.join(1), w.join(1), w.join(2), w.join(2)};
  const auto had = w.run(jobs, 2000 * ms, ms, jobs[3]);
  EXPECT_GE(had.at(jobs[0]) + had.at(jobs[1]), .95);
}

TEST(Arbiter, ContextTimeIsCountedByJobAndUser) {
  played w(2);
  const unsigned a = w.join(1);
  w.run({a}, 1000 * ms);
  w.arbiter_.count(w.now_);
  // All of it but what passed before its first grants; no other job had priority.
  EXPECT_NEAR(double(w.arbiter_.had_by(a).had), 2000e6, 10e6);
  EXPECT_EQ(w.arbiter_.had_by(a).borrowed, 0u);
  const unsigned b = w.join(2);
  const usage before = w.arbiter_.had_by(a);
  // The second job has a context of its own and no work: all that the first one has there is borrowed and lent.
  w.run({a}, 1000 * ms);
  w.arbiter_.count(w.now_);
  EXPECT_NEAR(double(w.arbiter_.had_by(a).had - before.had), 2000e6, 10e6);
  EXPECT_NEAR(double(w.arbiter_.had_by(a).borrowed), 1000e6, 10e6);
  EXPECT_EQ(w.arbiter_.had_by(b).lent, w.arbiter_.had_by(a).borrowed);
  EXPECT_EQ(w.arbiter_.had_by(b).had, 0u);
  EXPECT_EQ(w.arbiter_.had_by(a).lent, 0u);
  // Three jobs of three users take turns on two contexts, and none is without work.
  const unsigned c = w.join(3);
  w.run({a, b, c}, 1000 * ms);
  w.arbiter_.count(w.now_);
  usage all;
  for (const unsigned j : {a, b, c}) all += w.arbiter_.had_by(j);
  EXPECT_EQ(all.borrowed, all.lent);
  EXPECT_NEAR(double(all.had), 6000e6, 60e6);
  // What the first one had goes to its user, when it ends.
  const usage its = w.arbiter_.had_by(a);
  w.arbiter_.leave(a, w.now_);
  ASSERT_EQ(w.arbiter_.had_before().size(), 1u);
  EXPECT_EQ(w.arbiter_.had_before().at(1).had, its.had);
  EXPECT_EQ(w.arbiter_.had_by(w.join(1)).had, 0u) << "a job with the same number begins anew";
}

TEST(Arbiter, ManyJobsAllGoOn) {
  played w(4);
  std::vector<unsigned> jobs;
  for (unsigned j = 0; j < 40; ++j) jobs.push_back(w.join(j % 5));
  EXPECT_EQ(w.run(jobs, 1500 * ms).size(), 40u);
  played full(1);
  for (unsigned j = 0; j < 255; ++j) ASSERT_NE(full.join(j % 5), no_job);
  EXPECT_EQ(full.join(9), no_job);
}

}  // namespace
}  // namespace callisto::broker
