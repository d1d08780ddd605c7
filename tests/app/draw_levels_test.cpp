// Checks the thread tree in words and lines.
#include <callisto/app/machine/draw_levels.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::app {
namespace {

/// Returns the layout of 8 threads on 2 sockets of 2 cores of 2 contexts. Thread 0 comes first.
distributor::layout two_sockets() {
  std::vector<distributor::seat> seats;
  for (unsigned t = 0; t < 8; ++t) {
    const unsigned socket = t % 2;
    const unsigned core = socket * 2 + t / 2 % 2;
    seats.push_back({core, core, socket, socket, socket});
  }
  return distributor::layout(seats);
}

TEST(DrawLevels, DrawsAPartALine) {
  EXPECT_EQ(draw_levels(two_sockets(), nesting()),
            "machine: w0 w1 w2 w3 w4 w5 w6 w7\n"
            "  socket (level 2): w0 w2 w4 w6\n"
            "    core (level 1): w0 w4\n"
            "    core (level 1): w2 w6\n"
            "  socket (level 2): w1 w3 w5 w7\n"
            "    core (level 1): w1 w5\n"
            "    core (level 1): w3 w7\n");
  EXPECT_EQ(draw_levels(distributor::layout::flat(2), nesting()), "machine: w0 w1\n");
}

TEST(DrawLevels, SaysWhatALevelComesToAndWhatItFoldsInto) {
  EXPECT_EQ(use_of(two_sockets(), nesting(), 0).meaning, "all threads");
  const level_use cores = use_of(two_sockets(), nesting(), 1);
  EXPECT_EQ(cores.parts, 4u);
  EXPECT_EQ(cores.largest, 2u);
  EXPECT_EQ(cores.meaning, "a thread for each core, loops inside on up to 2 threads");
  EXPECT_EQ(use_of(two_sockets(), nesting(), 3).meaning,
            "folds: one machine, so the leader, and loops inside on all threads");
  EXPECT_EQ(use_of(distributor::layout::flat(4), nesting(), 1).meaning,
            "folds: a thread for each core, so all threads");
  EXPECT_EQ(use_of(distributor::layout::flat(4), nesting(), 2).meaning,
            "folds: one socket, so the leader, and loops inside on all threads");
}

}  // namespace
}  // namespace callisto::app
