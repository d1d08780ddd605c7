// Waiting for a descheduled peer: for which threads a thread sleeps, and that it comes back.
#include <callisto/workers/activations/descheduled_peer_wait.hpp>

#include <atomic>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include <sched.h>

namespace callisto::workers {
namespace {

void begin(descheduled_peer_wait& all, unsigned thread) {
  all.adopt(thread);
  all.set_present(thread, true);
}

/// Thread 0, which counts as present while the kernel has it asleep.
class sleeper {
 public:
  explicit sleeper(descheduled_peer_wait& all)
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

TEST(DescheduledPeerWait, DoesNotSleepIfAllHaveProcessors) {
  descheduled_peer_wait all(2, {0});
  begin(all, 1);
  EXPECT_FALSE(all.wait(1, descheduled_peer_wait::pinned));
}

TEST(DescheduledPeerWait, SleepsForAPeerThatIsOffWhilePresent) {
  descheduled_peer_wait all(2, {0});
  const sleeper other(all);
  begin(all, 1);
  // It may not be asleep yet.
  while (!all.wait(1, descheduled_peer_wait::pinned)) std::this_thread::yield();
  EXPECT_TRUE(all.wait(1, descheduled_peer_wait::pinned));
  all.set_present(0, false);
  EXPECT_FALSE(all.wait(1, descheduled_peer_wait::pinned));
}

TEST(DescheduledPeerWait, DoesNotSleepForAPeerThatRuns) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "two threads never run at once here";
  descheduled_peer_wait all(2, {0});
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
  while (all.wait(1, descheduled_peer_wait::pinned)) {
  }
  ends = true;
  other.join();
}

TEST(DescheduledPeerWait, LeavesTheAffinityAsItWas) {
  descheduled_peer_wait all(2, {0});
  const sleeper other(all);
  all.adopt(1);
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  while (!all.wait(1, 0)) std::this_thread::yield();
  all.go_to(0);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(DescheduledPeerWait, TwoDoNotSleepForEachOther) {
  // A thread that sleeps is not present; one that was woken is, and is slept for until it has its processor.
  descheduled_peer_wait all(2, {0});
  std::atomic<bool> ends{false};
  std::thread second([&] {
    begin(all, 0);
    while (!ends) all.wait(0, descheduled_peer_wait::pinned);
  });
  begin(all, 1);
  for (int i = 0; i < 1000; ++i) all.wait(1, descheduled_peer_wait::pinned);
  all.end_waits();
  ends = true;
  second.join();
  all.set_present(0, false);
  EXPECT_FALSE(all.wait(1, descheduled_peer_wait::pinned));
}

}  // namespace
}  // namespace callisto::workers
