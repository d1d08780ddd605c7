// Loops of several processes that share the machine: each gets its part, no job waits for a dead or stopped one, and
// every result is right.
#include "../cpuset.hpp"
#include "../forked_child.hpp"
#include "../processes.hpp"
#include "../sanitizers.hpp"

#include <callisto/callisto.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/cosched/table_reader.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace callisto {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using tests::affinity_of;
using tests::child;
using tests::contexts_of;
using tests::cpuset;
using tests::processor_of;
using tests::thread_named;

/// What a process reports about its loops, in memory that the test sees.
struct told {
  std::atomic<std::uint64_t> loops{0};
  std::array<std::atomic<std::uint64_t>, 8> iterations{};  ///< by thread
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> by_itself{0};  ///< loops after which workers::others_wait()
};

/// Computes for some microseconds.
std::uint64_t work(std::uint64_t i) {
  std::uint64_t sum = i;
  for (int k = 0; k < 3000; ++k) asm volatile("" : "+r"(sum));
  return sum;
}

class LoopJobs : public testing::Test {
 protected:
  LoopJobs() {
    setenv("CALLISTO_COSCHED_DIR", folder.c_str(), 1);
    setenv("CALLISTO_COSCHED", "on", 1);
    void* const room =
        mmap(nullptr, sizeof(told) * tell.size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) std::abort();
    for (unsigned i = 0; i < tell.size(); ++i) tell[i] = new (static_cast<told*>(room) + i) told;
  }
  ~LoopJobs() override {
    unsetenv("CALLISTO_COSCHED_DIR");
    unsetenv("CALLISTO_COSCHED");
  }

  /// Runs loops for ever, or until `until`, on `threads` threads.
  static void run_loops(told& t, unsigned threads, const loop_options& how = {},
                        clock::time_point until = clock::time_point::max()) {
    set_threads(threads);
    while (clock::now() < until) {
      constexpr std::uint64_t n = 500;
      const std::uint64_t sum = parallel_reduce(
          std::uint64_t{0}, n, std::uint64_t{0},
          [&t](std::uint64_t i) {
            t.iterations[this_thread()].fetch_add(1, std::memory_order_relaxed);
            return work(i);
          },
          std::plus<>(), how);
      if (sum != n * (n - 1) / 2) t.wrong.fetch_add(1);
      if (workers::others_wait()) t.by_itself.fetch_add(1);
      t.loops.fetch_add(1);
    }
  }

  /// True if f() comes true within the promised time, with room for a busy machine.
  static bool soon(const std::function<bool()>& f, std::chrono::milliseconds patience = 60s) {
    for (const auto until = clock::now() + patience; !f(); std::this_thread::sleep_for(1ms)) {
      if (clock::now() > until) return false;
    }
    return true;
  }
  bool goes_on(const told& t) {
    const std::uint64_t before = t.loops;
    return soon([&] { return t.loops > before + 5; });
  }
  /// Returns the share of its next iterations that a process runs on its followers.
  static double share_of_followers(const told& t, std::chrono::milliseconds time) {
    std::array<std::uint64_t, 8> before{};
    for (unsigned i = 0; i < before.size(); ++i) before[i] = t.iterations[i];
    std::this_thread::sleep_for(time);
    double all = 0;
    for (unsigned i = 0; i < before.size(); ++i) all += static_cast<double>(t.iterations[i] - before[i]);
    return all == 0 ? 0 : 1 - static_cast<double>(t.iterations[0] - before[0]) / all;
  }

  const machine::scratch_folder scratch;
  const std::string& folder = scratch.path();
  std::array<told*, 4> tell{};
};

TEST_F(LoopJobs, ValuesThatMakeNoSenseAreRefused) {
  setenv("CALLISTO_COSCHED", "maybe", 1);
  try {
    set_threads(2);
    FAIL() << "accepted";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "CALLISTO_COSCHED=maybe: expected on or off");
  }
  setenv("CALLISTO_COSCHED", "off", 1);
  setenv("CALLISTO_P_LOW", "soon", 1);
  EXPECT_THROW(set_threads(2), usage_error);
  unsetenv("CALLISTO_P_LOW");
  set_threads(2);
  EXPECT_EQ(parallel_reduce(0, 100, 0L, [](int i) { return long{i}; }), 4950);
  EXPECT_TRUE(fs::is_empty(folder)) << "off: no table";
  EXPECT_EQ(workers::sharing_in_words(), "no: CALLISTO_COSCHED=off");
}

