// What Domino refuses, in one line and before it changes anything: places, indices, groups and tasks that do not belong
// together, and what is used at the wrong time.
#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>

#include "../refusal.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace callisto::domino {
namespace {

using tests::refusal;

constexpr const char* outside_in_a_run = "domino: outside() is used while run() works";

bool says(const std::string& message, const char* part) { return message.find(part) != std::string::npos; }

TEST(DominoMisuse, OutsideIsRefusedInATask) {
  computation c({.contexts = 2});
  here& kept = c.outside();
  std::atomic<int> ran{0};
  auto& count = c.task(1000, [&](here&, std::uint64_t) { ++ran; });
  auto& counted = c.counted<int>([&](here&, int) { ++ran; });
  cells<int> x(c, 1000, 0);
  cells<std::uint64_t> y(c, 1000, 0);
  cells<int, run_now> z(c, 1000, 0);
  auto& other = c.task(1000, [&](here&, std::uint64_t) { ++ran; });
  auto& third = c.task(1000, [&](here&, std::uint64_t) { ++ran; });
  x.on_change(count, now);
  y.on_change(other, later);
  z.on_change(third, now);
  int refused = 0;
  auto& misuse = c.task(1, [&](here&, std::uint64_t) {
    const auto expect = [&](auto use) { refused += says(refusal(use), outside_in_a_run) ? 1 : 0; };
    expect([&] { static_cast<void>(c.outside()); });
    expect([&] { x.set(kept, 5, 1); });
    expect([&] { y.set(kept, 5, 1); });
    expect([&] { z.set(kept, 5, 1); });
    expect([&] { count.spawn(kept, 6); });
    expect([&] { count.spawn_later(kept, 7); });
    expect([&] { counted.spawn(kept, 1); });
  });
  misuse.spawn(c.outside(), 0);
  EXPECT_TRUE(c.run());
  EXPECT_EQ(refused, 7);
  EXPECT_EQ(ran, 0);
  // Nothing was written, and no mark is left that would keep an instance from running.
  EXPECT_EQ(x.get(5) + static_cast<int>(y.get(5)) + z.get(5), 0);
  x.set(c.outside(), 5, 1);
  y.set(kept, 5, 1);
  z.set(kept, 5, 1);
  count.spawn(kept, 6);
  count.spawn(kept, 7);
  EXPECT_TRUE(c.run());
  EXPECT_EQ(ran, 5);
}

TEST(DominoMisuse, AnotherThreadIsRefusedWhileRunWorks) {
  computation c({.contexts = 2});
  std::atomic<int> ran{0};
  auto& count = c.task(1000, [&](here&, std::uint64_t) { ++ran; });
  here& kept = c.outside();
  std::string by_name;
  std::string by_place;
  auto& waits = c.task(1, [&](here&, std::uint64_t) {
    std::thread other([&] {
      by_name = refusal([&] { count.spawn(c.outside(), 1); });
      by_place = refusal([&] { count.spawn(kept, 2); });
    });
    other.join();
  });
  waits.spawn(kept, 0);
  EXPECT_TRUE(c.run());
  EXPECT_TRUE(says(by_name, outside_in_a_run)) << by_name;
  EXPECT_TRUE(says(by_place, outside_in_a_run)) << by_place;
  EXPECT_EQ(ran, 0);
}

TEST(DominoMisuse, DeclarationsAreRefusedWhileRunWorks) {
  computation c({.contexts = 1});
  auto& group = c.group();
  auto& after = c.group();
  auto& count = c.task(group, 4, [](here&, std::uint64_t) {});
  cells<int> x(c, 4, 0);
  int refused = 0;
  auto& misuse = c.task(group, 1, [&](here&, std::uint64_t) {
    const auto expect = [&](auto use) { refused += refusal(use) != "accepted" ? 1 : 0; };
    expect([&] { x.on_change(count, now); });
    expect([&] { c.task(4, [](here&, std::uint64_t) {}); });
    expect([&] { c.counted<int>([](here&, int) {}); });
    expect([&] { c.group(); });
    expect([&] { after.after(group); });
    expect([&] { group.between_phases([](here&) {}); });
    expect([&] { count.exclusive(2, [](std::uint64_t) { return 0; }); });
    expect([&] { x.keep_as_of_phase(group); });
  });
  misuse.spawn(c.outside(), 0);
  EXPECT_TRUE(c.run());
  EXPECT_EQ(refused, 8);
}

TEST(DominoMisuse, ComputationsAreNotMixed) {
  computation a({.contexts = 2});
  computation b({.contexts = 2});
  auto& group_of_b = b.group();
  auto& task_of_b = b.task(group_of_b, 8, [](here&, std::uint64_t) {});
  auto& counted_of_b = b.counted<int>([](here&, int) {});
  cells<int> of_a(a, 8, 0);
  cells<int> of_b(b, 8, 0);
  cells<int, run_now> known(a, 8, 0);
  EXPECT_TRUE(says(refusal([&] { of_a.on_change(task_of_b, now); }), "of two computations"));
  EXPECT_TRUE(says(refusal([&] { known.on_change(task_of_b, now); }), "of two computations"));
  EXPECT_TRUE(says(refusal([&] { a.task(group_of_b, 8, [](here&, std::uint64_t) {}); }), "another computation"));
  EXPECT_TRUE(says(refusal([&] { a.counted<int>(group_of_b, [](here&, int) {}); }), "another computation"));
  EXPECT_TRUE(says(refusal([&] { a.group().after(group_of_b); }), "two computations"));
  int refused = 0;
  auto& misuse = a.task(1, [&](here& at, std::uint64_t) {
    const auto expect = [&](auto use) { refused += says(refusal(use), "another computation") ? 1 : 0; };
    expect([&] { of_b.set(at, 1, 1); });
    expect([&] { task_of_b.spawn(at, 1); });
    expect([&] { task_of_b.spawn_later(at, 1); });
    expect([&] { counted_of_b.spawn(at, 1); });
  });
  misuse.spawn(a.outside(), 0);
  EXPECT_TRUE(a.run());
  EXPECT_EQ(refused, 4);
  EXPECT_TRUE(says(refusal([&] { of_b.set(a.outside(), 1, 1); }), "another computation"));
  EXPECT_TRUE(says(refusal([&] { task_of_b.spawn(a.outside(), 1); }), "another computation"));
  EXPECT_EQ(of_b.get(1), 0);
}

TEST(DominoMisuse, IndicesBeyondTheLastAreRefused) {
  computation c({.contexts = 1});
  auto& count = c.task(8, [](here&, std::uint64_t) {});
  cells<int> x(c, 8, 0);
  cells<double> y(c, 8, 0);
  x.on_change(count, now);
  for (const std::uint64_t i : {std::uint64_t{8}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const auto refused = [](auto use) { return says(refusal(use), "expected one below 8"); };
    here& at = c.outside();
    EXPECT_TRUE(refused([&] { x.set(at, i, 1); }));
    EXPECT_TRUE(refused([&] { x.improve(at, i, -1); }));
    EXPECT_TRUE(refused([&] { x.add(at, i, 1); }));
    EXPECT_TRUE(refused([&] { x.update(at, i, [](int v) { return v + 1; }); }));
    EXPECT_TRUE(refused([&] { x.exchange(at, i, 1); }));
    EXPECT_TRUE(refused([&] { x.put(i, 1); }));
    EXPECT_TRUE(refused([&] { static_cast<void>(x.get(i)); }));
    EXPECT_TRUE(refused([&] { y.set(at, i, 1); }));
    EXPECT_TRUE(refused([&] { count.spawn(at, i); }));
    EXPECT_TRUE(refused([&] { count.spawn_later(at, i); }));
  }
  // By way of a trigger's targets, and of a key.
  cells<int> z(c, 8, 0);
  z.on_change(count, now, [](std::uint64_t, const std::function<void(std::uint64_t)>& f) { f(8); });
  EXPECT_TRUE(says(refusal([&] { z.set(c.outside(), 0, 1); }), "expected one below 8"));
  auto& keyed = c.task(8, [](here&, std::uint64_t) {});
  keyed.exclusive(2, [](std::uint64_t i) { return i; });
  keyed.spawn(c.outside(), 2);
  EXPECT_TRUE(says(refusal([&] { c.run(); }), "key(index) is not below"));
}

TEST(DominoMisuse, RanksThatThereAreNotAreRefused) {
  computation c({.contexts = 1});
  auto& ranked = c.group(strict);
  auto& any = c.group(loose(~std::uint64_t{0}));
  auto& phases = c.group();
  int ran = 0;
  auto& with = c.task(ranked, 8, [&](here&, std::uint64_t) { ++ran; });
  auto& in_any = c.task(any, 8, [&](here&, std::uint64_t) { ++ran; });
  auto& without = c.task(phases, 8, [&](here&, std::uint64_t) { ++ran; });
  EXPECT_TRUE(says(refusal([&] { with.spawn_at(c.outside(), 1, ~std::uint64_t{0}); }), "up to 2^64 - 2"));
  EXPECT_TRUE(says(refusal([&] { without.spawn_at(c.outside(), 1, 3); }), "without ranks"));
  with.spawn_at(c.outside(), 1, ~std::uint64_t{0} - 1);
  in_any.spawn_at(c.outside(), 1, 5);
  EXPECT_TRUE(c.run());
  EXPECT_EQ(ran, 2);
  EXPECT_NE(refusal([] { computation({.contexts = ~0U}); }), "accepted");
  EXPECT_NE(refusal([] { computation().group({.buckets = 3, .width = 1}); }), "accepted");
  EXPECT_NE(refusal([] { computation().group({.buckets = 128, .width = 1}); }), "accepted");
  EXPECT_NE(refusal([] { computation().group({.buckets = 2, .width = 0}); }), "accepted");
}

TEST(DominoMisuse, CellsMayEndBeforeTheirComputation) {
  computation c({.contexts = 1});
  int ran = 0;
  auto& count = c.task(100'000, [&](here&, std::uint64_t) { ++ran; });
  {
    // A deque: cells stay where they are.
    std::deque<cells<int>> several;
    for (int i = 0; i < 3; ++i) several.emplace_back(c, 100'000, 0);
    several[1].on_change(count, now);
    several[1].set(c.outside(), 99'999, 1);
  }
  EXPECT_TRUE(c.run());
  count.spawn(c.outside(), 5);
  EXPECT_TRUE(c.run());
  EXPECT_EQ(ran, 2);
}

static_assert(!std::is_copy_constructible_v<cells<int>> && !std::is_move_constructible_v<cells<int>>);
static_assert(!std::is_move_constructible_v<computation>);

TEST(DominoMisuse, AReducersZeroIsNeutral) {
  computation c({.contexts = 2});
  reducer<int> from_five(c, 5);
  EXPECT_TRUE(says(refusal([&] { static_cast<void>(from_five.sum()); }), "not the neutral element"));
  EXPECT_EQ(from_five.take([](int a, int b) { return std::max(a, b); }), 5);
  reducer<bool> any(c);
  any.at(c.outside()) = true;
  EXPECT_TRUE(any.take([](bool a, bool b) { return a || b; }));
}

TEST(DominoMisuseDeathTest, AComputationIsNotDestroyedInItsTask) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        auto c = std::make_unique<computation>(options{.contexts = 1});
        auto& ends = c->task(1, [&](here&, std::uint64_t) { c.reset(); });
        ends.spawn(c->outside(), 0);
        c->run();
      },
      "a domino::computation was destroyed while run\\(\\) works");
}

}  // namespace
}  // namespace callisto::domino
