// When runs call other threads: soon, later after calls in vain, and soon again when one is answered.
#include <callisto/domino/call_policy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace callisto::domino {
namespace {

constexpr std::uint64_t soon = domino_limits::alone_ns;
constexpr std::uint64_t brief = 240'000;

TEST(CallPolicy, CallsThatAreAnsweredComeSoon) {
  call_policy calls;
  std::uint64_t others = 0;
  for (int run = 0; run < 100; ++run) {
    EXPECT_EQ(calls.alone_for(), soon);
    calls.note(700, others += 100, 1, brief);
  }
}

TEST(CallPolicy, CallsInVainComeLaterAndAreTriedAgain) {
  call_policy calls;
  std::uint64_t longest = 0;
  unsigned soon_ones = 0;
  for (int run = 0; run < 160; ++run) {
    const std::uint64_t alone = calls.alone_for();
    longest = std::max(longest, alone);
    soon_ones += alone == soon ? 1 : 0;
    if (alone < brief) calls.note(2000, 0, 1, brief);
  }
  EXPECT_GT(longest, brief) << "such runs call no other thread";
  EXPECT_LE(longest, call_policy::longest());
  EXPECT_EQ(soon_ones, 160 / domino_limits::runs_to_try);
  calls.note(2000, 300, 1, brief);
  EXPECT_EQ(calls.alone_for(), soon) << "threads came in time";
}

TEST(CallPolicy, LongRunsCallSoon) {
  call_policy calls;
  for (int run = 0; run < 10; ++run) {
    EXPECT_EQ(calls.alone_for(), soon);
    calls.note(1'000'000, 1, 1, 10 * call_policy::longest());
  }
}

TEST(CallPolicy, FewTasksOfOthersAreNoHelp) {
  call_policy calls;
  calls.note(2000, 20, 1, brief);
  EXPECT_EQ(calls.alone_for(), 2 * soon);
  calls.note(2000, 20, 1, brief);
  EXPECT_EQ(calls.alone_for(), 4 * soon) << "the same 20: none of this run";
}

TEST(CallPolicy, AThreadOnTheLeadersContextIsNoHelp) {
  call_policy calls;
  calls.note(30, 1800, 1, brief);
  EXPECT_EQ(calls.alone_for(), 2 * soon);
  calls.note(30, 3600, 63, brief);
  EXPECT_EQ(calls.alone_for(), soon) << "among many threads that is the leader's part";
}

}  // namespace
}  // namespace callisto::domino
