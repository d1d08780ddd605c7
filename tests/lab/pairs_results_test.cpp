// Checks the numbers of the pairs experiment from invented times, and the loop that takes real ones.
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/experiments/pairs_report.hpp>
#include <lab/experiments/pairs_results.hpp>
#include <lab/experiments/pairs_runs.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace callisto::lab {
namespace {

using which = pairs_results::which;

run_times times(std::vector<double> seconds) { return {std::move(seconds), 0}; }

/// Two programs: a takes 1 s alone on half of the machine, b 3 s.
pairs_results results() {
  pairs_results r;
  r.programs = {{"a", "./a"}, {"b", "./b --fast"}};
  r.first_half = {0};
  r.second_half = {1};
  r.rounds = 3;
  r.alone = {{times({1, 1, 2}), times({1}), times({0.5}), times({0.505})},
             {times({3}), times({3}), times({1.5}), times({1.5})}};
  for (const sharing_way way : sharing_ways) {
    const double slow = way == sharing_way::plain ? 2 : 1;
    r.pairs.push_back({0, 0, way, times({1, 1, 1}), times({slow, slow, slow})});
    r.pairs.push_back({0, 1, way, times({0.9, 1.2 * slow, 1.5}), times({3, 3, 3})});
  }
  r.background = {{0, 0, sharing_way::plain, times({0.5})}, {0, 0, sharing_way::callisto, times({0.6})}};
  return r;
}

TEST(pairs_results, are_relative_to_half_of_the_machine) {
  const pairs_results r = results();
  EXPECT_DOUBLE_EQ(*r.of_pair(0, 1, sharing_way::callisto), (1.2 + 3) / 4);
  EXPECT_DOUBLE_EQ(*r.of_pair(1, 0, sharing_way::callisto), (1.2 + 3) / 4) << "symmetric";
  EXPECT_DOUBLE_EQ(*r.of_job(0, 1, sharing_way::callisto), 1.2);
  EXPECT_DOUBLE_EQ(*r.of_job(1, 0, sharing_way::callisto), 1);
  EXPECT_DOUBLE_EQ(*r.of_job(0, 1, sharing_way::callisto, which::best), 0.9);
  EXPECT_DOUBLE_EQ(*r.of_job(0, 1, sharing_way::callisto, which::worst), 1.5);
  EXPECT_DOUBLE_EQ(*r.of_job(0, 0, sharing_way::plain), 2) << "of two of one program, the one that did worse";
  EXPECT_FALSE(r.of_job(1, 1, sharing_way::plain)) << "not measured";
  EXPECT_FALSE(r.of_pair(1, 1, sharing_way::plain));
  EXPECT_EQ(r.all_pairs(sharing_way::callisto).size(), 2u);
  EXPECT_EQ(r.all_jobs(sharing_way::callisto).size(), 4u);
  EXPECT_EQ(r.all_runs(sharing_way::callisto).size(), 12u);
  const auto cost = r.cost_alone();
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->second, 1.01);
}

TEST(pairs_results, a_run_that_did_not_end_counts_as_long_as_it_ran) {
  pairs_results r = results();
  r.pairs[1].of_a = {{}, 40};
  EXPECT_DOUBLE_EQ(*r.of_job(0, 1, sharing_way::halves), 40);
  EXPECT_EQ(r.all_runs(sharing_way::halves).back(), 40);
  EXPECT_NE(to_words(r).find(">40.00"), std::string::npos) << to_words(r);
  EXPECT_EQ(to_json(r)["pairs"][1]["of_a"]["at_least"], true);
}

TEST(pairs_report, says_which_limits_are_kept) {
  const std::string text = to_words(results());
  EXPECT_NE(text.find("missed  Callisto, worst job of a pair: at most 1.15, found 1.200"), std::string::npos) << text;
  EXPECT_NE(text.find("kept    Callisto, worst pair: at most 1.05, found 1.050"), std::string::npos) << text;
  EXPECT_NE(text.find("1.50 (a and a)"), std::string::npos) << "the plain system's worst pair" << text;
  EXPECT_NE(text.find("2.40 (a with b)"), std::string::npos) << "and its worst job" << text;
}

