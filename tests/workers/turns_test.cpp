// Turns: what ticks make of whom they find computing or waiting, and when the next ones come, by a clock that the test
// sets.
#include <callisto/machine/native.hpp>
#include <callisto/workers/turns.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace callisto::workers {
namespace {

/// Nanoseconds are its ticks.
struct stopped_clock : machine::native {
  static inline std::uint64_t time = 1;
  static std::uint64_t ticks() noexcept { return time; }
  static std::uint64_t ticks_per_second() noexcept { return 1'000'000'000; }
};

constexpr std::uint64_t turn_ns = 1'000'000;
constexpr std::uint64_t wait_ns = 20'000;

/// One thread that runs one party.
class Turns : public ::testing::Test {
 protected:
  using rules_of_it = turn_rules<stopped_clock>;

  rules_of_it::verdict tick_after(std::uint64_t nanoseconds, std::uintptr_t instruction, std::uint64_t registers,
                                  bool wanted = false) {
    stopped_clock::time += nanoseconds;
    return rules.judge(watch, &habit, {instruction, false, registers}, wanted);
  }
  rules_of_it::verdict tick_computing(std::uint64_t nanoseconds) {
    ++done;
    return tick_after(nanoseconds, 0x10000 + done * 1'000, done);
  }
  rules_of_it::verdict tick_waiting(std::uint64_t nanoseconds, std::uintptr_t where = wait) {
    return tick_after(nanoseconds, where, 7);
  }

  /// Two waits in one place, found by steady ticks: then it is known.
  void learn(std::uintptr_t where = wait) {
    for (int times = 0; times < 2; ++times) {
      watch.begin_turn();
      watch.calm_down();
      tick_computing(rules.pace());
      tick_waiting(rules.pace(), where);
      EXPECT_TRUE(tick_waiting(rules.pace(), where).is_over);
    }
  }

  /// A turn that computes for so long before it waits; returns how many ticks it took, and adds what they wasted.
  unsigned turn_of(std::uint64_t nanoseconds, std::uint64_t& wasted) {
    watch.begin_turn();
    std::uint64_t next = rules.first_look(watch, habit);
    std::uint64_t spent = 0;
    for (unsigned ticks = 1;; ++ticks) {
      spent += next;
      const auto found = spent < nanoseconds ? tick_computing(next) : tick_waiting(next);
      if (found.is_over) {
        wasted += spent - nanoseconds;
        return ticks;
      }
      next = found.next;
      EXPECT_NE(next, 0u);
      if (next == 0) return ticks;
    }
  }

  static constexpr std::uintptr_t wait = 0x500000;

  rules_of_it rules{turn_ns, wait_ns};
  turn_watch watch;
  wait_habit habit;
  std::uint64_t done = 0;
};

TEST_F(Turns, WhoComputesHasAWholeTurn) {
  watch.begin_turn();
  std::uint64_t ticks = 0;
  while (!tick_computing(rules.pace()).is_over) ++ticks;
  EXPECT_EQ(ticks, rules_of_it::ticks_in_turn);
  EXPECT_FALSE(watch.is_eager());
}

TEST_F(Turns, WhoIsWantedHasNone) {
  watch.begin_turn();
  EXPECT_TRUE(tick_after(rules.pace(), 1, 1, true).is_over);
}

TEST_F(Turns, WhoGetsNowhereHasLostIt) {
  watch.begin_turn();
  EXPECT_FALSE(tick_waiting(rules.pace()).is_over);
  const auto found = tick_waiting(rules.pace());
  EXPECT_TRUE(found.is_over);
  EXPECT_TRUE(watch.is_eager());
}

TEST_F(Turns, TheSameRegistersAtOnceSayNothing) {
  watch.begin_turn();
  tick_waiting(rules.pace());
  EXPECT_FALSE(tick_waiting(rules.pace() / 4).is_over);
  EXPECT_FALSE(tick_after(rules.pace(), wait, 8).is_over);
}

TEST_F(Turns, AKnownWaitIsToldAtOnce) {
  learn();
  watch.begin_turn();
  EXPECT_EQ(rules.first_look(watch, habit), wait_ns);
  EXPECT_TRUE(tick_waiting(wait_ns, wait + 60).is_over);
}

TEST_F(Turns, TicksAreAimedAtTheWait) {
  learn();
  std::uint64_t wasted = 0;
  constexpr unsigned before = 3'000;
  constexpr unsigned turns = 3'000;
  for (unsigned t = 0; t < before; ++t) turn_of(30'000, wasted);
  wasted = 0;
  unsigned ticks = 0;
  for (unsigned t = 0; t < turns; ++t) ticks += turn_of(30'000, wasted);
  EXPECT_LT(ticks, turns * 1.15);
  EXPECT_LT(wasted / turns, 3'000u);
  // Turns that become longer, or shorter, are learned.
  for (const std::uint64_t length : {100'000, 10'000}) {
    for (unsigned t = 0; t < before; ++t) turn_of(length, wasted);
    wasted = ticks = 0;
    for (unsigned t = 0; t < turns; ++t) ticks += turn_of(length, wasted);
    EXPECT_LT(ticks, turns * 1.15) << length;
    EXPECT_LT(wasted / turns, length / 10) << length;
  }
}

TEST_F(Turns, OneLongTurnChangesLittle) {
  learn();
  std::uint64_t wasted = 0;
  for (unsigned t = 0; t < 3'000; ++t) turn_of(30'000, wasted);
  const std::uint32_t before = habit.first_look();
  EXPECT_LT(turn_of(900'000, wasted), 12u);
  EXPECT_LT(habit.first_look(), before + before / 32);
}

TEST_F(Turns, WhereNothingWaitsAnyMoreTicksComeAtTheSteadyPaceAgain) {
  learn();
  unsigned ticks = 0;
  while (watch.is_eager() && ticks < 100) {
    watch.begin_turn();
    const auto found = tick_computing(rules.first_look(watch, habit));
    ++ticks;
    EXPECT_EQ(found.next == 0, !watch.is_eager());
    EXPECT_FALSE(found.was_steady);
  }
  EXPECT_LT(ticks, 20u);
}

TEST_F(Turns, EachWaitHasItsOwnTime) {
  constexpr std::uintptr_t other = 0x700000;
  learn(wait);
  learn(other);
  watch.begin_turn();
  tick_waiting(rules.first_look(watch, habit), wait);
  for (int round = 0; round < 10; ++round) {
    // From `wait` to `other` 20 microseconds, back 5 times as much.
    watch.begin_turn();
    rules.first_look(watch, habit);
    EXPECT_TRUE(tick_waiting(20'000, other).is_over);
    watch.begin_turn();
    std::uint64_t next = rules.first_look(watch, habit);
    for (std::uint64_t spent = next; spent < 100'000; spent += next) next = tick_computing(next).next;
    EXPECT_TRUE(tick_waiting(next, wait).is_over);
  }
  const std::uint32_t after_wait = habit.first_look();
  watch.begin_turn();
  rules.first_look(watch, habit);
  tick_waiting(20'000, other);
  EXPECT_LT(after_wait, 21'000u);
  EXPECT_GT(habit.first_look(), 80'000u);
}

}  // namespace
}  // namespace callisto::workers
