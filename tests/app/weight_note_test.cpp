// Checks when `callisto run --weight` says that the weight has no effect.
#include <callisto/app/jobs/table_access.hpp>

#include <gtest/gtest.h>

namespace callisto::app {
namespace {

TEST(note_on_weight, is_said_where_jobs_stand_aside) {
  EXPECT_EQ(note_on_weight(3, 0.3, 2), "") << "15 % of two contexts";
  EXPECT_EQ(note_on_weight(3, -0.1, 2), "");
  const std::string note = note_on_weight(3, 1.24, 2);
  EXPECT_TRUE(note.starts_with("--weight 3: has no effect for now: programs that are no jobs use 1.2 of 2 processors"))
      << note;
  EXPECT_EQ(note_on_weight(3, 3.0, 64), "");
  EXPECT_NE(note_on_weight(3, 3.3, 64), "") << "5 % of 48 contexts and more";
}

}  // namespace
}  // namespace callisto::app
