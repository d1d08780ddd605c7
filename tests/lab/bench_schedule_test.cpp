// Checks turns and verdicts, with candidates that are shell scripts.
#include <lab/experiments/report.hpp>
#include <lab/experiments/schedule.hpp>
#include <lab/experiments/workload.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

/// A candidate that takes a second for plain loops and `time` for others, and claims to have run `count`
/// iterations.
std::unique_ptr<candidate_process> fake(const std::string& name, const std::string& time, const std::string& count,
                                        const std::string& before = ":") {
  return std::make_unique<candidate_process>(
      "/bin/sh",
      std::vector<std::string>{"-c", "while read verb rest; do case $verb in describe) echo name " + name +
                                         "; echo method one ba; echo method two a; echo end;; run) " + before +
                                         "; echo time " + time + " aa " + count +
                                         ";; launch) echo launch 5e-8 1;; empty) echo time 0.01 0 0;; *) "
                                         "echo time 1 aa 64;; esac; done"},
      std::vector<std::pair<std::string, std::string>>{}, std::stop_token());
}

candidate enter(std::unique_ptr<candidate_process> program, bool callisto) {
  candidate_description d = program->description();
  program->halt();
  return {"file", std::move(d), std::move(program), callisto};
}

schedule_plan small_plan() {
  schedule_plan plan;
  plan.threads = 2;
  plan.rounds = 3;
  plan.paired_rounds = 5;
  plan.batches = {1, 16, 4096};
  bench_workload w;
  w.name = "even";
  w.n = 64;
  plan.loops = {w};
  plan.claims = true;
  plan.launches = true;
  return plan;
}

schedule_report measured(std::vector<std::unique_ptr<candidate_process>> programs) {
  schedule_report r;
  r.plan = small_plan();
  for (auto& program : programs) r.candidates.push_back(enter(std::move(program), r.candidates.empty()));
  const auto baseline = fake("baseline", "1", "64");
  std::size_t told = 0;
  r.results = measure_schedules(r.plan, r.candidates, *baseline, {}, [&](const measured_loop&) { ++told; });
  EXPECT_EQ(told, r.plan.loops.size());
  return r;
}

/// Returns all that is printed.
std::string all_words(const schedule_report& r) {
  std::string text = heading_of(r);
  for (const measured_loop& loop : r.results.loops) text += to_words(r, loop);
  return text + summary_of(r);
}

template <class... Programs>
std::vector<std::unique_ptr<candidate_process>> list(Programs... programs) {
  std::vector<std::unique_ptr<candidate_process>> all;
  (all.push_back(std::move(programs)), ...);
  return all;
}

TEST(bench_schedule, measures_each_way_in_each_round) {
  const schedule_report r = measured(list(fake("Callisto", "0.5", "64"), fake("peer", "0.8", "64")));
  EXPECT_TRUE(r.results.wrong.empty());
  ASSERT_EQ(r.results.loops.size(), 1u);
  const measured_loop& loop = r.results.loops[0];
  // Batches of 1, 16 and automatic ones; 4,096 is more than the loop has.
  EXPECT_EQ(loop.ways.size(), 8u);
  for (const measured_way& w : loop.ways) {
    EXPECT_EQ(w.speedups.size(), 3u);
    EXPECT_EQ(w.median(), w.way.candidate == 0 ? 2 : 1.25);
  }
  EXPECT_EQ(loop.find({1, 1, 1}), nullptr) << "the second method takes no batches";
  EXPECT_EQ(loop.perfect.size(), 3u);
  ASSERT_EQ(loop.paired_runs.size(), 1u);
  EXPECT_EQ(loop.paired_runs[0].peer.candidate, 1u);
  EXPECT_DOUBLE_EQ(loop.paired_runs[0].ratio.median, 1.6);
  ASSERT_TRUE(loop.of_perfect);
  EXPECT_DOUBLE_EQ(loop.of_perfect->median, 1);
  ASSERT_EQ(r.results.claims.size(), 2u);
  EXPECT_NEAR(r.results.claims[0].nanoseconds[0], 0.01e9 * 2 / (1 << 22), 1e-9);
  EXPECT_EQ(r.results.launches.size(), 4u);

  for (const promise& p : promises(r)) EXPECT_EQ(p.found, promise::verdict::kept) << p.text;
  const std::string text = all_words(r);
  EXPECT_NE(text.find("Callisto one  2.00*  2.00*"), std::string::npos) << text;
  EXPECT_EQ(text.find("MISSED"), std::string::npos);
  EXPECT_EQ(to_json(r)["loops"][0]["duels"][0]["contestant"], "peer");
  EXPECT_NE(to_svg(r).find("peer one"), std::string::npos);
}

