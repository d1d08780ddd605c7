// Worker sets of several processes that share the machine: each gets its part of the contexts, what one does not need
// another uses, and nobody waits for who was killed.
#include "../forked_child.hpp"

#include <callisto/machine/limits.hpp>
#include <callisto/machine/scratch_folder.hpp>
#include <callisto/machine/thread_identity.hpp>
#include <callisto/workers/create_workers.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sys/mman.h>

namespace callisto::workers {
namespace {

using namespace std::chrono_literals;
using machine::native;
using machine::thread_identity;
using tests::child;
using act = native_activation;

constexpr unsigned members = 4;

/// What a process tells, in memory that the test sees.
struct told {
  std::atomic<std::uint64_t> turns{0};  ///< of the pipeline
};

/// A guest and activations that spin at flags, in turns, until `stop`: some 10 microseconds of work each.
void pipeline(told& t, const std::atomic<bool>& stop) {
  set_options<native> how;
  how.workers = 2;
  how.turn_ns = 100'000;
  how.guests = 1;
  how.coscheduled = true;
  const auto set = create_workers(how);
  std::vector<std::unique_ptr<thread_identity>> identities;
  for (unsigned i = 0; i < members; ++i) identities.push_back(std::make_unique<thread_identity>());
  struct shared {
    worker_threads& on;
    std::vector<std::unique_ptr<thread_identity>>& who;
    told& t;
    const std::atomic<bool>& stop;
    std::atomic<unsigned> begun{0};
    void step(unsigned i) {
      for (std::uint64_t r = 0;; ++r) {
        while (t.turns.load() != r * (members + 1) + i) {
          if (stop) return;
        }
        std::uint64_t sum = i;
        for (int k = 0; k < 20'000; ++k) asm volatile("" : "+r"(sum));
        t.turns.fetch_add(1);
      }
    }
  } s{*set, identities, t, stop};
  const guest_here here(*set);
  const native_ticket ticket = (*set)->create_ticket(
      [](act& self, void* data, native_ticket of) {
        shared& mine = *static_cast<shared*>(data);
        const unsigned i = mine.begun.fetch_add(1);
        if (i + 1 >= members) mine.on->set_drained(of);
        if (i >= members) return;
        run_as(self, *mine.who[i], [&] { self.preemptible([&] { mine.step(i); }); });
      },
      &s, members);
  this_party().preemptible([&] { s.step(members); });
  wait_complete(*set, ticket);
}

class JobContexts : public testing::Test {
 protected:
  void SetUp() override {
    if (!thread_identity::can_be_carried()) GTEST_SKIP() << "identities cannot be carried here";
    if (machine::limits::current().cpus.size() < 2) GTEST_SKIP() << "takes two contexts";
    setenv("CALLISTO_COSCHED_DIR", scratch.path().c_str(), 1);
    setenv("CALLISTO_COSCHED", "on", 1);
    void* const room = mmap(nullptr, sizeof(told) * 3, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(room, MAP_FAILED);
    tell = static_cast<told*>(room);
    for (int i = 0; i < 3; ++i) new (tell + i) told;
  }
  void TearDown() override {
    unsetenv("CALLISTO_COSCHED_DIR");
    setenv("CALLISTO_COSCHED", "off", 1);
  }

  /// Waits until there are so many more turns; false after ten seconds.
  static bool goes_on(const told& t, std::uint64_t more) {
    const std::uint64_t before = t.turns;
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (t.turns < before + more) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(1ms);
    }
    return true;
  }

  static void run_for_ever(told& t) {
    static const std::atomic<bool> never{false};
    pipeline(t, never);
  }

  const machine::scratch_folder scratch;
  told* tell = nullptr;
};

TEST_F(JobContexts, PipelinesThatSpinShareTheMachine) {
  child a([&](const child::say&) { run_for_ever(tell[0]); });
  ASSERT_TRUE(goes_on(tell[0], 100));
  child b([&](const child::say&) { run_for_ever(tell[1]); });
  ASSERT_TRUE(goes_on(tell[1], 100));
  child c([&](const child::say&) { run_for_ever(tell[2]); });
  ASSERT_TRUE(goes_on(tell[2], 100));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(goes_on(tell[i], 200)) << i;
  // Stopped and killed, they hold up nobody.
  a.kill(SIGSTOP);
  b.end();
  EXPECT_TRUE(goes_on(tell[2], 500));
  a.kill(SIGCONT);
  EXPECT_TRUE(goes_on(tell[0], 200));
}

TEST_F(JobContexts, EndsInAnyCompany) {
  child a([&](const child::say&) { run_for_ever(tell[0]); });
  ASSERT_TRUE(goes_on(tell[0], 50));
  for (int round = 0; round < 5; ++round) {
    tell[1].turns = 0;
    child b([&](const child::say& say) {
      std::atomic<bool> stop{false};
      std::thread stopper([&] {
        while (tell[1].turns < 300) std::this_thread::sleep_for(1ms);
        stop = true;
      });
      pipeline(tell[1], stop);
      stopper.join();
      say('e');
    });
    EXPECT_EQ(b.hear(), 'e');
    EXPECT_EQ(b.status(), 0);
  }
  EXPECT_TRUE(goes_on(tell[0], 100));
}

}  // namespace
}  // namespace callisto::workers
