// Checks tables and how numbers are spelled for people.
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace callisto::app {
namespace {

TEST(text, separates_thousands) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(text, counts_things) {
  EXPECT_EQ(counted(1, "run"), "1 run");
  EXPECT_EQ(counted(0, "run"), "0 runs");
  EXPECT_EQ(counted(1000, "run"), "1,000 runs");
}

TEST(text, spells_bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(1536 * 1024), "1.50 MiB");
  EXPECT_EQ(human_bytes(1023 * 1024), "1.00 MiB");  // 1023 KiB would take four digits
}

TEST(text, spells_times) {
  EXPECT_EQ(human_seconds(0), "0 s");
  EXPECT_EQ(human_seconds(340e-9), "340 ns");
  EXPECT_EQ(human_seconds(1.5e-6), "1.50 us");
  EXPECT_EQ(human_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(human_seconds(0.99999), "1.00 s");
  EXPECT_EQ(human_seconds(59.94), "59.9 s");
  EXPECT_EQ(human_seconds(119.4), "119 s");
  EXPECT_EQ(human_seconds(119.6), "2 min 00 s");
  EXPECT_EQ(human_seconds(7201), "2 h 00 min");
}

TEST(text, spells_rates) {
  EXPECT_EQ(human_rate(312e6, "bytes"), "312 MB/s");
  EXPECT_EQ(human_rate(1.2e6, "edges"), "1.20 M edges/s");
  EXPECT_EQ(human_rate(3, "iterations"), "3.00 iterations/s");
}

TEST(text, keeps_messages_on_one_line) {
  EXPECT_EQ(one_line("a\nb\tc\x7f"), "a b c ");
  EXPECT_EQ(one_line("\xc2\x80 \xc2\x9b"
                     "2J\xc2\xa0\xc3\x9b\xc2"),
            "   2J\xc2\xa0\xc3\x9b\xc2")
      << "C1 controls";
}

TEST(text, counts_columns) {
  EXPECT_EQ(columns("l\xc3\xa4nger"), 6u);
  EXPECT_EQ(columns("\xe5\x9b\xbe\xf0\x9f\x98\x80x"), 5u) << "wide ones";
  EXPECT_EQ(columns("e\xcc\x81"), 1u) << "a combining one";
  EXPECT_EQ(first_columns("\xe5\x9b\xbe\xe5\x9b\xbe", 3), "\xe5\x9b\xbe");
  EXPECT_EQ(first_columns("e\xcc\x81x", 1), "e\xcc\x81");
  EXPECT_EQ(first_columns("ab", 5), "ab");
}

TEST(text, knows_characters) {
  for (const char* whole :
       {"", "a\n", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(whole_characters(whole), whole);
  }
  EXPECT_EQ(whole_characters("\xe4\xb8\xad\xe4\xb8"), "\xe4\xb8\xad??");
  EXPECT_EQ(whole_characters("a\x80"
                             "b\xc0\x80\xff"),
            "a?b???");
  for (const char* odd : {"\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(whole_characters(odd), std::string(std::string_view(odd).size(), '?'));
  }
}

TEST(table, aligns_columns_and_leaves_no_trailing_spaces) {
  table t({{"name", table::align::left}, {"value"}});
  t.add_row({"a", "1,000"});
  t.add_row({"länger", "2"});
  t.add_row({"b"});
  EXPECT_EQ(t.render(),
            "name    value\n"
            "a       1,000\n"
            "länger      2\n"
            "b\n");
  EXPECT_THROW(t.add_row({"1", "2", "3"}), std::invalid_argument);
}

TEST(table, without_headings_has_no_heading_line) {
  table t({{"", table::align::left}, {"", table::align::right}});
  t.add_row({"x", "1"});
  EXPECT_EQ(t.render(2), "  x  1\n");
}

}  // namespace
}  // namespace callisto::app
