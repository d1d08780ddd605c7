// Sets of processors in the form of the system's calls for affinities.
#pragma once

#include <callisto/machine/host/topology.hpp>

#include <array>
#include <climits>
#include <cstddef>
#include <vector>

#include <sched.h>

namespace callisto::machine {

/// CPUs in the system's form; a cpu_set_t has room for fewer.
class cpu_mask {
 public:
  cpu_mask() noexcept = default;
  explicit cpu_mask(unsigned os_index) noexcept { words_[os_index / word_bits] = 1ul << (os_index % word_bits); }
  explicit cpu_mask(const std::vector<unsigned>& os_indices) noexcept {
    for (const unsigned n : os_indices)
      if (n < max_cpus) words_[n / word_bits] |= 1ul << (n % word_bits);
  }
  bool has(unsigned os_index) const noexcept {
    return (words_[os_index / word_bits] >> (os_index % word_bits) & 1) != 0;
  }
  const cpu_set_t* set() const noexcept { return reinterpret_cast<const cpu_set_t*>(words_.data()); }
  cpu_set_t* set() noexcept { return reinterpret_cast<cpu_set_t*>(words_.data()); }

 private:
  static constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, max_cpus / word_bits> words_{};
};

}  // namespace callisto::machine
