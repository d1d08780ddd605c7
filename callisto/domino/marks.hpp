// Marks: which instances of a type of tasks are pending, one byte an index. So a write that finds an instance pending
// spawns no other.
//
// The writer stores the value, then sets the mark; the task takes the mark off, then reads the value. A writer that
// finds the mark set must know that the task will see its value. A load cannot tell: the task may be about to take the
// mark off and read the old value (store buffering). So both sides change the mark by read-modify-writes. Their order
// decides: the task's change comes later and sees the value, or it came earlier, and the writer spawns a new instance.
//
// There are two marks an index, for phases with even and with odd numbers: an instance that is pending in this phase
// does not stand for one that is to run in the next.
#pragma once

#include <callisto/domino/atomic_array.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::domino {

template <machine::policy M>
class marks {
  using order = machine::order;

 public:
  explicit marks(std::uint64_t indices) : bytes_(indices, std::uint8_t{0}) {}

  /// Sets a mark: true if it was not set.
  bool set(std::uint64_t index, std::uint8_t mark) noexcept {
    // release: publishes the value to take(), also through the changes that other writers make in between.
    return (bytes_[index].fetch_or(mark, order::release) & mark) == 0;
  }

  /// Takes a mark off: true if it was set. The caller then sees what was written before any set() of it.
  bool take(std::uint64_t index, std::uint8_t mark) noexcept {
    // acquire: pairs with set().
    return (bytes_[index].fetch_and(static_cast<std::uint8_t>(~mark), order::acquire) & mark) != 0;
  }

  /// True if a mark is set: a hint.
  bool has(std::uint64_t index, std::uint8_t mark) const noexcept {
    return (bytes_[index].load(order::relaxed) & mark) != 0;
  }

 private:
  const atomic_array<machine::atomic_of<M, std::uint8_t>> bytes_;
};

}  // namespace callisto::domino
