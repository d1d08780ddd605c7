#include <callisto/machine/simulated/described_lines.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace callisto::machine::simulation {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

void for_each_described_line(std::string_view text, const std::string& file,
                             const std::function<void(const described_line&)>& f) {
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line.front() == '#') continue;
    const auto hash = std::min(line.find('#'), line.size());
    const std::string_view comment = trimmed(line.substr(std::min(hash + 1, line.size())));
    const std::string_view assignment = line.substr(0, hash);
    const auto equals = assignment.find('=');
    if (equals == assignment.npos) {
      throw input_error(file, number, fmt::format("found '{}', expected 'parameter = value  # source: ...'", line));
    }
    f({number, trimmed(assignment.substr(0, equals)), trimmed(assignment.substr(equals + 1)), comment});
  }
}

std::string unexpected(std::string_view key, std::string_view found, std::string_view expected) {
  return fmt::format("{}: found '{}', expected {}", key, found, expected);
}

}  // namespace callisto::machine::simulation
