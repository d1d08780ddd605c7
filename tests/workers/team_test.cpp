// The publication protocol on real threads: entry gate, work signal and team.
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/team.hpp>
#include <callisto/workers/waiting/entry_gate.hpp>
#include <callisto/workers/waiting/spin_lock.hpp>
#include <callisto/workers/waiting/work_signal.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::workers {
namespace {

using machine::native;
using namespace std::chrono_literals;

TEST(EntryGate, LetsNoFollowerInBeforeItOpensOrAfterItCloses) {
  entry_gate<native> g;
  EXPECT_FALSE(g.try_enter());
  g.open();
  EXPECT_TRUE(g.try_enter());
  g.leave();
  g.close_and_drain();
  EXPECT_FALSE(g.try_enter());
}

TEST(EntryGate, DrainWaitsForThoseInside) {
  entry_gate<native> g;
  for (const auto stay : {0us, 20'000us}) {  // within the spin, and long enough to park
    g.open();
    ASSERT_TRUE(g.try_enter());
    int written = 0;  // plain: the gate must order it
    std::jthread follower([&] {
      std::this_thread::sleep_for(stay);
      written = 1;
      g.leave();
    });
    g.close_and_drain();
    EXPECT_EQ(written, 1);
  }
}

TEST(EntryGate, LeavingWhileTheLeaderFallsAsleepIsOrderedToo) {
  // The leader gives up spinning after some 50 microseconds and marks itself asleep; a follower that leaves just then
  // makes that fail. ThreadSanitizer once found the leader gone without an acquire.
  entry_gate<native> g;
  for (int round = 0; round < 400; ++round) {
    g.open();
    ASSERT_TRUE(g.try_enter());
    int written = 0;
    const std::uint64_t stay = native::ticks_per_second() / 1'000'000 * static_cast<unsigned>(40 + round % 40);
    std::atomic<bool> begin{false};
    std::jthread follower([&] {
      while (!begin) std::this_thread::yield();
      for (const std::uint64_t t = native::ticks(); native::ticks() - t < stay;) written = round;
      g.leave();
    });
    begin = true;
    g.close_and_drain();
    EXPECT_EQ(written, round);
  }
}

TEST(WorkSignal, ShowsWhatIsAnnouncedAndEndsWithFinish) {
  work_signal<native> b;
  b.announce(3);
  b.announce(5);
  EXPECT_EQ(b.wait_for_work().open, (1u << 3) | (1u << 5));
  b.withdraw(3);
  EXPECT_EQ(b.wait_for_work().open, 1u << 5);
  b.withdraw(5);
  b.finish();
  EXPECT_TRUE(b.wait_for_work().finished);
}

TEST(WorkSignal, WakesEverySleeperOneAfterTheOther) {
  work_signal<native> b;
  std::atomic<int> awake{0};
  {
    std::vector<std::jthread> sleepers;
    for (int i = 0; i < 9; ++i) {
      sleepers.emplace_back([&] {
        static_cast<void>(b.wait_for_work());
        awake.fetch_add(1);
      });
    }
    std::this_thread::sleep_for(20ms);  // far longer than they spin
    EXPECT_EQ(awake, 0);
    b.announce(0);  // stays: all of them must come
  }
  EXPECT_EQ(awake, 9);
}

/// An item that counts its iterations; alive only while `lead` runs, which `run` checks.
struct counted_item final : work_item<native> {
  static constexpr std::uint32_t alive = 0xa11fe;
  std::atomic<std::uint32_t> mark{alive};
  std::atomic<int> left;
  std::atomic<int> done{0};
  explicit counted_item(int n) : left(n) {}
  ~counted_item() { mark = 0; }
  void run(unsigned, publication* published, context_lease<native>*) noexcept override {
    if (mark != alive) std::abort();
    for (int i = left.fetch_sub(1); i > 0; i = left.fetch_sub(1)) {
      if (i == 1 && published != nullptr) published->withdraw();
      done.fetch_add(1);
    }
    if (mark != alive) std::abort();
  }
};

/// A team with followers of its own.
class followed_team {
 public:
  followed_team(unsigned followers, unsigned gates) : team_(gates * per_gate) {
    for (unsigned i = 1; i <= followers; ++i)
      threads_.emplace_back([this, i, gates] { team_.follow(i, i % gates * per_gate); });
  }
  ~followed_team() { team_.finish(); }
  team<native>* operator->() { return &team_; }

 private:
  static constexpr unsigned per_gate = team<native>::threads_per_gate;
  team<native> team_;
  std::vector<std::jthread> threads_;
};

TEST(Team, ManyItemsInTurn) {
  followed_team t(3, 2);
  for (int round = 0; round < 5000; ++round) {
    counted_item item(round % 7);
    t->lead(item);
    ASSERT_EQ(item.done, round % 7);
  }
}

TEST(Team, AlternatesBetweenWorkAndSleep) {
  followed_team t(3, 1);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(round % 2 == 0 ? 1ms : 100us);
    for (int i = 0; i < 20; ++i) {
      counted_item item(50);
      t->lead(item);
      ASSERT_EQ(item.done, 50);
    }
  }
}

TEST(Team, SeveralLeadersShareTheFollowers) {
  followed_team t(2, 1);
  std::vector<std::jthread> leaders;
  std::atomic<int> wrong{0};
  for (int l = 0; l < 20; ++l) {
    leaders.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        counted_item item(10);
        t->lead(item);
        if (item.done != 10) wrong.fetch_add(1);
      }
    });
  }
  leaders.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(Team, WithoutFollowersTheLeaderDoesEverything) {
  team<native> t(1);
  counted_item item(100);
  t.lead(item);
  EXPECT_EQ(item.done, 100);
}

/// On a context that another job has until it gives it back.
class borrowed final : public context_lease<native> {
 public:
  borrowed() : context_lease(word) {}
  bool stay(bool) noexcept override { return true; }
  void idle() noexcept override {}

  static inline const native::atomic<std::uint64_t> word{0};
  std::atomic<bool> back{false};

 private:
  bool arrive(const std::function<bool()>& over) noexcept override {
    away_ = true;
    while (!back) {
      if (over()) return false;
    }
    away_ = false;
    at_ = {};
    return true;
  }
};

TEST(Team, KnowsWhichFollowersAreAway) {
  team<native> t(3);
  borrowed on;
  std::jthread follower([&] { t.follow(2, 2, &on); });
  EXPECT_EQ(t.absent().count(), 0u);
  // It comes to a loop, finds that it has no context, and goes on waiting for one.
  while (t.absent().count() == 0) {
    counted_item item(100'000);
    t.lead(item);
  }
  EXPECT_EQ(t.absent().word(0), 0b100u);
  on.back = true;
  while (t.absent().count() != 0) {
    counted_item item(100'000);
    t.lead(item);
  }
  EXPECT_EQ(t.absent().word(0), 0u);
  t.finish();
}

TEST(SpinLock, ExcludesEachOther) {
  spin_lock<native> lock;
  int total = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) {
          const std::scoped_lock held(lock);
          ++total;
        }
      });
    }
  }
  EXPECT_EQ(total, 8000);
}

}  // namespace
}  // namespace callisto::workers
