// Which threads of a loop are not expected: those whose hardware contexts other jobs have (EuroSys'14 section 2.1). A
// distributor that gives each thread a part to begin with gives them none; what a thread that is there does not have to
// fetch from one that is not costs it nothing.
#pragma once

#include <callisto/distributor/line_array.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <memory>

namespace callisto::distributor {

/// A set of positions (layout.hpp). A hint: who is in it may take part all the same, and who is not may not come. Any
/// thread may read it, and each writes about itself.
template <machine::policy M>
class absences {
  using order = machine::order;

 public:
  /// Of threads at positions [0, threads): none is absent.
  explicit absences(unsigned threads) : words_(std::make_unique<atomic<std::uint64_t>[]>(threads / word_bits + 1)) {}

  // relaxed, all: hints.

  /// Not twice in a row for the same position: they are counted.
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

  /// How many are; a load.
  unsigned count() const noexcept { return count_.load(order::relaxed); }
  static constexpr unsigned word_bits = 64;
  /// Those at positions from w * word_bits on, a bit each.
  std::uint64_t word(unsigned w) const noexcept { return words_[w].load(order::relaxed); }

 private:
  template <class T>
  using atomic = machine::atomic_of<M, T>;
  static constexpr std::uint64_t bit(unsigned position) noexcept { return std::uint64_t{1} << position % word_bits; }

  // Written when jobs share the machine, and then a few hundred times a second: read by leaders, from their caches.
  alignas(M::line_size) atomic<unsigned> count_{0};
  const std::unique_ptr<atomic<std::uint64_t>[]> words_;
};

}  // namespace callisto::distributor
