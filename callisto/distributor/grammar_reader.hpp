// Reads what a user writes in one of the small grammars (schedule.hpp, workers/teams/nesting.hpp). Internal.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace callisto::distributor {

/// The rest of a text, and the position in it.
class grammar_reader {
 public:
  /// Reads `text`, which comes from `where`: "CALLISTO_SCHEDULE", "--schedule".
  grammar_reader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  std::string_view word() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool take(char c) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }

  std::size_t position() {
    skip_spaces();
    return at_;
  }

  [[noreturn]] void fail(std::size_t at, const std::string& expected) const {
    std::size_t end = at;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string found =
        at >= text_.size() ? "the end" : "'" + std::string(text_.substr(at, std::max<std::size_t>(end - at, 1))) + "'";
    throw usage_error(std::string(where_) + "='" + std::string(text_) + "', character " + std::to_string(at + 1) +
                      ": expected " + expected + ", found " + found);
  }

  /// Reads the name of a level.
  distributor::level read_level() {
    const std::size_t at = position();
    const std::string_view name = word();
    for (unsigned l = 0; l < levels; ++l) {
      if (name == name_of(static_cast<distributor::level>(l))) return static_cast<distributor::level>(l);
    }
    fail(at, "thread, core, core-pair, l2, l3, numa, socket or machine");
  }

 private:
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
};

}  // namespace callisto::distributor
