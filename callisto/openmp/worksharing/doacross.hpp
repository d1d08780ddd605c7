// Loops with cross-iteration dependences: `ordered(n)`, with ordered depend(source) and depend(sink).
#pragma once

#include <callisto/machine/system/page_array.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::openmp {

/// The progress of a loop nest. It has a word for each part of the outermost loop that one thread runs from beginning
/// to end. Such a part depends on the schedule: all that a thread has (static), a chunk (dynamic), or an iteration
/// (guided, as its ranges begin anywhere). Iterations are numbered in sequential order, so a word only grows. It holds
/// 1 + the number of the latest iteration posted there.
class doacross_state {
 public:
  /// Takes a loop with a complete share, and the trip counts of all loops. If there is no memory, ends the program.
  doacross_state(const workshare& loop, unsigned loops, const std::uint64_t* trips);

  /// Records that the iteration has reached its source. `counts`: its number in each loop, the outermost first.
  template <class Int>
  void post(const Int* counts) noexcept {
    const auto outer = static_cast<std::uint64_t>(counts[0]);
    if (outer < outermost_) post(outer, number_inside([counts](std::size_t loop) { return counts[loop]; }));
  }
  /// Returns when that iteration has posted; its effects until then are visible. An iteration beyond the loop's ends is
  /// not waited for. `count_of(n)` for n = 1, 2, ... returns the numbers in the loops inside, and is called in this
  /// order.
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
  const std::uint64_t outermost_;            ///< trips of the outermost loop
  std::uint64_t in_one_ = 1;  ///< inner iterations in one iteration of the outermost loop; 0: words count the inner
                              ///< iterations only
  // These map iteration i of the outermost loop to a word. Every `among_`-th chunk shares a word. If `chunk_` is 0,
  // there are `among_` blocks with a word each, of which the first `longer_` have one iteration more.
  std::uint64_t chunk_;
  std::uint64_t among_;
  std::uint64_t longer_;
  std::size_t apart_ = 1;  ///< distance from one word to the next
  machine::page_array<std::uint64_t> words_;
};

}  // namespace callisto::openmp
