// Lines cut at separators, and the wording of messages about text.
#include <callisto/graph/files/input/text.hpp>

#include <algorithm>

namespace callisto::graph::input {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

columns split_at(std::string_view line, char separator) noexcept {
  if (line.ends_with('\r')) line.remove_suffix(1);
  columns found;
  if (line.find_first_not_of(" \t") == line.npos) return found;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    if (found.count < columns::kept) found.text[found.count] = trimmed(line.substr(begin, end - begin));
    ++found.count;
    begin = end + 1;
  }
  return found;
}

std::string shown(std::string_view token) {
  constexpr std::size_t limit = 40;
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text = "'";
  for (const char c : token) {
    if (text.size() > limit) {
      text += "...";
      break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    }
  }
  return text + "'";
}

std::string counted(std::uint64_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

std::string counted(std::uint64_t count, std::string_view thing, std::string_view things) {
  return std::to_string(count) + " " + std::string(count == 1 ? thing : things);
}

std::string not_a_number_in(std::string_view token, std::uint64_t first, std::uint64_t last, std::string_view what) {
  const std::string range = std::string(what) + "s are " + std::to_string(first) + " to " + std::to_string(last);
  const auto all_digits = [](std::string_view digits) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (all_digits(token)) return shown(token) + " is out of range: " + range;
  if (token.starts_with('-') && all_digits(token.substr(1))) return shown(token) + " is negative: " + range;
  std::string message = "expected a " + std::string(what) + ", found " + shown(token);
  if (token.find('\0') != std::string_view::npos) message += " (a NUL byte: is this a binary file?)";
  return message;
}

}  // namespace callisto::graph::input
