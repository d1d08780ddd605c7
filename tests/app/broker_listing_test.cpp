// Checks what is shown of a broker's jobs: text, metrics, and the screen of `top`. Names come from jobs, which may lie.
#include <callisto/app/jobs/broker_listing.hpp>
#include <callisto/app/jobs/broker_screen.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

// Of its own: other tests of this room have a `job` and a `second`, too.
namespace callisto::app::of_broker_listing {
namespace {

using broker::broker_report;
using broker::broker_usage;
using broker::usage_line;

constexpr std::uint64_t second = 1'000'000'000;

usage_line job(unsigned number, std::uint64_t account, std::string_view name, std::uint64_t had,
               std::uint64_t borrowed = 0, std::uint64_t lent = 0) {
  usage_line l{.account = account,
               .had = had,
               .borrowed = borrowed,
               .lent = lent,
               .forced = 3,
               .number = number,
               .process = 1000 + number,
               .contexts = 2,
               .weight = 64};
  std::ranges::copy(name, l.name.begin());
  return l;
}

broker_report report() { return {.path = "/run/callisto/broker", .says = {.jobs = 2, .users = 2, .forced = 6}}; }

broker_usage lists() {
  broker_usage all;
  all.all_users = true;
  all.jobs = {job(0, 1001, "one", 3 * second, second), job(4, 77, "\x1b[2J\"a\\\nb", 5 * second / 2)};
  all.users = {job(1, 77, "", 5 * second / 2), job(1, 1001, "", 7 * second)};
  all.users[1].debt = second / 4;
  return all;
}

const user_names names("root:x:0:0::/:\nann:x:1001:1001::/:\nbad\nev\x1b[1m:x:78:1\n:x:79:1\n");

TEST(broker_listing, names_users_by_the_file) {
  EXPECT_EQ(names.of(1001), "ann");
  EXPECT_EQ(names.of(77), "77");
  EXPECT_EQ(names.of(79), "79");
  EXPECT_EQ(names.of(78).find('\x1b'), std::string::npos);
}

TEST(broker_listing, prints_no_control_characters_of_a_job) {
  const std::string text = to_words(lists(), names);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  // Headings, two users, an empty line, headings, two jobs.
  EXPECT_EQ(std::ranges::count(text, '\n'), 7) << text;
  EXPECT_NE(text.find("ann"), std::string::npos);
  const json all = jobs_to_json(lists(), names);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(to_line(all[0]["user"]), "\"ann\"");
  EXPECT_EQ(all[0]["had_seconds"].number(), 3);
  EXPECT_EQ(all[0]["borrowed_seconds"].number(), 1);
  EXPECT_EQ(to_line(all[1]["name"]).find("\\u001b"), std::string::npos) << to_line(all[1]["name"]);
  EXPECT_EQ(users_to_json(lists(), names)[1]["debt_seconds"].number(), .25);
  EXPECT_EQ(shown_name(usage_line()), "?");
}

TEST(broker_listing, writes_metrics_that_a_parser_takes) {
  const std::string text = to_metrics(report(), lists(), names);
  EXPECT_NE(text.find("\ncallisto_user_context_seconds_total{user=\"ann\",uid=\"1001\"} 7\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\ncallisto_job_borrowed_context_seconds_total{user=\"ann\",uid=\"1001\",job=\"0\",pid=\"1000\","
                      "name=\"one\"} 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\ncallisto_broker_forced_total 6\n"), std::string::npos);
  // Each line is a comment or a sample of the family that the last comment has named; a quotation mark of a name is
  // behind a backslash.
  std::istringstream lines(text);
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) family = line.substr(7, line.find(' ', 7) - 7);
    if (line.starts_with("# ")) continue;
    EXPECT_EQ(line.substr(0, line.find_first_of("{ ")), family) << line;
    bool inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        inside = !inside;
      }
      EXPECT_GE(line[i], ' ') << line;
    }
    EXPECT_FALSE(inside) << line;
  }
  EXPECT_EQ(to_metrics(std::nullopt, std::nullopt, names).find("callisto_broker_jobs"), std::string::npos);
  EXPECT_NE(to_metrics(std::nullopt, std::nullopt, names).find("\ncallisto_broker_up 0\n"), std::string::npos);
}

TEST(broker_screen, shows_means_over_the_interval) {
  broker_screen screen(names);
  screen.close(10 * second, report(), lists());
  broker_usage later = lists();
  later.jobs[0].had += second;
  later.jobs[0].borrowed += second / 2;
  later.jobs[1].had += 3 * second;
  screen.close(12 * second, report(), later);
  top_screen::style how{.size = {80, 24}, .keys = true, .only = {}, .clock = "12:34:56", .table = {}};
  std::string text = screen.render(how);
  EXPECT_NE(text.find("ann             0 one               0.50 0.25 0.00    1      3    1000  4.00 s"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("12:34:56"), std::string::npos);
  EXPECT_NE(text.find("all users' jobs"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.find("ann "), text.find("77 "));
  how.by = top_screen::order::runs;
  text = screen.render(how);
  EXPECT_LT(text.find("77 "), text.find("ann "));
  how.only = "ANN";
  text = screen.render(how);
  EXPECT_EQ(text.find("77 "), std::string::npos);
  EXPECT_NE(text.find("one"), std::string::npos);
  // A job that ended is gone, and another one with its number begins with what it has.
  later.jobs[0].process = 5000;
  later.jobs[0].had = 0;
  screen.close(13 * second, report(), later);
  EXPECT_NE(screen.render(how).find(" 2.00 0.00 0.00"), std::string::npos);
  for (const std::size_t rows : {1u, 2u, 4u, 5u}) {
    for (const std::size_t columns : {1u, 20u, 200u}) {
      how.size = {columns, rows};
      how.scroll = rows;
      const std::string small = screen.render(how);
      EXPECT_LE(static_cast<std::size_t>(std::ranges::count(small, '\n')) + 1, rows);
    }
  }
  broker_report silent = report();
  silent.answers = false;
  screen.close(14 * second, silent, std::nullopt);
  how.size = {80, 24};
  EXPECT_NE(screen.render(how).find("does not answer"), std::string::npos);
}

}  // namespace
}  // namespace callisto::app::of_broker_listing
