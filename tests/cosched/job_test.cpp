// Jobs as real processes: joining, killing, stopping, forking, exec, damage to the table, places that refuse it.
#include <callisto/cosched/job.hpp>
#include <callisto/cosched/table_reader.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/priority.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include "../forked_child.hpp"
#include "../processes.hpp"
#include "../sanitizers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::cosched {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using machine::shared_file;

/// The promised time, and room for a machine that is busy with other things; benchmarks show how soon it is on a quiet
/// one.
constexpr auto soon = 20s;

bool never() { return false; }

using tests::affinity_of;
using tests::child;

class Jobs : public testing::Test {
 protected:
  std::string path() const { return folder + "/" + table_name(); }

  std::unique_ptr<job> join(bool with_main = true) {
    membership how{.contexts = {context}, .main = std::nullopt};
    if (with_main) how.main = context;
    return job::join(how, {folder}, refusal);
  }

  /// Joins, takes the context, says 'r', then checks in for ever, saying 'l' when it is lost and 'r' when it is back.
  void run_and_poll_lease(const child::say& say, bool with_main) {
    const auto me = join(with_main);
    if (me == nullptr) _exit(2);
    job::seat here(*me, context);
    for (;;) {
      here.take(never);
      say('r');
      while (here.undisturbed() || here.keep()) {
      }
      say('l');
    }
  }

  /// Joins, takes the context, says 'r', and never looks at the table again.
  void run_away(const child::say& say, bool with_main = false) {
    const auto me = join(with_main);
    if (me == nullptr) _exit(2);
    job::seat here(*me, context);
    here.take(never);
    say('r');
    for (;;) pause();
  }

  /// Overwrites the table's file from another process, since closing it here would drop this one's locks.
  template <class F>
  void meddle(F f) {
    child meddler([&](const child::say&) {
      shared_file file(path(), sizeof(shared_table), shared_file::access::write);
      f(file.data());
    });
    ASSERT_EQ(meddler.status(), 0);
  }

  const machine::scratch_folder scratch;
  const std::string& folder = scratch.path();
  std::string refusal;
  const unsigned context = machine::affinity_at_start().front();
};

TEST_F(Jobs, DoNotTakeTheDescriptorOfAClosedOutput) {
  child closed([this](const child::say&) {
    close(STDOUT_FILENO);
    const auto me = join();
    const bool is_free = fcntl(STDOUT_FILENO, F_GETFD) == -1 && errno == EBADF;
    _exit(me == nullptr ? 2 : is_free ? 0 : 1);
  });
  EXPECT_EQ(closed.status(), 0);
}

/// A job stands aside while it would take turns, if its threads wait for other processes, and shares otherwise.
TEST_F(Jobs, ARankDoesNotTakeTurns) {
  const auto rank =
      job::join({.contexts = {context}, .main = context, .weight = 1, .may_step_aside = true, .takes_turns = false},
                {folder}, refusal);
  ASSERT_NE(rank, nullptr) << refusal;
  const auto table = table_reader::visit({folder}, refusal);
  ASSERT_NE(table, nullptr) << refusal;
  // Waits by working, so that the job is not light: its weight is a thousandth of the other's, and so is its share.
  const auto becomes = [&](aside wanted) {
    const auto end = clock::now() + soon;
    while (clock::now() < end) {
      rank->stands_aside();
      for (const auto& j : table->jobs()) {
        if (j.pid == static_cast<std::uint64_t>(getpid()) && j.aside == wanted) return true;
      }
    }
    return false;
  };
  const std::string go = folder + "/go";
  child other([&](const child::say& say) {
    auto me = job::join({.contexts = {context}, .main = context, .weight = max_weight}, {folder}, refusal);
    if (me == nullptr) _exit(2);
    say('r');
    while (!fs::exists(go)) usleep(1000);
    me.reset();
    _exit(0);
  });
  ASSERT_EQ(other.hear(), 'r');
  EXPECT_TRUE(becomes(aside::crowded));
  EXPECT_TRUE(rank->stands_aside());
  std::ofstream(go).put('\n');
  EXPECT_EQ(other.status(), 0);
  EXPECT_TRUE(becomes(aside::no));
}

