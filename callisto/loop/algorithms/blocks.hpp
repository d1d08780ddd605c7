// A sequence cut into blocks: the same blocks whatever the number of threads.
#pragma once

#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <cstdint>
#include <source_location>

namespace callisto::loop {

/// Cuts [0, n) into blocks of one size, the last one shorter. The size depends on n alone, so what is computed block by
/// block is the same on every machine.
class blocks {
 public:
  /// Takes blocks of at least `least` iterations, and at most `most` blocks.
  constexpr blocks(std::uint64_t n, std::uint64_t least, std::uint64_t most) noexcept
      : n_(n),
        size_(std::max(least, n / most + (n % most != 0 ? 1 : 0))),
        count_(n / size_ + (n % size_ != 0 ? 1 : 0)) {}

  /// Returns at most `least`, and less if there were fewer than a thousand blocks: a few iterations may take long.
  static constexpr std::uint64_t least_for(std::uint64_t n, std::uint64_t least) noexcept {
    return std::clamp<std::uint64_t>(n / 1024, 1, least);
  }

  constexpr std::uint64_t count() const noexcept { return count_; }
  constexpr std::uint64_t begin(std::uint64_t block) const noexcept { return block * size_; }
  constexpr std::uint64_t end(std::uint64_t block) const noexcept {
    const std::uint64_t first = begin(block);
    return first + std::min(size_, n_ - first);
  }

  /// Calls f(block) for every block, in parallel; throws what f throws. `together`: the threads stay side by side, and
  /// the first blocks are among the first to run. `where` names the loop in statistics.
  template <class F>
  void each(F&& f, const std::source_location& where, bool together = false) const {
    parallel_for(std::uint64_t{0}, count_, f, {.together = together}, where);
  }

 private:
  std::uint64_t n_;
  std::uint64_t size_;
  std::uint64_t count_;
};

}  // namespace callisto::loop
