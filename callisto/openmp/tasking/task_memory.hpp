// Memory for explicit tasks. Each thread keeps the blocks of the tasks that it has finished, and creates its next tasks
// in them. So most tasks reuse memory that is in the nearest cache, and need no call of malloc().
//
// A block belongs to the thread that holds it: a task that another thread finishes adds to that thread's store. If one
// thread creates tasks and other threads finish them, blocks return in magazines, several at a time. Magazines pass
// through a depot of the process (Bonwick and Adams, "Magazines and Vmem", USENIX ATC 2001).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

namespace callisto::openmp {

/// One thread's store. For that thread only.
class task_memory {
 public:
  task_memory() = default;
  ~task_memory() {
    for (list& of : lists_) {
      free(of.first);
      free(of.magazine);
    }
  }
  task_memory(const task_memory&) = delete;
  task_memory& operator=(const task_memory&) = delete;

  /// Returns at least `bytes` bytes, aligned as by `operator new`. Throws std::bad_alloc.
  void* take(std::size_t bytes) {
    const unsigned size = size_of(bytes);
    if (size >= sizes) return ::operator new(bytes);
    list& of = lists_[size];
    if (of.first == nullptr) {
      if (of.magazine == nullptr) of.magazine = fetch(size);
      if (of.magazine == nullptr) return ::operator new(smallest << size);
      of.first = std::exchange(of.magazine, nullptr);
      of.blocks = in_magazine(size);
    }
    --of.blocks;
    return std::exchange(of.first, of.first->next);
  }

  /// Takes back what take(bytes) of this or another store returned.
  void give(void* memory, std::size_t bytes) noexcept {
    const unsigned size = size_of(bytes);
    if (size >= sizes) return ::operator delete(memory);
    list& of = lists_[size];
    if (of.blocks == in_magazine(size)) {
      if (of.magazine != nullptr) put_away(of.magazine, size);
      of.magazine = std::exchange(of.first, nullptr);
      of.blocks = 0;
    }
    of.first = new (memory) block{.next = of.first};
    ++of.blocks;
  }

  /// Resets the depot in the child of fork(): another thread may have held its lock.
  static void begin_anew_in_child() noexcept;

 private:
  struct block {
    block* next;
    block* next_magazine = nullptr;  ///< of the first block of a magazine that is in the depot
  };
  struct list {
    block* first = nullptr;
    unsigned blocks = 0;        ///< length of that list
    block* magazine = nullptr;  ///< a full one, or null
  };
  struct depot;
  static depot shared;

  /// The smallest block: a task with some words of data. Each size is twice the one before.
  static constexpr std::size_t smallest = 256;
  static constexpr unsigned sizes = 8;
  /// A magazine holds one of the largest blocks, or 64 of the smallest. That is the number of tasks that a thread
  /// queues before it runs new ones at once (task_pool.hpp).
  static constexpr std::size_t magazine_bytes = std::size_t{16} << 10;
  static constexpr unsigned in_magazine(unsigned size) noexcept {
    return std::max(1U, static_cast<unsigned>(magazine_bytes / smallest >> size));
  }

  static unsigned size_of(std::size_t bytes) noexcept {
    return static_cast<unsigned>(std::bit_width((bytes - 1) / smallest));
  }

  static void free(block* first) noexcept {
    while (first != nullptr) ::operator delete(std::exchange(first, first->next));
  }
  /// Takes a full magazine from the depot; null: there is none. Takes a lock, as put_away() does.
  static block* fetch(unsigned size) noexcept;
  static void put_away(block* magazine, unsigned size) noexcept;

  std::array<list, sizes> lists_{};
};

}  // namespace callisto::openmp
