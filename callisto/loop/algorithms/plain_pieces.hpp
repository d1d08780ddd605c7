// Sorting of plain elements on one thread, between two arrays.
//
// One look at all keys says in which bits they differ. As many of the highest of these bits as tell most keys apart
// sort the elements, least significant digit first. Then elements that are out of order stand in groups of equal high
// bits. Insertion sorts small groups. Large groups are sorted in the same way by their lower bits. So a key's low bits
// are read only where they count.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace callisto::loop {

template <class Keys>
class plain_pieces {
 public:
  using element = typename Keys::element;
  using number = typename Keys::number;

  /// Elements that are sorted between two arrays in the second-level cache of a core.
  static constexpr std::size_t in_cache = (std::size_t{256} << 10) / sizeof(element);

  explicit plain_pieces(const Keys& keys) noexcept : keys_(keys) {}

  /// Sorts data[0, n), and leaves the result in `other` if `over`. The array that has it not has any content then.
  void sort(element* data, element* other, std::size_t n, bool over) const noexcept {
    if (n <= few) {
      insert_all(data, n);
      return bring(data, other, n, over);
    }
    number all = keys_.key(data[0]);
    number any = all;
    for (std::size_t i = 1; i < n; ++i) {
      const number k = keys_.key(data[i]);
      all = static_cast<number>(all & k);
      any = static_cast<number>(any | k);
    }
    const auto high = static_cast<unsigned>(std::bit_width(static_cast<number>(all ^ any)));
    if (high == 0) return bring(data, other, n, over);
    if (n > in_cache) return part(data, other, n, high, over);
    const unsigned enough = std::min(high, bits_for(n));
    const unsigned low = high - enough;
    const bool is_over = passes(data, other, n, low, high);
    element* const now = is_over ? other : data;
    if (low != 0) mend(now, is_over ? data : other, n, low);
    bring(now, is_over ? data : other, n, is_over != over);
  }

 private:
  static constexpr std::size_t few = 20;
  static constexpr unsigned most_digit_bits = 10;

  /// Returns how many random bits tell nearly all of n keys apart, or most of a few keys, which insertion sorts well.
  static constexpr unsigned bits_for(std::size_t n) noexcept {
    const auto bits = static_cast<unsigned>(std::bit_width(n));
    if (n < 128) return bits + 1;
    return std::min(std::max(std::min(bits + 4, 16u), bits + 3), 2 * most_digit_bits);
  }

  static number digit(const Keys& keys, const element& e, unsigned low, number mask) noexcept {
    return static_cast<number>(keys.key(e) >> low & mask);
  }

  void insert_all(element* data, std::size_t n) const noexcept {
    const Keys keys = keys_;
    for (std::size_t i = 1; i < n; ++i) {
      const number k = keys.key(data[i]);
      const element e = data[i];
      std::size_t j = i;
      for (; j > 0 && k < keys.key(data[j - 1]); --j) data[j] = data[j - 1];
      data[j] = e;
    }
  }

  static void bring(const element* from, element* to, std::size_t n, bool moves) noexcept {
    if (moves && n != 0) std::memcpy(static_cast<void*>(to), from, n * sizeof(element));
  }

  static constexpr unsigned part_bits = 8;
  using part_ends = std::array<std::size_t, 1u << part_bits>;

  /// Splits elements by their highest bits into `other`, and sorts each part.
  void part(element* data, element* other, std::size_t n, unsigned high, bool over) const noexcept {
    part_ends ends;
    split(data, other, n, high > part_bits ? high - part_bits : 0, ends);
    if (high <= part_bits) return bring(other, data, n, !over);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      sort(other + begin, data + begin, end - begin, !over);
      begin = end;
    }
  }

  [[gnu::noinline]] void split(const element* from, element* to, std::size_t n, unsigned low,
                               part_ends& next) const noexcept {
    const Keys keys = keys_;
    constexpr auto mask = static_cast<number>((1u << part_bits) - 1);
    next.fill(0);
    for (std::size_t i = 0; i < n; ++i) ++next[digit(keys, from[i], low, mask)];
    std::size_t sum = 0;
    for (std::size_t& place : next) sum += std::exchange(place, sum);
    for (std::size_t i = 0; i < n; ++i) to[next[digit(keys, from[i], low, mask)]++] = from[i];
  }

  /// Sorts by bits [low, high), at most 20, in one or two passes; true if the elements are in `other` then.
  [[gnu::noinline]] bool passes(element* data, element* other, std::size_t n, unsigned low,
                                unsigned high) const noexcept {
    const Keys keys = keys_;
    std::array<std::array<std::uint32_t, 1u << most_digit_bits>, 2> counts;
    const unsigned bits = high - low;
    if (bits <= most_digit_bits) {
      const auto mask = static_cast<number>((std::uint32_t{1} << bits) - 1);
      std::fill_n(counts[0].begin(), mask + std::size_t{1}, 0u);
      for (std::size_t i = 0; i < n; ++i) ++counts[0][digit(keys, data[i], low, mask)];
      move(data, other, n, low, mask, counts[0]);
      return true;
    }
    const unsigned first = bits / 2;
    const auto low_mask = static_cast<number>((std::uint32_t{1} << first) - 1);
    const auto high_mask = static_cast<number>((std::uint32_t{1} << (bits - first)) - 1);
    std::fill_n(counts[0].begin(), low_mask + std::size_t{1}, 0u);
    std::fill_n(counts[1].begin(), high_mask + std::size_t{1}, 0u);
    for (std::size_t i = 0; i < n; ++i) {
      const number k = keys.key(data[i]);
      ++counts[0][static_cast<number>(k >> low & low_mask)];
      ++counts[1][static_cast<number>(k >> (low + first) & high_mask)];
    }
    move(data, other, n, low, low_mask, counts[0]);
    move(other, data, n, low + first, high_mask, counts[1]);
    return false;
  }

  void move(const element* from, element* to, std::size_t n, unsigned low, number mask,
            std::array<std::uint32_t, 1u << most_digit_bits>& counts) const noexcept {
    const Keys keys = keys_;
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d <= mask; ++d) sum += std::exchange(counts[d], sum);
    for (std::size_t i = 0; i < n; ++i) to[counts[digit(keys, from[i], low, mask)]++] = from[i];
  }

  /// Sorts elements that are in order as far as their bits from `low` on say.
  void mend(element* data, element* other, std::size_t n, unsigned low) const noexcept {
    const Keys keys = keys_;
    constexpr std::size_t most_steps = 24;
    number before = keys.key(data[0]);
    for (std::size_t i = 1; i < n; ++i) {
      const number k = keys.key(data[i]);
      const element e = data[i];
      if (!(k < before)) {
        before = k;
        continue;
      }
      std::size_t j = i;
      const std::size_t stop = i - std::min(i, most_steps);
      for (; j > stop && k < keys.key(data[j - 1]); --j) data[j] = data[j - 1];
      data[j] = e;
      if (j == stop && j > 0 && k < keys.key(data[j - 1])) {
        // A large group of keys that differ in low bits only.
        const auto group = static_cast<number>(k >> low);
        std::size_t end = i + 1;
        while (j > 0 && static_cast<number>(keys.key(data[j - 1]) >> low) == group) --j;
        while (end < n && static_cast<number>(keys.key(data[end]) >> low) == group) ++end;
        sort(data + j, other + j, end - j, false);
        i = end - 1;
        before = keys.key(data[i]);
      }
    }
  }

  // Functions that write elements copy it: the compiler must take for granted that such a write changes it.
  const Keys& keys_;
};

}  // namespace callisto::loop
