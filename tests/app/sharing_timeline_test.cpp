// Checks timelines: what the looks saw is exact, what they missed is counted.
#include <callisto/app/jobs/sharing_timeline.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace callisto::app {
namespace {

using cosched::context_picture;
using cosched::no_job;

constexpr std::uint64_t us = 1000;
constexpr std::uint64_t start = 1'000'000'000;

context_picture seen(unsigned runs, std::uint32_t hand_overs, std::uint64_t since, bool idle = false) {
  return {.context = 3, .core = 1, .runs = runs, .idle = idle, .since = start + since, .hand_overs = hand_overs};
}

struct span {
  std::string name;
  double begin;
  double length;
  friend bool operator==(const span&, const span&) = default;
};
std::ostream& operator<<(std::ostream& out, const span& s) {
  return out << s.name << ' ' << s.begin << ' ' << s.length;
}

std::vector<span> spans_of(const sharing_timeline& timeline) {
  std::vector<span> all;
  const auto trace = nlohmann::json::parse(timeline.to_chrome_trace());
  for (const nlohmann::json& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    EXPECT_EQ(e["tid"], 3);
    all.push_back({e["name"], e["ts"], e["dur"]});
  }
  return all;
}

TEST(sharing_timeline, joins_what_it_saw) {
  sharing_timeline timeline;
  timeline.name({{.number = 0, .pid = 10, .name = "one"}, {.number = 1, .pid = 11, .name = "two\n"}});
  timeline.add({seen(0, 5, 0)}, start + 100 * us);
  timeline.add({seen(0, 5, 0)}, start + 200 * us);
  timeline.add({seen(1, 7, 250 * us)}, start + 300 * us);        // with no job between
  timeline.add({seen(1, 7, 350 * us, true)}, start + 400 * us);  // idle
  timeline.add({seen(0, 8, 450 * us)}, start + 500 * us);        // lent
  timeline.add({seen(no_job, 9, 550 * us)}, start + 600 * us);
  EXPECT_EQ(spans_of(timeline),
            (std::vector<span>{
                {"one 10", 0, 150}, {"two  11", 150, 100}, {"two  11, idle", 250, 100}, {"one 10", 350, 100}}));
  EXPECT_EQ(timeline.hand_overs(), 4u);
  EXPECT_EQ(timeline.missed(), 0u);
}

TEST(sharing_timeline, is_json_whatever_programs_are_called) {
  sharing_timeline timeline;
  timeline.name({{.number = 0, .pid = 10, .name = "one", .argument = "\xed\xa0\x80\xe0\x80\x80\xf4\x90\x80\x80\""}});
  timeline.add({seen(0, 5, 0)}, start);
  timeline.add({seen(0, 5, 0)}, start + 100 * us);
  EXPECT_EQ(spans_of(timeline), (std::vector<span>{{"one ??????????\" 10", 0, 100}}));
}

TEST(sharing_timeline, counts_what_it_did_not_see) {
  sharing_timeline timeline;
  timeline.name({{.number = 0, .pid = 10, .name = "one"}});
  timeline.add({seen(0, 0x7ffffe, 0)}, start + 100 * us);
  timeline.add({seen(0, 0x7ffffe, 0)}, start + 200 * us);
  timeline.add({seen(0, 4, 280 * us)}, start + 300 * us);  // away and back; the count of hand-overs wraps around
  EXPECT_EQ(spans_of(timeline), (std::vector<span>{{"one 10", 0, 100}, {"one 10", 180, 20}}))
      << "a stretch of which the end is not known ends when it was last seen";
  EXPECT_EQ(timeline.hand_overs(), 6u);
  EXPECT_EQ(timeline.missed(), 6u);
}

TEST(sharing_timeline, a_number_used_again_is_another_job) {
  sharing_timeline timeline;
  timeline.name({{.number = 0, .pid = 10, .name = "one"}});
  timeline.add({seen(0, 1, 0)}, start);
  timeline.add({seen(no_job, 2, 50 * us)}, start + 100 * us);
  timeline.name({{.number = 0, .pid = 20, .name = "two"}});
  timeline.add({seen(0, 3, 150 * us)}, start + 200 * us);
  timeline.add({seen(2, 4, 250 * us)}, start + 300 * us);  // a job without a name
  timeline.add({seen(2, 4, 250 * us)}, start + 400 * us);
  EXPECT_EQ(spans_of(timeline), (std::vector<span>{{"one 10", 0, 50}, {"two 20", 150, 100}, {"job 2", 250, 150}}));
}

TEST(sharing_timeline, what_a_predecessor_had_stays_his) {
  sharing_timeline timeline;
  timeline.name({{.number = 0, .pid = 10, .name = "one"}});
  timeline.add({seen(0, 1, 0)}, start);
  timeline.add({seen(0, 1, 0)}, start + 40 * us);
  // One look later the number is another job's, which has the context already.
  timeline.name({{.number = 0, .pid = 20, .name = "two"}});
  timeline.add({seen(0, 3, 50 * us)}, start + 100 * us);
  timeline.add({seen(0, 3, 50 * us)}, start + 200 * us);
  EXPECT_EQ(spans_of(timeline), (std::vector<span>{{"one 10", 0, 40}, {"two 20", 50, 150}}));
}

}  // namespace
}  // namespace callisto::app
