// The words that threads wait at, on real threads: entry gate, work signal, spin lock.
#include <callisto/machine/native.hpp>
#include <callisto/waiting/entry_gate.hpp>
#include <callisto/waiting/spin_lock.hpp>
#include <callisto/waiting/work_signal.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::waiting {
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
}  // namespace callisto::waiting
