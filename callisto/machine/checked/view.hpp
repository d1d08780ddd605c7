// A thread's view: for each thread, the clock up to which its operations happened before; for each written atomic, the
// newest store that the thread knows. It holds happens-before and coherence together (the views of Kang et al., "A
// promising semantics", POPL'17, without the promises).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace callisto::machine::checking {

/// A thread's clock, or an index into an atomic's stores.
using stamp = std::int16_t;  // signed: SSE2 has a maximum of signed 16-bit integers

/// Stamps of what is known; join() takes the newer of each two.
class view {
 public:
  /// Places 0 to 15 are the threads' clocks. The other places are atomics, in the order of their first writes.
  static constexpr unsigned clocks = 16;
  static constexpr unsigned capacity = 512;

  void clear(unsigned width = capacity) noexcept { std::memset(at_, 0, round_up(width) * sizeof(stamp)); }

  stamp operator[](unsigned i) const noexcept { return at_[i]; }
  stamp& operator[](unsigned i) noexcept { return at_[i]; }

  /// Joins the first `width` places, rounded up to 16: the places in use.
  void join(const view& other, unsigned width) noexcept { join_from(0, other, width); }
  /// Joins the stores without the clocks. Sequentially consistent fences pass on coherence, but not happens-before.
  void join_stores(const view& other, unsigned width) noexcept { join_from(clocks, other, width); }
  void copy(const view& other, unsigned width) noexcept {
    std::memcpy(at_, other.at_, round_up(width) * sizeof(stamp));
  }

  static constexpr unsigned round_up(unsigned width) noexcept { return (width + 15) / 16 * 16; }

 private:
  void join_from(unsigned first, const view& other, unsigned width) noexcept {
    for (unsigned i = first; i < width; i += 16) {
      for (unsigned j = 0; j < 16; ++j) at_[i + j] = std::max(at_[i + j], other.at_[i + j]);
    }
  }

  stamp at_[capacity];
};

}  // namespace callisto::machine::checking