TEST(pairs_report, the_page_and_the_tables_are_whole) {
  const pairs_results r = results();
  const std::string page = to_page(r);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const char* words : {"pairwise gain", "pairwise waste", "all runs", "best runs", "worst runs", "a beside a load",
                            "./b --fast", "Made by callisto-lab bench pairs."}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(page.find("nan"), std::string::npos);
  const std::string markdown = to_markdown(r);
  EXPECT_NE(markdown.find("| worst job (10c f i) | 3.50 | 1.25 |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("| a | 1.00 | 1.20 |\n"), std::string::npos) << markdown;
}

TEST(pairs_report, stands_without_pairs_and_loads) {
  pairs_results r = results();
  r.pairs.clear();
  r.background.clear();
  r.left_out = 8;
  EXPECT_NE(to_words(r).find("For 8 measurements there was no time."), std::string::npos);
  EXPECT_EQ(to_json(r)["left_out"], 8);
  EXPECT_TRUE(to_page(r).ends_with("</html>\n"));
}

repeated_command shell(const std::string& script, unsigned rounds) {
  repeated_command c;
  c.name = "script";
  c.what.program = "/bin/sh";
  c.what.arguments = {"-c", script};
  c.rounds = rounds;
  return c;
}

TEST(run_together, goes_on_until_both_have_run_often_enough) {
  unsigned counted = 0;
  const std::array both{shell("sleep 0.02", 3), shell("sleep 0.2", 2)};
  const std::vector<run_times> found = run_together(both, 60, {}, [&] { ++counted; });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].seconds.size(), 2u);
  EXPECT_GE(found[0].seconds.size(), 4u) << "the short one goes on beside the long one";
  EXPECT_EQ(counted, 5u) << "those that had to be";
  EXPECT_GE(found[1].best(), 0.2);
  EXPECT_GE(found[0].median(), 0.02);
}

TEST(run_together, a_limit_ends_what_does_not_end) {
  const std::array both{shell("sleep 100 & wait", 1), shell("exit 0", 1)};
  const std::vector<run_times> found = run_together(both, 0.2, {}, [] {});
  EXPECT_TRUE(found[0].seconds.empty());
  EXPECT_GE(found[0].unfinished, 0.2);
  EXPECT_DOUBLE_EQ(found[0].median(), found[0].unfinished);
  EXPECT_FALSE(found[1].seconds.empty());
}

TEST(run_together, failures_say_who_and_why) {
  const auto failure_of = [](const repeated_command& c) {
    try {
      run_together({&c, 1}, 60, {}, [] {});
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(failure_of(shell("echo alas >&2; exit 3", 1)), "script: ended with exit code 3: alas");
  EXPECT_EQ(failure_of(shell("kill -9 $$", 1)), "script: ended by signal 9 (Killed)");
  std::string expected;
  repeated_command c = shell("echo 1", 2);
  c.output = &expected;
  EXPECT_EQ(failure_of(c), "none");
  EXPECT_EQ(expected, "1\n");
  c.what.arguments[1] = "echo 2";
  EXPECT_EQ(failure_of(c), "script: wrong result: expected '1 ', found '2 '");
}

TEST(run_together, a_stop_request_ends_it) {
  std::stop_source source;
  source.request_stop();
  const repeated_command c = shell("sleep 100", 1);
  EXPECT_THROW(run_together({&c, 1}, 60, source.get_token(), [] {}), graph::cancelled);
}

TEST(spawn, keeps_a_program_where_it_is_put) {
  repeated_command c = shell("grep Cpus_allowed_list /proc/self/status", 1);
  std::string output;
  c.output = &output;
  const unsigned there = machine::affinity_at_start().back();
  c.what.contexts = {there};
  run_together({&c, 1}, 60, {}, [] {});
  EXPECT_EQ(output, "Cpus_allowed_list:\t" + std::to_string(there) + "\n");
}

}  // namespace
}  // namespace callisto::lab
