// Worker sets of several processes that share the machine: each gets its part of the contexts, one uses what another
// does not need, and none waits for a process that was killed.
#include "../cpuset.hpp"
#include "../forked_child.hpp"
#include "../processes.hpp"

#include <callisto/cosched/job.hpp>
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <callisto/workers/activations/create_workers.hpp>
#include <callisto/workers/activations/job_contexts.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

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
  std::atomic<std::uint64_t> turns{0};  ///< that the pipeline has taken
  std::atomic<bool> woken{false};
};

/// For one attached thread.
std::unique_ptr<worker_threads> set_among_others() {
  return create_workers({.workers = 2, .attached = 1, .coscheduled = true, .turn_ns = 100'000});
}

/// An attached thread and activations that spin at flags, in turns, until `stop`: some 10 us of work each.
void pipeline(told& t, const std::atomic<bool>& stop) {
  const auto set = set_among_others();
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
  const attached_here here(*set);
  const native_ticket ticket = (*set)->create_ticket(
      [](act& self, void* data, native_ticket of) {
        shared& mine = *static_cast<shared*>(data);
        const unsigned i = mine.begun.fetch_add(1);
        if (i + 1 >= members) mine.on->set_drained(of);
        if (i >= members) return;
        run_as(self, *mine.who[i], [&] { self.preemptible([&] { mine.step(i); }); });
      },
      &s, members);
  this_suspendable().preemptible([&] { s.step(members); });
  wait_complete(*set, ticket);
}

class JobContexts : public testing::Test {
 protected:
  void SetUp() override {
    if (!thread_identity::can_be_carried()) GTEST_SKIP() << "identities cannot be carried here";
    if (machine::limits::current().cpus.size() < 2) GTEST_SKIP() << "takes two contexts";
    setenv("CALLISTO_COSCHED_DIR", scratch.path().c_str(), 1);
    setenv("CALLISTO_COSCHED", "on", 1);
    // As jobs that the tests make themselves, whatever the nice level and the groups of the tests.
    setenv("CALLISTO_WEIGHT", "1", 1);
    void* const room = mmap(nullptr, sizeof(told) * 3, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(room, MAP_FAILED);
    tell = static_cast<told*>(room);
    for (int i = 0; i < 3; ++i) new (tell + i) told;
  }
  void TearDown() override {
    unsetenv("CALLISTO_COSCHED_DIR");
    unsetenv("CALLISTO_WEIGHT");
    setenv("CALLISTO_COSCHED", "off", 1);
  }

  /// Blocks until there are so many more turns; false after ten seconds.
  static bool goes_on(const told& t, std::uint64_t more) {
    const std::uint64_t before = t.turns;
    return soon([&] { return t.turns >= before + more; });
  }

  /// Blocks until f() comes true; false if it does not in time.
  static bool soon(const std::function<bool()>& f, std::chrono::milliseconds patience = 60s) {
    for (const auto end = std::chrono::steady_clock::now() + patience; !f(); std::this_thread::sleep_for(1ms)) {
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }

  static void run_for_ever(told& t) {
    static const std::atomic<bool> never{false};
    pipeline(t, never);
  }

  const machine::scratch_folder scratch;
  const std::string& folder = scratch.path();
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
  // Stopped and killed, they hold up no other job.
  a.kill(SIGSTOP);
  b.end();
  EXPECT_TRUE(goes_on(tell[2], 500));
  a.kill(SIGCONT);
  EXPECT_TRUE(goes_on(tell[0], 200));
}

/// A set that has nothing to do.
struct idle_user final : job_contexts::user {
  void look(bool, bool) override {}
  bool had_work(std::uint64_t) const override { return false; }
  bool is_over() const override { return false; }
};

/// Leaders decide by this what they leave to workers.
TEST_F(JobContexts, ContextsOfOnesOwnAreThoseThatWorkersCanHaveAtAnyTime) {
  const std::vector<unsigned> cpus = machine::limits::current().cpus;
  const std::vector<unsigned> contexts(cpus.begin(), cpus.begin() + 2);
  for (const bool weighty : {true, false}) {
    setenv("CALLISTO_WEIGHT", weighty ? "7" : "1", 1);
    std::string refusal;
    idle_user user;
    auto joined = job_contexts::join(contexts, refusal);
    unsetenv("CALLISTO_WEIGHT");
    ASSERT_NE(joined, nullptr) << refusal;
    context_owners<machine::native> owners(2, joined.get());  // ends after the threads of `mine`
    const auto mine = std::move(joined);
    mine->look_out(user, owners);
    EXPECT_EQ(mine->contexts_at_hand(2), 2u);
    for (unsigned c = 0; c < 2; ++c) EXPECT_FALSE(mine->may_be_asked(c)) << "alone";
    child other([&](const child::say& say) {
      std::string why;
      const auto job = cosched::job::join({.contexts = contexts, .main = 0, .weight = 1, .delays = {}}, {folder}, why);
      say(job != nullptr ? 'j' : 'n');
      pause();
    });
    ASSERT_EQ(other.hear(), 'j');
    EXPECT_TRUE(soon([&] { return mine->with_others(); }));
    EXPECT_EQ(mine->contexts_at_hand(2) == 2, weighty);
    // On a context where the other job has no part it does not ask, so ticks need not look.
    EXPECT_EQ(unsigned{mine->may_be_asked(0)} + unsigned{mine->may_be_asked(1)}, 1u);
  }
}

/// An activation that waits between two steps, and the leader that starts each step. The leader works itself meanwhile,
/// and goes on with the step if no worker has, as regions of OpenMP begin and end. Counts how many of the last 50 steps
/// ran beside the leader.
class short_steps {
 public:
  /// Runs until `enough` of 50 steps in a row did so, or twice as many of all, or the time is over, and returns whether
  /// they did. Where other programs have the processors in between, the two threads seldom run at once; without the
  /// context they never do. Calls look() every 50 steps.
  bool run(unsigned enough, std::chrono::milliseconds patience, const std::function<void()>& look) {
    const attached_here here(*set_);
    const native_ticket ticket = (*set_)->create_ticket(
        [](act& self, void* data, native_ticket of) {
          auto& mine = *static_cast<short_steps*>(data);
          (*mine.set_)->set_drained(of);
          run_as(self, mine.identity_, [&] { self.preemptible([&] { mine.follow(self); }); });
        },
        this, 1);
    bool sees_enough = false;
    unsigned all = 0;
    for (const auto end = std::chrono::steady_clock::now() + patience;
         !sees_enough && std::chrono::steady_clock::now() < end;) {
      unsigned beside = 0;
      for (int i = 0; i < 50; ++i) beside += step() ? 1 : 0;
      look();
      all += beside;
      sees_enough = beside >= enough || all >= 2 * enough;
    }
    write(started_, last_step);
    wait_complete(*set_, ticket);
    return sees_enough;
  }

 private:
  static constexpr std::uint64_t last_step = ~std::uint64_t{0};

  static void compute(std::chrono::microseconds time) {
    for (const auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < time;) {
    }
  }
  void write(svar<native>& v, std::uint64_t value) {
    const std::scoped_lock held(latch_);
    v.write(value);
  }
  /// Lasts longer than an activation spins for the next step.
  bool step() {
    compute(200us);
    const std::uint64_t number = started_.read() + 1;
    write(started_, number);
    this_suspendable().give_way();
    leads_ = true;
    compute(500us);
    leads_ = false;
    sync_wait_value(ended_, [&](std::uint64_t v) { return v == number; }, this_suspendable());
    return beside_;
  }
  void follow(act& self) {
    for (std::uint64_t number = 1;; ++number) {
      const suspendable<native>::shielded shield(self);
      if (sync_wait_value(started_, [&](std::uint64_t v) { return v >= number; }, self) == last_step) return;
      compute(300us);
      beside_ = leads_.load();
      write(ended_, number);
    }
  }

  const std::unique_ptr<worker_threads> set_ = set_among_others();
  thread_identity identity_;
  latch<native> latch_;
  svar<native> started_{latch_, 0};
  svar<native> ended_{latch_, 0};
  std::atomic<bool> leads_{false};
  bool beside_ = false;
};

/// A worker that wakes up too late for the work still borrows the context, for the work to come.
TEST_F(JobContexts, AnIdleContextIsBorrowedForWorkThatIsSoonDone) {
  unsetenv("CALLISTO_COSCHED");
  child other([&](const child::say& say) {
    std::string why;
    const auto job = cosched::job::join(
        {.contexts = machine::limits::current().cpus, .main = {}, .weight = 1, .delays = {}}, {folder}, why);
    say(job != nullptr ? 'j' : 'n');
    pause();
  });
  ASSERT_EQ(other.hear(), 'j');
  std::string refusal;
  const auto table = cosched::table_reader::visit({folder}, refusal);
  ASSERT_NE(table, nullptr) << refusal;
  bool stood_aside = false;
  const bool borrowed = short_steps().run(40, 60s, [&] {
    for (const auto& job : table->jobs()) stood_aside |= job.aside != cosched::aside::no;
  });
  // Beside programs that are no jobs and want each context, the job borrows none, as it is to.
  if (!borrowed && stood_aside) GTEST_SKIP() << "other programs had the contexts: the job stood aside";
  EXPECT_TRUE(borrowed);
}

/// Beside programs that are no jobs, on each context, two jobs run as if they did not share, and say so.
TEST_F(JobContexts, StandAsideBesideProgramsThatAreNoJobs) {
  unsetenv("CALLISTO_COSCHED");
  std::vector<std::unique_ptr<child>> outsiders;
  for (const unsigned context : machine::limits::current().cpus) {
    outsiders.push_back(std::make_unique<child>([context](const child::say&) {
      machine::pin_this_thread(context);
      for (std::uint64_t i = 0;; ++i) asm volatile("" : "+r"(i));
    }));
  }
  child a([&](const child::say&) { run_for_ever(tell[0]); });
  child b([&](const child::say&) { run_for_ever(tell[1]); });
  ASSERT_TRUE(goes_on(tell[0], 10));
  ASSERT_TRUE(goes_on(tell[1], 10));
  std::string refusal;
  const auto table = cosched::table_reader::visit({folder}, refusal);
  ASSERT_NE(table, nullptr) << refusal;
  EXPECT_TRUE(soon([&] {
    unsigned aside = 0;
    for (const auto& job : table->jobs()) aside += job.aside == cosched::aside::outsiders ? 1 : 0;
    return aside == 2;
  }));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(goes_on(tell[i], 100)) << i;
  // They have given back what they had.
  EXPECT_TRUE(soon([&] {
    for (const auto& context : table->contexts()) {
      if (context.runs < cosched::max_jobs && !context.idle) return false;
    }
    return true;
  }));
}

/// A job without work takes no context from one that has work.
TEST_F(JobContexts, StandAsideWithoutWork) {
  unsetenv("CALLISTO_COSCHED");
  child busy([&](const child::say&) { run_for_ever(tell[0]); });
  ASSERT_TRUE(goes_on(tell[0], 50));
  child idle([&](const child::say& say) {
    const auto set = set_among_others();
    say('j');
    pause();
  });
  ASSERT_EQ(idle.hear(), 'j');
  std::string refusal;
  const auto table = cosched::table_reader::visit({folder}, refusal);
  ASSERT_NE(table, nullptr) << refusal;
  EXPECT_TRUE(soon([&] {
    for (const auto& job : table->jobs()) {
      if (job.pid == static_cast<std::uint64_t>(idle.pid())) return job.aside != cosched::aside::no;
    }
    return false;
  }));
  EXPECT_TRUE(goes_on(tell[0], 100));
}

/// Where the kernel can wait for two words; else the thread looks on, ten times a second.
TEST_F(JobContexts, ALookoutThreadRestsWhileNoThreadHasWork) {
  const std::unique_ptr<worker_threads> set = set_among_others();
  struct shared {
    worker_threads& on;
    std::atomic<unsigned> ran{0};
  } all{*set};
  const auto work = [&] {
    const attached_here here(*set);
    wait_complete(*set, (*set)->create_ticket(
                            [](act&, void* data, native_ticket of) {
                              auto& mine = *static_cast<shared*>(data);
                              mine.on->set_drained(of);
                              mine.ran.fetch_add(1);
                            },
                            &all, 1));
  };
  pid_t lookout = 0;
  ASSERT_TRUE(soon([&] { return (lookout = tests::thread_named(getpid(), "lookout")) != 0; }));
  const auto woken = [&] { return tests::switches_of(getpid(), lookout); };
  native::atomic<std::uint64_t> word{1};
  if (!machine::park_shared_or_own(word, 0, word, 0)) GTEST_SKIP() << "the kernel has no futex_waitv";
  for (unsigned round = 1; round <= 3; ++round) {
    work();
    EXPECT_GE(all.ran, round);
    EXPECT_TRUE(soon([&] {
      const std::uint64_t before = woken();
      std::this_thread::sleep_for(500ms);
      return woken() == before;
    })) << "it still looks after round "
        << round;
    // A job that comes is seen in spite of that.
    const std::uint64_t before = woken();
    std::string why;
    const auto other = cosched::job::join(
        {.contexts = machine::limits::current().cpus, .main = {}, .weight = 1, .delays = {}}, {folder}, why);
    ASSERT_NE(other, nullptr) << why;
    EXPECT_TRUE(soon([&] { return woken() > before; }));
  }
}

// An hour stands for a time that never comes, a nanosecond for one that has come.
TEST_F(JobContexts, AShortProgramJoinsNoJobsAndALongOneDoes) {
  setenv("CALLISTO_COSCHED", "", 1);
  const auto joins_after = [](std::uint64_t nanoseconds) {
    return create_workers({.workers = 2, .attached = 1, .coscheduled = true, .joins_after_ns = nanoseconds});
  };
  const std::string table = scratch.path() + "/" + cosched::table_name();
  {
    const auto set = joins_after(3'600'000'000'000);
    set->before_fork();
    set->after_fork();
    set->leave_other_jobs();
    set->leave_other_jobs();
  }
  {
    const auto set = joins_after(3'600'000'000'000);
  }
  EXPECT_NE(access(table.c_str(), F_OK), 0) << "it had joined";
  {
    const auto set = joins_after(1);
    EXPECT_TRUE(soon([&] { return access(table.c_str(), F_OK) == 0; }));
    set->before_fork();
    set->after_fork();
    set->leave_other_jobs();
  }
  // Not while the process forks.
  std::filesystem::remove(table);
  const auto set = joins_after(1'000'000);
  set->before_fork();
  const bool had_joined = access(table.c_str(), F_OK) == 0;
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(access(table.c_str(), F_OK) == 0, had_joined);
  set->after_fork();
  EXPECT_TRUE(soon([&] { return access(table.c_str(), F_OK) == 0; }));
}

TEST_F(JobContexts, AProcessThatWantsAWordJoinsAtOnce) {
  const auto set =
      create_workers({.workers = 2, .attached = 1, .coscheduled = true, .joins_after_ns = 3'600'000'000'000});
  EXPECT_EQ(access((scratch.path() + "/" + cosched::table_name()).c_str(), F_OK), 0);
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

TEST_F(JobContexts, AnOwnerThatWakesUpWithoutAWordHasItsContextAgain) {
  child owner([&](const child::say& say) {
    std::string refusal;
    const auto me = cosched::job::join(
        {.contexts = machine::affinity_at_start(), .main = machine::affinity_at_start().front()}, {folder}, refusal);
    if (me == nullptr) return;
    machine::pin_this_thread(me->main_context());
    cosched::job::seat here(*me, me->main_context());
    here.take([] { return false; });
    say(static_cast<char>('0' + me->main_context()));
    while (!tell[0].woken) std::this_thread::sleep_for(20ms);
    // This code does not look at the table.
    for (std::uint64_t i = 0;; ++i) asm volatile("" : "+r"(i));
  });
  const auto context = static_cast<unsigned>(owner.hear() - '0');
  ASSERT_LT(context, 79u);
  // Without a word, only the proxy threads of workers that have borrowed the context look for it.
  setenv("CALLISTO_P_HIGH", "1s", 1);
  child set([&](const child::say&) { run_for_ever(tell[1]); });
  unsetenv("CALLISTO_P_HIGH");
  ASSERT_TRUE(goes_on(tell[1], 100));
  std::string refusal;
  const auto table = cosched::table_reader::visit({folder}, refusal);
  ASSERT_NE(table, nullptr) << refusal;
  const auto pid_there = [&]() -> std::uint64_t {
    const unsigned runs = table->contexts().at(context).runs;
    for (const auto& job : table->jobs()) {
      if (job.number == runs) return job.pid;
    }
    return 0;
  };
  ASSERT_TRUE(soon([&] { return pid_there() == static_cast<std::uint64_t>(set.pid()); })) << "it is borrowed";
  tell[0].woken = true;
  // Other programs at work on the context may keep the owner from running for a time, so that the set borrows it again.
  const auto stays_away = [&] {
    for (unsigned looks = 0; looks < 20; ++looks, std::this_thread::sleep_for(1ms)) {
      if (pid_there() == static_cast<std::uint64_t>(set.pid())) return false;
    }
    return true;
  };
  EXPECT_TRUE(soon(stays_away));
  EXPECT_TRUE(goes_on(tell[1], 100)) << "elsewhere";
}

TEST_F(JobContexts, AWorkerThatDoesNotAnswerIsMovedOffAndComesBack) {
  if (machine::affinity_at_start().size() != 2) GTEST_SKIP() << "expects two contexts";
  child set([&](const child::say&) {
    const auto workers = create_workers({.workers = 2, .attached = 1, .coscheduled = true, .turn_ns = 100'000});
    // Activations that do not step aside, each longer than an owner waits.
    (*workers)->create_ticket(
        [](act&, void* data, native_ticket) {
          static_cast<told*>(data)->turns.fetch_add(1);
          for (const auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < 60ms;) {
          }
        },
        &tell[0], 2);
    pause();
  });
  ASSERT_TRUE(goes_on(tell[0], 4));
  std::array<pid_t, 2> workers{};
  for (unsigned w = 0; w < 2; ++w) workers[w] = tests::thread_named(set.pid(), "worker-" + std::to_string(w));
  std::string refusal;
  for (int round = 0; round < 3; ++round) {
    pid_t there = 0;
    std::vector<unsigned> home;
    {
      const auto me = cosched::job::join(
          {.contexts = machine::affinity_at_start(), .main = machine::affinity_at_start().front()}, {folder}, refusal);
      ASSERT_NE(me, nullptr) << refusal;
      home = {me->main_context()};
      for (const pid_t w : workers) {
        if (tests::affinity_of(w) == home) there = w;
      }
      ASSERT_NE(there, 0);
      // The lookout thread sees that there are others, and has proxy threads tell which thread runs, at its next
      // request.
      std::this_thread::sleep_for(300ms);
      bool moved = false;
      for (int attempt = 0; attempt < 10 && !moved; ++attempt) {
        cosched::job::seat here(*me, home[0]);
        ASSERT_TRUE(here.take([] { return false; }));
        // If it gave way between two activations, it waits.
        moved = tests::affinity_of(there) != home;
        here.idle();
        std::this_thread::sleep_for(50ms);
      }
      EXPECT_TRUE(moved) << "round " << round;
    }
    EXPECT_TRUE(soon([&] { return tests::affinity_of(there) == home; })) << "round " << round;
    EXPECT_TRUE(goes_on(tell[0], 4));
  }
}

TEST_F(JobContexts, AContextThatIsTakenFromTheProcessIsUsedAgainWhenItIsBack) {
  const std::vector<unsigned> all = machine::affinity_at_start();
  if (all.size() != 2) GTEST_SKIP() << "expects two contexts";
  tests::cpuset group;
  if (!group.made()) GTEST_SKIP() << "no control group can be made here: " << group.why_not();
  const std::string both = std::to_string(all[0]) + "," + std::to_string(all[1]);
  for (const unsigned left : all) {
    for (int i = 0; i < 2; ++i) tell[i].turns = 0;
    ASSERT_TRUE(group.limit_to(both));
    child a([&](const child::say&) { run_for_ever(tell[0]); });
    ASSERT_TRUE(group.add(a.pid()));
    ASSERT_TRUE(goes_on(tell[0], 50));
    ASSERT_TRUE(group.limit_to(std::to_string(left)));
    EXPECT_TRUE(goes_on(tell[0], 50)) << "with " << left;
    child b([&](const child::say&) { run_for_ever(tell[1]); });
    EXPECT_TRUE(goes_on(tell[1], 50));
    EXPECT_TRUE(soon([&] { return tests::contexts_of(folder, a.pid()) == std::vector{left}; }));
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(goes_on(tell[i], 200)) << i << " with " << left;
    ASSERT_TRUE(group.limit_to(both));
    EXPECT_TRUE(soon([&] { return tests::contexts_of(folder, a.pid()) == all; }));
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(goes_on(tell[i], 200)) << i;
  }
}

}  // namespace
}  // namespace callisto::workers
