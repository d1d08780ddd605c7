// Loops with cross-iteration dependences: `ordered(n)`, with ordered depend(source) and depend(sink).
#pragma once

#include <callisto/openmp/workshare.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::openmp {

/// How far each iteration of the outermost loop has come: iterations inside it are run in order by one thread.
struct doacross_state {
  doacross_state(unsigned loops, const std::uint64_t* trips);

  /// Iterations inside are numbered in the order in which they run.
  template <class Int>
  std::uint64_t number_inside(const Int* counts) const noexcept {
    std::uint64_t number = 0;
    for (std::size_t n = 0; n < inside.size(); ++n)
      number = number * inside[n] + static_cast<std::uint64_t>(counts[n + 1]);
    return number;
  }

  /// Says that the iteration has come to its source.
  void post(std::uint64_t outer, std::uint64_t number) noexcept;
  /// Returns when it has; what happened before is visible.
  void wait(std::uint64_t outer, std::uint64_t number, party& self) noexcept;

  std::vector<std::uint64_t> inside;  ///< trips of the loops inside
  std::uint64_t outermost;
  /// Of each iteration of the outermost loop: 1 + the number of the last that was posted, and `waited_for`.
  std::unique_ptr<atomic<std::uint64_t>[]> come;
};

}  // namespace callisto::openmp
