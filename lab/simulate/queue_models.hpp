// Queues of tasks on a simulated machine: a deque for a thread, and a queue for a core, which combines requests
// (what section 6 of Callisto-RTS, ATC'15, leaves as future work). Models, not for users.
#pragma once

#include <callisto/machine/simulated/machine.hpp>
#include <lab/names.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

namespace callisto::lab::queue_models {

using machine::order;
using on = machine::simulated;
template <class T>
using simulated_word = machine::atomic_of<on, T>;

// relaxed, in all of this file: the simulated machine has one order of all operations.

/// Between two looks at all queues a thread pauses so long, as in task_pool.cpp; with back-off twice as long each time,
/// up to the most.
constexpr std::uint64_t least_pause = 180;
constexpr std::uint64_t most_pause = 256 * least_pause;

constexpr unsigned most_stolen = 32;
using heights = std::array<unsigned, most_stolen>;

/// A task that waits in a deque of the library: the height of its tree.
struct waiting_task {
  unsigned height;
};

/// The library's deque (loop/tasks/task_deque.hpp), of which a thief takes several tasks at once, and goes on to
/// another one if it is beaten twice.
class alignas(on::line_size) deque_of_several {
 public:
  bool push(unsigned height) noexcept {
    std::uint64_t ends = ends_.load(order::relaxed);
    auto& slot = slots_[bottom(ends) % capacity];
    if (size(ends) == capacity || slot.load(order::relaxed) != 0) return false;
    slot.store(height + 1, order::relaxed);
    while (!ends_.compare_exchange(ends, with_bottom(ends, bottom(ends) + 1), order::relaxed)) {
    }
    return true;
  }
  bool pop(unsigned& height) noexcept {
    std::uint64_t ends = ends_.load(order::relaxed);
    while (size(ends) != 0) {
      if (!ends_.compare_exchange(ends, with_bottom(ends, bottom(ends) - 1), order::relaxed)) continue;
      height = empty(bottom(ends) - 1);
      return true;
    }
    return false;
  }
  /// Takes the oldest tasks, about half of them, at most `most`. A thief that was beaten has the line, and tries once
  /// more at once.
  unsigned steal(heights& to, unsigned most) noexcept {
    std::uint64_t ends = ends_.load(order::relaxed);
    for (unsigned tries = 0; tries < 2; ++tries) {
      const unsigned n = std::min(most, (size(ends) + 1) / 2);
      if (n == 0) return 0;
      if (!ends_.compare_exchange(ends, ends + (std::uint64_t{n} << 32), order::relaxed)) continue;
      for (unsigned i = 0; i < n; ++i) to[i] = empty(top(ends) + i);
      return n;
    }
    return 0;
  }
  bool looks_empty() const noexcept { return size(ends_.load(order::relaxed)) == 0; }

 private:
  static constexpr std::uint32_t capacity = 1024;
  static constexpr std::uint32_t top(std::uint64_t ends) noexcept { return static_cast<std::uint32_t>(ends >> 32); }
  static constexpr std::uint32_t bottom(std::uint64_t ends) noexcept { return static_cast<std::uint32_t>(ends); }
  static constexpr std::uint32_t size(std::uint64_t ends) noexcept { return bottom(ends) - top(ends); }
  static constexpr std::uint64_t with_bottom(std::uint64_t ends, std::uint32_t bottom) noexcept {
    return ends >> 32 << 32 | bottom;
  }
  unsigned empty(std::uint32_t at) noexcept {
    auto& slot = slots_[at % capacity];
    const unsigned height = slot.load(order::relaxed) - 1;
    slot.store(0, order::relaxed);
    return height;
  }

  simulated_word<std::uint64_t> ends_{0};
  std::array<simulated_word<std::uint32_t>, capacity> slots_{};
};

/// A core's queue, and the slots in which its threads ask for tasks. The newest task is for threads of the core, the
/// oldest ones for others.
class core_queue {
 public:
  // What a slot says; an answer is a height, shifted, and `answered`.
  static constexpr std::uint64_t nothing = 0;
  static constexpr std::uint64_t asks = 1;
  static constexpr std::uint64_t again = 2;  ///< the thief of the core has gone
  static constexpr std::uint64_t over = 3;   ///< all tasks have ended
  static constexpr std::uint64_t answered = 4;

  explicit core_queue(unsigned members) : slots_(std::make_unique<slot_line[]>((members + 7) / 8)), members_(members) {}

  bool looks_empty() const noexcept { return size(state_.load(order::relaxed)) == 0; }
  simulated_word<std::uint64_t>& slot(unsigned member) const noexcept { return slots_[member / 8].slots[member % 8]; }
  unsigned members() const noexcept { return members_; }
  /// Elects the one that steals for the core.
  bool begin_to_steal() noexcept { return thief_.exchange(1, order::relaxed) == 0; }
  void end_stealing() noexcept { thief_.store(0, order::relaxed); }
  /// Tasks that threads of the core have ended, and that are not in the count yet.
  simulated_word<std::uint64_t>& ended() noexcept { return ended_; }

