// The division among users and their jobs: fixed cases, and random ones against a plain model and properties.
#include <callisto/broker/division.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace callisto::broker {
namespace {

using cosched::job_demand;
using cosched::no_core;
using cosched::no_job;
using cosched::time_slices;

constexpr std::uint64_t millisecond = 1'000'000;

std::vector<unsigned> cores(unsigned contexts, unsigned per_core = 1) {
  std::vector<unsigned> core_of(contexts);
  for (unsigned c = 0; c < contexts; ++c) core_of[c] = c / per_core;
  return core_of;
}

demand_of_user job_of(unsigned user, unsigned number, unsigned contexts, unsigned weight = 1) {
  demand_of_user j{.user = user, .of = {.job = number, .weight = weight, .contexts = {}}};
  for (unsigned c = 0; c < contexts; ++c) j.of.contexts.add(c);
  return j;
}

/// Returns how many contexts' time each user has.
std::vector<double> shares(const division& d, const std::vector<demand_of_user>& jobs, std::size_t users) {
  std::vector<double> of(users);
  for (const user_slices& slices : d.high) {
    for (const demand_of_user& j : jobs) of[j.user] += slices.share_of(j.of.job);
  }
  return of;
}

TEST(Division, AUserWithThreeJobsHasNoMoreThanAUserWithOne) {
  const std::vector<demand_of_user> jobs = {job_of(0, 0, 2), job_of(1, 1, 2), job_of(1, 2, 2), job_of(1, 3, 2)};
  const unsigned weights[] = {1, 1};
  const division d = divide_among_users(cores(2), weights, jobs);
  const std::vector<double> has = shares(d, jobs, 2);
  EXPECT_DOUBLE_EQ(has[0], 1);
  EXPECT_NEAR(has[1], 1, 1e-9);
  for (unsigned j = 1; j < 4; ++j) {
    EXPECT_EQ(d.main[j], d.main[1]);
    EXPECT_NEAR(d.high[d.main[j]].share_of(j), 1. / 3, 1e-6);
  }
  EXPECT_NE(d.main[0], d.main[1]);
}

TEST(Division, OneContextIsSharedByUsersAndThenByJobs) {
  std::vector<demand_of_user> jobs = {job_of(0, 0, 1)};
  for (unsigned j = 1; j <= 40; ++j) jobs.push_back(job_of(1, j, 1));
  const unsigned weights[] = {1, 1};
  const division d = divide_among_users(cores(1), weights, jobs);
  EXPECT_NEAR(d.high[0].share_of(0), .5, 1e-6);
  EXPECT_NEAR(d.high[0].share_of(40), .5 / 40, 1e-3);
  EXPECT_EQ(d.high[0].size(), jobs.size());
}

TEST(Division, WeightsOfUsersAndOfJobs) {
  const std::vector<demand_of_user> jobs = {job_of(0, 0, 16), job_of(0, 1, 16, 2), job_of(1, 2, 16)};
  const unsigned weights[] = {3, 1};
  const division d = divide_among_users(cores(16), weights, jobs);
  const std::vector<double> has = shares(d, jobs, 2);
  EXPECT_EQ(has[0], 12);
  EXPECT_EQ(has[1], 4);
  double heavy = 0;
  for (const user_slices& s : d.high) heavy += s.share_of(1);
  EXPECT_EQ(heavy, 8);
}

TEST(Division, MoreUsersAndJobsThanATableHas) {
  std::vector<demand_of_user> jobs;
  std::vector<unsigned> weights(100, 1);
  for (unsigned j = 0; j < 200; ++j) jobs.push_back(job_of(j % 100, j, 1000));
  const division d = divide_among_users(cores(1000), weights, jobs);
  for (const double has : shares(d, jobs, 100)) EXPECT_EQ(has, 10);
  for (unsigned j = 0; j < 200; ++j) EXPECT_NE(d.main[j], division::no_context);
}

TEST(Division, NoJobsNoUsers) {
  const division d = divide_among_users(cores(2), {}, {});
  EXPECT_EQ(d.jobs, 0u);
  EXPECT_EQ(d.high[0].holder(7), no_job);
  EXPECT_EQ(d.high[0].until_turn(3, 7), user_slices::never);
}

// The slices of users and jobs against a model that walks through the time.
TEST(UserSlices, AgreeWithAPlainModel) {
  std::mt19937 random(59);
  const auto up_to = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (unsigned round = 0; round < 60; ++round) {
    time_slices users;
    std::vector<std::pair<unsigned, time_slices>> inside;
    unsigned job = 0;
    const unsigned user_count = 1 + up_to(4);
    for (unsigned u = 0; u < user_count; ++u) {
      users.add(u, 1 + up_to(9));
      time_slices jobs;
      for (unsigned n = 1 + up_to(4); n != 0; --n) jobs.add(job++, 1 + up_to(5));
      inside.emplace_back(u, jobs);
    }
    const user_slices slices(users, inside);
    // The model: the clock of a user ticks in its turns only. A turn is longer than a step.
    constexpr std::uint64_t step = millisecond;
    constexpr unsigned steps = 3000;
    const std::uint64_t start = (1 + up_to(1000)) * millisecond;
    std::vector<unsigned> holders;
    for (std::uint64_t t = start; t < start + steps * step; t += step) {
      const unsigned user = users.holder(t);
      const bool whole_step = users.holder(t + step - 1) == user;
      for (unsigned u = 0; u < user_count; ++u) {
        const std::uint64_t ticks = users.time_of(u, t + step) - users.time_of(u, t);
        ASSERT_LE(ticks, step);
        if (!whole_step) continue;
        // The last slice of a round is a few nanoseconds longer than its clock.
        ASSERT_NEAR(static_cast<double>(ticks), u == user ? step : 0., 8) << u << " at " << t;
      }
      holders.push_back(inside[user].second.holder(users.time_of(user, t)));
    }
    std::vector<unsigned> had(job);
    for (unsigned i = 0; i < steps; ++i) {
      ASSERT_EQ(slices.holder(start + i * step), holders[i]);
      ++had[holders[i]];
    }
    for (unsigned j = 0; j < job; ++j) {
      // A job with the least slice may have its turn once in several of its user's.
      EXPECT_NEAR(had[j], slices.share_of(j) * steps, .1 * steps) << j;
      const std::uint64_t wait = slices.until_turn(j, start);
      ASSERT_NE(wait, user_slices::never);
      if (wait != 0) {
        EXPECT_EQ(slices.holder(start + wait), j);
        for (std::uint64_t t = 0; t + millisecond < wait; t += millisecond) ASSERT_NE(slices.holder(start + t), j) << t;
      }
    }
  }
}

TEST(Division, RandomOnesAreWholeFairAndMonotone) {
  std::mt19937 random(7);
  const auto up_to = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (unsigned round = 0; round < 300; ++round) {
    const unsigned contexts = 1 + up_to(24);
    const unsigned per_core = 1 + up_to(2);
    const unsigned users = 1 + up_to(6);
    std::vector<unsigned> weights;
    for (unsigned u = 0; u < users; ++u) weights.push_back(1 + up_to(5));
    std::vector<demand_of_user> jobs;
    for (unsigned j = 0; j < 20; ++j) jobs.push_back(job_of(j < users ? j : up_to(users), j, contexts, 1 + up_to(3)));
    const std::vector<unsigned> core_of = cores(contexts, per_core);
    const division d = divide_among_users(core_of, weights, jobs);
    const std::vector<double> has = shares(d, jobs, users);
    // The sum: each context is divided as a whole.
    for (const user_slices& s : d.high) {
      double whole = 0;
      for (const demand_of_user& j : jobs) whole += s.share_of(j.of.job);
      EXPECT_NEAR(whole, 1, 1e-6);
    }
    unsigned sum = 0;
    for (const unsigned w : weights) sum += w;
    for (unsigned u = 0; u < users; ++u) {
      // Fairness, to a core: cores are whole.
      EXPECT_NEAR(has[u], 1. * contexts * weights[u] / sum, per_core + .13 * per_core) << u;
      for (unsigned v = 0; v < users; ++v) {
        if (weights[u] <= weights[v]) continue;
        EXPECT_GE(has[u], has[v] - per_core) << u << ' ' << v;
      }
    }
    // Jobs of a user beside each other change nothing for other users.
    std::vector<demand_of_user> fewer(jobs.begin(), jobs.begin() + users);
    const std::vector<double> before = shares(divide_among_users(core_of, weights, fewer), fewer, users);
    for (unsigned u = 0; u < users; ++u) EXPECT_NEAR(has[u], before[u], 1e-6) << u;
    // A larger weight gives no smaller share.
    std::vector<unsigned> more = weights;
    const unsigned favoured = up_to(users);
    ++more[favoured];
    EXPECT_GE(shares(divide_among_users(core_of, more, jobs), jobs, users)[favoured], has[favoured] - per_core - 1e-6);
    for (const demand_of_user& j : jobs) {
      ASSERT_LT(d.main[j.of.job], contexts);
      EXPECT_TRUE(d.high[d.main[j.of.job]].has(j.of.job));
    }
  }
}

}  // namespace
}  // namespace callisto::broker
