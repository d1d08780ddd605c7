// The spatial policy, and time slices on one context: examples, and properties of random machines and jobs.
#include <callisto/cosched/context_assignment.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace callisto::cosched {
namespace {

constexpr std::uint64_t ms = 1'000'000;

context_set first(unsigned n) {
  context_set s;
  for (unsigned c = 0; c < n; ++c) s.add(c);
  return s;
}

/// n contexts, numbered as Linux does: first the first context of each core.
std::vector<unsigned> machine_of(unsigned n, unsigned per_core = 1) {
  std::vector<unsigned> core_of(n);
  for (unsigned c = 0; c < n; ++c) core_of[c] = c % (n / per_core);
  return core_of;
}

std::vector<job_demand> equal_jobs(unsigned jobs, unsigned contexts) {
  std::vector<job_demand> all;
  for (unsigned j = 0; j < jobs; ++j) all.push_back({.job = j, .weight = 1, .contexts = first(contexts)});
  return all;
}

/// The job that has high priority on each context of an assignment without time slices.
std::vector<unsigned> owners(const context_assignment& d) {
  std::vector<unsigned> o;
  for (const time_slices& r : d.high) o.push_back(r.holder(0));
  return o;
}

TEST(ContextAssignment, OneJobHasEverything) {
  EXPECT_EQ(owners(divide(machine_of(4), equal_jobs(1, 4))), (std::vector<unsigned>{0, 0, 0, 0}));
}

TEST(ContextAssignment, TwoJobsHaveHalfEach) {
  const context_assignment packed = divide(machine_of(6), equal_jobs(2, 6));
  EXPECT_EQ(std::ranges::count(owners(packed), 0u), 3);
  const context_assignment spread = divide(machine_of(6), equal_jobs(2, 6), arrangement_rule::spread);
  EXPECT_EQ(owners(spread), (std::vector<unsigned>{0, 1, 0, 1, 0, 1}));
}

TEST(ContextAssignment, PackedCoresAreNeighbours) {
  std::vector<job_demand> jobs = equal_jobs(2, 8);
  jobs[0].main = 0;
  jobs[1].main = 7;
  EXPECT_EQ(owners(divide(machine_of(8), jobs)), (std::vector<unsigned>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(ContextAssignment, CoresAreNotSplit) {
  // Contexts c and c + 4 share core c.
  EXPECT_EQ(owners(divide(machine_of(8, 2), equal_jobs(2, 8), arrangement_rule::spread)),
            (std::vector<unsigned>{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(ContextAssignment, WeightsAreShares) {
  std::vector<job_demand> jobs = equal_jobs(2, 8);
  jobs[0].weight = 3;
  const std::vector<unsigned> o = owners(divide(machine_of(8), jobs));
  EXPECT_EQ(std::ranges::count(o, 0u), 6);
  EXPECT_EQ(std::ranges::count(o, 1u), 2);
}

/// The cores that a job has in all; a time slice counts as the part that it is. Contexts are cores.
double cores_of(const context_assignment& d, unsigned job) {
  double all = 0;
  for (const time_slices& r : d.high) all += r.share_of(job);
  return all;
}

TEST(ContextAssignment, OfTwoCoresTheHeavierJobHasMoreThanOne) {
  std::vector<job_demand> jobs = equal_jobs(2, 2);
  jobs[0].weight = 3;
  const context_assignment d = divide(machine_of(2), jobs);
  EXPECT_EQ(d.main[0], 0u);
  EXPECT_EQ(d.main[1], 1u);
  EXPECT_DOUBLE_EQ(d.high[0].share_of(0), 1);
  EXPECT_DOUBLE_EQ(d.high[1].share_of(0), 0.5);
  EXPECT_DOUBLE_EQ(d.high[1].share_of(1), 0.5);
}

TEST(ContextAssignment, SeveralLightJobsMakeRoomForAHeavyOne) {
  std::vector<job_demand> jobs = equal_jobs(3, 2);
  jobs[0].weight = 6;
  const context_assignment d = divide(machine_of(2), jobs);
  EXPECT_DOUBLE_EQ(cores_of(d, 0), 1.5);
  EXPECT_DOUBLE_EQ(cores_of(d, 1), 0.25);
  EXPECT_DOUBLE_EQ(cores_of(d, 2), 0.25);
}

TEST(ContextAssignment, ThreeJobsOnTwoCoresHaveAlikeMuch) {
  const context_assignment d = divide(machine_of(2), equal_jobs(3, 2));
  for (unsigned j = 0; j < 3; ++j) EXPECT_NEAR(cores_of(d, j), 2.0 / 3, 0.001) << j;
}

TEST(ContextAssignment, TheLightestJobKeepsAnEighthOfItsCore) {
  std::vector<job_demand> jobs = equal_jobs(2, 2);
  jobs[0].weight = 1000;
  const context_assignment d = divide(machine_of(2), jobs);
  EXPECT_NEAR(cores_of(d, 1), 0.125, 0.001);
}

TEST(ContextAssignment, AJobAtTheLowestNiceLevelLeavesNearlyAllToOthers) {
  std::vector<job_demand> jobs = equal_jobs(2, 2);
  jobs[0].weight = 64;
  jobs[1].weight = 1;
  EXPECT_NEAR(cores_of(divide(machine_of(2), jobs), 1), 0.125, 0.001);
}

TEST(ContextAssignment, TheLargestWeightsDoNotOverflow) {
  for (const unsigned light : {1u, 999u, 64'000'000u}) {
    std::vector<job_demand> jobs = equal_jobs(64, 64);
    for (unsigned j = 0; j < 64; ++j) jobs[j].weight = j % 2 == 0 ? 65'536'000 : light;
    const context_assignment d = divide(machine_of(64), jobs);
    double all = 0;
    for (unsigned j = 0; j < 64; ++j) {
      EXPECT_GE(cores_of(d, j), 0.124) << j;
      all += cores_of(d, j);
    }
    EXPECT_NEAR(all, 64, 0.1) << light;
  }
}

TEST(ContextAssignment, LessThanAnEighthIsNotWorthTimeSlices) {
  std::vector<job_demand> jobs = equal_jobs(2, 2);
  jobs[0].weight = 9;
  jobs[1].weight = 8;
  EXPECT_EQ(owners(divide(machine_of(2), jobs)), (std::vector<unsigned>{0, 1}));
}

TEST(ContextAssignment, NoJobGetsTimeSlicesWhereItMayNotRun) {
  std::vector<job_demand> jobs = equal_jobs(2, 2);
  jobs[0].weight = 3;
  jobs[0].contexts = first(1);
  EXPECT_EQ(owners(divide(machine_of(2), jobs)), (std::vector<unsigned>{0, 1}));
}

TEST(ContextAssignment, MainThreadsStayWhereTheyAre) {
  std::vector<job_demand> jobs = equal_jobs(2, 2);
  jobs[0].main = 1;
  jobs[1].main = 0;
  EXPECT_EQ(owners(divide(machine_of(2), jobs)), (std::vector<unsigned>{1, 0}));
}

TEST(ContextAssignment, ANarrowMaskIsServedFirst) {
  // Job 0 may run anywhere, job 1 only on context 0.
  std::vector<job_demand> jobs = equal_jobs(2, 2);
  jobs[1].contexts = first(1);
  EXPECT_EQ(owners(divide(machine_of(2), jobs)), (std::vector<unsigned>{1, 0}));
}

TEST(ContextAssignment, ContextsThatAreNotThereBelongToNoJob) {
  std::vector<unsigned> core_of = machine_of(4);
  core_of[2] = no_core;
  const context_assignment d = divide(core_of, equal_jobs(2, 4));
  EXPECT_TRUE(d.high[2].empty());
  EXPECT_FALSE(d.high[3].empty());
}

TEST(ContextAssignment, MoreJobsThanContextsTakeTimeSlices) {
  const context_assignment d = divide(machine_of(2), equal_jobs(64, 2));
  EXPECT_EQ(d.high[0].size(), 32u);
  EXPECT_EQ(d.high[1].size(), 32u);
  for (unsigned j = 0; j < 64; ++j) EXPECT_TRUE(d.high[d.main[j]].has(j)) << j;
}

/// Requires what must hold of any context assignment.
void check(const std::vector<unsigned>& core_of, const std::vector<job_demand>& jobs, const context_assignment& d) {
  ASSERT_EQ(d.high.size(), core_of.size());
  std::set<unsigned> cores;
  for (unsigned c = 0; c < core_of.size(); ++c) {
    cores.insert(core_of[c]);
    bool anybody = false;
    for (const job_demand& j : jobs) {
      anybody = anybody || j.contexts.has(c);
      ASSERT_TRUE(!d.high[c].has(j.job) || j.contexts.has(c)) << "job " << j.job << " may not run on " << c;
    }
    ASSERT_EQ(!d.high[c].empty(), anybody) << "context " << c;
  }
  std::map<unsigned, unsigned> sharers;
  for (const job_demand& j : jobs) {
    ASSERT_LT(d.main[j.job], core_of.size());
    ASSERT_TRUE(d.high[d.main[j.job]].has(j.job)) << "job " << j.job << " has no say at its main context";
    ++sharers[core_of[d.main[j.job]]];
  }
  const context_set all = first(static_cast<unsigned>(core_of.size()));
  if (!std::ranges::all_of(jobs, [&](const job_demand& j) { return j.contexts == all; })) return;
  unsigned total = 0;
  for (const job_demand& j : jobs) total += j.weight;
  // Every job may use every context: each main thread has a core of its own, if there are as many.
  if (jobs.size() <= cores.size()) {
    for (const auto& [core, n] : sharers) ASSERT_EQ(n, 1u) << "core " << core;
    // Each job has what weight and whole cores make necessary: at most one core less than the exact share, but at least
    // one.
    for (const job_demand& j : jobs) {
      std::set<unsigned> held;
      for (unsigned c = 0; c < core_of.size(); ++c) {
        if (d.high[c].has(j.job)) held.insert(core_of[c]);
      }
      // What others have beyond their weight because they have a core at least.
      const double exact = double(cores.size() - jobs.size()) * j.weight / total;
      ASSERT_GE(double(held.size()) + 1, exact) << "job " << j.job;
    }
  } else {
    unsigned most = 0;
    unsigned least = ~0u;
    unsigned heaviest = 0;
    for (const unsigned core : cores) least = std::min(least, sharers[core]), most = std::max(most, sharers[core]);
    for (const job_demand& j : jobs) heaviest = std::max(heaviest, j.weight);
    if (heaviest == 1) {
      ASSERT_LE(most, least + 1);
    }
  }
  // No job lacks an eighth of a core while another has more than an eighth beyond its worth, and an eighth to keep, of
  // its only one. Contexts of a core are divided alike here.
  const auto has = [&](const job_demand& j) {
    double sum = 0;
    for (const time_slices& r : d.high) sum += r.share_of(j.job);
    return sum / static_cast<double>(core_of.size() / cores.size());
  };
  const auto worth = [&](const job_demand& j) { return double(cores.size()) * j.weight / total; };
  constexpr double little = 0.126;
  for (const job_demand& rich : jobs) {
    if (has(rich) > 1 || has(rich) < std::max(worth(rich), little) + little) continue;
    for (const job_demand& poor : jobs)
      ASSERT_GT(has(poor) + little, worth(poor)) << poor.job << " beside " << rich.job;
  }
}

TEST(ContextAssignment, HoldsForRandomMachinesAndJobs) {
  std::mt19937 random(1);
  const auto up_to = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(1, n)(random); };
  for (int round = 0; round < 3000; ++round) {
    const unsigned per_core = up_to(2);
    const unsigned contexts = per_core * up_to(round % 50 == 0 ? 64 : 8);
    const std::vector<unsigned> core_of = machine_of(contexts, per_core);
    std::vector<job_demand> jobs;
    const bool alike = up_to(2) == 1;
    const bool weighted = up_to(2) == 1;
    for (unsigned j = 0, n = up_to(10); j < n; ++j) {
      job_demand c{.job = (j * 7 + 3) % 64, .weight = weighted ? up_to(5) : 1, .contexts = first(contexts)};
      if (!alike) {
        c.contexts = {};
        for (unsigned k = 0; k < contexts; ++k) {
          if (up_to(2) == 1) c.contexts.add(k);
        }
        if (c.contexts.empty()) c.contexts.add(up_to(contexts) - 1);
      }
      if (up_to(2) == 1) c.main = up_to(contexts) - 1;
      jobs.push_back(c);
    }
    const arrangement_rule how = up_to(2) == 1 ? arrangement_rule::spread : arrangement_rule::packed;
    const context_assignment d = divide(core_of, jobs, how);
    ASSERT_NO_FATAL_FAILURE(check(core_of, jobs, d)) << "round " << round;
    // The order in which a job reads the others makes no difference.
    std::ranges::shuffle(jobs, random);
    const context_assignment again = divide(core_of, jobs, how);
    ASSERT_EQ(d.main, again.main);
    for (unsigned c = 0; c < contexts; ++c) {
      for (const std::uint64_t at : {0 * ms, 17 * ms, 230 * ms})
        ASSERT_EQ(d.high[c].holder(at), again.high[c].holder(at));
    }
  }
}

TEST(ContextAssignment, SixteenJobsOnAThousandContexts) {
  const std::vector<unsigned> core_of = machine_of(1024, 2);
  const std::vector<job_demand> jobs = equal_jobs(16, 1024);
  const context_assignment d = divide(core_of, jobs);
  ASSERT_NO_FATAL_FAILURE(check(core_of, jobs, d));
  for (unsigned j = 0; j < 16; ++j) EXPECT_EQ(std::ranges::count(owners(d), j), 64);
}

TEST(TimeSlices, EveryJobHasHalfItsShareOfAnySecond) {
  std::mt19937 random(2);
  for (unsigned n = 2; n <= max_jobs; n += n < 8 ? 1 : 7) {
    time_slices r;
    std::vector<unsigned> weights;
    for (unsigned j = 0; j < n; ++j) {
      weights.push_back(n % 2 == 0 ? 1 : 1 + random() % 4);
      r.add(j, weights.back());
    }
    const unsigned total = std::accumulate(weights.begin(), weights.end(), 0u);
    for (const std::uint64_t begin : {0 * ms, 123 * ms, 999 * ms, 5'000'777 * ms}) {
      std::vector<std::uint64_t> had(n);
      constexpr std::uint64_t step = 50'000;
      for (std::uint64_t t = 0; t < 1000 * ms; t += step) had[r.holder(begin + t)] += step;
      for (unsigned j = 0; j < n; ++j) EXPECT_GE(double(had[j]), 0.5 * 1000 * ms * weights[j] / total) << n << ' ' << j;
    }
  }
}

TEST(TimeSlices, NoSliceIsTooShortToBeOfUse) {
  for (const unsigned n : {2u, 5u, 20u, max_jobs}) {
    for (unsigned light = 1; light < n; ++light) {
      time_slices r;
      for (unsigned j = 0; j < n; ++j) r.add(j, j < light ? 1 : 1000 + j);
      const double round_ms = std::min(25.0 * n, 200.0);
      double all = 0;
      for (unsigned j = 0; j < n; ++j) {
        all += r.share_of(j);
        EXPECT_GE(r.share_of(j) * round_ms, std::min(4.0, round_ms / n) * 0.999) << n << ' ' << light << ' ' << j;
        EXPECT_LE(r.share_of(0), r.share_of(j));
      }
      EXPECT_NEAR(all, 1, 1e-6);
    }
  }
}

TEST(TimeSlices, SlicesBeginWhenTheyAreSaidTo) {
  time_slices r;
  for (unsigned j = 0; j < 5; ++j) r.add(10 + j, 1 + j);
  for (std::uint64_t now = 0; now < 2000 * ms; now += 3 * ms + 1) {
    for (unsigned j = 10; j < 15; ++j) {
      const std::uint64_t wait = r.until_turn(j, now);
      EXPECT_EQ(wait == 0, r.holder(now) == j);
      EXPECT_EQ(r.holder(now + wait), j);
      if (wait > 1) {
        EXPECT_NE(r.holder(now + wait - 1), j);
      }
    }
    EXPECT_EQ(r.until_turn(3, now), time_slices::never);
  }
  EXPECT_EQ(time_slices().holder(7), no_job);
}

}  // namespace
}  // namespace callisto::cosched
