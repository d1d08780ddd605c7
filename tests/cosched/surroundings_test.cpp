// What a job looks at, how often, and which threads pay for it.
#include <callisto/cosched/surroundings.hpp>

#include <array>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace callisto::cosched {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;

/// A table of two jobs.
struct two_jobs {
  mutable unsigned reads = 0;
  std::uint64_t changes = 1;

  std::uint64_t generation() const { return changes; }
  aside aside_of(unsigned /*job*/) const { return aside::no; }
  std::optional<job_record> record_of(unsigned job) const {
    if (job == 0) ++reads;
    if (job > 1) return std::nullopt;
    job_record r{.pid = 100 + job};
    for (unsigned c = 0; c < 16; ++c) r.contexts.add(c);
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
            return now_;
          });
    }
    return last;
  }

  two_jobs table;
  unsigned looks_around = 0;

 private:
  const double part_;
  std::uint64_t now_ = 5000 * millisecond;
  surroundings<two_jobs> around_;
};

TEST(Surroundings, SlotsAreReadOnceUnlessTheTableChanges) {
  looking job(8);
  job.goes_on(1000, 1, false);
  EXPECT_EQ(job.table.reads, 1u);
  ++job.table.changes;
  job.goes_on(10, 1, false);
  EXPECT_EQ(job.table.reads, 2u);
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

}  // namespace
}  // namespace callisto::cosched
