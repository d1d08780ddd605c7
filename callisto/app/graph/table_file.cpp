// Reads files of values.
#include <callisto/app/graph/table_file.hpp>

#include <callisto/graph/files/compress.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <fstream>
#include <system_error>
#include <variant>

namespace callisto::app {

void for_each_text_line(const std::string& path,
                        const std::function<void(std::uint64_t number, std::string_view line)>& f) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    try {
      f(number, machine::is_utf8(line) ? line : machine::from_windows_1252(line));
    } catch (const usage_error& e) {
      throw input_error(path, number, e.what());
    }
  }
  if (!file.eof()) {
    throw input_error(path, 0, "cannot read: " + std::generic_category().message(errno != 0 ? errno : EIO));
  }
}

namespace {

/// Cuts a line at `separators` into fields. A field in quotes is kept in `unquoted`. Returns false if the last quote is
/// not closed.
bool cut(std::string_view line, std::string_view separators, std::deque<std::string>& unquoted,
         std::vector<std::string_view>& fields) {
  fields.clear();
  unquoted.clear();
  for (std::size_t at = line.find_first_not_of(separators); at != line.npos;) {
    std::size_t end = std::min(line.find_first_of(separators, at), line.size());
    if (line[at] == '"') {
      std::size_t close = line.find('"', at + 1);
      while (close != line.npos && line.substr(close + 1).starts_with('"')) close = line.find('"', close + 2);
      if (close == line.npos) return false;
      // Text behind the closing quote: the quotes belong to the name.
      if (close + 1 == line.size() || separators.find(line[close + 1]) != separators.npos) {
        std::string& text = unquoted.emplace_back();
        for (std::size_t i = at + 1; i < close; ++i) {
          text += line[i];
          if (line[i] == '"') ++i;
        }
        fields.emplace_back(text);
        at = line.find_first_not_of(separators, close + 1);
        continue;
      }
    }
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(separators, end);
  }
  return true;
}

bool names_a_vertex(const graph::any_graph& graph, std::string_view name) {
  const auto names = std::visit([](const auto& g) { return g.names(); }, graph);
  return names != nullptr && names->find(name).has_value();
}

}  // namespace

void for_each_line(const std::string& path, const graph::any_graph& graph,
                   const std::function<void(std::uint64_t number, const std::vector<std::string_view>& fields)>& f) {
  constexpr std::size_t longest_record = std::size_t{1} << 20;
  const bool csv = graph::without_compression(path).ends_with(".csv");
  std::vector<std::string_view> fields;
  std::deque<std::string> unquoted;
  std::string record;       // a line, or several where a quote holds line breaks
  std::uint64_t first = 0;  // the number of its first line; 0: there is none
  for_each_text_line(path, [&](std::uint64_t number, std::string_view line) {
    record += first == 0 ? std::string(line) : '\n' + std::string(line);
    first = first == 0 ? number : first;
    std::string_view text = record;
    if (text.ends_with('\r')) text.remove_suffix(1);
    // Names between tabs may hold the other separators.
    const std::string_view separators = csv ? "," : text.find('\t') != text.npos ? "\t" : " \t,;";
    const bool whole = cut(text, separators, unquoted, fields);
    const bool comment = text.starts_with('#') && (fields.empty() || !names_a_vertex(graph, fields.front()));
    if (!whole && !comment) {
      if (record.size() > longest_record) throw usage_error("a quote is not closed");
      return;
    }
    // The header of a .csv file that --output wrote.
    const bool header =
        csv && first == 1 && whole && !fields.empty() && fields.front() == "vertex" && !names_a_vertex(graph, "vertex");
    if (!fields.empty() && !comment && !header) f(first, fields);
    record.clear();
    first = 0;
  });
  if (first != 0) throw input_error(path, first, "a quote is not closed");
}

}  // namespace callisto::app
