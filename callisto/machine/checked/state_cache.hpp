// The states that an exploration has visited, by their 128-bit hashes, each with one 32-bit word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::machine::checking {

/// A 128-bit hash. The hash of a set is the sum of the hashes of its elements.
struct fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  fingerprint& operator+=(const fingerprint& other) noexcept {
    low += other.low;
    high += other.high;
    return *this;
  }
  friend bool operator==(const fingerprint&, const fingerprint&) noexcept = default;
  friend auto operator<=>(const fingerprint&, const fingerprint&) noexcept = default;

  /// Returns the hash of a pair of words, by two finalizers like MurmurHash3's (constants by Stafford) with different
  /// inputs.
  static fingerprint of(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t x = mix(a + 0x9e3779b97f4a7c15u) ^ (b * 0xd6e8feb86659fd93u);
    return {mix(x), mix(x ^ (b + 0xc2b2ae3d27d4eb4fu) ^ (a << 31 | a >> 33))};
  }

 private:
  static constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
};

/// A hash table with open addressing and linear probing. It doubles when two thirds are full.
class state_cache {
 public:
  state_cache() : entries_(1 << 12) {}

  void clear() {
    entries_.assign(1 << 12, {});
    size_ = 0;
  }
  std::size_t size() const noexcept { return size_; }

  /// Returns the word of `state`, and true if the state is new; a new state's word is `fresh`. The reference is valid
  /// until the next call.
  std::pair<std::uint32_t&, bool> visit(fingerprint state, std::uint32_t fresh) {
    if (3 * size_ >= 2 * entries_.size()) grow();
    entry& e = find(state);
    if (e.used) return {e.word, false};
    e = {state, fresh, true};
    ++size_;
    return {e.word, true};
  }

 private:
  struct entry {
    fingerprint state;
    std::uint32_t word = 0;
    bool used = false;
  };

  entry& find(fingerprint state) noexcept {
    const std::size_t mask = entries_.size() - 1;
    std::size_t i = state.low & mask;
    while (entries_[i].used && entries_[i].state != state) i = (i + 1) & mask;
    return entries_[i];
  }

  void grow() {
    std::vector<entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const entry& e : old) {
      if (e.used) find(e.state) = e;
    }
  }

  std::vector<entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace callisto::machine::checking
