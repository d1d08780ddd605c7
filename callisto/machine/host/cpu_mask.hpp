// Sets of processors in the form of the system's calls for affinities.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <vector>

#include <sched.h>

namespace callisto::machine {

/// CPUs in the system's form; a cpu_set_t has room for fewer. Leaders may have stacks of 16 KiB, so a mask has room for
/// no more than Linux can have on any processor. It leaves CPUs beyond these out.
class cpu_mask {
 public:
  cpu_mask() noexcept = default;
  explicit cpu_mask(unsigned os_index) noexcept { add(os_index); }
  explicit cpu_mask(const std::vector<unsigned>& os_indices) noexcept {
    for (const unsigned n : os_indices) add(n);
  }
  bool has(unsigned os_index) const noexcept {
    return os_index < most && (words_[os_index / word_bits] >> (os_index % word_bits) & 1) != 0;
  }
  const cpu_set_t* set() const noexcept { return reinterpret_cast<const cpu_set_t*>(words_.data()); }
  cpu_set_t* set() noexcept { return reinterpret_cast<cpu_set_t*>(words_.data()); }

 private:
  static constexpr unsigned most = 8192;
  static constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;

  void add(unsigned os_index) noexcept {
    if (os_index < most) words_[os_index / word_bits] |= 1ul << (os_index % word_bits);
  }

  std::array<unsigned long, most / word_bits> words_{};
};

}  // namespace callisto::machine
