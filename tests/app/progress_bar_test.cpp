// The progress line's text; its drawing on a terminal is tested from outside (tests/cli).
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/progress_bar.hpp>

#include <gtest/gtest.h>

namespace callisto::app {
namespace {

TEST(render_progress, shows_part_rate_and_time_left) {
  EXPECT_EQ(render_progress({"reading a.txt", "bytes", 50'000'000, 100'000'000, 5}, 100),
            "reading a.txt  [############............]  50%  10.0 MB/s  5.00 s left");
}

TEST(render_progress, never_claims_to_be_complete) {
  EXPECT_EQ(render_progress({"sort", "edges", 10, 10, 1}, 100), "sort  [########################]  99%  10.0 edges/s");
  EXPECT_EQ(render_progress({"sort", "edges", 20, 10, 1}, 100), "sort  [########################]  99%  20.0 edges/s");
}

TEST(render_progress, does_without_a_total) {
  EXPECT_EQ(render_progress({"reading -", "bytes", 2048, 0, 1}, 100), "reading -  2.00 KiB  2.05 kB/s");
  EXPECT_EQ(render_progress({"iterating", "iterations", 0, 0, 1}, 100), "iterating");
}

TEST(render_progress, tells_of_the_whole_command) {
  // 4 s for a share of 4; then 1 s for half of a share of 2, as long again, and 14 behind at 1 s each.
  progress_state state{"sorting", "edges", 50, 100, 1};
  state.seconds_before = 4;
  state.share_before = 4;
  state.share = 2;
  state.share_behind = 14;
  EXPECT_DOUBLE_EQ(*estimate_progress(state).left, 15);
  EXPECT_DOUBLE_EQ(*estimate_progress(state).part, 0.25);
  EXPECT_EQ(render_progress(state, 100), "sorting  [######..................]  25%  50.0 edges/s  about 15.0 s left");
  state.least = 0.5;  // never back
  EXPECT_DOUBLE_EQ(*estimate_progress(state).part, 0.5);
  state.least = 0;
  state.total = 0;  // by the pace until now, the stage takes 2 s
  EXPECT_DOUBLE_EQ(*estimate_progress(state).left, 15);
  state.seconds_before = 0;
  state.share_before = 0;  // the first stage: nothing tells how long it takes
  EXPECT_FALSE(estimate_progress(state).left);
  EXPECT_DOUBLE_EQ(*estimate_progress(state).part, 0);
  // The last stage: by its own rate.
  progress_state last{"kernel", "rounds", 10, 40, 5};
  last.seconds_before = 5;
  last.share_before = 10;
  last.share = 10;
  EXPECT_DOUBLE_EQ(*estimate_progress(last).left, 15);
  EXPECT_DOUBLE_EQ(*estimate_progress(last).part, 0.4);
}

TEST(render_progress, fits_the_terminal) {
  const progress_state state{"éééé a stage with a long name", "bytes", 1, 100, 1};
  for (std::size_t width = 0; width < 90; ++width) {
    EXPECT_LE(columns(render_progress(state, width)), width);
  }
  EXPECT_EQ(render_progress(state, 2), "éé");
}

TEST(progress_bar, is_silent_when_disabled) {
  progress_bar bar(false);
  bar.begin("reading", 10, "bytes");
  bar.advance(5);
  bar.finish();
}

TEST(progress_bar, ends_while_working) {
  // The painting thread must end although the work was never finished.
  progress_bar bar(true);
  bar.begin("reading", 10, "bytes");
  bar.advance(5);
}

}  // namespace
}  // namespace callisto::app
