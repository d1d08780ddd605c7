// Memory for explicit tasks: each thread keeps blocks of those that it has finished, and makes its next tasks in them.
// So most tasks stand where the last one stood, in the nearest cache, and cost no call of malloc(). A block belongs to
// whoever has it: a task that another thread finishes adds to that thread's store.
#pragma once

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
    for (list& of : lists_)
      while (of.first != nullptr) ::operator delete(std::exchange(of.first, of.first->next));
  }
  task_memory(const task_memory&) = delete;
  task_memory& operator=(const task_memory&) = delete;

  /// At least so many bytes, aligned as by `operator new`. Throws std::bad_alloc.
  void* take(std::size_t bytes) {
    const unsigned size = size_of(bytes);
    if (size >= lists_.size()) return ::operator new(bytes);
    list& of = lists_[size];
    if (of.first == nullptr) return ::operator new(smallest << size);
    --of.blocks;
    return std::exchange(of.first, of.first->next);
  }

  /// What take(bytes) of this store, or of another one, returned.
  void give(void* memory, std::size_t bytes) noexcept {
    const unsigned size = size_of(bytes);
    if (size >= lists_.size() || lists_[size].blocks == most_bytes / smallest >> size) return ::operator delete(memory);
    list& of = lists_[size];
    of.first = new (memory) block{of.first};
    ++of.blocks;
  }

 private:
  struct block {
    block* next;
  };
  struct list {
    block* first = nullptr;
    unsigned blocks = 0;
  };

  /// A task with some words of data. Sizes are this and its doubles.
  static constexpr std::size_t smallest = 256;
  /// Of blocks of each size: for the smallest, twice as many as a thread lets wait before it runs tasks at once
  /// (task.cpp); for the largest, one.
  static constexpr std::size_t most_bytes = std::size_t{32} << 10;

  static unsigned size_of(std::size_t bytes) noexcept {
    return static_cast<unsigned>(std::bit_width((bytes - 1) / smallest));
  }

  std::array<list, 8> lists_{};
};

}  // namespace callisto::openmp
