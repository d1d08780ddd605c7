// A thread's tasks: the owner pushes and pops at the bottom, thieves take from the top, the oldest first.
//
// Both ends are one word, changed only by compare-and-swap, so no fence orders a push against a look elsewhere, and a
// thread knows which task it has before it touches it:
// 1. push: the owner writes the slot, then moves the bottom. A slot that its last thief has not read counts as full.
// 2. pop: the owner moves the bottom back; the slot's task is its own.
// 3. steal: a thief moves the top; then it reads the slot, and empties it for the owner.
#pragma once

#include <callisto/machine/policy.hpp>

#include <array>
#include <cstdint>

namespace callisto::loop {

template <machine::policy M, class Task>
class alignas(M::line_size) task_deque {
  using order = machine::order;
  template <class T>
  using atomic = machine::atomic_of<M, T>;

 public:
  /// The most tasks; a checked machine makes do with fewer. A power of two.
  static constexpr std::uint32_t capacity = [] {
    if constexpr (requires { M::deque_capacity; }) return M::deque_capacity;
    return 1024u;
  }();

  /// Adds a task; false if there is no room. Only the owner calls it.
  bool push(Task& added) noexcept {
    std::uint64_t ends = ends_.load(order::relaxed);
    atomic<Task*>& slot = slots_[bottom(ends) % capacity];
    if (size(ends) == capacity || slot.load(order::relaxed) != nullptr) return false;
    // relaxed: the exchange publishes it.
    slot.store(&added, order::relaxed);
    // release: publishes the task to steal()'s acquire. acquire: pairs with the release in holds_any(): an owner that
    // pushes after a thread has looked sees what that thread did before.
    while (!ends_.compare_exchange(ends, with_bottom(ends, bottom(ends) + 1), order::acq_rel)) {
    }
    return true;
  }

  /// Removes and returns the newest task; null if there is none. Only the owner calls it.
  Task* pop() noexcept {
    std::uint64_t ends = ends_.load(order::relaxed);
    while (size(ends) != 0) {
      // relaxed: the owner wrote the slot itself.
      if (!ends_.compare_exchange(ends, with_bottom(ends, bottom(ends) - 1), order::relaxed)) continue;
      atomic<Task*>& slot = slots_[(bottom(ends) - 1) % capacity];
      Task* const newest = slot.load(order::relaxed);
      slot.store(nullptr, order::relaxed);
      return newest;
    }
    return nullptr;
  }

  /// Removes and returns the oldest task; null if there is none. Any thread may call it.
  Task* steal() noexcept {
    std::uint64_t ends = ends_.load(order::relaxed);
    while (size(ends) != 0) {
      // acquire: pairs with the release in push().
      if (!ends_.compare_exchange(ends, with_top(ends, top(ends) + 1), order::acquire)) continue;
      atomic<Task*>& slot = slots_[top(ends) % capacity];
      // relaxed, both: the owner stores here again only after it has read the null.
      Task* const oldest = slot.load(order::relaxed);
      slot.store(nullptr, order::relaxed);
      return oldest;
    }
    return nullptr;
  }

  /// True if it looks empty; a hint.
  bool looks_empty() const noexcept { return size(ends_.load(order::relaxed)) == 0; }

  /// True if it holds a task. If not, the owner's next push sees what the caller did before.
  bool holds_any() noexcept { return size(ends_.fetch_or(0, order::release)) != 0; }

 private:
  static constexpr std::uint32_t top(std::uint64_t ends) noexcept { return static_cast<std::uint32_t>(ends >> 32); }
  static constexpr std::uint32_t bottom(std::uint64_t ends) noexcept { return static_cast<std::uint32_t>(ends); }
  static constexpr std::uint32_t size(std::uint64_t ends) noexcept { return bottom(ends) - top(ends); }
  static constexpr std::uint64_t with_top(std::uint64_t ends, std::uint32_t top) noexcept {
    return std::uint64_t{top} << 32 | bottom(ends);
  }
  static constexpr std::uint64_t with_bottom(std::uint64_t ends, std::uint32_t bottom) noexcept {
    return ends >> 32 << 32 | bottom;
  }

  /// The top in the high half, the bottom in the low one; both count on for ever, and wrap.
  atomic<std::uint64_t> ends_{0};
  std::array<atomic<Task*>, capacity> slots_{};
};

}  // namespace callisto::loop
