// A task as it waits in a ring or a hold: a word that says what to run, and a record of up to 24 bytes for it.
#pragma once

#include <cstdint>

namespace callisto::domino {

/// A task. The head has, from the low end: the words of its record in 2 bits, its type in 14, its index in 48. Most
/// tasks have no record, and take 8 bytes.
struct task {
  static constexpr unsigned most_record_words = 3;
  static constexpr unsigned type_bits = 14;
  static constexpr std::uint64_t most_types = std::uint64_t{1} << type_bits;
  static constexpr std::uint64_t most_indices = std::uint64_t{1} << 48;

  /// Returns a task without a record.
  static task of(std::uint64_t type, std::uint64_t index) noexcept {
    task made;  // the record has no words yet, and is left as it is
    made.head = index << 16 | type << 2;
    return made;
  }

  constexpr unsigned words() const noexcept { return words(head); }
  static constexpr unsigned words(std::uint64_t head) noexcept { return static_cast<unsigned>(head & 3); }
  constexpr std::uint64_t type() const noexcept { return head >> 2 & (most_types - 1); }
  constexpr std::uint64_t index() const noexcept { return head >> 16; }

  /// Calls f(w) for each of the words of a record. No loop: so compilers keep records in registers.
  template <class F>
  static constexpr void each_word(unsigned words, F f) {
    if (words > 0) f(0U);
    if (words > 1) f(1U);
    if (words > 2) f(2U);
  }

  /// Adds a word to the record, which has room; takes the last one off.
  constexpr void push(std::uint64_t word) noexcept { record[head++ & 3] = word; }
  constexpr std::uint64_t pop() noexcept { return record[--head & 3]; }

  std::uint64_t head;
  std::uint64_t record[most_record_words];
};

}  // namespace callisto::domino
