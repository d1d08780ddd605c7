// When a job steps aside: a pure function of samples.
#include <callisto/cosched/stepping_aside.hpp>

#include <cstdint>

#include <gtest/gtest.h>

namespace callisto::cosched {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;

/// Lets a job use `own`, all jobs `jobs`, and all programs `busy` of a processor (2: both of two), for some time;
/// returns what it decides at the end.
class story {
 public:
  explicit story(double share) : share_(share) {}

  aside goes_on(std::uint64_t milliseconds, double own, double jobs, double busy) {
    aside last = aside::no;
    for (std::uint64_t i = 0; i < milliseconds; ++i) {
      now_.at += millisecond;
      own_ += own * millisecond;
      jobs_ += jobs * millisecond;
      busy_ += busy * millisecond;
      now_.own = static_cast<std::int64_t>(own_);
      const bool looks_around = now_.at - looked_ >= sharing_limits::outsiders_window;
      if (looks_around) looked_ = now_.at;
      now_.jobs = looks_around ? static_cast<std::uint64_t>(jobs_) : 0;
      now_.busy = looks_around ? static_cast<std::uint64_t>(busy_) : 0;
      last = decides_.look(now_, share_, 2);
    }
    return last;
  }

 private:
  const double share_;
  stepping_aside decides_;
  stepping_aside::sample now_{.at = 5000 * millisecond};
  std::uint64_t looked_ = 0;
  double own_ = 1e9, jobs_ = 5e9, busy_ = 9e9;
};

TEST(SteppingAside, AJobThatUsesItsShareShares) {
  story of(1);
  EXPECT_EQ(of.goes_on(2000, 1, 2, 2), aside::no);
  EXPECT_EQ(of.goes_on(2000, 0.6, 2, 2), aside::no);
}

TEST(SteppingAside, AJobThatMostlySleepsStandsAside) {
  story of(1);
  EXPECT_EQ(of.goes_on(10, 1, 2, 2), aside::light) << "a new job has used nothing yet";
  EXPECT_EQ(of.goes_on(500, 0.05, 2, 2), aside::light);
  // Between the thresholds it stays what it is.
  EXPECT_EQ(of.goes_on(1000, 0.4, 2, 2), aside::light);
  EXPECT_EQ(of.goes_on(200, 1, 2, 2), aside::no);
  EXPECT_EQ(of.goes_on(1000, 0.4, 2, 2), aside::no);
}

TEST(SteppingAside, AJobWithASmallShareIsJudgedByManySlices) {
  story of(1.0 / 30);
  EXPECT_EQ(of.goes_on(1000, 1.0 / 30, 2, 2), aside::no);
  // Slices of 3 ms, each in its turn.
  for (int turn = 0; turn < 50; ++turn) {
    EXPECT_EQ(of.goes_on(3, 1, 2, 2), aside::no);
    EXPECT_EQ(of.goes_on(87 + turn % 5 * 30, 0, 2, 2), aside::no) << turn;
  }
  EXPECT_EQ(of.goes_on(2000, 0.001, 2, 2), aside::light);
}

TEST(SteppingAside, AJobWhoseTimeAtWorkFallsIsALightOne) {
  story of(1);
  EXPECT_EQ(of.goes_on(500, 1, 2, 2), aside::no);
  // More spinning was counted than the job had processor time.
  EXPECT_EQ(of.goes_on(500, -0.1, 2, 2), aside::light);
}

TEST(SteppingAside, AJobBesideOtherProgramsStandsAside) {
  story of(0.5);
  EXPECT_EQ(of.goes_on(1000, 0.5, 2, 2), aside::no);
  EXPECT_EQ(of.goes_on(1000, 0.5, 1, 2), aside::outsiders);
  EXPECT_EQ(of.goes_on(1000, 0.5, 1.8, 2), aside::outsiders) << "between the thresholds it stays what it is";
  EXPECT_EQ(of.goes_on(1000, 0.5, 2, 2), aside::no);
}

TEST(SteppingAside, AnUnknownLoadIsNone) {
  story of(0.5);
  EXPECT_EQ(of.goes_on(2000, 0.5, 1, 0), aside::no);
}

TEST(SteppingAside, AJobThatNeverChecksInIsAnOutsider) {
  time_of_jobs all;
  const auto second = 1000 * millisecond;
  // Job 0 shares; job 1 says that it is light, and has a share of two contexts.
  const auto after = [&](std::uint64_t seconds, std::uint64_t of_0, std::uint64_t of_1) {
    all.count(0, 10, of_0 * second, false, 2, seconds * second);
    all.count(1, 11, of_1 * second, true, 2, seconds * second);
    return all.total() / second;
  };
  EXPECT_EQ(after(1, 1, 0), 1u);
  EXPECT_EQ(after(2, 3, 1), 4u) << "a light job";
  EXPECT_EQ(after(3, 5, 3), 6u) << "one that uses its whole share, and does not say so";
  EXPECT_EQ(after(4, 7, 3), 8u);
  // Another process has the slot.
  all.count(1, 12, 1 * second, true, 2, 5 * second);
  EXPECT_EQ(all.total() / second, 9u);
}

}  // namespace
}  // namespace callisto::cosched