TEST_F(LoopJobs, WithoutAFolderItRunsAlone) {
  setenv("CALLISTO_COSCHED_DIR", "/nonexistent/folder", 1);
  testing::internal::CaptureStderr();
  set_threads(2);
  EXPECT_EQ(parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }), 499500);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with("callisto: shares the machine with no other job: /nonexistent/folder")) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(LoopJobs, AloneAllThreadsWork) {
  EXPECT_TRUE(soon([&] {
    run_loops(*tell[0], 2, {}, clock::now() + 20ms);
    return tell[0]->iterations[1] > 0;
  }));
  EXPECT_EQ(tell[0]->wrong, 0u);
  EXPECT_TRUE(fs::exists(folder + "/" + cosched::table_name()));
  EXPECT_NE(workers::sharing_in_words().find("no other job"), std::string::npos);
}

#if defined(CALLISTO_CHILDREN_WORK)
TEST_F(LoopJobs, TwoThatAreBusyHaveTheirOwnContexts) {
  if (machine::affinity_at_start().size() != 2) GTEST_SKIP() << "expects two contexts";
  child a([&](const child::say&) { run_loops(*tell[0], 2); });
  ASSERT_TRUE(goes_on(*tell[0]));
  EXPECT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; })) << "alone it has both";
  child b([&](const child::say&) { run_loops(*tell[1], 2); });
  ASSERT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
  EXPECT_TRUE(soon([&] { return share_of_followers(*tell[0], 200ms) < 0.1; }));
  EXPECT_TRUE(soon([&] { return share_of_followers(*tell[1], 200ms) < 0.1; }));
  b.end();
  EXPECT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; })) << "and when the other has died, again";
  EXPECT_EQ(tell[0]->wrong + tell[1]->wrong, 0u);
}

TEST_F(LoopJobs, AJobKnowsThatItsOtherThreadsWait) {
  if (machine::affinity_at_start().size() != 2) GTEST_SKIP() << "expects two contexts";
  const auto share = [&] {
    const std::uint64_t loops = tell[0]->loops;
    const std::uint64_t by_itself = tell[0]->by_itself;
    std::this_thread::sleep_for(100ms);
    return static_cast<double>(tell[0]->by_itself - by_itself) /
           static_cast<double>(std::max<std::uint64_t>(1, tell[0]->loops - loops));
  };
  child a([&](const child::say&) { run_loops(*tell[0], 2); });
  ASSERT_TRUE(goes_on(*tell[0]));
  EXPECT_TRUE(soon([&] { return share() < 0.1; }));
  child b([&](const child::say&) { run_loops(*tell[1], 2); });
  ASSERT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
  EXPECT_TRUE(soon([&] { return share() > 0.9; }));
  b.end();
  EXPECT_TRUE(soon([&] { return share() < 0.1; }));
}

TEST_F(LoopJobs, AStoppedJobLendsAndComesBack) {
  if (machine::affinity_at_start().size() != 2) GTEST_SKIP() << "expects two contexts";
  child a([&](const child::say&) { run_loops(*tell[0], 2); });
  child b([&](const child::say&) { run_loops(*tell[1], 2); });
  ASSERT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
  b.kill(SIGSTOP);
  EXPECT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; }));
  b.kill(SIGCONT);
  EXPECT_TRUE(goes_on(*tell[1]));
  EXPECT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) < 0.1; }));
  EXPECT_TRUE(goes_on(*tell[0]));
  EXPECT_EQ(tell[0]->wrong + tell[1]->wrong, 0u);
}

TEST_F(LoopJobs, AJobThatSleepsLends) {
  if (machine::affinity_at_start().size() != 2) GTEST_SKIP() << "expects two contexts";
  child a([&](const child::say&) { run_loops(*tell[0], 2); });
  child b([&](const child::say&) {
    while (tell[1]->loops < 50) run_loops(*tell[1], 2, {}, clock::now() + 20ms);
    std::this_thread::sleep_for(1h);
  });
  ASSERT_TRUE(goes_on(*tell[0]) && soon([&] { return tell[1]->loops >= 50; }));
  // Its follower runs on the sleeper's context, or not at all.
  const std::uint64_t before = tell[0]->iterations[1];
  EXPECT_TRUE(soon([&] { return tell[0]->iterations[1] > before + 2000; }));
  EXPECT_EQ(tell[0]->wrong + tell[1]->wrong, 0u);
}