TEST(bench_schedule, sums_up_a_sweep_by_the_hardest_peer) {
  schedule_report r =
      measured(list(fake("Callisto", "0.5", "64"), fake("slow", "0.8", "64"), fake("quick", "0.4", "64")));
  r.sweep = true;
  r.results.launches.clear();
  r.results.claims.clear();
  const std::vector<promise> found = promises(r);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].found, promise::verdict::missed);
  EXPECT_NE(found[0].text.find("quick one, batch 1 takes 0.800"), std::string::npos) << found[0].text;
  EXPECT_NE(all_words(r).find("even      2.00       2.50  quick one"), std::string::npos) << all_words(r);
}

TEST(bench_schedule, misses_promises) {
  const schedule_report r = measured(list(fake("Callisto", "0.7", "64"), fake("peer", "0.5", "64")));
  std::size_t missed = 0;
  for (const promise& p : promises(r)) missed += p.found == promise::verdict::missed ? 1 : 0;
  EXPECT_EQ(missed, 3u) << "of perfect, batch 1, than the peer: " << all_words(r);
}

TEST(bench_schedule, says_that_the_machine_was_busy) {
  schedule_report r = measured(list(fake("Callisto", "0.5", "64")));
  EXPECT_EQ(all_words(r).find("busy"), std::string::npos) << "the machine was not looked at";
  EXPECT_TRUE(to_json(r)["other_programs"].is_null());
  r.other_programs = 1.5;
  r.busy = "The machine was busy.\n";
  EXPECT_NE(summary_of(r).find("\nThe machine was busy.\n"), std::string::npos) << summary_of(r);
  EXPECT_EQ(to_json(r)["other_programs"], 1.5);
}

TEST(bench_schedule, notices_wrong_results) {
  const schedule_report r = measured(list(fake("Callisto", "0.5", "64"), fake("liar", "0.1", "63")));
  ASSERT_FALSE(r.results.wrong.empty());
  EXPECT_EQ(r.results.wrong[0], "liar one, batch 1, even: 63 iterations instead of 64");
  for (const measured_way& w : r.results.loops[0].ways) EXPECT_EQ(w.way.candidate, 0u) << "no time for a wrong result";
  EXPECT_NE(all_words(r).find("WRONG    liar one"), std::string::npos);
}

TEST(bench_schedule, goes_on_without_a_candidate_that_dies) {
  const schedule_report r = measured(list(
      fake("Callisto", "0.5", "64"), fake("mortal", "0.5", "64", "echo help >&2; exit 9"), fake("peer", "0.8", "64")));
  EXPECT_EQ(r.candidates[1].failure, "ended with exit code 9: help");
  EXPECT_EQ(r.results.loops[0].ways.size(), 8u);
  EXPECT_NE(all_words(r).find("FAILED   mortal: ended with exit code 9: help"), std::string::npos);
}

TEST(bench_schedule, ends_with_callisto) {
  EXPECT_THROW(measured(list(fake("Callisto", "0.5", "64", "exit 9"))), child_failure);
}

TEST(bench_schedule, stops_when_asked_to) {
  std::vector<candidate> candidates;
  std::stop_source stop;
  auto slow = std::make_unique<candidate_process>(
      "/bin/sh",
      std::vector<std::string>{"-c",
                               "while read verb rest; do case $verb in describe) echo name x; echo method m a; echo "
                               "end;; *) sleep 100;; esac; done"},
      std::vector<std::pair<std::string, std::string>>{}, stop.get_token());
  candidates.push_back(enter(std::move(slow), true));
  const auto baseline = fake("baseline", "1", "64");
  stop.request_stop();
  EXPECT_THROW(measure_schedules(small_plan(), candidates, *baseline, {nullptr, stop.get_token()}, [](const auto&) {}),
               graph::cancelled);
}

TEST(bench_workload, are_as_the_paper_and_the_issue_have_them) {
  const std::vector<bench_workload> all = table_workloads(1);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[0].n, std::uint64_t{1} << 24);
  EXPECT_EQ(all[1].heavy, 8192u);
  EXPECT_EQ(all[1].n - all[1].heavy, std::uint64_t{1} << 23);
  EXPECT_EQ(all[2].heavy, 12288u);
  EXPECT_EQ(all[7].n, 1024u);
  EXPECT_EQ(all[7].repeats, 300u);
  for (const std::vector<bench_workload>& some : {all, sweep_workloads(1), sweep_workloads(16)}) {
    for (const bench_workload& w : some) {
      EXPECT_LT(w.site, 15u);
      EXPECT_GE(w.repeats, 1u);
      EXPECT_FALSE(w.name.empty());
    }
  }
  const auto most = std::max_element(all.begin(), all.end(),
                                     [](const bench_workload& a, const bench_workload& b) { return a.site < b.site; });
  EXPECT_EQ(most->site, 7u) << "each has a site of its own";
}

}  // namespace
}  // namespace callisto::lab
