// mark_finder against a scan of every byte.
#include <callisto/graph/files/input/marks.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::input {
namespace {

bool is_mark(char c) { return c < '0' || c > '9'; }

/// Returns all marks that the finder finds, taken `at_once` at a time.
std::vector<const char*> marks_of(std::string_view text, std::size_t at_once) {
  mark_finder marks(text);
  std::vector<const char*> found;
  const char* p = text.data();
  while (marks.go_on(p)) {
    while (marks.known() >= at_once) {
      for (std::size_t i = 0; i < at_once; ++i) found.push_back(marks.mark(i));
      marks.forget(at_once);
      p = found.back() + 1;
    }
  }
  for (std::size_t i = 0; i < marks.known(); ++i) found.push_back(marks.mark(i));
  return found;
}

TEST(MarkFinder, TellsAllBytesThatAreNoDigitsUpToTheLastBlock) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    // From only digits to any bytes.
    const unsigned others = static_cast<unsigned>(random() % 11);
    std::string text(random() % 5000, '\0');
    for (char& c : text) c = static_cast<char>(random() % 10 < others ? random() % 256 : '0' + random() % 10);
    std::vector<const char*> expected;
    for (const char& c : text) {
      if (is_mark(c)) expected.push_back(&c);
    }
    const std::vector<const char*> found = marks_of(text, 1 + random() % mark_finder::most_kept);
    ASSERT_LE(found.size(), expected.size());
    expected.resize(found.size());
    EXPECT_EQ(found, expected);
    // Marks that the finder leaves out are in the last 63 bytes.
    const std::size_t told = text.size() < 64 ? 0 : text.size() / 64 * 64;
    std::size_t least = 0;
    for (std::size_t i = 0; i < told; ++i) least += is_mark(text[i]) ? 1 : 0;
    EXPECT_GE(found.size(), least);
  }
}

TEST(MarkFinder, TellsTheEndsOfColumns) {
  std::mt19937 random(2);
  for (const char separator : {' ', ',', ';', '|', '\t', '\xe9'}) {
    std::string text(6400, '\0');
    for (char& c : text) c = static_cast<char>(random() % 256);
    basic_mark_finder<column_ends> marks(text, column_ends{separator});
    std::vector<const char*> found;
    for (const char* p = text.data(); marks.go_on(p); p = found.back() + 1) {
      for (; marks.known() != 0; marks.forget(1)) found.push_back(marks.mark(0));
    }
    std::vector<const char*> expected;
    for (const char& c : text) {
      if (static_cast<unsigned char>(c) <= ' ' || c == separator || c == '"') expected.push_back(&c);
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(MarkFinder, GoesOnBehindWhatWasReadOtherwise) {
  std::string text(3000, ' ');
  text.append("12 34").append(200, '5').append(1, ' ').append(100, '6');
  mark_finder marks(text);
  ASSERT_TRUE(marks.go_on(text.data()));
  EXPECT_EQ(marks.mark(0), text.data());
  ASSERT_TRUE(marks.go_on(text.data() + 3000));
  ASSERT_GE(marks.known(), 2u);
  EXPECT_EQ(marks.mark(0), text.data() + 3002);
  EXPECT_EQ(marks.mark(1), text.data() + 3205);
  marks.forget_before(text.data() + 3003);
  EXPECT_EQ(marks.known(), 1u);
}

}  // namespace
}  // namespace callisto::graph::input
