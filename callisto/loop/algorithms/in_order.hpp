// A look whether a sequence is in order.
#pragma once

#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/native.hpp>

#include <algorithm>
#include <cstdint>
#include <source_location>

namespace callisto::loop {

/// True if `in_order(i)` for each i of [1, n). Ends soon after the first that is not.
template <class F>
bool all_in_order(std::uint64_t n, F in_order, const std::source_location& where) {
  // Most input is out of order from its beginning on, and no thread is needed to see that.
  constexpr std::uint64_t first_look = 64;
  for (std::uint64_t i = 1; i < std::min(n, first_look); ++i) {
    if (!in_order(i)) return false;
  }
  machine::native::atomic<std::uint32_t> broken{0};
  static_cast<void>(parallel_for(
      std::uint64_t{1}, n,
      [&](std::uint64_t i, std::uint64_t end) {
        // Without branches inside a stretch, which compilers make vectors of.
        constexpr std::uint64_t stretch = 256;
        // relaxed, here and below: one flag, read by the caller after the loop.
        while (i < end && broken.load(machine::order::relaxed) == 0) {
          const std::uint64_t stop = std::min(end, i + stretch);
          unsigned wrong = 0;
          for (; i < stop; ++i) wrong |= in_order(i) ? 0u : 1u;
          if (wrong != 0) broken.store(1, machine::order::relaxed);
        }
      },
      {}, where));
  return broken.load(machine::order::relaxed) == 0;
}

}  // namespace callisto::loop
