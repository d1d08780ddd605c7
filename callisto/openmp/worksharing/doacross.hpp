// Loops with cross-iteration dependences: `ordered(n)`, with ordered depend(source) and depend(sink).
#pragma once

#include <callisto/machine/system/page_array.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::openmp {

/// How far the loops have come, in a word for each part of the outermost loop that one thread runs from its beginning
/// to its end: what the thread has by a static schedule, a chunk of a dynamic one, an iteration of a guided one, whose
/// ranges begin anywhere. Iterations are numbered in the order in which they would run one after the other, so that a
/// word only grows: 1 + the number of the last that was posted there.
class doacross_state {
 public:
  /// For a loop that is made, but for its numbers of iterations. Ends the program where there is no memory.
  doacross_state(const workshare& loop, unsigned loops, const std::uint64_t* trips);

  /// Says that the iteration has come to its source. `counts`: of each loop, the outermost first.
  template <class Int>
  void post(const Int* counts) noexcept {
    const auto outer = static_cast<std::uint64_t>(counts[0]);
    if (outer < outermost_) post(outer, number_inside([counts](std::size_t loop) { return counts[loop]; }));
  }
  /// Returns when it has; what happened before is visible. There is no iteration to wait for beyond the loop's ends.
  /// `count_of(n)` for n = 1, 2, ...: of the loops inside, asked in this order.
  template <class Count>
  void wait(std::uint64_t outer, Count count_of, suspendable& self) noexcept {
    const std::uint64_t number = number_inside(count_of);
    if (outer < outermost_) wait(outer, number, self);
  }

 private:
  template <class Count>
  std::uint64_t number_inside(Count count_of) const noexcept {
    std::uint64_t number = 0;
    for (std::size_t n = 0; n < inside_.size(); ++n)
      number = number * inside_[n] + static_cast<std::uint64_t>(count_of(n + 1));
    return number;
  }
  void post(std::uint64_t outer, std::uint64_t number) noexcept;
  void wait(std::uint64_t outer, std::uint64_t number, suspendable& self) noexcept;
  atomic<std::uint64_t>& word_of(std::uint64_t outer) const noexcept;

  const std::vector<std::uint64_t> inside_;  ///< trips of the loops inside
  const std::uint64_t outermost_;            ///< trips of the outermost
  std::uint64_t in_one_ = 1;                 ///< iterations inside one of it, in all; 0: numbers begin anew in each
  // Whose is iteration i of the outermost loop: every `among_`-th chunk from the first on is in one word; or, where
  // `chunk_` is 0, `among_` blocks are, of which the first `longer_` are longer by one.
  std::uint64_t chunk_;
  std::uint64_t among_;
  std::uint64_t longer_;
  std::size_t apart_ = 1;  ///< words from one to the next
  machine::page_array<std::uint64_t> words_;
};

}  // namespace callisto::openmp
