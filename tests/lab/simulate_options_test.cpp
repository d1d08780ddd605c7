// Checks plans made from the options of `callisto-lab simulate`.
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/options.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::lab {
namespace {

const schedule core_counters = schedule::parse("counter(core)", "test");

/// Returns the options that a parser has read from `arguments`, which are in reverse order, as CLI11 requires.
sweep_options parsed(std::vector<std::string> arguments) {
  CLI::App parser;
  sweep_options options;
  options.add_to(command_parser(parser), {});
  parser.parse(std::move(arguments));
  return options;
}

sweep_plan usual() {
  sweep_plan plan;
  plan.techniques = {{shared_counter(), {1, 8}}, {schedule(), {0}}};
  plan.threads = {1, 2};
  plan.holds = {0.1};
  plan.other_holds = {0.4};
  plan.cap = 2;
  return plan;
}

TEST(SweepOptions, WhatIsUnsaidStays) {
  const sweep_plan plan = parsed({}).plan_for(load_machine("x4-2"), usual());
  EXPECT_EQ(plan.techniques.size(), 2u);
  EXPECT_EQ(plan.setups().size(), 2 * 2 + 2 + 1u);  // two batch sizes, the automatic one, and one with the other hold
  EXPECT_EQ(plan.cap, 2);
  EXPECT_EQ(plan.seed, 1u);
}

TEST(SweepOptions, ListsAreSortedAndSchedulesKeepTheirOrder) {
  const sweep_plan plan = parsed({"auto", "--schedule", "counter(core)", "--schedule", "32,4,32", "--threads", "64,1",
                                  "--batch", "auto", "--schedule"})
                              .plan_for(load_machine("x4-2"), usual());
  ASSERT_EQ(plan.techniques.size(), 2u);
  EXPECT_EQ(plan.techniques[0].how, schedule());
  EXPECT_EQ(plan.techniques[0].batches, std::vector<std::uint64_t>{0});  // all that it is tried with
  EXPECT_EQ(plan.techniques[1].how, core_counters);
  EXPECT_EQ(plan.techniques[1].batches, (std::vector<std::uint64_t>{1, 64}));
  EXPECT_EQ(plan.threads, (std::vector<unsigned>{4, 32}));
  EXPECT_EQ(plan.other_holds, std::vector<double>{0.4});
}

TEST(SweepOptions, HoldsThatAreSaidAreAllThereAre) {
  const sweep_plan plan = parsed({"0.2,0", "--hold"}).plan_for(load_machine("x4-2"), usual());
  EXPECT_EQ(plan.holds, (std::vector<double>{0, 0.2}));
  EXPECT_TRUE(plan.other_holds.empty());
}

TEST(SweepOptions, NoiseIsInMicroseconds) {
  const sweep_plan plan = parsed({"100,5000", "--noise"}).plan_for(load_machine("x4-2"), usual());  // 2.6 GHz
  EXPECT_EQ(plan.noise.length, 260'000u);
  EXPECT_EQ(plan.noise.period, 13'000'000u);
}

TEST(SweepOptions, RefusesWhatMakesNoSense) {
  EXPECT_THROW(parsed({"33", "--threads"}).plan_for(load_machine("x4-2"), usual()), usage_error);
  EXPECT_THROW(parsed({"counter(x)", "--schedule"}), usage_error);
  EXPECT_THROW(parsed({"1,,2", "--batch"}), usage_error);
  EXPECT_THROW(parsed({"-1", "--hold"}), usage_error);
}

TEST(SweepOptions, HalvesEndWithAllContexts) {
  EXPECT_EQ(halves(1024, 3), (std::vector<unsigned>{256, 512, 1024}));
  EXPECT_EQ(halves(6, 9), (std::vector<unsigned>{1, 3, 6}));
}

TEST(PaperIteration, TakesTheTimeOfTheSameInstructions) {
  EXPECT_EQ(paper_iteration(load_machine("sparc-t5-8")), 140u);
  EXPECT_EQ(paper_iteration(load_machine("x4-2")), 50u);
}

}  // namespace
}  // namespace callisto::lab