TEST_F(LoopJobs, ALongIterationKeepsNoContextFromItsOwner) {
  if (machine::affinity_at_start().size() != 2) GTEST_SKIP() << "expects two contexts";
  // Iterations far longer than the owner's patience. The follower tells whether it was moved in the middle of one.
  child slow([&](const child::say&) {
    set_threads(2);
    for (;; tell[0]->loops.fetch_add(1)) {
      parallel_for(0, 8,
                   [&](int) {
                     const int here = sched_getcpu();
                     for (const auto begin = clock::now(); clock::now() - begin < 60ms;) {
                     }
                     if (this_thread() != 0) tell[0]->iterations[sched_getcpu() == here ? 1 : 2].fetch_add(1);
                   },
                   {.batch = 1});
    }
  });
  const auto& stayed = tell[0]->iterations[1];
  const auto& moved = tell[0]->iterations[2];
  ASSERT_TRUE(soon([&] { return stayed > 2; }));
  // The thread may just be between two iterations.
  for (int round = 0; round < 10 && moved == 0; ++round) {
    child other([&](const child::say&) { run_loops(*tell[1], 2); });
    EXPECT_TRUE(goes_on(*tell[1]));
    static_cast<void>(soon([&] { return moved != 0; }, 200ms));
    other.end();
    const std::uint64_t then = stayed;
    EXPECT_TRUE(soon([&] { return stayed > then + 2; })) << "it comes back";
  }
  EXPECT_GT(moved, 0u);
  EXPECT_EQ(tell[1]->wrong, 0u);
}

TEST_F(LoopJobs, AThreadThatAnotherProcessMovedComesBack) {
  if (machine::affinity_at_start().size() != 2) GTEST_SKIP() << "expects two contexts";
  child a([&](const child::say&) { run_loops(*tell[0], 2); });
  child b([&](const child::say&) { run_loops(*tell[1], 2); });
  ASSERT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
  b.end();
  ASSERT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; }));
  const pid_t follower = thread_named(a.pid(), "callisto-1");
  ASSERT_NE(follower, 0);
  const std::vector<unsigned> home = affinity_of(follower);
  ASSERT_EQ(home.size(), 1u);
  const std::vector<unsigned> all = machine::affinity_at_start();
  const unsigned away = home[0] == all[0] ? all[1] : all[0];
  // The leader must stay there: where it comes to, the follower makes room.
  ASSERT_TRUE(machine::pin_thread_of(a.pid(), a.pid(), away));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(machine::pin_thread_of(a.pid(), follower, away));
    EXPECT_TRUE(soon([&] { return affinity_of(follower) == home; })) << "within P_high";
    EXPECT_TRUE(goes_on(*tell[0]));
  }
  EXPECT_EQ(tell[0]->wrong, 0u);
}

TEST_F(LoopJobs, AContextThatIsTakenFromTheProcessIsNoneOfItsUntilItIsBack) {
  const std::vector<unsigned> all = machine::affinity_at_start();
  if (all.size() != 2) GTEST_SKIP() << "expects two contexts";
  // Does what unplugging a context does: the system runs the threads that were pinned there elsewhere, and refuses to
  // pin them there. Only a control group does that, which takes root's rights.
  cpuset group;
  if (!group.made()) GTEST_SKIP() << "no control group can be made here: " << group.why_not();
  // The context of its leader, then the one of its follower.
  for (const unsigned left : all) {
    ASSERT_TRUE(group.limit_to(std::to_string(all[0]) + "," + std::to_string(all[1])));
    child a([&](const child::say&) { run_loops(*tell[0], 2); });
    ASSERT_TRUE(group.add(a.pid()));
    ASSERT_TRUE(goes_on(*tell[0]));
    ASSERT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; }));
    ASSERT_TRUE(group.limit_to(std::to_string(left)));
    EXPECT_TRUE(goes_on(*tell[0])) << "with " << left;
    child b([&](const child::say&) { run_loops(*tell[1], 2); });
    EXPECT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
    EXPECT_TRUE(soon([&] { return contexts_of(folder, a.pid()) == std::vector{left}; })) << "it says so to the others";
    EXPECT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
    ASSERT_TRUE(group.limit_to(std::to_string(all[0]) + "," + std::to_string(all[1])));
    EXPECT_TRUE(soon([&] { return contexts_of(folder, a.pid()) == all; })) << "it has it again, beside " << left;
    EXPECT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
    b.end();
    EXPECT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; })) << "and a thread there";
  }
  EXPECT_EQ(tell[0]->wrong + tell[1]->wrong, 0u);
}

