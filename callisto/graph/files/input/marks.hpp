// The ends of numbers and names: the places of all bytes of a text that end one, found 64 bytes at a time.
//
// A parser that reads digit by digit, or eight digits together, must find the end of a number before it begins the next
// one: it waits about 14 cycles a number. If the ends are known beforehand, the processor works at several lines in
// parallel (the structural index of Langdale and Lemire, "Parsing gigabytes of JSON per second", VLDB Journal 2019,
// section 3).
#pragma once

#include <callisto/graph/files/input/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace callisto::graph::input {
/// Marks the bytes that are not '0' to '9'.
struct no_digits {
#if defined(__SSE2__)
  __m128i in(__m128i bytes) const noexcept {
    // After the addition the digits are the ten smallest signed bytes.
    const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - '0')));
    return _mm_cmpgt_epi8(moved, _mm_set1_epi8(-128 + 9));
  }
#else
  /// Returns a word with the high bit of each marked byte.
  std::uint64_t in(std::uint64_t bytes) const noexcept {
    const std::uint64_t word = bytes ^ 0x3030303030303030u;
    return (((word & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | word) & 0x8080808080808080u;
  }
#endif
};

/// Marks the bytes that end a column or begin a quote: blanks and control characters, the separator, '"'.
struct column_ends {
  char separator;

#if defined(__SSE2__)
  __m128i in(__m128i bytes) const noexcept {
    const __m128i blank = _mm_set1_epi8(' ');
    const __m128i small = _mm_cmpeq_epi8(_mm_max_epu8(bytes, blank), blank);
    const __m128i ends = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(separator));
    return _mm_or_si128(_mm_or_si128(small, ends), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
  }
#else
  std::uint64_t in(std::uint64_t bytes) const noexcept {
    std::uint64_t marks = 0;
    for (unsigned i = 0; i < 64; i += 8) {
      const auto byte = static_cast<unsigned char>(bytes >> i);
      const bool ends = byte <= ' ' || byte == static_cast<unsigned char>(separator) || byte == '"';
      if (ends) marks |= std::uint64_t{0x80} << i;
    }
    return marks;
  }
#endif
};

namespace detail {

/// Returns a word with bit i set if `rule` marks the byte p[i]. Reads 64 bytes.
template <class Rule>
std::uint64_t marks_of(const char* p, const Rule& rule) noexcept {
  std::uint64_t marks = 0;
#if defined(__SSE2__)
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i found = rule.in(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i)));
    marks |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(found))) << (16 * i);
  }
#else
  for (unsigned i = 0; i < 8; ++i) {
    marks |= ((rule.in(load_eight(p + 8 * i)) >> 7) * 0x0102040810204080u >> 56) << (8 * i);
  }
#endif
  return marks;
}

}  // namespace detail

/// Finds the marks of a text, in order: the places of the bytes that `Rule` marks. It leaves out the marks of the last
/// bytes, which do not fill a block of 64.
template <class Rule>
class basic_mark_finder {
 public:
  explicit basic_mark_finder(std::string_view text, Rule rule = {}) noexcept
      : rule_(rule),
        searched_(text.data()),
        last_block_(text.data() + (text.size() < block ? 0 : text.size() - block + 1)) {}

  /// Forgets the marks before `p` and finds more. Returns false if all blocks have been searched. On true, all marks
  /// from `p` to the last known one are known.
  bool go_on(const char* p) noexcept {
    forget_before(p);
    searched_ = std::max(searched_, p);
    if (searched_ >= last_block_) return false;
    std::copy(first_, last_, marks_.data());
    last_ = marks_.data() + (last_ - first_);
    first_ = marks_.data();
    for (unsigned i = 0; i < blocks && searched_ < last_block_; ++i, searched_ += block) {
      for (std::uint64_t found = detail::marks_of(searched_, rule_); found != 0; found &= found - 1) {
        *last_++ = searched_ + std::countr_zero(found);
      }
    }
    return true;
  }

  /// Returns the number of marks that are known and not forgotten; mark(i) is the i-th of them.
  std::size_t known() const noexcept { return static_cast<std::size_t>(last_ - first_); }
  const char* mark(std::size_t i) const noexcept { return first_[i]; }

  /// Forgets the first `count` marks.
  void forget(std::size_t count) noexcept { first_ += count; }
  void forget_before(const char* p) noexcept {
    while (first_ != last_ && *first_ < p) ++first_;
  }

  /// The most marks that may be known when go_on() is called.
  static constexpr std::size_t most_kept = 8;

 private:
  static constexpr std::size_t block = 64;
  static constexpr std::size_t blocks = 16;

  const Rule rule_;
  std::array<const char*, most_kept + block * blocks> marks_;
  const char** first_ = marks_.data();
  const char** last_ = marks_.data();
  const char* searched_;          ///< all marks before this place are known or forgotten
  const char* const last_block_;  ///< behind the last place at which a whole block begins
};

using mark_finder = basic_mark_finder<no_digits>;

}  // namespace callisto::graph::input
