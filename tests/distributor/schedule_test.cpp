// The words for schedules: what is read is written again, and mistakes are explained with their place.
#include <callisto/distributor/schedule.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace callisto {
namespace {

std::string mistake(const std::string& text) {
  try {
    static_cast<void>(schedule::parse(text, "CALLISTO_SCHEDULE"));
  } catch (const usage_error& e) {
    return e.what();
  }
  return "none";
}

TEST(Schedule, ReadsWhatItWrites) {
  for (const char* text :
       {"auto", "ranges", "counter(machine)", "counter(thread)", "counter(core-pair)", "combine(core)/counter(core)",
        "combine(core,async)/counter(core)", "combine(core,async)/combine(socket)/counter(machine)"}) {
    EXPECT_EQ(schedule::parse(text, "").to_string(), text);
  }
  EXPECT_EQ(schedule::parse(" combine ( l2 , async ) / counter ", "").to_string(),
            "combine(l2,async)/counter(machine)");
  EXPECT_EQ(schedule::parse("counter", "").to_string(), "counter(machine)");
  EXPECT_TRUE(schedule().automatic());
  EXPECT_EQ(schedule::parse("combine(core,async)/counter(numa)", "").stages().size(), 2u);
}

TEST(Schedule, ExplainsMistakesWithTheirPlace) {
  EXPECT_EQ(mistake("dynamic"),
            "CALLISTO_SCHEDULE='dynamic', character 1: expected auto, ranges, counter or combine, "
            "found 'dynamic'");
  EXPECT_EQ(mistake("counter(kore)"),
            "CALLISTO_SCHEDULE='counter(kore)', character 9: expected thread, core, core-pair, "
            "l2, l3, numa, socket or machine, found 'kore'");
  EXPECT_EQ(mistake("combine(core)"),
            "CALLISTO_SCHEDULE='combine(core)', character 14: expected '/' and where the "
            "combined requests go, found the end");
  EXPECT_EQ(mistake("combine(socket)/counter(core)"),
            "CALLISTO_SCHEDULE='combine(socket)/counter(core)', character 25: "
            "expected a level no narrower than socket, found 'core'");
  EXPECT_NE(mistake("combine(core)/combine(core)/counter").find("character 23: expected a level wider than core"),
            std::string::npos);
  EXPECT_NE(mistake("combine(core)/combine(l3,async)/counter").find("character 26: expected ')': only the first"),
            std::string::npos);
  EXPECT_NE(mistake("combine(core)/combine(l3)/combine(machine)/counter").find("two combines are the most"),
            std::string::npos);
  EXPECT_NE(mistake("combine(core)/ranges").find("expected counter or combine, found 'ranges'"), std::string::npos);
  EXPECT_NE(mistake("combine(core asynch)/counter").find("character 14: expected ',' or ')', found 'asynch'"),
            std::string::npos);
  EXPECT_NE(mistake("combine(core,sync)/counter").find("character 14: expected async"), std::string::npos);
  EXPECT_NE(mistake("counter(core) 3").find("character 15: expected the end, found '3'"), std::string::npos);
  EXPECT_NE(mistake("auto/counter").find("expected nothing after auto"), std::string::npos);
  EXPECT_NE(mistake("counter(core").find("expected ')', found the end"), std::string::npos);
  EXPECT_NE(mistake("").find("found the end"), std::string::npos);
}

TEST(Schedule, ComesFromTheEnvironment) {
  ::setenv("CALLISTO_SCHEDULE", "counter(core)", 1);
  EXPECT_EQ(schedule::from_environment().to_string(), "counter(core)");
  ::setenv("CALLISTO_SCHEDULE", "", 1);
  EXPECT_TRUE(schedule::from_environment().automatic());
  ::unsetenv("CALLISTO_SCHEDULE");
  EXPECT_TRUE(schedule::from_environment().automatic());
}

}  // namespace
}  // namespace callisto
