// What Domino promises, one test a promise (docs/explanation/domino.md has the list).
#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace callisto::domino {
namespace {

/// Runs a test in the usual order, and in random ones.
class Domino : public testing::TestWithParam<std::uint64_t> {
 protected:
  options how(unsigned contexts = 4) const { return {.contexts = contexts, .order_seed = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Orders, Domino, testing::Values(0, 1, 2, 3));

TEST_P(Domino, D1_AWriteThatChangesNothingTriggersNothing) {
  computation c(how());
  std::atomic<int> ran{0};
  auto& count = c.task(8, [&](here&, std::uint64_t) { ++ran; });
  cells<int> x(c, 8, 5);
  x.on_change(count, now);
  EXPECT_FALSE(x.set(c.outside(), 3, 5));
  EXPECT_FALSE(x.improve(c.outside(), 3, 6));
  EXPECT_FALSE(x.add(c.outside(), 3, 0));
  EXPECT_TRUE(c.run());
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(x.improve(c.outside(), 3, 4));
  EXPECT_TRUE(c.run());
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(x.get(3), 4);
}

TEST_P(Domino, D1_AFilterNarrowsTheChanges) {
  computation c(how());
  std::atomic<int> ran{0};
  auto& count = c.task(4, [&](here&, std::uint64_t) { ++ran; });
  cells<double> x(c, 4, 0);
  x.on_change(count, now, [](double old, double value) { return value > old + 1; });
  x.set(c.outside(), 0, 0.5);
  x.set(c.outside(), 1, 2);
  c.run();
  EXPECT_EQ(ran, 1);
}

TEST_P(Domino, D1_WholeNumbersTakeFourBytesWithTheirMark) {
  computation c(how());
  auto& ranked = c.group(strict);
  auto by_value = rank_of([](whole value, std::uint64_t) { return std::uint64_t{value}; });
  constexpr std::uint32_t most = (1U << 31) - 1;
  cells<whole, decltype(by_value)> x(c, 100, {most});
  std::atomic<int> ran{0};
  auto& next = c.task(ranked, 100, [&](here& at, std::uint64_t i) {
    ++ran;
    EXPECT_EQ(ranked.rank(), x.get(i));
    if (i + 1 < 100) x.improve(at, i + 1, {x.get(i) + 1});
    if (i + 2 < 100) x.improve(at, i + 2, {x.get(i) + 3});
  });
  x.on_change(next, by_value);
  EXPECT_TRUE(x.set(c.outside(), 0, {7}));
  EXPECT_FALSE(x.set(c.outside(), 0, {7}));
  EXPECT_TRUE(c.run());
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(x.get(i), 7 + i);
  EXPECT_EQ(ran, 100);
  EXPECT_TRUE(x.add(c.outside(), 99, {most - 106}));
  EXPECT_EQ(x.get(99), most);
}

TEST_P(Domino, D1_ATriggerThatCompilersKnowDoesTheSame) {
  computation c(how());
  auto& phases = c.group();
  cells<int, run_later> x(c, 50, 0);
  std::atomic<int> ran{0};
  auto& pass = c.task(phases, 50, [&](here& at, std::uint64_t i) {
    ++ran;
    EXPECT_EQ(phases.phases(), i);
    if (i + 1 < 50) x.add(at, i + 1, x.get(i) + 1);
  });
  x.on_change(pass, later);
  x.set(c.outside(), 0, 1);
  EXPECT_TRUE(c.run());
  EXPECT_EQ(ran, 50);
  EXPECT_EQ(x.get(49), 50);
  cells<int, run_later> y(c, 50, 0);
  EXPECT_THROW(y.on_change(pass, later), usage_error);  // the marks are with x
  cells<whole, run_now> z(c, 50, {0});
  auto& any = c.task(phases, 50, [](here&, std::uint64_t) {});
  EXPECT_THROW(z.on_change(any, now), usage_error);  // tasks of phases have two marks
}

TEST(DominoHints, NameTheTasksThatAPlaceBeginsNext) {
  computation c({.contexts = 1});
  std::vector<std::uint64_t> ran;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> said;  // what was said of a place in that order
  merged_task* self = nullptr;
  merged_task& note = c.task(100, [&](here& at, std::uint64_t i) {
    for (const unsigned k : {0U, 5U, 40U}) {
      if (const auto next = self->upcoming(at, k)) said.emplace_back(ran.size() + 1 + k, *next);
    }
    ran.push_back(i);
    for (std::uint64_t other = 1; i == 0 && other < 100; ++other) self->spawn(at, other * 37 % 100);
  });
  self = &note;
  note.spawn(c.outside(), 0);
  c.run();
  EXPECT_EQ(said.size(), 98U + 93 + 58);
  for (const auto& [place, index] : said) EXPECT_EQ(ran[place], index);
}

TEST_P(Domino, D1_DoublesWithoutASignShareTheirWordWithAMark) {
  computation c(how());
  auto& ranked = c.group(strict);
  cells<non_negative> x(c, 2, {1e300});
  std::atomic<int> ran{0};
  auto& halve = c.task(ranked, 2, [&](here& at, std::uint64_t i) {
    ++ran;
    if (x.get(i) > 0.2) x.improve(at, i, {x.get(i) / 2});
  });
  auto& also = c.task(c.group(), 2, [&](here&, std::uint64_t) { ++ran; });
  x.on_change(halve, rank_of([](double value) { return static_cast<std::uint64_t>(8 / value); }));
  x.set(c.outside(), 1, {1.1});
  EXPECT_TRUE(c.run());
  EXPECT_EQ(x.get(0), 1e300);
  EXPECT_EQ(x.get(1), 1.1 / 8);
  EXPECT_EQ(ran, 4);
  cells<non_negative> y(c, 2, {0.5});
  y.on_change(also, now);
  EXPECT_TRUE(y.add(c.outside(), 0, {0.25}));
  EXPECT_TRUE(c.run());
  EXPECT_EQ(y.get(0), 0.75);
  EXPECT_EQ(ran, 5);
}

TEST_P(Domino, D2_EachTypeThatACellTriggersHasItsOwnInstances) {
  computation c(how());
  std::atomic<int> ran[3] = {0, 0, 0};
  cells<std::uint8_t> x(c, 4, 0);
  for (int k = 0; k < 3; ++k) x.on_change(c.task(4, [&ran, k](here&, std::uint64_t) { ++ran[k]; }), now);
  x.set(c.outside(), 1, 1);
  x.set(c.outside(), 1, 2);
  x.set(c.outside(), 2, 1);
  c.run();
  for (const auto& n : ran) EXPECT_EQ(n, 2);
}

TEST_P(Domino, D2_OneInstanceIsPendingForManyWrites) {
  computation c(how());
  std::atomic<int> ran{0};
  auto& count = c.task(4, [&](here&, std::uint64_t) { ++ran; });
  cells<int> x(c, 4);
  x.on_change(count, now);
  for (int i = 1; i < 10; ++i) x.set(c.outside(), 2, i);
  c.run();
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(c.statistics().merged, 8);
}

TEST_P(Domino, D2_CountedTasksAllRunWithTheirRecords) {
  struct record {
    std::uint64_t a, b, c;
  };
  computation c(how());
  std::atomic<std::uint64_t> sum{0};
  counted_task<record>* self = nullptr;
  auto& each = c.counted<record>([&](here& at, const record& r) {
    EXPECT_EQ(r.b, r.a * 2);
    EXPECT_EQ(r.c, r.a * 3);
    sum += r.a;
    if (r.a > 1) {
      self->spawn(at, {r.a / 2, r.a / 2 * 2, r.a / 2 * 3});
      self->spawn_later(at, {r.a / 2, r.a / 2 * 2, r.a / 2 * 3});
    }
  });
  self = &each;
  each.spawn(c.outside(), {1 << 12, 2 << 12, 3 << 12});
  c.run();
  EXPECT_EQ(sum, 13U << 12);
}

TEST_P(Domino, D3_WhatPrecedesAWriteIsVisibleToTheInstanceThatItFindsPending) {
  computation c(how());
  constexpr std::uint64_t n = 2'000;
  std::vector<std::uint64_t> told(n, 0);  // plain data, for ThreadSanitizer
  std::vector<std::uint64_t> heard(n, 0);
  cells<std::uint64_t> x(c, 1, 0);
  auto& listen = c.task(1, [&](here&, std::uint64_t) {
    for (std::uint64_t i = 0; i < n; ++i) {
      if (told[i] != 0) ++heard[i];
    }
  });
  x.on_change(listen, later);
  auto& tell = c.task(n, [&](here& at, std::uint64_t i) {
    told[i] = 1;
    x.add(at, 0, 1);
  });
  for (std::uint64_t i = 0; i < n; ++i) tell.spawn(c.outside(), i);
  c.run();
  EXPECT_EQ(x.get(0), n);
  for (std::uint64_t i = 0; i < n; ++i) EXPECT_GE(heard[i], 1U) << i;
}

TEST_P(Domino, D4_ATaskThatWritesItsOwnCellRunsAgain) {
  computation c(how());
  cells<std::uint32_t> x(c, 3, 0);
  auto& count = c.task(3, [&](here& at, std::uint64_t i) {
    if (const auto v = x.get(i); v < 100) x.set(at, i, v + 1);
  });
  x.on_change(count, now);
  for (std::uint64_t i = 0; i < 3; ++i) x.set(c.outside(), i, 1);
  c.run();
  EXPECT_EQ(c.statistics().tasks, 300);
  EXPECT_EQ(x.get(1), 100U);
}

TEST_P(Domino, D5_RunIsRefusedInsideATask) {
  computation c(how());
  auto& bad = c.task(1, [&](here&, std::uint64_t) { c.run(); });
  bad.spawn(c.outside(), 0);
  EXPECT_THROW(c.run(), usage_error);
}

TEST_P(Domino, D5_TypesAreFirstSpawnedInsideTasksThatRunAtOnce) {
  computation c(how());
  constexpr std::uint64_t n = 3'000;
  std::vector<std::atomic<int>> merged(n);
  std::vector<int> keyed(4, 0);  // plain data: tasks of one key
  cells<std::uint64_t> wide(c, n);
  cells<std::uint32_t> narrow(c, n);
  std::atomic<std::uint64_t> counted_sum{0};
  auto& by_hand = c.task(n, [&](here&, std::uint64_t i) { ++merged[i]; });
  auto& of_wide = c.task(n, [&](here&, std::uint64_t i) { ++merged[i]; });
  auto& of_narrow = c.task(n, [&](here&, std::uint64_t i) { ++merged[i]; });
  auto& counted = c.counted<std::uint32_t>([&](here&, std::uint32_t i) { counted_sum += i; });
  auto& exclusive = c.counted<std::uint16_t>([&](here&, std::uint16_t i) { ++keyed[i % 4]; });
  exclusive.exclusive(4, [](std::uint64_t record) { return record % 4; });
  wide.on_change(of_wide, later);
  narrow.on_change(of_narrow, now);
  auto& begin = c.task(n, [&](here& at, std::uint64_t i) {
    by_hand.spawn(at, i);
    wide.set(at, i, 1);
    narrow.set(at, i, 1);
    counted.spawn(at, static_cast<std::uint32_t>(i));
    exclusive.spawn(at, static_cast<std::uint16_t>(i));
  });
  for (std::uint64_t i = 0; i < n; ++i) begin.spawn(c.outside(), i);
  EXPECT_TRUE(c.run());
  for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(merged[i], 3) << i;
  for (const int sum : keyed) EXPECT_EQ(sum, static_cast<int>(n / 4));
  EXPECT_EQ(counted_sum, n * (n - 1) / 2);
  EXPECT_EQ(c.statistics().tasks, 6 * n);
}

TEST_P(Domino, D5_GroupsAreMadeBeforeTheFirstRun) {
  computation c(how());
  auto& nothing = c.task(1, [](here&, std::uint64_t) {});
  nothing.spawn(c.outside(), 0);
  c.run();
  EXPECT_THROW(c.group(), usage_error);
  // A type may be made later.
  int ran = 0;
  c.task(1, [&](here&, std::uint64_t) { ++ran; }).spawn(c.outside(), 0);
  c.run();
  EXPECT_EQ(ran, 1);
}

TEST_P(Domino, D6_APhaseEndsBeforeTheNextBegins) {
  computation c(how());
  task_group& g = c.group();
  constexpr std::uint64_t n = 500;
  constexpr std::uint64_t rounds = 20;
  std::vector<std::vector<std::uint64_t>> done(rounds + 1, std::vector<std::uint64_t>(n, 0));  // plain data
  std::uint64_t between = 0;
  merged_task* self = nullptr;
  auto& step = c.task(g, n, [&](here& at, std::uint64_t i) {
    const std::uint64_t round = g.phases();
    if (round > 0) {
      EXPECT_EQ(done[round - 1][(i + 7) % n], 1U);
    }
    ++done[round][i];
    if (round < rounds) self->spawn_later(at, i);
  });
  self = &step;
  g.between_phases([&](here&) { ++between; });
  for (std::uint64_t i = 0; i < n; ++i) step.spawn(c.outside(), i);
  c.run();
  for (const auto& round : done) EXPECT_EQ(std::count(round.begin(), round.end(), 1U), n);
  EXPECT_EQ(between, rounds + 1);
}

TEST_P(Domino, D6_AnInstanceOfThisPhaseAndOneOfTheNextAreTwo) {
  computation c(how());
  task_group& g = c.group();
  std::vector<std::uint64_t> phases_of_b;
  merged_task* b = nullptr;
  auto& a = c.task(g, 1, [&](here& at, std::uint64_t) {
    b->spawn(at, 0);
    b->spawn_later(at, 0);
  });
  b = &c.task(g, 1, [&](here&, std::uint64_t) { phases_of_b.push_back(g.phases()); });
  a.spawn(c.outside(), 0);
  c.run();
  EXPECT_EQ(phases_of_b, (std::vector<std::uint64_t>{0, 1}));
}

TEST_P(Domino, D6_WhatIsSpawnedBetweenPhasesRunsInTheNext) {
  computation c(how());
  task_group& g = c.group();
  std::vector<std::uint64_t> ran;
  auto& a = c.task(g, 10, [&](here&, std::uint64_t i) { ran.push_back(i); });
  g.between_phases([&](here& at) {
    if (g.phases() < 5) a.spawn(at, g.phases());
  });
  a.spawn(c.outside(), 0);
  c.run();
  EXPECT_EQ(ran, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST_P(Domino, D7_StrictRanksRunInOrderWhateverTheOrderOfSpawns) {
  computation c(how());
  task_group& g = c.group(strict);
  std::mt19937_64 random(7);
  std::atomic<std::uint64_t> ran{0};
  std::atomic<std::uint64_t> last{0};
  counted_task<std::uint64_t>* self = nullptr;
  auto& step = c.counted<std::uint64_t>(g, [&](here& at, std::uint64_t rank) {
    EXPECT_GE(rank, last.load());
    last = rank;
    EXPECT_EQ(g.rank(), rank);
    ++ran;
    if (rank % 3 == 0 && rank < 5'000) {
      self->spawn_at(at, rank, rank + 1);
      self->spawn_at(at, rank + 1, rank + 1);
      self->spawn_at(at, rank + 200, rank + 200);
    }
  });
  self = &step;
  // A record that is not its rank would fail above: the rank below the spawner's is not used here.
  std::uint64_t spawned = 0;
  for (int i = 0; i < 1'000; ++i) {
    std::uint64_t rank = random() % 100'000;
    if (rank % 3 == 0) ++rank;
    step.spawn_at(c.outside(), rank, rank);
    ++spawned;
  }
  c.run();
  EXPECT_EQ(ran, spawned);
}

TEST_P(Domino, D7_ARankBelowTheSpawnersIsTheSpawners) {
  computation c(how());
  task_group& g = c.group(strict);
  std::vector<std::uint64_t> ran;
  counted_task<std::uint64_t>* self = nullptr;
  auto& step = c.counted<std::uint64_t>(g, [&](here& at, std::uint64_t what) {
    ran.push_back(what);
    if (what == 10) self->spawn_at(at, 3, 3);
  });
  self = &step;
  step.spawn_at(c.outside(), 10, 10);
  step.spawn_at(c.outside(), 11, 11);
  c.run();
  EXPECT_EQ(ran, (std::vector<std::uint64_t>{10, 3, 11}));
}

TEST_P(Domino, D7_LooseRanksRunAtMostSoManyAheadOfTheLowest) {
  computation c(how());
  task_group& g = c.group(loose(9));
  std::vector<std::atomic<int>> left(1'000);
  auto& step = c.counted<std::uint64_t>(g, [&](here&, std::uint64_t rank) {
    for (std::uint64_t r = 0; r + 9 < rank; ++r) EXPECT_EQ(left[r], 0);
    --left[rank];
  });
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    const std::uint64_t rank = i * 7'919 % 1'000;
    ++left[rank];
    step.spawn_at(c.outside(), rank, rank);
  }
  c.run();
  EXPECT_TRUE(std::all_of(left.begin(), left.end(), [](auto& l) { return l == 0; }));
}

TEST_P(Domino, D8_AGroupBeginsWhenThoseBeforeItAreQuiet) {
  computation c(how());
  task_group& a = c.group();
  task_group& b = c.group();
  task_group& d = c.group();
  d.after(a);
  d.after(b);
  std::vector<std::uint64_t> seen(100, 0);  // plain data
  std::uint64_t sum = 0;
  merged_task* sums = nullptr;
  const auto spread = [&](here& at, std::uint64_t i) {
    seen[i] = 1;
    if (i == 7) sums->spawn(at, 0);
  };
  auto& in_a = c.task(a, 100, spread);
  auto& in_b = c.task(b, 100, spread);
  sums = &c.task(d, 1, [&](here&, std::uint64_t) {
    for (const auto s : seen) sum += s;
  });
  for (std::uint64_t i = 0; i < 50; ++i) in_a.spawn(c.outside(), i);
  for (std::uint64_t i = 50; i < 100; ++i) in_b.spawn(c.outside(), i);
  c.run();
  EXPECT_EQ(sum, 100U);
}

TEST_P(Domino, D8_ACircleAndASpawnBackwardAreRefused) {
  computation c(how());
  task_group& a = c.group();
  task_group& b = c.group();
  b.after(a);
  EXPECT_THROW(a.after(b), usage_error);
  EXPECT_THROW(a.after(a), usage_error);
  merged_task* in_a = nullptr;
  auto& in_b = c.task(b, 1, [&](here& at, std::uint64_t) { in_a->spawn(at, 0); });
  in_a = &c.task(a, 1, [](here&, std::uint64_t) {});
  in_b.spawn(c.outside(), 0);
  EXPECT_THROW(c.run(), usage_error);
}

TEST_P(Domino, D9_TasksOfOneKeyNeverRunAtOnce) {
  computation c(how());
  constexpr std::uint64_t keys = 4;
  std::vector<std::uint64_t> count(keys, 0);  // plain data
  auto& add = c.task(20'000, [&](here&, std::uint64_t i) { ++count[i % keys]; });
  add.exclusive(keys, [](std::uint64_t i) { return i % keys; });
  for (std::uint64_t i = 0; i < 20'000; ++i) add.spawn(c.outside(), i);
  c.run();
  EXPECT_EQ(count, std::vector<std::uint64_t>(keys, 5'000));
}

TEST_P(Domino, D10_ARunGoesOnFromWhatTheApplicationHasWritten) {
  computation c(how());
  cells<std::uint32_t> x(c, 1'000, 0);
  auto& push = c.task(1'000, [&](here& at, std::uint64_t i) {
    if (i + 1 < 1'000) x.improve(at, i + 1, x.get(i), std::greater<>{});
  });
  x.on_change(push, now);
  for (std::uint32_t v = 1; v < 50; ++v) {
    x.set(c.outside(), v, v);
    ASSERT_TRUE(c.run());
    for (std::uint64_t i = v; i < 1'000; ++i) ASSERT_EQ(x.get(i), v);
  }
}

TEST_P(Domino, D11_ARequestToStopKeepsTheMarksAndTheNextRunGoesOn) {
  computation c(how());
  std::stop_source stop;
  std::atomic<std::uint64_t> ran{0};
  merged_task* self = nullptr;
  auto& step = c.task(100'000, [&](here& at, std::uint64_t i) {
    if (++ran == 5'000) stop.request_stop();
    if (2 * i + 1 < 100'000) self->spawn(at, 2 * i + 1);
    if (2 * i + 2 < 100'000) self->spawn_later(at, 2 * i + 2);
  });
  self = &step;
  step.spawn(c.outside(), 0);
  EXPECT_FALSE(c.run(stop.get_token()));
  EXPECT_GE(ran, 5'000U);
  EXPECT_LT(ran, 100'000U);
  EXPECT_FALSE(c.run(stop.get_token()));
  EXPECT_TRUE(c.run());
  EXPECT_EQ(ran, 100'000U);
}

TEST_P(Domino, D11_StrictRanksGoOnAfterAStop) {
  computation c(how());
  task_group& g = c.group(strict);
  std::stop_source stop;
  std::vector<std::uint64_t> ran;
  auto& step = c.counted<std::uint64_t>(g, [&](here&, std::uint64_t rank) {
    ran.push_back(rank);
    if (rank == 50) stop.request_stop();
  });
  for (std::uint64_t r = 10; r < 200; ++r) step.spawn_at(c.outside(), r, r);
  EXPECT_FALSE(c.run(stop.get_token()));
  EXPECT_EQ(ran.size(), 41U);
  step.spawn_at(c.outside(), 5, 5);  // lower than what is left
  EXPECT_TRUE(c.run());
  ASSERT_EQ(ran.size(), 191U);
  EXPECT_EQ(ran[41], 5U);
  EXPECT_TRUE(std::is_sorted(ran.begin() + 41, ran.end()));
}

TEST_P(Domino, D11_TheFirstExceptionIsRethrownAndTheRestRunsLater) {
  computation c(how());
  std::atomic<std::uint64_t> ran{0};
  auto& step = c.task(10'000, [&](here&, std::uint64_t i) {
    if (i == 777) throw std::runtime_error("777");
    ++ran;
  });
  for (std::uint64_t i = 0; i < 10'000; ++i) step.spawn(c.outside(), i);
  EXPECT_THROW(c.run(), std::runtime_error);
  EXPECT_TRUE(c.run());
  EXPECT_EQ(ran, 9'999U);
}

TEST(DominoProgress, D12_TasksThatALongTaskHasSpawnedRunElsewhere) {
  computation c({.contexts = 2});
  std::atomic<int> ran{0};
  counted_task<int>* self = nullptr;
  // The long task ends when all others have: its thread alone could not run them.
  auto& step = c.counted<int>([&](here& at, int what) {
    ++ran;
    if (what != 0) return;
    for (int i = 1; i <= 40; ++i) self->spawn(at, i);
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (ran < 41 && std::chrono::steady_clock::now() < late) std::this_thread::yield();
    EXPECT_EQ(ran, 41);
  });
  self = &step;
  // Keeps the run busy until the second thread is there.
  auto& warm = c.counted<char>([&](here&, char) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  for (int i = 0; i < 10; ++i) warm.spawn(c.outside(), 0);
  step.spawn(c.outside(), 0);
  EXPECT_TRUE(c.run());
}

TEST_P(Domino, D13_MeetsAndSumsDoNotDependOnTheOrder) {
  constexpr std::uint64_t n = 3'000;
  const auto compute = [&](const options& with) {
    computation c(with);
    cells<std::uint32_t> least(c, n, ~0U);
    cells<std::uint64_t> sum(c, n, 0);
    auto& push = c.task(n, [&](here& at, std::uint64_t i) {
      const std::uint32_t d = least.get(i);
      for (std::uint64_t k = 1; k < 6; ++k) {
        const std::uint64_t to = (i * k + 17 * k) % n;
        least.improve(at, to, d + static_cast<std::uint32_t>((i ^ to) % 97));
      }
    });
    auto& add = c.task(n, [&](here& at, std::uint64_t i) { sum.add(at, i % 10, i); });
    least.on_change(push, now);
    for (std::uint64_t i = 0; i < n; ++i) add.spawn(c.outside(), i);
    least.set(c.outside(), 5, 0);
    c.run();
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < n; ++i) all.push_back(least.get(i) + sum.get(i) * n);
    return all;
  };
  EXPECT_EQ(compute(how()), compute({.contexts = 1}));
}

TEST_P(Domino, D13_CellsAsOfThePhaseMakePhasesAPureFunction) {
  constexpr std::uint64_t n = 300;
  constexpr std::uint64_t rounds = 12;
  computation c(how());
  task_group& g = c.group();
  cells<std::uint64_t> x(c, n, 0);
  x.keep_as_of_phase(g);
  merged_task* self = nullptr;
  auto& step = c.task(g, n, [&](here& at, std::uint64_t i) {
    const std::uint64_t sum = x.as_of_phase((i + 1) % n) * 3 + x.as_of_phase((i + n - 1) % n) + x.as_of_phase(i);
    x.set(at, i, sum);
    x.add(at, i, 1);  // a second write in the phase
    EXPECT_EQ(x.get(i), sum + 1);
    if (g.phases() + 1 < rounds) self->spawn_later(at, i);
  });
  self = &step;
  g.between_phases([&](here& at) { x.add(at, 5, 1000); });
  for (std::uint64_t i = 0; i < n; ++i) {
    x.set(c.outside(), i, i * i);
    step.spawn(c.outside(), i);
  }
  c.run();
  std::vector<std::uint64_t> expected(n);
  for (std::uint64_t i = 0; i < n; ++i) expected[i] = i * i;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::uint64_t> next(n);
    for (std::uint64_t i = 0; i < n; ++i)
      next[i] = expected[(i + 1) % n] * 3 + expected[(i + n - 1) % n] + expected[i] + 1;
    next[5] += 1000;
    expected = next;
  }
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(x.get(i), expected[i]) << i;
}

/// Phases in which most, few or no cells are marked; with marks in cells' words, and in bytes.
template <class T>
void run_dense(bool exclusive) {
  computation c({.contexts = 3});
  task_group& g = c.group();
  constexpr std::uint64_t n = 50'000;
  constexpr std::uint64_t rounds = 9;
  cells<T> x(c, n, T{});
  std::vector<std::uint32_t> ran(n, 0);  // plain data
  std::stop_source stop;
  bool threw = false;
  const auto every = [](std::uint64_t round) -> std::uint64_t { return round % 3 == 0 ? 2 : round % 3 == 1 ? 999 : 7; };
  merged_task* other = nullptr;
  auto& step = c.task(g, n, [&](here& at, std::uint64_t i) {
    if (g.phases() == 3 && i == 20'000 && !threw) {
      threw = true;
      throw std::runtime_error("once");
    }
    if (g.phases() == 6 && i == 30'000) stop.request_stop();
    EXPECT_EQ(i % every(g.phases()), 0U);
    ++ran[i];
    if (i == 0 && g.phases() < rounds) other->spawn(at, 0);
  });
  x.on_change(step, later);
  if (exclusive) step.exclusive(64, [](std::uint64_t i) { return i % 64; });
  auto& seed = c.task(g, 1, [&](here& at, std::uint64_t) {
    const std::uint64_t next = g.phases() + 1;
    for (std::uint64_t i = 0; i < n; i += every(next)) x.update(at, i, [&](T) { return static_cast<T>(next); });
  });
  other = &seed;
  for (std::uint64_t i = 0; i < n; i += every(0)) x.set(c.outside(), i, T{100});
  EXPECT_THROW(c.run(), std::runtime_error);
  EXPECT_FALSE(c.run(stop.get_token()));
  EXPECT_TRUE(c.run());
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint32_t expected = 0;
    for (std::uint64_t round = 0; round <= rounds; ++round) expected += i % every(round) == 0 ? 1 : 0;
    // The instance that threw has run, and does not run again.
    if (i == 20'000) --expected;
    ASSERT_EQ(ran[i], expected) << i;
  }
  EXPECT_GE(c.statistics().dense, 6U);
  std::uint64_t all = 1;
  for (const std::uint32_t times : ran) all += times;
  EXPECT_EQ(c.statistics().tasks, all + rounds);
}
TEST(DominoDense, ManyMarkedCellsAreWalkedOver) { run_dense<std::uint32_t>(false); }
TEST(DominoDense, WithMarksBesideTheCells) { run_dense<std::uint64_t>(false); }
TEST(DominoDense, WithExclusiveKeys) { run_dense<std::uint32_t>(true); }

TEST_P(Domino, ReducersAreCombinedBetweenPhases) {
  computation c(how());
  task_group& g = c.group();
  reducer<std::uint64_t> found(c);
  std::vector<std::uint64_t> by_phase;
  merged_task* self = nullptr;
  auto& step = c.task(g, 1'000, [&](here& at, std::uint64_t i) {
    ++found.at(at);
    if (2 * i + 1 < 1'000) self->spawn_later(at, 2 * i + 1);
    if (2 * i + 2 < 1'000) self->spawn_later(at, 2 * i + 2);
  });
  self = &step;
  g.between_phases([&](here&) { by_phase.push_back(found.sum()); });
  step.spawn(c.outside(), 0);
  c.run();
  EXPECT_EQ(by_phase, (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32, 64, 128, 256, 489}));
}

TEST_P(Domino, AnIndirectTriggerRunsTheTasksThatDependOnACell) {
  computation c(how());
  task_group& g = c.group(strict);
  constexpr std::uint64_t n = 200;
  // Cell i > 0 is the sum of cells i - 1 and i / 2.
  cells<std::uint64_t> x(c, n, 0);
  std::vector<std::uint64_t> times(n, 0);
  auto& compute = c.task(g, n, [&](here& at, std::uint64_t i) {
    ++times[i];
    x.set(at, i, x.get(i - 1) + x.get(i / 2));
  });
  x.on_change(compute, rank_of([](std::uint64_t, std::uint64_t index) { return index; }),
              [&](std::uint64_t i, const std::function<void(std::uint64_t)>& f) {
                if (i + 1 < n) f(i + 1);
                if (2 * i < n && 2 * i > i + 1) f(2 * i);
                if (2 * i + 1 < n && 2 * i + 1 > i + 1) f(2 * i + 1);
              });
  x.set(c.outside(), 0, 1);
  c.run();
  std::vector<std::uint64_t> expected{1};
  for (std::uint64_t i = 1; i < n; ++i) expected.push_back(expected[i - 1] + expected[i / 2]);
  for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(x.get(i), expected[i]) << i;
  EXPECT_TRUE(std::all_of(times.begin() + 1, times.end(), [](std::uint64_t t) { return t == 1; }));
}

TEST(DominoIdle, AnIdleComputationUsesNoProcessorTime) {
  computation c({.contexts = 2});
  counted_task<int>* self = nullptr;
  auto& step = c.counted<int>([&](here& at, int depth) {
    if (depth > 0) {
      self->spawn(at, depth - 1);
      self->spawn(at, depth - 1);
    }
  });
  self = &step;
  step.spawn(c.outside(), 16);
  c.run();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // threads that look for work give up within 40 us
  const auto before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 20);
}

}  // namespace
}  // namespace callisto::domino
