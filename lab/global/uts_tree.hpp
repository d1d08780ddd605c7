// The trees of UTS (Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006): what children a node has
// follows from a SHA-1 hash that its parent handed down.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace callisto::lab {

/// The state of a node: the hash of its parent's state and its number among its siblings.
using uts_state = std::array<std::uint8_t, 20>;

/// Returns the SHA-1 hash (FIPS 180-4) of at most 55 bytes.
inline uts_state sha1(const std::uint8_t* bytes, std::size_t n) {
  std::array<std::uint8_t, 64> block{};
  std::memcpy(block.data(), bytes, n);
  block[n] = 0x80;
  const std::uint64_t bits = n * 8;
  for (std::size_t i = 0; i < 8; ++i) block[63 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = static_cast<std::uint32_t>(block[4 * i]) << 24 | static_cast<std::uint32_t>(block[4 * i + 1]) << 16 |
           static_cast<std::uint32_t>(block[4 * i + 2]) << 8 | block[4 * i + 3];
  }
  for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  std::array<std::uint32_t, 5> h{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  auto [a, b, c, d, e] = h;
  for (std::size_t i = 0; i < 80; ++i) {
    const std::uint32_t f = i < 20   ? (b & c) | (~b & d)
                            : i < 40 ? b ^ c ^ d
                            : i < 60 ? (b & c) | (b & d) | (c & d)
                                     : b ^ c ^ d;
    const std::uint32_t k = i < 20 ? 0x5A827999 : i < 40 ? 0x6ED9EBA1 : i < 60 ? 0x8F1BBCDC : 0xCA62C1D6;
    const std::uint32_t t = std::rotl(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = t;
  }
  const std::array<std::uint32_t, 5> sum{h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
  uts_state out{};
  for (std::size_t i = 0; i < 20; ++i) out[i] = static_cast<std::uint8_t>(sum[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

/// One of the two trees of the paper.
struct uts_tree {
  bool is_binomial;      ///< T3: a root with many children, the others with 8 or none; else T1: geometric, fixed shape
  double root_children;  ///< of T1: the expected number of each node's children
  double probability;    ///< of T3: that a node has children
  std::uint32_t seed;
  std::uint32_t depth;  ///< of T1
  std::uint64_t vertices;

  /// "T1": shallow and wide. "T3": deep, with little parallelism.
  static constexpr uts_tree t1() { return {false, 4, 0, 19, 10, 4'130'071}; }
  static constexpr uts_tree t3() { return {true, 2000, 0.124875, 42, 0, 4'112'897}; }

  uts_state root() const {
    std::array<std::uint8_t, 20> bytes{};
    for (std::size_t i = 0; i < 4; ++i) bytes[16 + i] = static_cast<std::uint8_t>(seed >> (24 - 8 * i));
    return sha1(bytes.data(), bytes.size());
  }

  static uts_state child(const uts_state& parent, std::uint32_t number) {
    std::array<std::uint8_t, 24> bytes{};
    std::memcpy(bytes.data(), parent.data(), 20);
    for (std::size_t i = 0; i < 4; ++i) bytes[20 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
    return sha1(bytes.data(), bytes.size());
  }

  /// Returns how many children a node at `height` has.
  std::uint32_t children(const uts_state& node, std::uint32_t height) const {
    const std::uint32_t random =
        (static_cast<std::uint32_t>(node[16]) << 24 | static_cast<std::uint32_t>(node[17]) << 16 |
         static_cast<std::uint32_t>(node[18]) << 8 | node[19]) &
        0x7fffffff;
    const double u = random / 2147483648.0;
    if (is_binomial) {
      if (height == 0) return static_cast<std::uint32_t>(root_children);
      return u < probability ? 8 : 0;
    }
    if (height >= depth) return 0;
    const double p = 1.0 / (1.0 + root_children);
    const double n = std::floor(std::log(1.0 - u) / std::log(1.0 - p));
    return n > 100 ? 100 : static_cast<std::uint32_t>(n);  // as UTS limits it
  }
};

}  // namespace callisto::lab
