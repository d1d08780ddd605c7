// Aligned tables for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace callisto::app {

/// Rows of text with columns that line up. Not thread-safe.
class table {
 public:
  enum class align { left, right };
  struct column {
    std::string heading;  ///< if all headings are empty, the table has no heading line
    align side = align::right;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// Adds one row. Missing cells stay empty. Throws std::invalid_argument if there are more cells than columns.
  void add_row(std::vector<std::string> cells);

  bool empty() const noexcept { return rows_.empty(); }
  std::size_t size() const noexcept { return rows_.size(); }

  /// Returns the headings and all rows, one a line. Each line begins with `indent` spaces and ends with a line feed,
  /// without spaces before it.
  std::string render(std::size_t indent = 0) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace callisto::app
