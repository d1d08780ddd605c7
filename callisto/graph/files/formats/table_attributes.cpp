// Cuts the cells of attributes: at separators, or by column_reader from the first quote on.
#include <callisto/graph/files/formats/table_attributes.hpp>

#include <callisto/graph/files/input/text.hpp>

#include <cstring>
#include <functional>
#include <set>
#include <string>

namespace callisto::graph::formats {

std::vector<std::pair<std::size_t, std::string>> kept_columns(const table_layout& layout,
                                                              const std::vector<std::string>& names,
                                                              std::optional<std::size_t> type,
                                                              const attribute_choice& wanted) {
  std::vector<std::pair<std::size_t, std::string>> kept;
  if (!wanted.any() || layout.attributes || layout.matrix) return kept;
  std::set<std::string, std::less<>> taken;
  for (std::size_t i = 0; i < layout.columns; ++i) {
    if (i == layout.from || i == layout.to || layout.weight == i || type == i) continue;
    const bool named = i < names.size() && !names[i].empty();
    const std::string given = named ? names[i] : "column" + std::to_string(i + 1);
    std::string name = given;
    for (int n = 2; !taken.insert(name).second; ++n) name = given + " (" + std::to_string(n) + ")";
    if (wanted.has(name)) kept.emplace_back(i, name);
  }
  return kept;
}

void attribute_cutter::cut(std::string_view line) {
  if (layout_.bracketed) line = inside_brackets(line);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto& kept = layout_.kept;
  std::size_t k = 0;
  std::size_t column = 0;
  const char* p = line.data();
  const char* const end = p + line.size();
  while (layout_.separator != ' ' && layout_.separator != ':') {
    while (p != end && (*p == ' ' || (*p == '\t' && layout_.separator != '\t'))) ++p;
    if (p == end || *p == '"' || *p == '(') break;
    const auto* stop = static_cast<const char*>(std::memchr(p, layout_.separator, static_cast<std::size_t>(end - p)));
    if (stop == nullptr) stop = end;
    if (kept[k].first == column) {
      const char* last = stop;
      while (last != p && (last[-1] == ' ' || last[-1] == '\t')) --last;
      if (last == p) {
        cells_[k].add_missing();
      } else {
        cells_[k].add({p, static_cast<std::size_t>(last - p)});
      }
      if (++k == kept.size()) return;
    }
    p = stop == end ? end : stop + 1;
    ++column;
  }
  std::deque<std::string> unquoted;
  column_reader reader({p, static_cast<std::size_t>(end - p)}, layout_.separator, unquoted);
  for (bool quoted = reader.rest().starts_with('"'); k < kept.size(); ++column) {
    std::string_view cell;
    if (!reader.next(cell)) break;
    if (kept[k].first == column) {
      if (cell.empty() && !quoted) {
        cells_[k].add_missing();
      } else {
        cells_[k].add(cell);
      }
      ++k;
    }
    quoted = reader.rest().starts_with('"');
  }
  for (; k < kept.size(); ++k) cells_[k].add_missing();
}

}  // namespace callisto::graph::formats