  /// Adds n tasks; false if there is no room. Serves those that ask, if `serves`; counts how many.
  bool push(const unsigned* heights, unsigned n, bool serves, std::uint64_t& served) noexcept {
    const locked held(*this);
    if (last_ - first_ + n > capacity) return false;
    for (unsigned i = 0; i < n; ++i) items_[last_++ % capacity].store(heights[i], order::relaxed);
    if (serves) serve(served);
    return true;
  }
  bool pop(unsigned& height) noexcept {
    if (looks_empty()) return false;
    const locked held(*this);
    if (first_ == last_) return false;
    height = items_[--last_ % capacity].load(order::relaxed);
    return true;
  }
  /// A thief that finds the lock held goes on to another queue.
  unsigned steal(heights& to, unsigned most) noexcept {
    if (!try_lock()) return 0;
    const locked held(*this, std::adopt_lock);
    const unsigned n = std::min(most, (last_ - first_ + 1) / 2);
    for (unsigned i = 0; i < n; ++i) to[i] = items_[first_++ % capacity].load(order::relaxed);
    return n;
  }
  /// Serves those that ask if there are tasks, or waits for a thread that has the lock and may do so. The caller asks
  /// in `mine`. False: there are none.
  bool serve_all(const simulated_word<std::uint64_t>& mine, std::uint64_t& served) noexcept {
    for (;;) {
      std::uint64_t state = state_.load(order::relaxed);
      if ((state & is_locked) != 0) {
        on::wait_while(state_, [](std::uint64_t now) { return (now & is_locked) != 0; }, machine::patience::brief);
        if (mine.load(order::relaxed) != asks) return true;
      } else if (size(state) == 0) {
        return false;
      } else if (state_.compare_exchange(state, state | is_locked, order::relaxed)) {
        const locked held(*this, std::adopt_lock);
        serve(served);
        if (mine.load(order::relaxed) != asks) --served;  // the caller's own
        return true;
      }
    }
  }
  /// Answers those that ask by tasks, beginning with member `first`; returns how many tasks it has given.
  unsigned answer(const heights& tasks, unsigned n, unsigned first) noexcept {
    const locked held(*this);
    unsigned given = 0;
    for (unsigned k = 0; k < members_ && given < n; ++k) {
      auto& one = slot((first + k) % members_);
      if (one.load(order::relaxed) == asks) one.store(std::uint64_t{tasks[given++]} << 3 | answered, order::relaxed);
    }
    return given;
  }
  /// Answers all that ask by `word`.
  void tell(std::uint64_t word) noexcept {
    const locked held(*this);
    for (unsigned m = 0; m < members_; ++m) {
      if (slot(m).load(order::relaxed) == asks) slot(m).store(word, order::relaxed);
    }
  }

 private:
  static constexpr unsigned capacity = 1024;
  struct alignas(on::line_size) slot_line {
    std::array<simulated_word<std::uint64_t>, 8> slots;
  };

  // The lock and the size are one word: a thief that looks whether there are tasks takes one line, and the owner's
  // unlocking waits for no other line.
  static constexpr std::uint64_t is_locked = 1;
  static constexpr std::uint64_t size(std::uint64_t state) noexcept { return state >> 1; }
  void lock() noexcept {
    for (;;) {
      std::uint64_t state = state_.load(order::relaxed);
      while ((state & is_locked) == 0) {
        if (state_.compare_exchange(state, state | is_locked, order::relaxed)) return;
      }
      on::wait_while(state_, [](std::uint64_t now) { return (now & is_locked) != 0; }, machine::patience::brief);
    }
  }
  /// Locks a queue that has tasks and is not locked, for a thief.
  bool try_lock() noexcept {
    std::uint64_t state = state_.load(order::relaxed);
    for (unsigned tries = 0; tries < 2 && size(state) != 0 && (state & is_locked) == 0; ++tries) {
      if (state_.compare_exchange(state, state | is_locked, order::relaxed)) return true;
    }
    return false;
  }
  struct locked {
    explicit locked(core_queue& q) noexcept : of(q) { of.lock(); }
    locked(core_queue& q, std::adopt_lock_t) noexcept : of(q) {}
    ~locked() { of.state_.store(std::uint64_t{of.last_ - of.first_} << 1, order::relaxed); }
    core_queue& of;
  };

  void serve(std::uint64_t& served) noexcept {
    for (unsigned m = 0; m < members_ && first_ != last_; ++m) {
      if (slot(m).load(order::relaxed) != asks) continue;
      const std::uint64_t height = items_[--last_ % capacity].load(order::relaxed);
      slot(m).store(height << 3 | answered, order::relaxed);
      ++served;
    }
  }

  alignas(on::line_size) simulated_word<std::uint64_t> state_{0};
  alignas(on::line_size) simulated_word<std::uint32_t> thief_{0};
  alignas(on::line_size) simulated_word<std::uint64_t> ended_{0};
  unsigned first_ = 0;  ///< behind the lock, as last_ and the items
  unsigned last_ = 0;
  std::unique_ptr<slot_line[]> slots_;
  const unsigned members_;
  std::array<simulated_word<std::uint32_t>, capacity> items_{};
};

}  // namespace callisto::lab::queue_models
