// The threads of a loop that are not expected, since other jobs have their hardware contexts (EuroSys 2014, section
// 2.1). A distributor that deals out parts gives them none, so a present thread need not fetch what an absent one was
// given.
#pragma once

#include <callisto/distributor/line_array.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <memory>

namespace callisto::distributor {

/// A set of positions (layout.hpp). It is a hint: an absent thread may take part, and a present one may not come. Any
/// thread may read it; each writes about itself.
template <machine::policy M>
class absent_threads {
  using order = machine::order;

 public:
  /// Holds positions [0, threads), none of them absent.
  explicit absent_threads(unsigned threads)
      : words_(std::make_unique<atomic<std::uint64_t>[]>(threads / word_bits + 1)) {}

  // relaxed, all accesses: hints.

  /// Sets whether a position is absent. It must change: changes are counted.
  void set(unsigned position, bool is) noexcept {
    auto& word = words_[position / word_bits];
    if (is) {
      word.fetch_or(bit(position), order::relaxed);
      count_.fetch_add(1, order::relaxed);
    } else {
      word.fetch_and(~bit(position), order::relaxed);
      count_.fetch_sub(1, order::relaxed);
    }
  }

  /// Returns how many are absent. One load.
  unsigned count() const noexcept { return count_.load(order::relaxed); }
  static constexpr unsigned word_bits = 64;
  /// Returns a bit for each position from w * word_bits on.
  std::uint64_t word(unsigned w) const noexcept { return words_[w].load(order::relaxed); }

 private:
  template <class T>
  using atomic = machine::atomic_of<M, T>;
  static constexpr std::uint64_t bit(unsigned position) noexcept { return std::uint64_t{1} << position % word_bits; }

  // Written only while jobs share the machine, a few hundred times a second; leaders read it from their caches.
  alignas(M::line_size) atomic<unsigned> count_{0};
  const std::unique_ptr<atomic<std::uint64_t>[]> words_;
};

}  // namespace callisto::distributor
