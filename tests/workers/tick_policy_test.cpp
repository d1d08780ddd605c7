// The tick policy: each transition of its state table, the ends of turns, and the periods of the rates.
#include <callisto/workers/preemption/tick_policy.hpp>
#include <callisto/workers/preemption/tick_rate.hpp>

#include <gtest/gtest.h>

namespace callisto::workers {
namespace {

using change = tick_policy::change;
using demand = tick_policy::demand;

constexpr std::uint64_t period = 100;

/// A thread at the same place at each tick, with the same registers.
constexpr interruption standing{.instruction = 0x1000, .period = period, .registers = 7};

TEST(TickPolicy, ASetIsCalmATenthOfASecondAfterTheLastReason) {
  EXPECT_FALSE(tick_policy::is_calm(0, 1000));
  EXPECT_FALSE(tick_policy::is_calm(100, 1000));
  EXPECT_TRUE(tick_policy::is_calm(101, 1000));
}

TEST(TickPolicy, WaitsAndSeveralContextsAreReasons) {
  EXPECT_TRUE(tick_policy::is_reason(true, 1));
  EXPECT_TRUE(tick_policy::is_reason(false, 2));
  EXPECT_FALSE(tick_policy::is_reason(false, 1));
}

TEST(TickPolicy, DemandHasRareTicksInACalmSetAlone) {
  EXPECT_EQ(tick_policy::demanded(true, false, false), tick_rate::rare);
  EXPECT_EQ(tick_policy::demanded(false, false, false), tick_rate::usual);
  EXPECT_EQ(tick_policy::demanded(true, true, false), tick_rate::usual) << "crowded";
  EXPECT_EQ(tick_policy::demanded(true, false, true), tick_rate::usual) << "another job may ask the worker";
}

TEST(TickPolicy, RestHasTicksIfSomethingIsToBeWatched) {
  EXPECT_EQ(tick_policy::resting(false, tick_rate::usual), tick_rate::none);
  EXPECT_EQ(tick_policy::resting(false, tick_rate::rare), tick_rate::none);
  EXPECT_EQ(tick_policy::resting(true, tick_rate::usual), tick_rate::slow);
  EXPECT_EQ(tick_policy::resting(true, tick_rate::rare), tick_rate::slower);
}

TEST(TickPolicy, FromUsualToRareAndBack) {
  tick_policy ticks;
  ticks.start(tick_rate::usual);
  EXPECT_EQ(ticks.adapt(false, tick_rate::usual), change::none);
  EXPECT_EQ(ticks.adapt(false, tick_rate::rare), change::restart);
  ticks.start(tick_rate::rare);
  EXPECT_EQ(ticks.adapt(false, tick_rate::rare), change::none);
  EXPECT_EQ(ticks.adapt(false, tick_rate::usual), change::restart);
}

TEST(TickPolicy, AWaitMakesEagerUntilSixteenTicksFindNone) {
  tick_policy ticks;
  ticks.start(tick_rate::usual);
  EXPECT_EQ(ticks.adapt(true, tick_rate::usual), change::quick);
  EXPECT_EQ(ticks.adapt(true, tick_rate::usual), change::none) << "it is quick already";
  for (unsigned n = 1; n < tick_policy::eager_ticks_after_wait; ++n)
    EXPECT_EQ(ticks.adapt(false, tick_rate::rare), change::none) << n;
  EXPECT_EQ(ticks.adapt(false, tick_rate::rare), change::restart);
  ticks.start(tick_rate::rare);
  EXPECT_EQ(ticks.adapt(false, tick_rate::rare), change::none);
}

TEST(TickPolicy, FromRareToEager) {
  tick_policy ticks;
  ticks.start(tick_rate::rare);
  EXPECT_EQ(ticks.adapt(true, tick_rate::usual), change::quick);
}

TEST(TickPolicy, AnotherWaitKeepsItEager) {
  tick_policy ticks;
  ticks.adapt(true, tick_rate::usual);
  for (unsigned n = 1; n < tick_policy::eager_ticks_after_wait; ++n) ticks.adapt(false, tick_rate::usual);
  EXPECT_EQ(ticks.adapt(true, tick_rate::usual), change::none);
  for (unsigned n = 1; n < tick_policy::eager_ticks_after_wait; ++n)
    EXPECT_EQ(ticks.adapt(false, tick_rate::usual), change::none) << n;
  EXPECT_EQ(ticks.adapt(false, tick_rate::usual), change::restart);
}

TEST(TickPolicy, TheThirdTickWithoutDemandRests) {
  tick_policy ticks;
  EXPECT_EQ(ticks.count(false), demand::absent);
  EXPECT_EQ(ticks.count(true), demand::present);
  EXPECT_EQ(ticks.count(false), demand::absent);
  EXPECT_EQ(ticks.count(false), demand::absent);
  EXPECT_EQ(ticks.count(false), demand::absent_for_long);
  EXPECT_EQ(ticks.count(false), demand::absent) << "counted anew";
}

TEST(TickPolicy, RestAndArrivalEndEagerness) {
  tick_policy ticks;
  ticks.adapt(true, tick_rate::usual);
  for (unsigned n = 0; n < tick_policy::idle_ticks_before_rest; ++n) ticks.count(false);
  EXPECT_EQ(ticks.adapt(true, tick_rate::usual), change::quick) << "it was not eager";
  ticks.arrive();
  EXPECT_EQ(ticks.adapt(true, tick_rate::usual), change::quick) << "nor here";
}

TEST(TickPolicy, ThreadsThatWereBusyBrieflyAreKnown) {
  constexpr std::uint64_t per_second = 1'000'000'000;
  tick_policy ticks;
  EXPECT_FALSE(ticks.was_brief()) << "it has not paused yet";
  ticks.pause(10'000, per_second);
  EXPECT_TRUE(ticks.was_brief());
  ticks.arrive();
  EXPECT_TRUE(ticks.was_brief()) << "until its next pause";
  ticks.pause(250'000, per_second);
  EXPECT_FALSE(ticks.was_brief()) << "as long as ticks of the usual rate are apart";
}

TEST(TickPolicy, SitesCountAtTheFirstTickOfATurnWhenEagerAndWhenCrowded) {
  tick_policy ticks;
  EXPECT_TRUE(ticks.see(standing, period, 1, 1000, false).asks_sites);
  EXPECT_FALSE(ticks.see(standing, period, 1, 1100, false).asks_sites);
  EXPECT_TRUE(ticks.see(standing, period, 1, 1200, true).asks_sites);
  ticks.adapt(true, tick_rate::usual);
  EXPECT_TRUE(ticks.see(standing, period, 1, 1300, false).asks_sites);
  EXPECT_TRUE(ticks.see(standing, period, 2, 1400, false).asks_sites);
}

TEST(TickPolicy, StandsStillBetweenTwoTicksOfATurnThatCameInTime) {
  tick_policy ticks;
  EXPECT_FALSE(ticks.see(standing, period, 1, 1000, false).stands_still) << "the first of the turn";
  EXPECT_TRUE(ticks.see(standing, period, 1, 1100, false).stands_still);
  EXPECT_FALSE(ticks.see(standing, period, 1, 1150, false).stands_still) << "too soon";
  EXPECT_FALSE(ticks.see(standing, period, 1, 1350, false).stands_still) << "too long after";
  interruption late = standing;
  late.is_late = true;
  EXPECT_FALSE(ticks.see(late, period, 1, 1450, false).stands_still);
  interruption elsewhere = standing;
  elsewhere.instruction += 128;
  EXPECT_FALSE(ticks.see(elsewhere, period, 1, 1550, false).stands_still);
  interruption computing = elsewhere;
  computing.registers = 8;
  EXPECT_FALSE(ticks.see(computing, period, 1, 1650, false).stands_still);
  EXPECT_FALSE(ticks.see(computing, period, 2, 1750, false).stands_still) << "another activation";
  EXPECT_TRUE(ticks.see(computing, period, 2, 1850, false).stands_still);
}

TEST(TickPolicy, ATurnLastsFromItsFirstTick) {
  tick_policy ticks;
  ticks.see(standing, period, 1, 1000, false);
  EXPECT_FALSE(ticks.ends_turn(false, false, 1000, 0)) << "not at its first tick";
  EXPECT_TRUE(ticks.ends_turn(true, false, 1000, 400)) << "the context is wanted";
  EXPECT_TRUE(ticks.ends_turn(false, true, 1000, 400)) << "it waits";
  EXPECT_FALSE(ticks.ends_turn(false, false, 1399, 400));
  EXPECT_TRUE(ticks.ends_turn(false, false, 1400, 400));
  ticks.see(standing, period, 2, 1450, false);
  EXPECT_FALSE(ticks.ends_turn(false, false, 1500, 400)) << "of another turn";
}

TEST(TickRate, PeriodsGrowWithTheLag) {
  constexpr tick_periods every{.quick = 20'000, .usual = 250'000, .slow = 1'000'000};
  EXPECT_EQ(every.of(tick_rate::none, 1000), 0u);
  EXPECT_EQ(every.of(tick_rate::quick, 1000), 20'000u);
  EXPECT_EQ(every.of(tick_rate::quick, 30'000), 120'000u);
  EXPECT_EQ(every.of(tick_rate::usual, 1000), 250'000u);
  EXPECT_EQ(every.of(tick_rate::usual, 10'000), 400'000u);
  EXPECT_EQ(every.of(tick_rate::usual, 100'000), 1'000'000u) << "at most four times";
  EXPECT_EQ(every.of(tick_rate::rare, 1000), 400'000u);
  EXPECT_EQ(every.of(tick_rate::rare, 100'000), 4'000'000u) << "at most sixteen times";
  EXPECT_EQ(every.of(tick_rate::slow, 100'000), 1'000'000u);
  EXPECT_EQ(every.of(tick_rate::slower, 100'000), 4'000'000u);
  EXPECT_EQ(every.of(tick_rate::slower, 100), 1'000'000u);
}

TEST(TickRate, TicksThatProveDearComeMoreRarely) {
  constexpr tick_periods every{.quick = 20'000, .usual = 250'000, .slow = 1'000'000};
  EXPECT_EQ(every.lengthened(20'000, 1000), 20'000u);
  EXPECT_EQ(every.lengthened(20'000, 7'500), 20'000u) << "one and a half times is near enough";
  EXPECT_EQ(every.lengthened(20'000, 30'000), 120'000u);
  EXPECT_EQ(every.lengthened(250'000, 30'000), 1'000'000u);
  EXPECT_EQ(every.lengthened(1'000'000, 30'000), 1'000'000u);
}

TEST(TickRate, TheLagIsLearnedByStepsInBothDirections) {
  EXPECT_EQ(learned_lag(0, 50'000), 100u);
  EXPECT_EQ(learned_lag(1600, 50'000), 1800u);
  EXPECT_EQ(learned_lag(1600, 0), 1400u);
  EXPECT_EQ(learned_lag(50, 50), 0u) << "down where it is not above";
}

}  // namespace
}  // namespace callisto::workers
