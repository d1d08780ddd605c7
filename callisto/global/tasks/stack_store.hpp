// Stacks of one core's workers, cut from slabs: the kernel limits a process to 65,530 mappings, a core has half a
// million stacks.
#pragma once

#include <cstddef>
#include <vector>

namespace callisto::global {

/// A store of stacks of one size, a power of two to which each is aligned. Memory that no task has touched is not used.
/// One thread uses it.
class stack_store {
 public:
  /// `bytes` is rounded up to a power of two, 16 KiB at least. The lowest page of the first `guards` stacks faults, if
  /// the process has not too many already: each guard costs two of the kernel's mappings.
  stack_store(std::size_t bytes, std::size_t guards) noexcept;
  ~stack_store();
  stack_store(const stack_store&) = delete;
  stack_store& operator=(const stack_store&) = delete;

  /// Returns the lowest byte of a stack that holds zeros, or what its last user left. Throws std::bad_alloc if the
  /// system refuses memory.
  std::byte* take();
  /// Takes a stack back; take() hands out the latest first, which is warm.
  void give_back(std::byte* stack) { warm_.push_back(stack); }

  /// Gives the memory of all but `keep` unused stacks back to the system: they hold zeros then. About 1 us for each run
  /// of neighbours.
  void trim(std::size_t keep);

  std::size_t stack_bytes() const noexcept { return bytes_; }
  /// Returns the number of stacks that have a user.
  std::size_t used() const noexcept { return made_ - warm_.size() - cold_.size(); }
  /// Returns the number of stacks that have no user, and memory.
  std::size_t warm() const noexcept { return warm_.size(); }

  /// True if `address` lies in the guard page of a stack.
  bool is_guard(const void* address) const noexcept;
  /// True if the lowest page of the stack faults.
  bool has_guard(const std::byte* stack) const noexcept;

 private:
  struct slab {
    std::byte* mapping;
    std::size_t mapping_bytes;
    std::byte* first;
    std::size_t stacks;
    std::size_t guarded;  ///< number of stacks with a guard page, the first ones
  };
  void map_slab();

  const std::size_t bytes_;
  std::size_t guards_left_;
  std::size_t guards_ = 0;
  std::size_t made_ = 0;
  std::size_t left_in_slab_ = 0;
  std::vector<std::byte*> warm_;
  std::vector<std::byte*> cold_;  ///< without a user and without memory
  std::vector<slab> slabs_;
};

}  // namespace callisto::global
