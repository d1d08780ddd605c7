// Numbers with decimal commas in columns of attributes.
#pragma once

#include <callisto/graph/attributes/attributes.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::formats {

/// True for a decimal number, such as 815 or -0,5, with a comma as its point. "07" is text, as in other columns.
inline bool has_no_point_but_comma(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t comma = std::min(cell.find(','), cell.size());
  const std::string_view whole = cell.substr(0, comma);
  if (!digits(whole) || (whole.size() > 1 && whole.front() == '0')) return false;
  return comma == cell.size() || digits(cell.substr(comma + 1));
}

/// Writes the numbers of a column with points if all its values are numbers, some of which have decimal commas. For
/// tables with another separator than the comma: weights are read so there, too.
inline void take_decimal_commas(std::vector<column_cells>& parts) {
  bool some = false;
  for (const column_cells& part : parts) {
    for (std::uint64_t i = 0; i < part.size(); ++i) {
      if (!part.has(i)) continue;
      const std::string_view cell = part[i];
      if (cell == "NA" || cell == "NaN" || cell == "null" || cell == "None") continue;
      if (!has_no_point_but_comma(cell)) return;
      some = some || cell.find(',') != cell.npos;
    }
  }
  if (!some) return;
  for (column_cells& part : parts) {
    column_cells changed;
    for (std::uint64_t i = 0; i < part.size(); ++i) {
      if (!part.has(i)) {
        changed.add_missing();
        continue;
      }
      std::string cell(part[i]);
      std::replace(cell.begin(), cell.end(), ',', '.');
      changed.add(cell);
    }
    part = std::move(changed);
  }
}

}  // namespace callisto::graph::formats
