// Radix sort of small integer keys, each with or without a weight.
//
// Runs that fit the cache are sorted between two buffers, least significant digit first. Longer runs are first split in
// place by their most significant digit (McIlroy, Bostic, McIlroy, "Engineering radix sort", 1993), so the memory
// beside the keys is bounded.
#pragma once

#include <callisto/loop/algorithms/plain_pieces.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace callisto::graph {

/// A key of up to 48 bits in 6 bytes.
class key48 {
 public:
  key48() = default;
  explicit key48(std::uint64_t key) noexcept
      : part_{static_cast<std::uint16_t>(key), static_cast<std::uint16_t>(key >> 16),
              static_cast<std::uint16_t>(key >> 32)} {}
  explicit operator std::uint64_t() const noexcept {
    return part_[0] | std::uint64_t{part_[1]} << 16 | std::uint64_t{part_[2]} << 32;
  }

 private:
  std::uint16_t part_[3];
};

/// A key of up to 48 bits and a weight of 16 bits in one word: moving both touches one cache line, not two.
class weighted_key48 {
 public:
  weighted_key48() = default;
  weighted_key48(std::uint64_t key, std::uint16_t weight) noexcept : word_(key << 16 | weight) {}
  explicit operator std::uint64_t() const noexcept { return word_ >> 16; }
  std::uint16_t weight() const noexcept { return static_cast<std::uint16_t>(word_); }

 private:
  std::uint64_t word_;
};

/// The type of weights if there are none, or none outside of the keys.
struct no_weight {};

/// Arrays of keys and their weights, read and written as records. Without weights, `weights` is not read.
template <class Key, class Weight>
struct records {
  static constexpr bool weighted = !std::is_same_v<Weight, no_weight>;

  Key* keys;
  Weight* weights;

  std::uint64_t key(std::size_t i) const noexcept { return static_cast<std::uint64_t>(keys[i]); }
  void copy(std::size_t i, const records& from, std::size_t j) const noexcept {
    keys[i] = from.keys[j];
    if constexpr (weighted) weights[i] = from.weights[j];
  }
  void swap(std::size_t i, std::size_t j) const noexcept {
    std::swap(keys[i], keys[j]);
    if constexpr (weighted) std::swap(weights[i], weights[j]);
  }
  records operator+(std::size_t i) const noexcept { return {keys + i, weighted ? weights + i : nullptr}; }
};

/// Bits [low, high) of keys, by which loop::plain_pieces sorts them.
template <class Key>
class key_bits {
 public:
  using element = Key;
  using number = std::conditional_t<std::is_same_v<Key, std::uint32_t>, std::uint32_t, std::uint64_t>;

  key_bits(unsigned low, unsigned high) noexcept
      : low_(low), mask_(static_cast<number>(~std::uint64_t{0} >> (64 - (high - low)))) {}

  number key(const Key& k) const noexcept { return static_cast<number>(static_cast<number>(k) >> low_ & mask_); }

 private:
  unsigned low_;
  number mask_;
};

/// Sorts runs of records. Owns the second buffer, so each thread needs its own.
template <class Key, class Weight>
class radix_sorter {
 public:
  using run = records<Key, Weight>;

  /// Sorts the n records of `a` by bits [low, high) of their keys; equal ones end in any order, unless stable(n).
  void sort(run a, std::size_t n, unsigned low, unsigned high) {
    if (n < 2 || low >= high) return;
    if constexpr (!run::weighted) {
      const bool by_pieces = n <= (high - low > few_bits ? most_buffered : most_by_pieces);
      if (by_pieces && n > tiny_by_pieces) return sort_by_pieces(a, n, low, high);
    }
    if (n <= tiny) return insertion_sort(a, n, low, high);
    if (n <= most_buffered) return sort_buffered(a, n, low, high);
    // Split by the top digit in place, then sort the parts.
    const unsigned bits = std::min(high - low, split_bits);
    const unsigned shift = high - bits;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::array<std::size_t, (std::size_t{1} << split_bits) + 1> start{};
    for (std::size_t i = 0; i < n; ++i) ++start[(a.key(i) >> shift & mask) + 1];
    for (std::size_t d = 0; d < mask + 1; ++d) start[d + 1] += start[d];
    auto next = start;
    for (std::size_t d = 0; d < mask + 1; ++d) {
      while (next[d] < start[d + 1]) {
        const std::size_t home = a.key(next[d]) >> shift & mask;
        if (home == d) {
          ++next[d];
        } else {
          a.swap(next[d], next[home]++);
        }
      }
    }
    for (std::size_t d = 0; d < mask + 1; ++d) sort(a + start[d], start[d + 1] - start[d], low, shift);
  }

