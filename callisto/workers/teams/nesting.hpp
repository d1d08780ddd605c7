// Which nesting level of loops runs on which level of the machine, in a user's words: `2:socket,1:core`.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace callisto {

/// A mapping of nesting levels, which count inside out, to parts of the machine (ATC'15 section 2.2). In words:
///
///   nesting = "auto" | level ":" unit { "," level ":" unit }      auto: 2:socket,1:core
///   level   = 1 to 8, each once, in any order
///   unit    = thread | core | core-pair | l2 | l3 | numa | socket | machine
///
/// A loop at a level runs on one thread of each such unit. Higher levels have units that are no narrower. Loops at
/// level 0 run on all threads. A level that is not named has the unit of the next higher one that is; levels above all
/// that are named have the machine: their loops run on their leader. A value type of a few bytes.
class CALLISTO_API nesting {
 public:
  static constexpr unsigned max_level = 8;

  /// Makes the mapping "auto".
  nesting() noexcept;

  /// Reads `text`. Throws usage_error, which names `where` the text comes from ("CALLISTO_LEVELS") and says what was
  /// expected at which character.
  static nesting parse(std::string_view text, std::string_view where);

  /// Returns CALLISTO_LEVELS, or "auto" if that is unset or empty. Throws usage_error.
  static nesting from_environment();

  /// Returns the highest named level.
  unsigned highest() const noexcept { return highest_; }

  /// Returns the unit of which a loop at this level has one thread each.
  distributor::level unit(unsigned level) const noexcept {
    return level > highest_ ? distributor::level::machine : units_[level];
  }

  /// Returns the text that parse() reads, with all levels named.
  std::string to_string() const;

  friend bool operator==(const nesting&, const nesting&) = default;

 private:
  std::array<distributor::level, max_level + 1> units_{};  ///< `thread` beyond the highest
  std::uint8_t highest_ = 0;
};

}  // namespace callisto
