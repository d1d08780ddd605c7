#include <callisto/graph/files/formats/python_literal.hpp>

#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace callisto::graph::formats {
namespace {

using namespace std::string_view_literals;

/// Appends the string in quotes that begins at text[at] as a string of JSON; returns the place behind it.
std::size_t append_string(std::string_view text, std::size_t at, std::string& to) {
  const char quote = text[at++];
  to += '"';
  for (; at < text.size() && text[at] != quote; ++at) {
    if (text[at] == '"') {
      to += "\\\"";
    } else if (text[at] != '\\' || at + 1 == text.size()) {
      to += text[at];
    } else if (const char c = text[++at]; c == '\'') {
      to += c;
    } else if (c == 'x') {
      to += "\\u00";
    } else {
      to += '\\';
      to += c;
    }
  }
  to += '"';
  return std::min(at + 1, text.size());
}

}  // namespace

bool is_python_view(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"sv), text.size()));
  // "((0, 1), (1, 2))", and not a line "((0, 1), 2)" of a table.
  if (text.starts_with("((")) {
    const std::string_view line = input::trimmed(text.substr(0, text.find('\n')), " \t\r");
    return line.ends_with("))") || line.ends_with("),)");
  }
  const std::size_t open = text.find_first_not_of("ADEIMOVabcdefghijklmnopqrstuvwxyz"sv);
  return open != text.npos && text.substr(0, open).ends_with("View") && text.substr(open, 2) == "([";
}

bool is_python_literal(std::string_view text) noexcept {
  if (is_python_view(text)) return true;
  const std::size_t open = text.find_first_not_of(" \t\r\n"sv);
  if (open == text.npos || (text[open] != '[' && text[open] != '{')) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n"sv, open + 1);
  return next != text.npos && (text[next] == '(' || text[next] == '\'');
}

std::string json_of_python(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  if (is_python_view(text) && input::trimmed(text, " \t\r\n").ends_with("])")) {
    text = text.substr(0, text.rfind(')')).substr(text.find('(') + 1);
  }
  // A set of tuples stands in braces.
  const std::size_t open = std::min(text.find_first_not_of(" \t\r\n"sv), text.size());
  const std::size_t next = std::min(text.find_first_not_of(" \t\r\n"sv, open + 1), text.size());
  const bool set = open < text.size() && text[open] == '{' && next < text.size() && text[next] == '(';
  const std::size_t close = text.rfind('}');
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      at = append_string(text, at, result);
      continue;
    }
    bool word = false;
    for (const auto& [python, json] :
         {std::pair("None"sv, "null"sv), std::pair("True"sv, "true"sv), std::pair("False"sv, "false"sv)}) {
      if (!text.substr(at).starts_with(python)) continue;
      result += json;
      at += python.size();
      word = true;
      break;
    }
    if (word) continue;
    if (c == '(' || (set && at == open)) {
      result += '[';
    } else if (c == ')' || (set && at == close)) {
      result += ']';
    } else {
      result += c;
    }
    ++at;
  }
  return result;
}

}  // namespace callisto::graph::formats
