// What a job looks at, how often, and which threads pay for it.
#include <callisto/cosched/surroundings.hpp>

#include <array>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace callisto::cosched {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;

/// A table of some jobs.
struct some_jobs {
  mutable unsigned reads = 0;  ///< of slot 0
  std::uint64_t changes = 1;
  unsigned jobs = 2;
  unsigned light = 0;  ///< the last ones stand aside as light ones
  unsigned apart = 0;  ///< the last ones run elsewhere
  unsigned contexts = 16;

  std::uint64_t generation() const { return changes; }
  aside aside_of(unsigned job) const { return job < jobs - light ? aside::no : aside::light; }
  std::optional<job_record> record_of(unsigned job) const {
    if (job == 0) ++reads;
    if (job >= jobs) return std::nullopt;
    job_record r{.pid = 100 + job};
    for (unsigned c = 0; c < contexts; ++c) r.contexts.add(job < jobs - apart ? c : contexts + c);
    return r;
  }
};

/// A job that uses `part` of a processor.
class looking {
 public:
  explicit looking(double part) : part_(part) {}

  aside goes_on(std::uint64_t milliseconds, std::uint64_t every, bool has_no_work) {
    aside last = aside::no;
    for (std::uint64_t i = 0; i < milliseconds; i += every) {
      now_ += every * millisecond;
      last = around_.look(
          table, 0, now_, static_cast<std::uint64_t>(part_ * static_cast<double>(now_)), has_no_work,
          [](std::uint64_t /*process*/) { return std::uint64_t{0}; },
          [&](const context_set& /*contexts*/) {
            ++looks_around;
            return busy * now_;
          });
    }
    return last;
  }

  some_jobs table;
  unsigned looks_around = 0;
  std::uint64_t busy = 1;  ///< processors that programs use; 0: unknown

 private:
  const double part_;
  std::uint64_t now_ = 5000 * millisecond;
  surroundings<some_jobs> around_;
};

TEST(Surroundings, SlotsAreReadOnceUnlessTheTableChanges) {
  looking job(8);
  job.goes_on(1000, 1, false);
  const unsigned reads = job.table.reads;
  job.goes_on(1000, 1, false);
  EXPECT_EQ(job.table.reads, reads);
  ++job.table.changes;
  job.goes_on(10, 1, false);
  EXPECT_EQ(job.table.reads, 2 * reads);
}

TEST(Surroundings, FewLoopsOfALightJobWaitForALookAround) {
  looking job(0.01);
  EXPECT_EQ(job.goes_on(6000, 5, false), aside::light);
  // At most one of 200 loops: the 99th percentile does not show it.
  EXPECT_LE(job.looks_around, 6u);
}

TEST(Surroundings, AThreadWithoutWorkLooksAroundInTime) {
  looking job(0.01);
  job.goes_on(6000, 5, true);
  EXPECT_GE(job.looks_around, 19u);
}

TEST(Surroundings, AHeavyJobLooksAroundInTime) {
  looking job(8);
  job.goes_on(6000, 1, false);
  EXPECT_GE(job.looks_around, 19u);
}

/// Until it looks, it takes turns, and has one thread's part beside these programs.
TEST(Surroundings, ANewJobKnowsSoonThatOtherProgramsCompete) {
  looking job(8);
  job.busy = 16;
  EXPECT_EQ(job.goes_on(110, 1, false), aside::outsiders);
}

TEST(Surroundings, MoreThanEightJobsToAContextStandAside) {
  const auto found = [](const some_jobs& table) {
    looking job(2);
    job.table = table;
    job.busy = 0;
    return job.goes_on(1000, 1, false);
  };
  EXPECT_EQ(found({.jobs = 16, .contexts = 2}), aside::no);
  EXPECT_EQ(found({.jobs = 17, .contexts = 2}), aside::crowded);
  EXPECT_EQ(found({.jobs = 17, .light = 1, .contexts = 2}), aside::no) << "one has no part in the turns";
  EXPECT_EQ(found({.jobs = 32, .apart = 16, .contexts = 2}), aside::no) << "half of them run elsewhere";
  EXPECT_EQ(found({.jobs = 64, .contexts = 16}), aside::no);
}

TEST(Surroundings, ACrowdedJobCanBeALightOneToo) {
  looking job(0.01);
  job.table = {.jobs = 64, .contexts = 2};
  EXPECT_EQ(job.goes_on(1000, 1, false), aside::light);
}

TEST(Surroundings, JobsThatAreCrowdedDoNotLookAround) {
  looking job(2);
  job.table = {.jobs = 64, .contexts = 2};
  job.busy = 0;
  job.goes_on(1000, 1, false);
  EXPECT_EQ(job.looks_around, 0u);
  job.table.jobs = 2;
  ++job.table.changes;
  EXPECT_EQ(job.goes_on(1000, 1, false), aside::no);
  EXPECT_GE(job.looks_around, 3u);
}

}  // namespace
}  // namespace callisto::cosched
