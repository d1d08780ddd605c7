// Memory for explicit tasks: each thread keeps blocks of those that it has finished, and makes its next tasks in them.
// So most tasks stand where the last one stood, in the nearest cache, and cost no call of malloc(). A block belongs to
// whoever has it: a task that another thread finishes adds to that thread's store.
#pragma once

#include <array>
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
    const std::size_t size = size_of(bytes);
    if (size == lists_.size()) return ::operator new(bytes);
    list& of = lists_[size];
    if (of.first == nullptr) return ::operator new(smallest << size);
    --of.blocks;
    return std::exchange(of.first, of.first->next);
  }

  /// What take(bytes) of this store, or of another one, returned.
  void give(void* memory, std::size_t bytes) noexcept {
    const std::size_t size = size_of(bytes);
    if (size == lists_.size() || lists_[size].blocks == most_blocks) return ::operator delete(memory);
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

  /// A task with 70 bytes of data, and with 300: others are rare.
  static constexpr std::size_t smallest = 256;
  /// Twice what a thread lets wait before it runs tasks at once (task.cpp).
  static constexpr unsigned most_blocks = 128;

  std::size_t size_of(std::size_t bytes) const noexcept {
    std::size_t size = 0;
    while (size < lists_.size() && bytes > smallest << size) ++size;
    return size;
  }

  std::array<list, 2> lists_{};
};

}  // namespace callisto::openmp