  /// True if sort() keeps the order of records with equal bits.
  static bool stable(std::size_t n) noexcept { return n <= most_buffered; }

 private:
  static constexpr std::size_t tiny = 48;
  /// With the buffer, 2 MiB of 4-byte keys: about the second-level cache of a core.
  static constexpr std::size_t most_buffered = std::size_t{1} << 18;
  static constexpr unsigned split_bits = 8;
  static constexpr unsigned widest_digit = 11;
  static constexpr std::size_t most_counters = ((64 + widest_digit - 1) / widest_digit) << widest_digit;

  /// Bare keys: runs up to the second length, and longer ones by more bits than this, are sorted sooner by their
  /// highest bits. Up to three digits sort a long run as soon, and sooner if many keys begin alike.
  static constexpr std::size_t tiny_by_pieces = 20;
  static constexpr std::size_t most_by_pieces = 256;
  static constexpr unsigned few_bits = 32;

  void sort_by_pieces(run a, std::size_t n, unsigned low, unsigned high) {
    need_buffers(n);
    const key_bits<Key> by(low, high);
    loop::plain_pieces<key_bits<Key>>(by).sort(a.keys, buffer_.data(), n, false);
  }

  void need_buffers(std::size_t n) {
    if (buffer_.size() >= n) return;
    buffer_ = machine::page_array<Key>(most_buffered);
    if constexpr (run::weighted) weight_buffer_ = machine::page_array<Weight>(most_buffered);
  }

  static void insertion_sort(run a, std::size_t n, unsigned low, unsigned high) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - (high - low));
    const auto part = [=](std::uint64_t key) { return key >> low & mask; };
    for (std::size_t i = 1; i < n; ++i) {
      const Key key = a.keys[i];
      [[maybe_unused]] Weight weight{};
      if constexpr (run::weighted) weight = a.weights[i];
      std::size_t j = i;
      for (; j > 0 && part(a.key(j - 1)) > part(static_cast<std::uint64_t>(key)); --j) a.copy(j, a, j - 1);
      a.keys[j] = key;
      if constexpr (run::weighted) a.weights[j] = weight;
    }
  }

  static constexpr unsigned bits_of(unsigned all, unsigned digits) noexcept { return (all + digits - 1) / digits; }

  /// Returns by how many digits n records are sorted soonest by `all` bits. A short run takes longer to clear and to
  /// add up the counters of wide digits than to be sorted by one more digit: 64 records of 22 bits take 26.6 ns each by
  /// 2 digits, 9.3 by 4. A record costs about as much as four counters, for each digit.
  static unsigned digits_for(std::size_t n, unsigned all) noexcept {
    const auto cost = [&](unsigned digits) { return digits * (4 * n + (std::size_t{1} << bits_of(all, digits))); };
    unsigned digits = (all + widest_digit - 1) / widest_digit;
    while (digits < all && cost(digits + 1) < cost(digits)) ++digits;
    return digits;
  }

  void sort_buffered(run a, std::size_t n, unsigned low, unsigned high) {
    const unsigned digits = digits_for(n, high - low);
    const unsigned bits = bits_of(high - low, digits);
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::fill_n(counts_.begin(), digits << bits, 0u);
    const std::uint64_t top = ~std::uint64_t{0} >> (64 - (high - low));  // bits above `high` are not part of the sort
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t key = a.key(i) >> low & top;
      std::uint32_t* of_digit = counts_.data();
      for (unsigned d = 0; d < digits; ++d, key >>= bits, of_digit += mask + 1) ++of_digit[key & mask];
    }
    need_buffers(n);
    run from = a;
    run to{buffer_.data(), weight_buffer_.data()};
    for (unsigned d = 0; d < digits; ++d) {
      std::uint32_t* const next = counts_.data() + (d << bits);
      const unsigned shift = low + d * bits;
      const auto digit = [=](std::uint64_t key) { return (key >> low & top) >> (shift - low) & mask; };
      if (next[digit(from.key(0))] == n) continue;  // all records have the same digit
      std::uint32_t sum = 0;
      for (std::size_t k = 0; k <= mask; ++k) sum += std::exchange(next[k], sum);
      for (std::size_t i = 0; i < n; ++i) to.copy(next[digit(from.key(i))]++, from, i);
      std::swap(from, to);
    }
    if (from.keys != a.keys) {
      std::memcpy(a.keys, from.keys, n * sizeof(Key));
      if constexpr (run::weighted) std::memcpy(a.weights, from.weights, n * sizeof(Weight));
    }
  }

  std::array<std::uint32_t, most_counters> counts_;  ///< the counters of all digits
  machine::page_array<Key> buffer_;
  machine::page_array<Weight> weight_buffer_;
};

}  // namespace callisto::graph