TEST_F(LoopJobs, ALoopThatRunsTakesAContextBack) {
  const std::vector<unsigned> all = machine::affinity_at_start();
  if (all.size() != 2) GTEST_SKIP() << "expects two contexts";
  cpuset group;
  if (!group.made()) GTEST_SKIP() << "no control group can be made here: " << group.why_not();
  const std::string both = std::to_string(all[0]) + "," + std::to_string(all[1]);
  ASSERT_TRUE(group.limit_to(both));
  child a([&](const child::say&) {
    set_threads(2);
    const auto body = [&](std::uint64_t i) {
      work(i);
      tell[0]->iterations[this_thread()].fetch_add(1, std::memory_order_relaxed);
    };
    parallel_for(std::uint64_t{0}, std::uint64_t{1} << 30, body, {.batch = 1});
  });
  ASSERT_TRUE(group.add(a.pid()));
  ASSERT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; }));
  const pid_t follower = thread_named(a.pid(), "callisto-1");
  ASSERT_NE(follower, 0);
  const std::vector<unsigned> home = affinity_of(follower);
  ASSERT_EQ(home.size(), 1u);
  const unsigned other = home[0] == all[0] ? all[1] : all[0];
  // Alone, and beside another job; the follower's context, and the leader's.
  for (int round = 0; round < 4; ++round) {
    const unsigned left = round / 2 == 0 ? other : home[0];
    ASSERT_TRUE(group.limit_to(std::to_string(left)));
    std::optional<child> b;
    if (round % 2 == 1) b.emplace([&](const child::say&) { run_loops(*tell[1], 2); });
    EXPECT_TRUE(soon([&] { return contexts_of(folder, a.pid()) == std::vector{left}; })) << "round " << round;
    ASSERT_TRUE(group.limit_to(both));
    EXPECT_TRUE(soon([&] { return contexts_of(folder, a.pid()) == all; }));
    b.reset();
    // The leader is not pinned: if the system has moved it to the follower's context, the two have changed places.
    EXPECT_TRUE(soon([&] {
      const std::vector<unsigned> now = affinity_of(follower);
      return now == home || (now == std::vector{other} && processor_of(a.pid()) == static_cast<int>(home[0]));
    }));
    EXPECT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; }));
  }
}

/// Pins the main thread as taskset(1) does. The other job's main thread makes room, or has to be there, too.
TEST_F(LoopJobs, AMainThreadThatIsPinnedElsewhereHasItsContextThere) {
  const std::vector<unsigned> all = machine::affinity_at_start();
  if (all.size() != 2) GTEST_SKIP() << "expects two contexts";
  child a([&](const child::say&) { run_loops(*tell[0], 2); });
  child b([&](const child::say&) { run_loops(*tell[1], 2); });
  ASSERT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
  const auto main_of = [&](const child& who) {
    std::string refusal;
    const auto table = cosched::table_reader::visit({folder}, refusal);
    for (const cosched::job_picture& job : table->jobs()) {
      if (job.pid == static_cast<std::uint64_t>(who.pid())) return job.main;
    }
    return cosched::context_assignment::no_context;
  };
  const auto generation = [&] {
    std::string refusal;
    return cosched::table_reader::visit({folder}, refusal)->generation();
  };
  const auto pin = [](const child& who, std::vector<unsigned> where) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const unsigned c : where) CPU_SET(c, &set);
    return sched_setaffinity(who.pid(), sizeof set, &set) == 0;
  };
  ASSERT_TRUE(soon([&] { return main_of(a) != main_of(b) && main_of(b) != cosched::context_assignment::no_context; }));
  const unsigned there = main_of(b);
  EXPECT_TRUE(soon([&] { return pin(a, {there}) && main_of(a) == there && main_of(b) != there; }));
  EXPECT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
  // That is all: the context assignment is not computed again and again.
  EXPECT_TRUE(soon([&] {
    const std::uint64_t before = generation();
    std::this_thread::sleep_for(500ms);
    return generation() == before;
  }));
  // Both main threads on one context. Repeated: a leader that is just about to go somewhere puts its affinity back to
  // what it was.
  EXPECT_TRUE(soon([&] { return pin(a, {there}) && pin(b, {there}) && main_of(a) == there && main_of(b) == there; }))
      << main_of(a) << ' ' << main_of(b);
  EXPECT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1]));
  EXPECT_TRUE(soon([&] {
    return pin(a, all) && pin(b, all) && contexts_of(folder, a.pid()) == all && contexts_of(folder, b.pid()) == all;
  }));
  EXPECT_TRUE(soon([&] { return main_of(a) != main_of(b); }));
  EXPECT_EQ(tell[0]->wrong + tell[1]->wrong, 0u);
}

