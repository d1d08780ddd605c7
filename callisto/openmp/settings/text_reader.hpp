// A reader for the small grammars of OpenMP's environment variables: words, numbers and signs, with optional blanks
// between them.
#pragma once

#include <cctype>
#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace callisto::openmp {

/// Reads a text from left to right. Each function reads the item that it names and the blanks around it, or reads
/// nothing.
class text_reader {
 public:
  explicit text_reader(std::string_view text) noexcept : rest_(text) { blanks(); }

  bool at_end() const noexcept { return rest_.empty(); }
  /// Returns the unread part.
  std::string_view rest() const noexcept { return rest_; }

  bool sign(char c) noexcept {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    blanks();
    return true;
  }

  /// Reads `expected`, which is in lower case; the text may be in either case.
  bool word(std::string_view expected) noexcept {
    if (rest_.size() < expected.size()) return false;
    for (std::size_t n = 0; n < expected.size(); ++n)
      if (std::tolower(static_cast<unsigned char>(rest_[n])) != expected[n]) return false;
    rest_.remove_prefix(expected.size());
    blanks();
    return true;
  }

  /// Reads a decimal number that T can hold.
  template <std::integral T>
  std::optional<T> number() noexcept {
    T value{};
    const bool plus = rest_.starts_with('+');
    if (plus && rest_.starts_with("+-")) return std::nullopt;
    const char* const first = rest_.data() + (plus ? 1 : 0);
    const auto [end, fault] = std::from_chars(first, rest_.data() + rest_.size(), value);
    if (fault != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    blanks();
    return value;
  }

 private:
  void blanks() noexcept {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

}  // namespace callisto::openmp
