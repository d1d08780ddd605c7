// Naps: for whom a thread sleeps, and that it comes back.
#include <callisto/workers/activations/descheduled_peer_wait.hpp>

#include <atomic>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include <sched.h>

namespace callisto::workers {
namespace {

void begin(naps& all, unsigned thread) {
  all.adopt(thread);
  all.set_present(thread, true);
}

/// A thread of number 0 that is present, as far as the others know, while the kernel has it sleep.
class sleeper {
 public:
  explicit sleeper(naps& all)
      : thread_([this, &all] {
          begin(all, 0);
          there_.count_down();
          ends_.wait();
        }) {
    there_.wait();
  }
  ~sleeper() {
    ends_.count_down();
    thread_.join();
  }

 private:
  std::latch there_{1};
  std::latch ends_{1};
  std::thread thread_;
};

TEST(Naps, NobodyIsOff) {
  naps all(2, {0});
  begin(all, 1);
  EXPECT_FALSE(all.nap(1, naps::pinned));
}

TEST(Naps, WhoIsOffIsWaitedForWhilePresent) {
  naps all(2, {0});
  const sleeper other(all);
  begin(all, 1);
  // It may not be asleep yet.
  while (!all.nap(1, naps::pinned)) std::this_thread::yield();
  EXPECT_TRUE(all.nap(1, naps::pinned));
  all.set_present(0, false);
  EXPECT_FALSE(all.nap(1, naps::pinned));
}

TEST(Naps, WhoRunsIsNotWaitedFor) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "two threads never run at once here";
  naps all(2, {0});
  std::atomic<bool> ends{false};
  std::latch there{1};
  std::thread other([&] {
    begin(all, 0);
    there.count_down();
    while (!ends) {
    }
  });
  there.wait();
  begin(all, 1);
  // Now and then both have a processor.
  while (all.nap(1, naps::pinned)) {
  }
  ends = true;
  other.join();
}

TEST(Naps, WhoIsNotPinnedMayRunWhereItMightBefore) {
  naps all(2, {0});
  const sleeper other(all);
  all.adopt(1);
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  while (!all.nap(1, 0)) std::this_thread::yield();
  all.go_to(0);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Naps, TwoDoNotNapForEachOther) {
  // Whoever naps is not present; whoever is woken is, and is napped for until it has its processor.
  naps all(2, {0});
  std::atomic<bool> ends{false};
  std::thread second([&] {
    begin(all, 0);
    while (!ends) all.nap(0, naps::pinned);
  });
  begin(all, 1);
  for (int i = 0; i < 1000; ++i) all.nap(1, naps::pinned);
  all.is_back();
  ends = true;
  second.join();
  all.set_present(0, false);
  EXPECT_FALSE(all.nap(1, naps::pinned));
}

}  // namespace
}  // namespace callisto::workers
