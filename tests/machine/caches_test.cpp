// The model of caches: what is replaced, which contexts share, what a line that others have written costs, and the
// memory's bandwidth.
#include "simulated_machines.hpp"

#include <callisto/machine/simulated/caches.hpp>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::machine::simulation {
namespace {

constexpr std::uint64_t line = 64;
constexpr unsigned l2_lines = 16;  // 4 sets of 4
constexpr unsigned l3_lines = 64;  // 8 sets of 8

/// simple_machine() with caches: 2 sockets of 2 last-level caches of 2 cores of 2 contexts.
description machine() {
  description d = simple_machine();
  d.l2_size = l2_lines * line;
  d.l2_ways = 4;
  d.l3_size = l3_lines * line;
  d.l3_ways = 8;
  d.l3_hit = 30;
  d.memory_near = 300;
  d.memory_far = 500;
  d.memory_bandwidth = 64e9;  // a line a cycle
  return d;
}

class Caches : public ::testing::Test {
 protected:
  /// Returns how long the core waits for this line of `data_`, long after all else.
  std::uint64_t load(unsigned core, std::uint64_t number) {
    memory_.load(core, data_ + number * line);
    return memory_.settle(now_ += 1'000'000);
  }
  std::uint64_t update(unsigned core, std::uint64_t number) {
    memory_.update(core, data_ + number * line);
    return memory_.settle(now_ += 1'000'000);
  }

