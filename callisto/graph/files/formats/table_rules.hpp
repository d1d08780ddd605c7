// How tables are read, as a list: docs/reference/formats.md prints the questions, rules and flags, and table_layout.cpp
// answers the questions in this order.
#pragma once

#include <callisto/export.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace callisto::graph::formats {

/// A question about a table, the rule that answers it, and the flag that answers it otherwise; in Markdown.
struct table_rule {
  std::string_view question;
  std::string_view rule;
  std::string_view flag;
};

/// Returns the rules, in the order in which they decide.
CALLISTO_API std::vector<table_rule> table_rules();

namespace tables {

class layout_finder;

struct question {
  table_rule said;
  void (layout_finder::*answer)();  ///< null: decided before, or for each line
};
std::span<const question> questions() noexcept;

}  // namespace tables

}  // namespace callisto::graph::formats
