// The watch over ranks, on the in-process transport.
#include "cluster.hpp"

#include <callisto/global/session/watch.hpp>

#include <chrono>
#include <memory>

#include <gtest/gtest.h>

namespace callisto::global {
namespace {

using test::run_ranks;

TEST(Watch, ARankThatHangsEndsTheJobWithOneLine) {
  in_process_options o;
  o.ranks = 3;
  o.failures.push_back({.rank = 1, .after = 100, .way = planned_failure::ways::hangs});
  const auto errors = run_ranks(o, [] {
    // Long enough for a thread that waits for its processor, so the hanging rank is the only silent one.
    watch by(*here().messages, nullptr, {.beat = std::chrono::milliseconds(50), .limit = std::chrono::seconds(2)});
    for (;;)
      if (!progress()) {
        flush();
        wait(std::chrono::milliseconds(1));
      }
  });
  for (const std::string& e : errors)
    EXPECT_EQ(e,
              "callisto: rank 1 of 3 at host node1: does not answer for 2.0 s (its process is stopped, its host is "
              "gone, or a message handler does not return)");
}

TEST(Watch, RanksThatLeaveAreNotMissed) {
  in_process_options o;
  o.ranks = 4;
  const auto errors = run_ranks(o, [] {
    for (int i = 0; i < 20; ++i) {
      const watch by(*here().messages, nullptr,
                     {.beat = std::chrono::milliseconds(1), .limit = std::chrono::minutes(1)});
      send((here().rank + 1) % 4, [] {});
      flush();
    }
  });
  for (const std::string& e : errors) EXPECT_EQ(e, "");
}

}  // namespace
}  // namespace callisto::global
