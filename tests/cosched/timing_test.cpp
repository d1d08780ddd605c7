// Delays and weight from the environment.
#include <callisto/cosched/timing.hpp>

#include "../refusal.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace callisto::cosched {
namespace {

class Timing : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name :
         {"CALLISTO_H_HIGH", "CALLISTO_H_LOW", "CALLISTO_P_HIGH", "CALLISTO_P_LOW", "CALLISTO_WEIGHT"})
      unsetenv(name);
  }
};

TEST_F(Timing, DefaultsAreThePapers) {
  const timing t = timing::from_environment();
  EXPECT_EQ(t.h_high, 10'000'000u);
  EXPECT_EQ(t.h_low, 10'000'000u);
  EXPECT_EQ(t.p_high, 100'000'000u);
  EXPECT_EQ(t.p_low, 1'000'000u);
  EXPECT_EQ(t.grace(), 10'000'000u);
}

TEST_F(Timing, TakesNumbersWithUnits) {
  setenv("CALLISTO_H_HIGH", "500us", 1);
  setenv("CALLISTO_H_LOW", "2ms", 1);
  setenv("CALLISTO_P_HIGH", "1s", 1);
  setenv("CALLISTO_P_LOW", "5ms", 1);
  const timing t = timing::from_environment();
  EXPECT_EQ(t.h_high, 500'000u);
  EXPECT_EQ(t.h_low, 2'000'000u);
  EXPECT_EQ(t.p_high, 1'000'000'000u);
  EXPECT_EQ(t.p_low, 5'000'000u);
  EXPECT_EQ(t.grace(), 20'000'000u);
  setenv("CALLISTO_H_LOW", "", 1);
  EXPECT_EQ(timing::from_environment().h_low, 10'000'000u);
}

TEST_F(Timing, RefusesWhatIsNoDuration) {
  for (const char* text : {"10", "ms", "-1ms", "1.5ms", "9us", "2s", "99999999999999999999s", "10 ms", "10msx"}) {
    setenv("CALLISTO_P_LOW", text, 1);
    EXPECT_EQ(
        tests::refusal([] { timing::from_environment(); }),
        std::string("CALLISTO_P_LOW=") + text + ": expected a duration from 10us to 1s, such as 500us, 10ms or 1s");
  }
}

TEST_F(Timing, WeightsAreWholeNumbers) {
  EXPECT_EQ(weight_from_environment(), 1u);
  setenv("CALLISTO_WEIGHT", "1000", 1);
  EXPECT_EQ(weight_from_environment(), 1000u);
  for (const char* text : {"0", "1001", "-3", "2.5", "heavy"}) {
    setenv("CALLISTO_WEIGHT", text, 1);
    EXPECT_EQ(tests::refusal([] { weight_from_environment(); }),
              std::string("CALLISTO_WEIGHT=") + text + ": expected a number from 1 to 1000");
  }
}

}  // namespace
}  // namespace callisto::cosched
