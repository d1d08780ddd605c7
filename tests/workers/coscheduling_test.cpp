// Where a thread of a job stands: what loops of several processes (tests/loop/jobs_test.cpp) do not show for certain.
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <callisto/workers/teams/coscheduling.hpp>

#include "../processes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace callisto::workers {
namespace {

TEST(Coscheduling, AFollowerThatBelongsElsewhereGoesThereAtItsNextCheckIn) {
  const std::vector<unsigned> all = machine::affinity_at_start();
  if (all.size() < 2) GTEST_SKIP() << "expects two contexts";
  const machine::scratch_folder scratch;
  setenv("CALLISTO_COSCHED_DIR", scratch.path().c_str(), 1);
  std::string refusal;
  const auto jobs = coscheduling::join({}, {all[0], all[1]}, all[0], [](unsigned) { return true; }, refusal);
  unsetenv("CALLISTO_COSCHED_DIR");
  ASSERT_NE(jobs, nullptr) << refusal;
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
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
  sched_setaffinity(0, sizeof before, &before);
  jobs->leave();
}

}  // namespace
}  // namespace callisto::workers
