// Checks the screen of `top`: it fits any size, and shows what the looks saw.
#include <callisto/app/base/text.hpp>
#include <callisto/app/jobs/top_screen.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace callisto::app {
namespace {

using cosched::context_picture;
using cosched::job_picture;
using cosched::no_job;
using cosched::only;

constexpr std::uint64_t second = 1'000'000'000;

job_picture job(unsigned number, const std::string& name, double share, std::uint64_t used) {
  return {.number = number,
          .pid = 1000 + number,
          .name = name,
          .weight = 1,
          .contexts = {0, 1},
          .main = number,
          .share = share,
          .alive = true,
          .state = 'R',
          .processor_time = used};
}

context_picture context(unsigned number, unsigned priority, unsigned runs, std::uint32_t hand_overs,
                        cosched::job_set wants = 0, bool idle = false) {
  return {.context = number,
          .core = number,
          .priority = priority,
          .turns = 1,
          .runs = runs,
          .idle = idle,
          .hand_overs = hand_overs,
          .wants = wants};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// Returns the line that begins with `begin` after spaces.
std::string line_with(const std::string& text, const std::string& begin, std::size_t from = 0) {
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = from; i < lines.size(); ++i) {
    const std::size_t at = lines[i].find_first_not_of(' ');
    if (at != std::string::npos && lines[i].compare(at, begin.size(), begin) == 0) return lines[i];
  }
  return {};
}

TEST(top_screen, shows_means_over_the_interval) {
  top_screen screen;
  screen.add({context(0, 0, 0, 10), context(1, 1, no_job, 3)});
  screen.close(5 * second, {job(0, "one", 1, second), job(1, "two", 1, second)});
  // Half of the time job 0 has both, and job 1 waits for its own.
  for (int i = 0; i < 10; ++i) {
    const bool lent = i % 2 == 0;
    screen.add({context(0, 0, 0, 10, only(0)), context(1, 1, lent ? 0 : 1, 13, only(0) | only(1))});
  }
  screen.close(6 * second, {job(0, "one", 1, second + 3 * second / 2), job(1, "two", 1, second + second / 2)});
  const std::string text = screen.render({.size = {80, 24}, .only = {}, .clock = "12:34:56", .table = "/somewhere"});
  EXPECT_NE(text.find("2 jobs on 2 contexts"), std::string::npos) << text;
  EXPECT_NE(text.find("12:34:56"), std::string::npos);
  EXPECT_NE(text.find("/somewhere"), std::string::npos);
  //                                       number name   state        cpu run  high wait weight lent borr kept  pid
  EXPECT_EQ(line_with(text, "0 one"),
            "  0 one               runs        150 1.50 1.00 0.50    1 0.00 0.50 0.00    1000");
  EXPECT_EQ(line_with(text, "1 two"),
            "  1 two               runs         50 0.50 1.00 0.50    1 0.50 0.00 0.00    1001");
  EXPECT_NE(screen.render({.size = {40, 24}, .only = {}, .clock = {}, .table = {}})
                .find("0 one               runs        150"),
            std::string::npos)
      << "what counts most stands first";
  // Ten hand-overs in the second; the newest column of the history is the job that had most of it.
  EXPECT_EQ(line_with(text, "0    0", 6), "      0    0    0    0 -           0  00");
  EXPECT_EQ(line_with(text, "1    1", 6).substr(0, 38), "      1    1    1    1 0          10  ");
}

TEST(top_screen, shows_who_had_a_context_before) {
  top_screen screen;
  const unsigned had[] = {0, 0, 1, no_job, 2};
  for (std::uint64_t i = 0; i < 5; ++i) {
    for (int look = 0; look < 3; ++look) screen.add({context(7, 0, had[i], 1, 0, had[i] == 2)});
    screen.close((i + 1) * second, {job(0, "a", 1, 0)});
  }
  const std::string text = screen.render({.size = {80, 24}, .only = {}, .clock = {}, .table = {}});
  EXPECT_EQ(line_with(text, "7"), "      7    7    0    . -           0  001 .");
}

TEST(top_screen, shows_what_other_programs_take) {
  top_screen screen;
  screen.add({context(0, 0, 0, 1)});
  screen.close(second, {job(0, "a", 1, second)}, 3 * second);
  screen.add({context(0, 0, 0, 1)});
  screen.close(2 * second, {job(0, "a", 1, second + second / 10)}, 4 * second);
  EXPECT_NE(screen.render({.size = {80, 24}, .only = {}, .clock = {}, .table = {}}).find("others: 90 %"),
            std::string::npos);
}

TEST(top_screen, orders_and_filters_jobs) {
  top_screen screen;
  const auto look = [&](std::uint64_t now, std::uint64_t used) {
    screen.add({context(0, 0, 1, 1), context(1, 0, 1, 1), context(2, 2, 2, 1)});
    screen.close(now, {job(0, "Miller", 1, 0), job(1, "baker", 1, used), job(2, "alma/miller", 1, 2 * used)});
  };
  look(second, second);
  look(2 * second, 2 * second);
  const auto names = [&](const top_screen::style& how) {
    std::string all;
    for (const std::string& line : lines_of(screen.render(how))) {
      for (const char* const name : {" Miller", " baker", " alma/miller"}) {
        if (line.find(name) == 3) all += name;
      }
    }
    return all;
  };
  top_screen::style how{.size = {80, 24}, .keys = true, .only = {}, .clock = {}, .table = {}};
  EXPECT_EQ(names(how), " Miller baker alma/miller");
  how.by = top_screen::after(how.by);
  EXPECT_EQ(names(how), " alma/miller baker Miller");
  EXPECT_NE(screen.render(how).find("; by CPU%"), std::string::npos);
  how.by = top_screen::after(how.by);
  EXPECT_EQ(names(how), " baker alma/miller Miller");
  how.by = top_screen::order::name;
  EXPECT_EQ(names(how), " alma/miller baker Miller");
  how.only = "MILLER";
  EXPECT_EQ(names(how), " alma/miller Miller");
  EXPECT_EQ(top_screen::after(how.by), top_screen::order::job);
  how.only = "smith";
  EXPECT_NE(screen.render(how).find("no job has 'smith' in its name"), std::string::npos);
  how.typing = true;
  EXPECT_NE(screen.render(how).find("in their name: smith_"), std::string::npos);
}

TEST(top_screen, says_that_all_stand_aside) {
  top_screen screen;
  screen.add({context(0, 0, no_job, 1)});
  job_picture one = job(0, "a", 0, second);
  one.aside = cosched::aside::outsiders;
  screen.close(second, {one, job(1, "b", 0, second)});
  EXPECT_NE(screen.render({.size = {80, 24}, .only = {}, .clock = {}, .table = {}})
                .find("2 jobs on 1 context, 0 in use by jobs"),
            std::string::npos);
  screen.close(2 * second, {one});
  EXPECT_NE(screen.render({.size = {80, 24}, .only = {}, .clock = {}, .table = {}})
                .find("1 job on 1 context, sharing is off"),
            std::string::npos);
}

/// A job that could not answer, as it had no processor, is not the one to blame.
TEST(top_screen, silent_is_a_job_that_ran_where_it_had_no_context) {
  for (const bool ran : {false, true}) {
    top_screen screen;
    context_picture lost = context(0, 1, 1, 1);
    lost.unanswered = 1;
    lost.unanswered_by = 0;
    lost.unanswered_for = 1;
    screen.add({lost});
    screen.close(second, {job(0, "a", 1, 0), job(1, "b", 1, 0)});
    screen.add({lost});
    screen.close(2 * second, {job(0, "a", 1, ran ? second / 2 : 0), job(1, "b", 1, 0)});
    const std::string line = line_with(screen.render({.size = {80, 24}, .only = {}, .clock = {}, .table = {}}), "0 a");
    EXPECT_EQ(line.find("silent") != std::string::npos, ran) << line;
  }
}

TEST(top_screen, help_fits_every_terminal) {
  for (const std::size_t columns : {1u, 40u, 80u, 200u}) {
    for (const std::size_t rows : {1u, 5u, 24u}) {
      const std::vector<std::string> lines = lines_of(top_screen::help({columns, rows}));
      EXPECT_LE(lines.size(), rows);
      for (const std::string& line : lines) EXPECT_LE(app::columns(line), columns);
    }
  }
}

TEST(top_screen, fits_every_terminal) {
  top_screen screen;
  std::vector<context_picture> contexts;
  std::vector<job_picture> jobs;
  for (unsigned c = 0; c < 300; ++c) contexts.push_back(context(c, c % 64, c % 64, c, ~cosched::job_set{0}));
  for (unsigned j = 0; j < 64; ++j) jobs.push_back(job(j, "grüße-" + std::to_string(j), 300.0 / 64, j));
  for (std::uint64_t i = 1; i < 100; ++i) {
    screen.add(contexts);
    screen.close(i * second, jobs);
  }
  for (const std::size_t columns : {1u, 2u, 3u, 10u, 39u, 40u, 79u, 80u, 81u, 200u, 500u}) {
    for (const std::size_t rows : {1u, 2u, 5u, 6u, 7u, 8u, 23u, 24u, 25u, 100u, 1000u}) {
      for (const std::size_t scroll : {0u, 5u, 100000u}) {
        const std::string text = screen.render(
            {.size = {columns, rows}, .keys = true, .scroll = scroll, .only = {}, .clock = "12:00:00", .table = "/t"});
        const std::vector<std::string> lines = lines_of(text);
        EXPECT_LE(lines.size(), rows);
        for (const std::string& line : lines) {
          EXPECT_LE(app::columns(line), columns) << line;
          EXPECT_EQ(line.find('\x1b'), std::string::npos) << "no colours were asked for";
        }
      }
    }
  }
  const std::string text =
      screen.render({.size = {80, 24}, .keys = true, .only = {}, .clock = "12:00:00", .table = "/t"});
  EXPECT_EQ(lines_of(text).size(), 24u);
  EXPECT_NE(text.find("contexts 1 to "), std::string::npos) << "it says that there are more";
  EXPECT_NE(text.find(" more\n"), std::string::npos);
  EXPECT_NE(screen.render({.size = {80, 24}, .scroll = 100000, .only = {}, .clock = {}, .table = {}}).find("    299 "),
            std::string::npos)
      << "the last one can be reached";
}

TEST(top_screen, colours_end_where_they_begin) {
  top_screen screen;
  screen.add({context(0, 0, 0, 0)});
  screen.close(second, {job(0, "a", 1, 0)});
  const std::string text = screen.render({.size = {80, 24}, .colours = true, .only = {}, .clock = {}, .table = {}});
  std::size_t begins = 0;
  std::size_t ends = 0;
  for (std::size_t at = text.find("\x1b["); at != std::string::npos; at = text.find("\x1b[", at + 1)) {
    text.compare(at, 4, "\x1b[0m") == 0 ? ++ends : ++begins;
  }
  EXPECT_GT(begins, 2u);
  EXPECT_EQ(begins, ends);
}

TEST(top_screen, nothing_yet_is_a_screen_too) {
  EXPECT_NE(top_screen().render({.size = {80, 24}, .only = {}, .clock = {}, .table = {}}).find("0 jobs"),
            std::string::npos);
}

}  // namespace
}  // namespace callisto::app