TEST_F(Jobs, TheTableIsThisUsersOnly) {
  umask(0);
  const auto me = join();
  umask(022);
  ASSERT_NE(me, nullptr) << refusal;
  EXPECT_EQ(me->path(), path());
  struct stat is{};
  ASSERT_EQ(stat(path().c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 07777, 0600u);
  EXPECT_EQ(is.st_size, static_cast<off_t>(sizeof(shared_table)));
}

TEST_F(Jobs, AJobStoppedWhileMakingTheTableDelaysNoOther) {
  child makes([&](const child::say& say) {
    const shared_file file(path(), sizeof(shared_table), shared_file::access::create);
    say(file.try_lock(shared_table::header_lock) ? 'r' : 'n');
    for (;;) pause();
  });
  ASSERT_EQ(makes.hear(), 'r');
  const auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  EXPECT_EQ(me->main_context(), context);
}

TEST_F(Jobs, AloneTheContextIsThereAtOnce) {
  const auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  EXPECT_EQ(me->main_context(), context);
  job::seat here(*me, context);
  EXPECT_FALSE(here.undisturbed());
  ASSERT_TRUE(here.take(never));
  EXPECT_TRUE(here.undisturbed());
  here.idle();
  EXPECT_FALSE(here.undisturbed());
  EXPECT_TRUE(here.take(never));
}

TEST_F(Jobs, EachHasASlotOfItsOwn) {
  const auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  child other([&](const child::say& say) {
    const auto it = join();
    say(it == nullptr ? 'x' : static_cast<char>('0' + it->number()));
    pause();
  });
  EXPECT_EQ(me->number(), 0u);
  EXPECT_EQ(other.hear(), '1');
  other.end();
  child third([&](const child::say& say) {
    const auto it = join();
    say(it == nullptr ? 'x' : static_cast<char>('0' + it->number()));
  });
  EXPECT_EQ(third.hear(), '1') << "the slot of one that was killed is used again";
}

TEST_F(Jobs, ABorrowerThatChecksInGivesWay) {
  child borrower([&](const child::say& say) { run_and_poll_lease(say, false); });
  ASSERT_EQ(borrower.hear(), 'r');
  const auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  job::seat here(*me, context);
  for (int i = 0; i < 20; ++i) {
    const auto begin = clock::now();
    ASSERT_TRUE(here.take(never));
    EXPECT_LT(clock::now() - begin, soon);
    // This job stays awake: if it slept as a whole, others would take the context.
    for (const auto taken = clock::now(); clock::now() - taken < 2ms;) {
    }
    ASSERT_EQ(borrower.hear(), 'l');
    ASSERT_TRUE(here.undisturbed());
    const auto idle = clock::now();
    here.idle();
    ASSERT_EQ(borrower.hear(), 'r');
    EXPECT_GE(clock::now() - idle, 9ms) << "H_high";
    EXPECT_LT(clock::now() - idle, soon);
  }
}

TEST_F(Jobs, WhatAKilledJobHeldIsTaken) {
  const auto me = join(false);  // never has priority, so waits for the other
  ASSERT_NE(me, nullptr) << refusal;
  for (int i = 0; i < 5; ++i) {
    child owner([&](const child::say& say) { run_and_poll_lease(say, true); });
    ASSERT_EQ(owner.hear(), 'r');
    job::seat here(*me, context);
    EXPECT_FALSE(here.take([begin = clock::now()] { return clock::now() - begin > 60ms; })) << "while it lives";
    owner.end();
    const auto begin = clock::now();
    ASSERT_TRUE(here.take(never));
    EXPECT_LT(clock::now() - begin, soon);
  }
}

TEST_F(Jobs, AJobThatCallsExecHasEnded) {
  const auto me = join(false);
  ASSERT_NE(me, nullptr) << refusal;
  child owner([&](const child::say& say) {
    const auto it = join();
    job::seat there(*it, context);
    there.take(never);
    say('r');
    execl("/bin/sleep", "sleep", "1000", nullptr);
  });
  ASSERT_EQ(owner.hear(), 'r');
  const auto begin = clock::now();
  job::seat here(*me, context);
  ASSERT_TRUE(here.take(never));
  EXPECT_LT(clock::now() - begin, soon);
}

TEST_F(Jobs, AHolderThatDoesNotCheckInIsRoutedAround) {
  child runaway([&](const child::say& say) { run_away(say); });
  ASSERT_EQ(runaway.hear(), 'r');
  const auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  job::seat here(*me, context);
  const auto begin = clock::now();
  ASSERT_TRUE(here.take(never));
  EXPECT_GE(clock::now() - begin, 9ms);
  EXPECT_LT(clock::now() - begin, soon);
}

TEST_F(Jobs, AHolderThatIsAskedMayFinishSomethingBeforeItGives) {
  const auto me = join(false);
  ASSERT_NE(me, nullptr) << refusal;
  job::seat here(*me, context);
  ASSERT_TRUE(here.take(never));
  child owner([&](const child::say& say) { run_and_poll_lease(say, true); });
  const auto begin = clock::now();
  while (here.undisturbed() || here.keep(false)) ASSERT_LT(clock::now() - begin, 60s);
  EXPECT_FALSE(here.keep(false));
  EXPECT_FALSE(here.keep());
  EXPECT_EQ(owner.hear(), 'r');
  EXPECT_FALSE(here.keep());
}

// The system may let the job wait for long before it can ask for the context by itself.
TEST_F(Jobs, AJobThatJoinsIsGivenTheContextOfItsMainThread) {
  const auto me = join(false);
  ASSERT_NE(me, nullptr) << refusal;
  job::seat here(*me, context);
  ASSERT_TRUE(here.take(never));
  child newcomer([&](const child::say& say) {
    const auto it = join();
    say(it != nullptr ? 'j' : 'n');
    for (;;) pause();
  });
  EXPECT_EQ(newcomer.hear(), 'j');
  const auto begin = clock::now();
  while (here.undisturbed() || here.keep()) ASSERT_LT(clock::now() - begin, 60s) << "it never asks";
}

TEST_F(Jobs, AHolderThatDoesNotAnswerGoesToTheContextOfItsMainThread) {
  const std::vector<unsigned> contexts = machine::affinity_at_start();
  if (contexts.size() < 2) GTEST_SKIP() << "expects two contexts";
  const unsigned theirs = contexts[0];
  const unsigned ours = contexts[1];
  const auto run_away_on_ours = [&](const child::say& say, int thread) {
    const auto it = job::join({.contexts = {theirs, ours}, .main = theirs}, {folder}, refusal);
    if (it == nullptr) _exit(2);
    machine::pin_this_thread(ours);
    job::seat there(*it, ours, thread);
    there.take(never);
    say('r');
    while (affinity_of(0) == std::vector{ours}) {  // computes, and never looks at the table
    }
    // The first look, as late as it comes.
    say(there.keep() ? 'n' : 'y');
    pause();
  };
  const auto take = [&] {
    const auto me = job::join({.contexts = {ours}, .main = ours}, {folder}, refusal);
    ASSERT_NE(me, nullptr) << refusal;
    job::seat here(*me, ours);
    ASSERT_TRUE(here.take(never));
  };
  {
    child runaway([&](const child::say& say) { run_away_on_ours(say, gettid()); });
    ASSERT_EQ(runaway.hear(), 'r');
    take();
    EXPECT_EQ(affinity_of(runaway.pid()), std::vector{theirs});
    EXPECT_EQ(runaway.hear(), 'y') << "it finds out";
  }
  {
    child runaway([&](const child::say& say) { run_away_on_ours(say, 0); });
    ASSERT_EQ(runaway.hear(), 'r');
    take();
    EXPECT_EQ(affinity_of(runaway.pid()), std::vector{ours}) << "one that may not be moved";
  }
  {
    // The table is damaged: it names a thread of this very process.
    child runaway([&](const child::say& say) { run_away_on_ours(say, 0); });
    ASSERT_EQ(runaway.hear(), 'r');
    meddle([&](std::byte* data) {
      reinterpret_cast<shared_table*>(data)->at(ours).set_thread(0, static_cast<std::uint32_t>(getppid()));
    });
    const std::vector<unsigned> before = affinity_of(0);
    take();
    EXPECT_EQ(affinity_of(0), before) << "nobody moves threads of other processes";
  }
}

#if defined(CALLISTO_CHILDREN_WORK)
TEST_F(Jobs, AJobThatWaitsForAProcessorDoesNotSleep) {
  child sleeps([](const child::say& say) {
    say('r');
    for (;;) pause();
  });
  // Its first thread sleeps, another one computes.
  child computes([](const child::say& say) {
    pthread_t other{};
    pthread_create(
        &other, nullptr,
        [](void*) -> void* {
          for (;;) asm volatile("");
        },
        nullptr);
    say('r');
    for (;;) pause();
  });
  ASSERT_EQ(sleeps.hear(), 'r');
  ASSERT_EQ(computes.hear(), 'r');
  usleep(50'000);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(machine::could_run(computes.pid()));
    EXPECT_FALSE(machine::could_run(sleeps.pid()));
  }
  const pid_t ended = computes.pid();
  computes.end();
  EXPECT_FALSE(machine::could_run(ended));
}
#endif

/// What an owner reports that computes and sleeps by turns without looking at the table.
struct bursts {
  std::atomic<bool> computes;
};

/// Returns the processor time that the calling thread has used.
std::chrono::nanoseconds processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

TEST_F(Jobs, AJobThatSleepsBetweenBurstsLendsMeanwhile) {
  void* const room = mmap(nullptr, sizeof(bursts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  auto& told = *new (room) bursts{};
  const auto me = join(false);
  ASSERT_NE(me, nullptr) << refusal;
  child owner([&](const child::say& say) {
    const auto it = join();
    job::seat there(*it, context);
    there.take(never);
    say('r');
    for (;;) {
      told.computes.store(true);
      for (const auto begin = clock::now(); clock::now() - begin < 20ms;) {
      }
      told.computes.store(false);
      usleep(100'000);
    }
  });
  ASSERT_EQ(owner.hear(), 'r');
  job::seat here(*me, context);
  clock::duration had{};
  // Compares processor time, since a busy machine makes both wait for others.
  std::chrono::nanoseconds used{};
  std::chrono::nanoseconds beside{};
  const auto begin = clock::now();
  for (auto now = begin; now - begin < 1500ms;) {
    if (!here.take([&] { return clock::now() - begin > 2s; })) break;
    auto looked = clock::now();
    auto ran = processor_time();
    for (auto last = looked; clock::now() - begin < 1500ms; last = now) {
      now = clock::now();
      had += now - last;
      const auto ran_since = processor_time() - ran;
      used += ran_since;
      if (told.computes.load()) beside += ran_since;
      ran += ran_since;
      const bool due = now - looked > (here.look_within() != 0 ? std::chrono::nanoseconds(here.look_within()) : 100ms);
      if (due) looked = now;
      if ((due || !here.undisturbed()) && !here.keep()) break;
    }
    now = clock::now();
  }
  // The owner sleeps for five sixths of the time, and is known to sleep after H_high, or twice that.
  EXPECT_GT(had, (clock::now() - begin) * (tests::sanitized ? 1 : 2) / 5);
  EXPECT_LT(beside, used / 4) << "and has it back when it wakes up, though it does not ask";
  munmap(room, sizeof(bursts));
}

/// Each look costs about ten microseconds of the lent context, and of the owner's account in the kernel.
TEST_F(Jobs, AJobThatSleepsForLongIsLookedAtRarely) {
  const auto me = join(false);
  ASSERT_NE(me, nullptr) << refusal;
  child owner([&](const child::say& say) { run_away(say, true); });
  ASSERT_EQ(owner.hear(), 'r');
  // A thread that sleeps may have its last steps before it, and a sanitizer's threads wake now and then.
  owner.stop();
  const auto begin = clock::now();
  job::seat here(*me, context);
  ASSERT_TRUE(here.take(never));
  const timing usual;
  EXPECT_EQ(here.look_within(), usual.p_low);
  std::uint64_t longest = 0;
  while (clock::now() - begin < 60s && longest < usual.h_high) {
    const std::uint64_t within = here.look_within();
    ASSERT_NE(within, 0u);
    EXPECT_LE(within, usual.h_high);
    // At most a 64th part of what the job has slept for, as far as it is known.
    if (within > usual.p_low) {
      EXPECT_LE(within, std::chrono::nanoseconds(clock::now() - begin).count() / 64u);
    }
    longest = std::max(longest, within);
    std::this_thread::sleep_for(std::chrono::nanoseconds(within));
    here.look_at_owner();
  }
  EXPECT_EQ(longest, usual.h_high);
}

TEST_F(Jobs, AStoppedJobsContextIsLentAndItFindsOut) {
  const auto me = join(false);
  ASSERT_NE(me, nullptr) << refusal;
  child owner([&](const child::say& say) { run_and_poll_lease(say, true); });
  ASSERT_EQ(owner.hear(), 'r');
  owner.kill(SIGSTOP);
  job::seat here(*me, context);
  const auto begin = clock::now();
  ASSERT_TRUE(here.take(never));
  EXPECT_LT(clock::now() - begin, soon);
  EXPECT_TRUE(here.undisturbed());
  owner.kill(SIGCONT);
  EXPECT_EQ(owner.hear(), 'l');
  const auto back = clock::now();
  while (here.undisturbed() || here.keep()) ASSERT_LT(clock::now() - back, 60s);
  EXPECT_EQ(owner.hear(), 'r');
  EXPECT_LT(clock::now() - back, soon);
}

TEST_F(Jobs, AnotherProcessWithTheSameNumberIsNotTheJob) {
  const auto first = join();
  ASSERT_NE(first, nullptr) << refusal;
  // A slot that says that this very process, which lives, has it; but no process holds its lock.
  meddle([](std::byte* data) {
    reinterpret_cast<shared_table*>(data)->write(
        7, {.pid = static_cast<std::uint64_t>(getppid()), .start = 1, .weight = 1, .main = 1});
  });
  child second([&](const child::say& say) {
    const auto it = join();
    say(it != nullptr && it->number() == 1 ? 'y' : 'n');
    // The table as a reader sees it. It ends with this process, and so do its locks.
    shared_file file(path(), sizeof(shared_table), shared_file::access::read);
    say(reinterpret_cast<const shared_table*>(file.data())->record_of(7) ? 'n' : 'y');
    say(reinterpret_cast<const shared_table*>(file.data())->record_of(0) ? 'y' : 'n');
  });
  EXPECT_EQ(second.hear(), 'y');
  EXPECT_EQ(second.hear(), 'y') << "cleared by the one who joined";
  EXPECT_EQ(second.hear(), 'y') << "this process's own stays";
}

TEST_F(Jobs, AChildOfForkIsNoMember) {
  auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  child forked([&](const child::say& say) {
    job::abandon(std::move(me));
    const auto it = join();
    say(it == nullptr ? 'x' : static_cast<char>('0' + it->number()));
  });
  EXPECT_EQ(forked.hear(), '1');
  EXPECT_EQ(forked.status(), 0);
  // Its end has not ended the parent's membership.
  child other([&](const child::say& say) {
    const auto it = join();
    say(it == nullptr ? 'x' : static_cast<char>('0' + it->number()));
  });
  EXPECT_EQ(other.hear(), '1');
}

TEST_F(Jobs, AJobRepairsItsSlot) {
  const auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  me->look_after();
  EXPECT_EQ(me->repairs(), 0u);
  meddle([](std::byte* data) {
    reinterpret_cast<shared_table*>(data)->write(0, {.pid = 1, .start = 2, .weight = 99999, .main = 77777});
  });
  me->look_after();
  EXPECT_EQ(me->repairs(), 1u);
  EXPECT_TRUE(me->member());
  me->set_weight(3);
  me->look_after();
  EXPECT_EQ(me->repairs(), 1u);
}

TEST_F(Jobs, AJobsShareFollowsTheNiceLevelOfItsProcess) {
  const membership how{.contexts = {context}, .main = context, .follows_priority = true};
  const auto told = [this](unsigned number) {
    std::string why;
    const auto table = table_reader::visit({folder}, why);
    for (const job_picture& p : table->jobs()) {
      if (p.number == number) return p.priority;
    }
    return 0u;
  };
  child nice([&](const child::say& say) {
    const auto it = job::join(how, {folder}, refusal);
    const unsigned before = told(it->number());
    if (setpriority(PRIO_PROCESS, 0, 19) != 0) _exit(2);
    it->look_after();
    const unsigned after = told(it->number());
    // A weight that is set counts as it is.
    it->set_weight(3);
    it->look_after();
    say(after * 20 < before && told(it->number()) == machine::usual_priority ? 'y' : 'n');
  });
  EXPECT_EQ(nice.hear(), 'y');
  EXPECT_EQ(nice.status(), 0);
}

TEST_F(Jobs, AChildThatGaveUpItsRightsCannotReachTheTable) {
  auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  job::seat here(*me, context);
  ASSERT_TRUE(here.take(never));
  // What a thread of the parent holds stays readable in the child, which may be in a loop; what the child writes there
  // stays its own, and it has no descriptor of the file.
  auto* const word = const_cast<machine::native::atomic<std::uint64_t>*>(&here.word());
  const std::uint64_t before = word->load(machine::order::relaxed);
  child forked([&](const child::say& say) {
    job::abandon(std::move(me));
    bool open = false;
    for (int fd = 3; fd < 64; ++fd) {
      struct stat is{};
      struct stat table{};
      open = open || (fstat(fd, &is) == 0 && stat(path().c_str(), &table) == 0 && is.st_ino == table.st_ino);
    }
    const bool same = word->load(machine::order::relaxed) == before;
    word->store(~std::uint64_t{0}, machine::order::relaxed);
    say(same && !open ? 'y' : 'n');
  });
  EXPECT_EQ(forked.hear(), 'y');
  EXPECT_EQ(forked.status(), 0);
  EXPECT_EQ(word->load(machine::order::relaxed), before);
}

TEST_F(Jobs, AFileWithTwoNamesIsRefused) {
  {
    const auto me = join();
  }
  fs::create_hard_link(path(), path() + "-too");
  EXPECT_EQ(join(), nullptr);
  EXPECT_EQ(refusal, path() + ": has 2 names, expected one");
}

TEST_F(Jobs, AJobThatClosesTheDescriptorIsOut) {
  child careless([&](const child::say& say) {
    const auto it = join();
    job::seat there(*it, context);
    there.take(never);
    for (int fd = 3; fd < 64; ++fd) {
      struct stat is{};
      if (fstat(fd, &is) == 0 && S_ISREG(is.st_mode)) close(fd);
    }
    it->look_after();
    // This child goes on as if there were no table.
    say(!it->member() && there.keep() && there.take(never) ? 'y' : 'n');
  });
  EXPECT_EQ(careless.hear(), 'y');
  EXPECT_EQ(careless.status(), 0);
}

TEST_F(Jobs, NoMoreThanThereAreSlots) {
  std::vector<std::unique_ptr<child>> all;
  for (unsigned j = 0; j < max_jobs; ++j) {
    all.push_back(std::make_unique<child>([&](const child::say& say) {
      const auto it = join();
      say(it != nullptr ? 'r' : 'x');
      pause();
    }));
    ASSERT_EQ(all.back()->hear(), 'r') << j;
  }
  EXPECT_EQ(join(), nullptr);
  EXPECT_EQ(refusal, path() + ": has room for 64 jobs, and as many are running");
  all[17]->end();
  const auto me = join();
  ASSERT_NE(me, nullptr) << refusal;
  EXPECT_EQ(me->number(), 17u);
}

TEST_F(Jobs, PlacesThatRefuseGetOneLine) {
  const std::string whole = path();
  const auto refused = [&](const std::string& folder_) {
    const auto me = job::join({.contexts = {context}, .main = context}, {folder_}, refusal);
    EXPECT_EQ(me, nullptr);
    return refusal;
  };
  EXPECT_EQ(refused(folder + "/none"),
            folder + "/none/" + table_name() + ": cannot be opened: No such file or directory");

  std::ofstream(whole) << "x";
  chmod(whole.c_str(), 0644);
  EXPECT_EQ(refused(folder), whole + ": is open to other users (expected mode 0600)");
  fs::remove(whole);

  fs::create_directory(whole);
  EXPECT_EQ(refused(folder), whole + ": cannot be opened: Is a directory");
  fs::remove(whole);

  fs::create_symlink(folder + "/elsewhere", whole);
  EXPECT_EQ(refused(folder), whole + ": cannot be opened: Too many levels of symbolic links");
  fs::remove(whole);

  ASSERT_EQ(mkfifo(whole.c_str(), 0600), 0);
  EXPECT_EQ(refused(folder), whole + ": is not a regular file");
  fs::remove(whole);

  std::ofstream(whole) << std::string(sizeof(shared_table) + 1, 'x');
  chmod(whole.c_str(), 0600);
  EXPECT_EQ(refused(folder), whole + ": has " + std::to_string(sizeof(shared_table) + 1) + " bytes, expected " +
                                 std::to_string(sizeof(shared_table)));
  fs::remove(whole);

  // No space: a limit on files' sizes stands for a full file system. The signal that it sends is ignored.
  child full([&](const child::say& say) {
    const rlimit small{.rlim_cur = 4096, .rlim_max = 4096};
    setrlimit(RLIMIT_FSIZE, &small);
    const bool right = refused(folder) == whole + ": cannot have " + std::to_string(sizeof(shared_table)) +
                                              " bytes: File too large (see ulimit -f)";
    say(right && !fs::exists(whole) ? 'y' : 'n');
  });
  EXPECT_EQ(full.hear(), 'y');
  fs::remove(whole);

  EXPECT_EQ(job::join({.contexts = {max_contexts}, .main = std::nullopt}, {folder}, refusal), nullptr);
  EXPECT_EQ(refusal, "CPUs numbered above 1023 cannot be shared");
  EXPECT_EQ(job::join({.contexts = {context}, .main = std::nullopt}, {}, refusal), nullptr);
  EXPECT_EQ(refusal, "no folder for the table");
}

TEST_F(Jobs, TheNextPlaceIsTried) {
  const auto me = job::join({.contexts = {context}, .main = context}, {folder + "/none", folder}, refusal);
  ASSERT_NE(me, nullptr) << refusal;
  EXPECT_EQ(me->path(), path());
  EXPECT_EQ(refusal, "");
}

TEST_F(Jobs, ATableOfNonsenseIsMadeAnew) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 10; ++round) {
    {
      std::ofstream out(path(), std::ios::binary);
      for (std::size_t i = 0; i < sizeof(shared_table) / 8; ++i) {
        const std::uint64_t word = random();
        out.write(reinterpret_cast<const char*>(&word), 8);
      }
    }
    chmod(path().c_str(), 0600);
    auto me = join();
    ASSERT_NE(me, nullptr) << refusal;
    EXPECT_EQ(me->main_context(), context);
    job::seat here(*me, context);
    const auto begin = clock::now();
    ASSERT_TRUE(here.take(never));
    EXPECT_LT(clock::now() - begin, soon);
  }
}

TEST_F(Jobs, RandomBytesUnderLiveJobsStopNone) {
  // Two jobs that both want the context, by turns, and say so each time they get it.
  child a([&](const child::say& say) { run_and_poll_lease(say, true); });
  child b([&](const child::say& say) { run_and_poll_lease(say, true); });
  ASSERT_EQ(a.hear(), 'r');
  const auto me = join(false);
  ASSERT_NE(me, nullptr) << refusal;
  meddle([&](std::byte* data) {
    std::mt19937_64 random(5);
    for (const auto begin = clock::now(); clock::now() - begin < 700ms; usleep(1000)) {
      // Anywhere, and at two important places: the beginning of the slots, and the context that both want.
      for (int i = 0; i < 50; ++i) data[random() % sizeof(shared_table)] = static_cast<std::byte>(random());
      auto* const entry = reinterpret_cast<std::byte*>(&reinterpret_cast<shared_table*>(data)->at(context));
      const std::uint64_t nonsense = random();
      std::memcpy(entry + random() % 2 * machine::native::line_size, &nonsense, 8);
    }
  });
  // What they said meanwhile.
  while (a.hear(1ms) != 0) {
  }
  while (b.hear(1ms) != 0) {
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(a.hear(), '\0') << "it has got or lost the context";
    EXPECT_NE(b.hear(), '\0');
  }
  // Jobs can still join.
  child c([&](const child::say& say) { run_and_poll_lease(say, true); });
  EXPECT_EQ(c.hear(), 'r');
}

}  // namespace
}  // namespace callisto::cosched
