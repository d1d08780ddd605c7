// Elements of plain bytes, and how their keys become unsigned numbers that sort as the keys do.
#pragma once

#include <callisto/loop/algorithms/plain_order.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace callisto::loop {

/// An element of any type that is copied as bytes. It has no alignment, and may alias what it is part of.
template <unsigned Bytes>
struct plain_element {
  unsigned char bytes[Bytes];
};

/// A number that may alias what it is part of.
template <class Word>
struct [[gnu::may_alias]] plain_word {
  Word value;
};

/// Returns the bits that say whether a number of `bytes` is negative.
template <class Word>
constexpr Word sign_of(unsigned bytes) noexcept {
  return static_cast<Word>(Word{1} << (8 * bytes - 1));
}

/// Keys without anything else. The sort turns each into its number when it first moves it (`begin`), and back at the
/// end (`end`): in between, an element is its number.
template <class Word>
class bare_keys {
 public:
  using element = plain_word<Word>;
  using number = Word;
  static constexpr bool changes = true;  ///< begin() and end() may change elements

  explicit bare_keys(const plain_order& order) noexcept
      : below_zero_(order.kind == plain_kind::real ? static_cast<Word>(sign_of<Word>(sizeof(Word)) - 1) : Word{0}),
        always_(static_cast<Word>((order.kind == plain_kind::natural ? Word{0} : sign_of<Word>(sizeof(Word))) ^
                                  (order.falling ? static_cast<Word>(~Word{0}) : Word{0}))) {}

  element begin(element e) const noexcept {
    return {static_cast<Word>(e.value ^ (negative(e.value) & below_zero_) ^ always_)};
  }
  element end(element e) const noexcept {
    const auto x = static_cast<Word>(e.value ^ always_);
    return {static_cast<Word>(x ^ (negative(x) & below_zero_))};
  }
  /// True if begin() and end() change nothing.
  bool is_number() const noexcept { return below_zero_ == 0 && always_ == 0; }
  number key(element e) const noexcept { return e.value; }

 private:
  /// Returns all bits set if the number's first is.
  static Word negative(Word x) noexcept {
    using integer = std::make_signed_t<Word>;
    return static_cast<Word>(static_cast<integer>(x) >> (8 * sizeof(Word) - 1));
  }

  Word below_zero_;
  Word always_;
};

/// Records, which stay what they are: each look at a key makes its number anew.
template <unsigned Bytes>
class keyed_records {
 public:
  using element = plain_element<Bytes>;
  using number = std::uint64_t;
  static constexpr bool changes = false;

  explicit keyed_records(const plain_order& order) noexcept
      : at_(order.key_at & ~7u),
        shift_(8 * (order.key_at & 7u)),
        mask_(~std::uint64_t{0} >> (64 - 8 * order.key_bytes)),
        sign_(sign_of<std::uint64_t>(order.key_bytes)),
        falling_(order.falling ? mask_ : 0),
        flips_(falling_ ^ (order.kind == plain_kind::integer ? sign_ : 0)),
        is_real_(order.kind == plain_kind::real),
        infinity_(order.key_bytes == 4 ? 0x7f800000u : 0x7ff0000000000000u) {}

  element begin(const element& e) const noexcept { return e; }
  element end(const element& e) const noexcept { return e; }
  bool is_number() const noexcept { return true; }

  number key(const element& e) const noexcept {
    std::uint64_t x;
    std::memcpy(&x, e.bytes + at_, sizeof x);
    x = x >> shift_ & mask_;
    if (!is_real_) return x ^ flips_;
    const std::uint64_t magnitude = x & ~sign_;
    if (magnitude > infinity_) return mask_;  // no number reaches that
    if (magnitude == 0) x = 0;                // -0.0 equals 0.0
    return x ^ ((x & sign_) != 0 ? mask_ : sign_) ^ falling_;
  }

 private:
  unsigned at_;
  unsigned shift_;
  std::uint64_t mask_;
  std::uint64_t sign_;
  std::uint64_t falling_;
  std::uint64_t flips_;  ///< in whole numbers
  bool is_real_;
  std::uint64_t infinity_;
};

}  // namespace callisto::loop
