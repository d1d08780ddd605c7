// Checks that candidates' answers are understood or refused.
#include <lab/experiments/candidate.hpp>

#include <gtest/gtest.h>

#include <string>

namespace callisto::lab {
namespace {

TEST(bench_candidate, understands_a_description) {
  const candidate_description d = parse_description(
      {"name Some Runtime", "version of 1.2", "library /usr/lib/x.so", "method dynamic b", "method auto ar"});
  EXPECT_EQ(d.name, "Some Runtime");
  EXPECT_EQ(d.version, "of 1.2");
  EXPECT_EQ(d.library, "/usr/lib/x.so");
  ASSERT_EQ(d.methods.size(), 2u);
  EXPECT_EQ(d.methods[0].name, "dynamic");
  EXPECT_TRUE(d.methods[0].takes_batches);
  EXPECT_FALSE(d.methods[0].chooses_batches);
  EXPECT_FALSE(d.methods[0].runs_ranges);
  EXPECT_FALSE(d.methods[1].takes_batches);
  EXPECT_TRUE(d.methods[1].chooses_batches);
  EXPECT_TRUE(d.methods[1].runs_ranges);
  EXPECT_TRUE(d.refusal.empty());
}

TEST(bench_candidate, understands_a_refusal) {
  EXPECT_EQ(parse_description({"refuse a debug build"}).refusal, "a debug build");
}

TEST(bench_candidate, refuses_descriptions_that_make_no_sense) {
  EXPECT_THROW(parse_description({}), child_failure);
  EXPECT_THROW(parse_description({"name x"}), child_failure);
  EXPECT_THROW(parse_description({"method m b"}), child_failure);
  EXPECT_THROW(parse_description({"name x", "method m"}), child_failure);
  EXPECT_THROW(parse_description({"name x", "method m z"}), child_failure);
  EXPECT_THROW(parse_description({"name x", "method m b", "shoe size 43"}), child_failure);
}

TEST(bench_candidate, understands_times) {
  const loop_timing t = parse_timing("time 1.5e-3 00ff 12");
  EXPECT_EQ(t.seconds, 1.5e-3);
  EXPECT_EQ(t.sum, 255u);
  EXPECT_EQ(t.count, 12u);
  EXPECT_TRUE(t.same_result(parse_timing("time 7 ff 12")));
  EXPECT_FALSE(t.same_result(parse_timing("time 7 fe 12")));
  EXPECT_FALSE(t.same_result(parse_timing("time 7 ff 11")));
}

TEST(bench_candidate, refuses_times_that_make_no_sense) {
  for (const char* answer : {"", "time", "time 1", "time 1 ff", "tame 1 ff 2", "time 0 ff 2", "time -1 ff 2",
                             "time nan ff 2", "time x ff 2", "launch 1 0.5"}) {
    EXPECT_THROW(parse_timing(answer), child_failure) << answer;
  }
}

TEST(bench_candidate, understands_launches) {
  const launch_timing t = parse_launch("launch 1e-7 0.25");
  EXPECT_EQ(t.seconds, 1e-7);
  EXPECT_EQ(t.share, 0.25);
  for (const char* answer : {"", "launch", "launch 1", "launch 0 1", "launch 1 2", "launch 1 -1", "launch 1 nan"}) {
    EXPECT_THROW(parse_launch(answer), child_failure) << answer;
  }
}

/// Starts a program that describes itself as a candidate and answers everything else by `answer`.
candidate_process fake(const std::string& answer) {
  return candidate_process("/bin/sh",
                           {"-c",
                            "while read line; do case $line in describe) echo name fake; echo method m b; echo end;; "
                            "*) " +
                                answer + ";; esac; done"},
                           {}, {});
}

TEST(bench_candidate, asks_and_is_answered) {
  candidate_process c = fake("echo time 2 a 1");
  EXPECT_EQ(c.description().name, "fake");
  c.halt();
  c.proceed();
  EXPECT_EQ(c.run(0, 1, 1, "0 0 0 1 0 1 0").seconds, 2);
  EXPECT_EQ(c.sequential(1, "0 0 0 1 0 1 0").sum, 10u);
  EXPECT_EQ(c.perfect(2, "0 0 0 1 0 1 0").count, 1u);
  EXPECT_EQ(c.empty(0, 1, 100), 2);
  EXPECT_THROW(c.launch(0, 1, "none", 10), child_failure);
}

TEST(bench_candidate, tells_of_errors_and_of_its_end) {
  candidate_process refuses = fake("echo error no such method");
  try {
    refuses.run(7, 1, 1, "x");
    FAIL();
  } catch (const child_failure& e) {
    EXPECT_STREQ(e.what(), "cannot 'run 7 1 1 x': no such method");
  }
  candidate_process dies = fake("exit 5");
  try {
    dies.empty(0, 1, 1);
    FAIL();
  } catch (const child_failure& e) {
    EXPECT_STREQ(e.what(), "ended with exit code 5");
  }
}

}  // namespace
}  // namespace callisto::lab
