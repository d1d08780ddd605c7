// Computes the widths of columns and pads the cells.
#include <callisto/app/base/table.hpp>

#include <callisto/app/base/text.hpp>

#include <algorithm>
#include <stdexcept>

namespace callisto::app {

void table::add_row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) throw std::invalid_argument("a table row has more cells than the table columns");
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string table::render(std::size_t indent) const {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> headings;
  for (const column& c : columns_) headings.push_back(c.heading);
  if (std::any_of(headings.begin(), headings.end(), [](const std::string& h) { return !h.empty(); })) {
    lines.push_back(std::move(headings));
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], app::columns(line[i]));
  }

  std::string out;
  for (const auto& line : lines) {
    std::string row(indent, ' ');
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - app::columns(line[i]), ' ');
      if (i != 0) row += "  ";
      row += columns_[i].side == align::right ? padding + line[i] : line[i] + padding;
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
  return out;
}

}  // namespace callisto::app
