// Resolves references to characters.
#include <callisto/graph/files/input/references.hpp>

#include <callisto/machine/system/encoding.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

namespace callisto::graph::input {
namespace {

/// The names of the characters 160 to 255.
constexpr std::array<std::string_view, 96> latin_1_names = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

/// Returns the character that "#228" or "#xe4" stands for, the text between & and ;. Empty: none.
std::optional<char32_t> numbered_character(std::string_view reference) {
  if (!reference.starts_with('#')) return std::nullopt;
  const bool hexadecimal = reference.substr(1, 1) == "x" || reference.substr(1, 1) == "X";
  const std::string_view digits = reference.substr(hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
  if (wrong != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code == 0 || code > 0x10ffff || surrogate) return std::nullopt;
  return char32_t{code};
}

/// Returns the character that "quot" or "auml" stands for. Empty: none.
std::optional<char32_t> named_character(std::string_view reference) {
  for (const auto& [name, character] : {std::pair("quot", '"'), std::pair("lt", '<'), std::pair("gt", '>'),
                                        std::pair("amp", '&'), std::pair("apos", '\'')}) {
    if (reference == name) return static_cast<char32_t>(character);
  }
  constexpr char32_t first = 160;
  const auto* const found = std::find(latin_1_names.begin(), latin_1_names.end(), reference);
  if (found == latin_1_names.end()) return std::nullopt;
  return first + static_cast<char32_t>(found - latin_1_names.begin());
}

}  // namespace

std::string without_references(std::string_view text, bool names, std::size_t* looked_at) {
  std::string result;
  for (;;) {
    const std::size_t at = text.find('&');
    result += text.substr(0, at);
    if (at == text.npos) return result;
    text.remove_prefix(at + 1);
    // A reference holds no '&': so no part of a text of many of them is looked at twice for its end.
    const std::size_t end = text.find_first_of("&;");
    if (looked_at != nullptr) *looked_at += std::min(end, text.size());
    const std::string_view reference = end == text.npos || text[end] == '&' ? std::string_view() : text.substr(0, end);
    std::optional<char32_t> character = numbered_character(reference);
    if (!character && names) character = named_character(reference);
    if (character) {
      machine::append_utf8(result, *character);
      text.remove_prefix(end + 1);
    } else {
      result += '&';
    }
  }
}

}  // namespace callisto::graph::input
