// A set of numbers of which each rank has a copy: the frontier of a search, or marks.
#pragma once

#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/global/transport/here.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

namespace callisto::global {

/// A bit for each number below size(). Ranks set bits in their copies; unite() gives all what any has set. Any number
/// of threads of a rank may set and test at once.
class bitmap {
 public:
  explicit bitmap(std::uint64_t size) : size_(size), words_((size + bits - 1) / bits) {}

  std::uint64_t size() const noexcept { return size_; }
  bool test(std::uint64_t i) const noexcept {
    // relaxed, here and below: bits order nothing; unite() and the ends of loops do.
    return (std::atomic_ref(words_[i / bits]).load(std::memory_order_relaxed) >> (i % bits) & 1) != 0;
  }
  /// Sets bit i. Returns false if it was set in this copy.
  bool set(std::uint64_t i) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (i % bits);
    return (std::atomic_ref(words_[i / bits]).fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  void clear() noexcept { words_.assign(words_.size(), 0); }

  /// Gives all ranks the bits that any has set; returns how many there are. Collective: each word goes to one rank, and
  /// from there to all.
  std::uint64_t unite(std::source_location where = std::source_location::current()) {
    const auto ranks = static_cast<std::uint64_t>(here().ranks);
    const auto me = static_cast<std::size_t>(here().rank);
    std::vector<std::uint64_t> bounds;
    for (std::uint64_t r = 0; r <= ranks; ++r) {
      bounds.push_back(words_.size() / ranks * r + words_.size() % ranks * r / ranks);
    }
    std::vector<std::uint64_t> counts;
    for (std::size_t r = 0; r != ranks; ++r) counts.push_back(bounds[r + 1] - bounds[r]);
    const std::vector<std::uint64_t> came = exchange(std::span<const std::uint64_t>(words_), counts, where).values;
    for (std::size_t i = 0; i != came.size(); ++i) words_[bounds[me] + i % counts[me]] |= came[i];
    share_parts(std::span(words_), bounds, where);
    std::uint64_t found = 0;
    for (const std::uint64_t word : words_) found += static_cast<std::uint64_t>(std::popcount(word));
    return found;
  }

  /// Calls f(i) for the set numbers of [first, last), ascending.
  template <class Function>
  void for_each(std::uint64_t first, std::uint64_t last, const Function& f) const {
    for (std::uint64_t w = first / bits; w * bits < last; ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
        const std::uint64_t i = w * bits + static_cast<std::uint64_t>(std::countr_zero(word));
        if (i >= first && i < last) f(i);
      }
    }
  }

 private:
  static constexpr std::uint64_t bits = 64;
  std::uint64_t size_;
  mutable std::vector<std::uint64_t> words_;  ///< mutable: C++20 has no atomic_ref of constants
};

}  // namespace callisto::global