TEST_F(LoopJobs, AHugeLoopAnswersWithAClaimInItsHands) {
  const std::vector<unsigned> all = machine::affinity_at_start();
  if (all.size() != 2) GTEST_SKIP() << "expects two contexts";
  // A holder has four times as long to answer: two seconds, in which a thread of a busy machine runs.
  setenv("CALLISTO_P_LOW", "500ms", 1);
  for (const std::uint64_t batch : {0u, 1u}) {
    // No thread ends a loop of 2^62 iterations, nor one unit of it, of 2^31 each.
    const auto huge_loop = [&](const child::say&) {
      set_threads(2);
      const auto body = [&](std::uint64_t i) {
        work(i);
        tell[0]->iterations[this_thread()].fetch_add(1, std::memory_order_relaxed);
      };
      parallel_for(std::uint64_t{0}, std::uint64_t{1} << 62, body, {.batch = batch});
    };
    // One of several attempts must succeed: a busy machine may keep any thread from answering in time.
    bool answered = false;
    std::string refusal;
    for (int attempt = 0; attempt < 15 && !answered; ++attempt) {
      child a(huge_loop);
      ASSERT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0.2; })) << "batch " << batch;
      child b([&](const child::say&) { run_loops(*tell[1], 2); });
      EXPECT_TRUE(goes_on(*tell[1]));
      // The follower goes to its leader's context, since others wait for what it has.
      const pid_t follower = thread_named(a.pid(), "callisto-1");
      const auto table = cosched::table_reader::visit({folder}, refusal);
      ASSERT_TRUE(table) << refusal;
      const auto goes_to_its_leader = [&] {
        return std::ranges::any_of(table->jobs(), [&](const cosched::job_picture& job) {
          return job.pid == static_cast<std::uint64_t>(a.pid()) && affinity_of(follower) == std::vector{job.main};
        });
      };
      EXPECT_TRUE(soon(goes_to_its_leader)) << "batch " << batch;
      EXPECT_TRUE(soon([&] { return share_of_followers(*tell[0], 100ms) > 0; })) << "batch " << batch;
      answered = std::ranges::all_of(table->contexts(), [](const auto& c) { return c.unanswered == 0; });
    }
    EXPECT_TRUE(answered) << "batch " << batch;
  }
  unsetenv("CALLISTO_P_LOW");
}

TEST_F(LoopJobs, MoreOfThemThanContextsAllGoOn) {
  child a([&](const child::say&) { run_loops(*tell[0], 2); });
  child b([&](const child::say&) { run_loops(*tell[1], 4); });
  child c([&](const child::say&) { run_loops(*tell[2], 1); });
  child d([&](const child::say&) { run_loops(*tell[3], 3); });
  for (int round = 0; round < 2; ++round) {
    for (const told* t : tell) EXPECT_TRUE(goes_on(*t));
  }
  b.end();
  for (const unsigned j : {0u, 2u, 3u}) EXPECT_TRUE(goes_on(*tell[j]));
  for (const told* t : tell) EXPECT_EQ(t->wrong, 0u);
}

TEST_F(LoopJobs, EverySchedule) {
  for (const char* text : {"counter(machine)", "counter(thread)", "combine(core)/counter(core)",
                           "combine(core,async)/counter(core)", "ranges"}) {
    const schedule how = schedule::parse(text, "test");
    child a([&](const child::say&) { run_loops(*tell[0], 4, {.batch = 1, .schedule = how}); });
    child b([&](const child::say&) { run_loops(*tell[1], 4, {.schedule = how}); });
    EXPECT_TRUE(goes_on(*tell[0]) && goes_on(*tell[1])) << text;
    a.kill(SIGSTOP);
    EXPECT_TRUE(goes_on(*tell[1])) << text;
    a.kill(SIGCONT);
    EXPECT_TRUE(goes_on(*tell[0])) << text;
    EXPECT_EQ(tell[0]->wrong + tell[1]->wrong, 0u) << text;
  }
}

