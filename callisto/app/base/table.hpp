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
    std::string heading;  ///< if all headings are empty, there is no heading line
    align side = align::right;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// Adds one row; missing cells stay empty, surplus ones throw std::invalid_argument.
  void add_row(std::vector<std::string> cells);

  bool empty() const noexcept { return rows_.empty(); }
  std::size_t size() const noexcept { return rows_.size(); }

  /// All rows, each ended by a line feed and begun by `indent` spaces; no spaces at line ends.
  std::string render(std::size_t indent = 0) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace callisto::app
