// Where a thread of a job stands: what loops of several processes (tests/loop/jobs_test.cpp) do not show for certain.
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <callisto/workers/teams/coscheduling.hpp>
#include <callisto/workers/teams/leader_placement.hpp>

#include "../forked_child.hpp"
#include "../processes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace callisto::workers {
namespace {

/// Jobs on the first two contexts, in a table of the test's.
class Coscheduling : public testing::Test {
 protected:
  void SetUp() override {
    if (all.size() < 2) GTEST_SKIP() << "expects two contexts";
    setenv("CALLISTO_COSCHED_DIR", scratch.path().c_str(), 1);
    sched_getaffinity(0, sizeof before, &before);
  }
  void TearDown() override {
    unsetenv("CALLISTO_COSCHED_DIR");
    sched_setaffinity(0, sizeof before, &before);
  }

  std::unique_ptr<coscheduling> join() {
    return coscheduling::join(
        {.weight = cosched::max_weight}, {all[0], all[1]}, all[0], [](unsigned) { return true; }, refusal);
  }

  const std::vector<unsigned> all = machine::affinity_at_start();
  const machine::scratch_folder scratch;
  std::string refusal;
  cpu_set_t before{};
};

TEST_F(Coscheduling, AFollowerThatBelongsElsewhereGoesThereAtItsNextCheckIn) {
  const auto jobs = join();
  ASSERT_NE(jobs, nullptr) << refusal;
  {
    coscheduling::follower me(*jobs, all[1]);
    const auto never = [] { return false; };
    ASSERT_TRUE(me.come(never));
    EXPECT_EQ(tests::affinity_of(gettid()), std::vector{all[1]});
    EXPECT_TRUE(me.undisturbed());
    me.set_home(all[0]);
    EXPECT_FALSE(me.undisturbed()) << "it need not wait until it looks by itself";
    EXPECT_TRUE(me.stay(false)) << "in the middle of something";
    me.set_home(all[1]);
    me.set_home(all[0]);
    EXPECT_FALSE(me.undisturbed());
    EXPECT_FALSE(me.stay(true));
    EXPECT_TRUE(me.away());
    EXPECT_TRUE(me.come(never));
    EXPECT_EQ(tests::affinity_of(gettid()), std::vector{all[0]});
    EXPECT_TRUE(me.undisturbed());
  }
  jobs->leave();
}

/// This job stands aside for two others: it is new, and its share is two contexts, of which one thread uses one.
class CoschedulingAside : public Coscheduling {
 protected:
  void SetUp() override {
    Coscheduling::SetUp();
    if (IsSkipped()) return;
    for (auto& other : others) {
      other = std::make_unique<tests::child>([this](const tests::child::say& say) {
        const auto its = coscheduling::join({.weight = 1}, all, all[0], [](unsigned) { return true; }, refusal);
        say(its != nullptr ? 'j' : 'n');
        pause();
      });
      ASSERT_EQ(other->hear(), 'j');
    }
    jobs = join();
    ASSERT_NE(jobs, nullptr) << refusal;
    ASSERT_TRUE(jobs->takes_no_context());
    ASSERT_FALSE(jobs->alone());
  }
  void TearDown() override {
    if (jobs != nullptr) jobs->leave();
    Coscheduling::TearDown();
  }

  std::array<std::unique_ptr<tests::child>, 2> others;
  std::unique_ptr<coscheduling> jobs;
};

TEST_F(CoschedulingAside, AFollowerGoesWhereItsHomeIsAtItsNextCheckIn) {
  coscheduling::follower me(*jobs, all[1]);
  const auto never = [] { return false; };
  ASSERT_TRUE(me.come(never));
  EXPECT_EQ(tests::affinity_of(gettid()), std::vector{all[1]});
  me.set_home(all[0]);
  EXPECT_FALSE(me.undisturbed());
  EXPECT_TRUE(me.stay(true));
  EXPECT_EQ(tests::affinity_of(gettid()), std::vector{all[0]});
  me.set_home(all[1]);
  EXPECT_TRUE(me.come(never)) << "between two loops";
  EXPECT_EQ(tests::affinity_of(gettid()), std::vector{all[1]});
}

/// It may sleep, and would be woken there, beside its leader.
TEST_F(CoschedulingAside, ALeaderMovesTheFollowerThatIsOnItsContext) {
  std::latch over(1);
  pid_t id = 0;
  std::latch begun(1);
  std::thread follower([&] {
    id = gettid();
    begun.count_down();
    over.wait();
  });
  begun.wait();
  machine::pin(follower.native_handle(), all[0]);
  leader_placement::followers followers;
  followers.push_back(std::make_unique<follower_thread>(
      follower_thread{.where = nullptr,
                      .number = 1,
                      .thread = follower.native_handle(),
                      .os_index = all[0],
                      .on = std::make_unique<coscheduling::follower>(*jobs, all[0])}));
  leader_placement leader;
  leader.set_spare_context(all[1]);
  leader.make_room(static_cast<int>(all[0]), followers, jobs.get());
  EXPECT_EQ(followers[0]->os_index, all[1]);
  EXPECT_EQ(tests::affinity_of(id), std::vector{all[1]});
  over.count_down();
  follower.join();
}

}  // namespace
}  // namespace callisto::workers
