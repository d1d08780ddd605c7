// What a thread has seen: for each thread, how far along it; for each atomic that was written, its newest store that is
// known. Happens-before and coherence both live in it (the views of Kang et al., "A promising semantics", POPL'17,
// without the promises).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace callisto::machine::checking {

/// A thread's count of its own operations, or an index into an atomic's stores.
using stamp = std::int16_t;  // signed: SSE2 has a maximum of those

class view {
 public:
  /// Places 0 to 15 are the threads' clocks, the others atomics, as they are first written.
  static constexpr unsigned clocks = 16;
  static constexpr unsigned capacity = 512;

  void clear(unsigned width = capacity) noexcept { std::memset(at_, 0, round_up(width) * sizeof(stamp)); }

  stamp operator[](unsigned i) const noexcept { return at_[i]; }
  stamp& operator[](unsigned i) noexcept { return at_[i]; }

  /// `width`: places in use; whatever is beyond is not touched.
  void join(const view& other, unsigned width) noexcept { join_from(0, other, width); }
  /// Without the clocks: what sequentially consistent fences pass on, which is coherence but not happens-before.
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
