// Jobs that share a simulated machine are no worse off for it, also beside one that never checks in.
#include <lab/simulate/machines.hpp>
#include <lab/simulate/simulated_jobs.hpp>

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::lab {
namespace {

using enum job_kind;

std::vector<manners_outcome> loops_of(bool sharing, std::vector<job_kind> actors, const std::vector<job_kind>& of) {
  return simulate_manners(
      load_machine("epyc-9754"),
      {.actors = std::move(actors), .contexts = 32, .sharing = sharing, .warm_up = 700'000'000, .length = 300'000'000},
      of);
}

TEST(SimulateManners, JobsThatShareRunMoreLoops) {
  const std::vector<job_kind> four(4, batch);
  EXPECT_GT(loops_of(true, four, {batch})[0].loops, loops_of(false, four, {batch})[0].loops);
}

TEST(SimulateManners, ALightJobWaitsForNoOther) {
  const std::vector<job_kind> actors{batch, batch, batch, light};
  const auto off = loops_of(false, actors, {batch, light});
  const auto with = loops_of(true, actors, {batch, light});
  EXPECT_GE(1.1 * static_cast<double>(with[0].loops), static_cast<double>(off[0].loops));
  EXPECT_LE(static_cast<double>(with[1].median), 1.1 * static_cast<double>(off[1].median));
  EXPECT_LE(static_cast<double>(with[1].slow), 1.1 * static_cast<double>(off[1].slow));
}

TEST(SimulateManners, AJobThatNeverChecksInCostsNoMoreThanWithoutSharing) {
  std::vector<job_kind> actors(16, batch);
  actors[3] = silent;
  const auto off = loops_of(false, actors, {batch});
  const auto with = loops_of(true, actors, {batch});
  EXPECT_GE(1.1 * static_cast<double>(with[0].loops), static_cast<double>(off[0].loops));
}

TEST(SimulateManners, ARunIsRepeatable) {
  const std::vector<job_kind> actors{batch, nice, light};
  const auto once = loops_of(true, actors, {batch, light});
  const auto again = loops_of(true, actors, {batch, light});
  EXPECT_EQ(once[0].loops, again[0].loops);
  EXPECT_EQ(once[1].slow, again[1].slow);
}

}  // namespace
}  // namespace callisto::lab
