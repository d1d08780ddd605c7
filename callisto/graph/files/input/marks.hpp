// Where numbers end: the places of all bytes of a text that are no digits, found many at a time.
//
// Who reads a number digit by digit, or eight at once, must know where it ends before it can begin with the next: some
// 14 cycles of waiting for a number. Found beforehand, these places let a processor work at several lines at once (the
// structural index of Langdale and Lemire, "Parsing gigabytes of JSON per second", VLDB Journal 2019, section 3).
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
namespace detail {

/// Bit i: the byte p[i] is not 0 to 9. Reads 64 bytes.
inline std::uint64_t marks_of(const char* p) noexcept {
  std::uint64_t marks = 0;
#if defined(__SSE2__)
  for (unsigned i = 0; i < 4; ++i) {
    // Moved so that the digits, and nothing else, are the ten smallest signed bytes.
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - '0')));
    const __m128i others = _mm_cmpgt_epi8(moved, _mm_set1_epi8(-128 + 9));
    marks |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(others))) << (16 * i);
  }
#else
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint64_t word = load_eight(p + 8 * i) ^ 0x3030303030303030u;
    const std::uint64_t others = (((word & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | word) & 0x8080808080808080u;
    marks |= ((others >> 7) * 0x0102040810204080u >> 56) << (8 * i);
  }
#endif
  return marks;
}

}  // namespace detail

/// The marks of a text, the places of its bytes that are no digits, in order. Those of the last bytes it never tells.
class mark_finder {
 public:
  explicit mark_finder(std::string_view text) noexcept
      : searched_(text.data()), last_block_(text.data() + (text.size() < block ? 0 : text.size() - block + 1)) {}

  /// Forgets the marks before `p` and looks for more behind those that it has; false if there is nothing left to look
  /// at. All marks between `p` and the last one that it has are known then.
  bool go_on(const char* p) noexcept {
    forget_before(p);
    searched_ = std::max(searched_, p);
    if (searched_ >= last_block_) return false;
    std::copy(first_, last_, marks_.data());
    last_ = marks_.data() + (last_ - first_);
    first_ = marks_.data();
    for (unsigned i = 0; i < blocks && searched_ < last_block_; ++i, searched_ += block) {
      for (std::uint64_t found = detail::marks_of(searched_); found != 0; found &= found - 1) {
        *last_++ = searched_ + std::countr_zero(found);
      }
    }
    return true;
  }

  /// Known marks that have not been forgotten; mark(i) is one of them if i is less.
  std::size_t known() const noexcept { return static_cast<std::size_t>(last_ - first_); }
  const char* mark(std::size_t i) const noexcept { return first_[i]; }

  void forget(std::size_t count) noexcept { first_ += count; }
  void forget_before(const char* p) noexcept {
    while (first_ != last_ && *first_ < p) ++first_;
  }

  /// At most so many marks may be kept when go_on() is called.
  static constexpr std::size_t most_kept = 8;

 private:
  static constexpr std::size_t block = 64;
  static constexpr std::size_t blocks = 16;

  std::array<const char*, most_kept + block * blocks> marks_;
  const char** first_ = marks_.data();
  const char** last_ = marks_.data();
  const char* searched_;          ///< there are no marks before it but those that are known or forgotten
  const char* const last_block_;  ///< behind the last place where a whole block begins
};

}  // namespace callisto::graph::input
