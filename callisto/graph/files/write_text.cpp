#include <callisto/graph/files/write_text.hpp>

#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace callisto::graph::text_of {

void append_number(std::string& to, std::uint64_t value) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_weight(std::string& to, double value) {
  char digits[32];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::int64_t whole_weight(double weight, double lowest, double highest, file_format format) {
  if (weight == std::floor(weight) && weight >= lowest && weight <= highest) return static_cast<std::int64_t>(weight);
  std::string number;
  append_weight(number, weight);
  throw usage_error("the graph has an edge of weight " + number + ", but " + std::string(name_of(format)) +
                    " holds whole numbers of limited size only");
}

bool needs_quotes(std::string_view name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const auto is_usual = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return name.empty() || name.find_first_of(" \t,;|:\"\r\n\v\f#%/(){}[]") != name.npos || !is_usual(name.front()) ||
         name.starts_with(byte_order_mark);
}

void append_quoted(std::string& to, std::string_view name, bool always) {
  if (!always && !needs_quotes(name)) {
    to += name;
    return;
  }
  to += '"';
  for (const char c : name) to.append(c == '"' ? 2 : 1, c);
  to += '"';
}

void append_reference(std::string& to, std::uint32_t code) {
  to += "&#";
  append_number(to, code);
  to += ';';
}

void append_label(std::string& to, std::string_view name) {
  to += '"';
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<unsigned char>(name[i]);
    const bool like_a_reference = byte == '&' && name.substr(i + 1).starts_with('#');
    if (byte < ' ' || byte == '"' || like_a_reference) {
      append_reference(to, byte);
    } else {
      to += name[i];
    }
  }
  to += '"';
}

void append_escaped(std::string& to, std::string_view name) {
  for (const char c : name) {
    switch (c) {
      case '&':
        to += "&amp;";
        break;
      case '<':
        to += "&lt;";
        break;
      case '>':
        to += "&gt;";
        break;
      case '"':
        to += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) < ' ') {
          append_reference(to, static_cast<unsigned char>(c));
        } else {
          to += c;
        }
    }
  }
}

void append_ascii(std::string& to, std::string_view name) {
  while (!name.empty()) {
    const std::size_t length = std::max<std::size_t>(machine::character_length(name), 1);
    const auto lead = static_cast<unsigned char>(name.front());
    if (length == 1 && lead >= ' ') {
      append_escaped(to, name.substr(0, 1));
    } else {
      std::uint32_t code = length == 1 ? lead : lead & (0xffu >> (length + 1));
      for (const char c : name.substr(1, length - 1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
      append_reference(to, code);
    }
    name.remove_prefix(length);
  }
}

void append_json(std::string& to, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (byte < ' ') {
      to += "\\u00";
      to += digits[byte >> 4];
      to += digits[byte & 15u];
    } else {
      to += c;
    }
  }
  to += '"';
}

void append_dot_id(std::string& to, std::string_view id) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const bool number = !id.empty() && std::all_of(id.begin(), id.end(), is_digit);
  const std::string word = input::lower_case(id);
  const bool keyword = word == "node" || word == "edge" || word == "graph" || word == "digraph" || word == "subgraph" ||
                       word == "strict";
  const bool plain = !id.empty() && !is_digit(id.front()) && !keyword &&
                     std::all_of(id.begin(), id.end(), [&](char c) { return is_letter(c) || is_digit(c); });
  if (number || plain) {
    to += id;
    return;
  }
  to += '"';
  for (const char c : id) {
    if (c == '"') to += '\\';
    to += c;
  }
  to += '"';
}

void append_dot_text(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || c == '\\' || c == '&' || c == '"') {
      append_reference(to, byte);
    } else {
      to += c;
    }
  }
  to += '"';
}

void append_dot_number(std::string& to, double value) {
  std::array<char, 1100> digits;  // the least double has 1,076 characters
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed).ptr;
  const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
  to += number;
}

std::string_view fault_of(std::string_view name, file_format format) {
  const bool xml = format == file_format::graphml || format == file_format::gexf;
  const bool text = format == file_format::edge_list || format == file_format::weighted_edge_list ||
                    format == file_format::table || format == file_format::pajek;
  if (name.find('\0') != name.npos && (xml || text || format == file_format::gml || format == file_format::dot)) {
    return "a character 0";
  }
  if (name.empty() && !xml && format != file_format::node_link) return "nothing";
  // A line holds two names and a weight.
  if (text && name.size() > input::longest_line / 2 - 64) return "more than half a megabyte";
  if (!xml) return {};
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r') return "a control character";
    if (name.substr(i, 2) == "\xef\xbf" && (name.substr(i + 2, 1) == "\xbe" || name.substr(i + 2, 1) == "\xbf"))
      return "U+FFFE or U+FFFF";
  }
  return {};
}

}  // namespace callisto::graph::text_of