/// Runs nested loops for ever.
void run_nested(told& t) {
  setenv("CALLISTO_LEVELS", "1:core", 1);
  set_threads(4);
  for (;;) {
    std::atomic<std::uint64_t> sum{0};
    outer_parallel_for(1, 0, 20, [&](int i) {
      parallel_for(0, 50, [&](int j) { sum.fetch_add(work(static_cast<std::uint64_t>(i * 50 + j))); }, {.batch = 1});
    });
    if (sum != 1000 * 999 / 2) t.wrong.fetch_add(1);
    t.loops.fetch_add(1);
  }
}

TEST_F(LoopJobs, NestedOnesToo) {
  child a([&](const child::say&) { run_nested(*tell[0]); });
  child b([&](const child::say&) { run_nested(*tell[1]); });
  child c([&](const child::say&) { run_loops(*tell[2], 2); });
  for (int round = 0; round < 3; ++round) {
    for (unsigned j = 0; j < 3; ++j) EXPECT_TRUE(goes_on(*tell[j])) << j;
    c.kill(round == 1 ? SIGCONT : SIGSTOP);
    for (unsigned j = 0; j < 2; ++j) EXPECT_TRUE(goes_on(*tell[j])) << j;
    c.kill(SIGCONT);
  }
  for (const told* t : tell) EXPECT_EQ(t->wrong, 0u);
}

TEST_F(LoopJobs, AChildOfAForkIsAJobOfItsOwn) {
  child a([&](const child::say&) {
    run_loops(*tell[0], 2, {}, clock::now() + 50ms);
    if (fork() == 0) {
      while (tell[1]->loops <= 5) run_loops(*tell[1], 2, {}, clock::now() + 20ms);
      _exit(0);
    }
    run_loops(*tell[0], 2);
  });
  EXPECT_TRUE(soon([&] { return tell[1]->loops > 5; }));
  EXPECT_TRUE(goes_on(*tell[0]));
  EXPECT_EQ(tell[0]->wrong + tell[1]->wrong, 0u);
}

TEST_F(LoopJobs, AChildOfAForkInALoopIsNoMember) {
  child other([&](const child::say&) { run_loops(*tell[2], 2); });
  child a([&](const child::say&) {
    run_loops(*tell[0], 2, {}, clock::now() + 50ms);
    std::atomic<bool> forked{false};
    bool in_child = false;
    parallel_for(0, 200,
                 [&](int i) {
                   // The leader forks: a child has no use for a follower. The follower waits meanwhile, or does the
                   // leader's part.
                   if (this_thread() == 0 && !forked) {
                     in_child = fork() == 0;
                     forked = true;
                   }
                   while (!forked) {
                   }
                   work(static_cast<std::uint64_t>(i));
                   if (in_child) tell[1]->loops.fetch_add(1);
                 },
                 {.batch = 1});
    // At least the leader's part of the loop ran: what its followers had claimed was lost.
    if (in_child) _exit(0);
    run_loops(*tell[0], 2);
  });
  EXPECT_TRUE(soon([&] { return tell[1]->loops > 10; }));
  EXPECT_TRUE(goes_on(*tell[0]) && goes_on(*tell[2]));
  EXPECT_EQ(tell[0]->wrong + tell[2]->wrong, 0u);
}

TEST_F(LoopJobs, AJobThatWaitsForAContextEndsAtOnce) {
  child busy([&](const child::say&) { run_loops(*tell[0], 2); });
  ASSERT_TRUE(goes_on(*tell[0]));
  child brief([&](const child::say& say) {
    run_loops(*tell[1], 4, {}, clock::now() + 100ms);
    const auto begin = clock::now();
    set_threads(3);
    const bool quickly = clock::now() - begin < 20s;
    run_loops(*tell[1], 4, {}, clock::now() + 20ms);
    say(quickly ? 'q' : 's');
    std::exit(0);
  });
  EXPECT_EQ(brief.hear(), 'q');
  const auto begin = clock::now();
  EXPECT_EQ(brief.status(), 0);
  EXPECT_LT(clock::now() - begin, 20s);
}
#endif

}  // namespace
}  // namespace callisto