  caches memory_{machine()};
  std::uint64_t data_ = memory_.allocate(1024 * line, 0);
  std::uint64_t now_ = 0;
};

TEST_F(Caches, ALineIsThereOnceItHasBeenLoaded) {
  EXPECT_EQ(load(0, 0), 300u);
  EXPECT_EQ(load(0, 0), 0u);
  memory_.load(0, data_ + line - 1);
  EXPECT_EQ(memory_.settle(now_), 0u) << "the same line";
  EXPECT_EQ(load(1, 0), 30u) << "its neighbour finds it in the cache that they share";
  EXPECT_EQ(load(2, 0), 300u) << "other caches do not";
  EXPECT_EQ(load(4, 0), 500u) << "nor other sockets, from which memory is farther";
  EXPECT_EQ(memory_.counts().loads, 6u);
  EXPECT_EQ(memory_.counts().missed_loads, 4u);
  EXPECT_EQ(memory_.counts().l3_misses, 3u);
  EXPECT_EQ(memory_.counts().memory_lines, 3u);
}

TEST_F(Caches, TheLineUsedLongestAgoLeavesItsSet) {
  // Lines 0, 4, 8, ... are in set 0 of a core's cache, which has 4 ways.
  for (const unsigned n : {0u, 4u, 8u, 12u}) load(0, n);
  EXPECT_EQ(load(0, 0), 0u);
  load(0, 16);  // in the place of 4
  EXPECT_EQ(load(0, 0), 0u);
  EXPECT_EQ(load(0, 8), 0u);
  EXPECT_EQ(load(0, 12), 0u);
  EXPECT_EQ(load(0, 16), 0u);
  EXPECT_EQ(load(0, 1), 300u) << "another set: puts nothing out";
  EXPECT_EQ(load(0, 0), 0u);
  EXPECT_EQ(load(0, 4), 30u) << "gone from the core's cache, but not from the one behind it";
}

TEST_F(Caches, WhatTheLastLevelCacheDropsItsCoresDropToo) {
  for (unsigned n = 0; n < 8; ++n) load(0, n * 8);  // one set of the last-level cache, full
  load(0, 64);                                      // puts 0 out
  EXPECT_EQ(load(1, 8), 30u);
  EXPECT_EQ(load(0, 0), 300u);
}

TEST_F(Caches, TwoWorkingSetsInOneCacheMissWhereOneDoesNot) {
  const auto missed = [&](unsigned sets_of_data) {
    caches memory(machine());
    std::vector<std::uint64_t> data;
    for (unsigned s = 0; s < sets_of_data; ++s) data.push_back(memory.allocate(8192, 0));
    std::uint64_t before = 0;
    for (int round = 0; round < 10; ++round) {
      if (round == 1) before = memory.counts().missed_loads;
      for (const std::uint64_t d : data) {
        for (unsigned n = 0; n < l2_lines; ++n) memory.load(0, d + n * line);
      }
    }
    return memory.counts().missed_loads - before;
  };
  EXPECT_EQ(missed(1), 0u);
  EXPECT_EQ(missed(2), 9u * 2 * l2_lines);
}

TEST_F(Caches, AWriterTakesTheLineFromAllOthers) {
  load(0, 0);
  EXPECT_EQ(update(0, 0), 0u) << "nobody else has it";
  EXPECT_EQ(load(1, 0), 100u) << "comes from the core that wrote it";
  EXPECT_EQ(load(0, 0), 0u) << "which keeps it";
  EXPECT_EQ(update(1, 0), 100u) << "until the other one writes";
  EXPECT_EQ(load(0, 0), 100u);
  EXPECT_EQ(load(2, 0), 200u) << "from another cache of the socket";
  EXPECT_EQ(load(4, 0), 500u) << "by now memory has it";
  EXPECT_EQ(update(4, 0), 400u) << "taken from the farthest";
  EXPECT_EQ(load(0, 0), 400u);
  EXPECT_EQ(load(5, 0), 30u);
}

TEST_F(Caches, WhatWasWrittenGoesBackToMemory) {
  const std::uint64_t read = memory_.counts().memory_lines;
  for (unsigned n = 0; n < l3_lines; ++n) {
    memory_.store(0, data_ + n * line);
    EXPECT_LE(memory_.settle(now_ += 1000), 1u) << "stores wait for nothing but bandwidth";
  }
  EXPECT_EQ(memory_.counts().memory_lines - read, l3_lines);
  for (unsigned n = 0; n < l3_lines; ++n) load(0, l3_lines + n);
  EXPECT_EQ(memory_.counts().memory_lines - read, 3u * l3_lines) << "read, and the others written";
}

TEST_F(Caches, MemoryGivesALineACycle) {
  for (unsigned n = 0; n < 10; ++n) memory_.load(0, data_ + n * line);
  EXPECT_EQ(memory_.settle(0), 10u * 300) << "one after the other";
  for (unsigned n = 0; n < 1000; ++n) memory_.store(2, data_ + n * line);
  const std::uint64_t lines = memory_.counts().memory_lines;
  EXPECT_EQ(memory_.settle(0), lines) << "behind the ten before";
  memory_.load(4, data_);
  EXPECT_GT(memory_.settle(0), lines) << "everybody waits";
  memory_.load(5, memory_.allocate(line, 1));
  EXPECT_EQ(memory_.settle(0), 300u) << "but for another socket's memory";
}

TEST_F(Caches, PagesAreSpreadWhereNoSocketIsGiven) {
  const std::uint64_t spread = memory_.allocate(4 * 8192, {});
  std::vector<std::uint64_t> took;
  for (unsigned page = 0; page < 4; ++page) {
    memory_.load(0, spread + page * 8192);
    took.push_back(memory_.settle(now_ += 1'000'000));
  }
  EXPECT_EQ(took, (std::vector<std::uint64_t>{300, 500, 300, 500}));
}

TEST_F(Caches, TooMuchDataIsRefused) { EXPECT_THROW(memory_.allocate(line << 30, 0), std::length_error); }

TEST(Stall, LeavesThePipelinesToSiblings) {
  description d = simple_machine();
  d.pipelines = 1;  // one context alone uses them up
  engine e(d, {});
  std::uint64_t both = 0;
  e.spawn(0, [&] {
    e.stall(1000);
    EXPECT_EQ(e.time(), 1000u);
    EXPECT_EQ(e.time(), 1000u) << "looking costs nothing";
  });
  e.spawn(1, [&] {
    e.execute(1000, activity::work);
    both = e.time();
  });
  const outcome o = e.run();
  EXPECT_TRUE(o.finished);
  EXPECT_EQ(both, 1000u);
  EXPECT_EQ(o.contexts[0][activity::moving], 1000u);
}

}  // namespace
}  // namespace callisto::machine::simulation
