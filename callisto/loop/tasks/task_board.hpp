// The deques of all threads, and the rule by which no task waits unseen: followers are called for a task unless they
// are called already, and the follower that ends the call looks at every deque once more.
#pragma once

#include <callisto/loop/tasks/task_deque.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/workers/teams/standing_item.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace callisto::loop {

template <machine::policy M, class Task>
class task_board {
  using order = machine::order;
  template <class T>
  using atomic = machine::atomic_of<M, T>;

 public:
  using deque = task_deque<M, Task>;
  using place = workers::standing_place<M>;

  /// The most deques; a checked machine makes do with fewer.
  static constexpr std::uint32_t most = [] {
    if constexpr (requires { M::most_deques; }) return M::most_deques;
    return 4096u;
  }();

  /// Adds a deque, for good; false if there is no room. The caller sees to it that one thread at a time adds.
  bool add(deque& added) noexcept {
    const std::uint32_t n = count_.load(order::relaxed);
    if (n == most) return false;
    deques_[n] = &added;
    // release: publishes the deque to the acquire in steal() and leave(). acquire: pairs with leave(): a thread that
    // adds after a follower has looked sees that the call has ended.
    count_.fetch_add(1, order::acq_rel);
    return true;
  }

  /// Forgets all deques; called in the child of a fork, by its one thread.
  void clear() noexcept { count_.store(0, order::relaxed); }

  /// Adds a task to the caller's deque and calls followers for it; false if there is no room.
  bool offer(deque& own, Task& added, place& at) noexcept {
    if (!own.push(added)) return false;
    // relaxed: either the follower that ended the call sees the task, or this thread sees that the call has ended.
    if (!at.announced()) at.announce();
    return true;
  }

  /// Takes the oldest task of some deque; null if all look empty. Begins at any of them, by the thief's `random`, which
  /// differs by thread: thieves that come in one order all crowd at the first deque with tasks, and keep each other and
  /// its owner from taking (docs/results/many-contexts.md).
  Task* steal(std::uint32_t& random) noexcept {
    const std::uint32_t n = count_.load(order::acquire);
    random = random * 1'664'525 + 1'013'904'223;  // Numerical Recipes' generator; the high bits are good
    const auto first = static_cast<std::uint32_t>(std::uint64_t{random} * n >> 32);
    for (std::uint32_t k = 0; k < n; ++k) {
      deque& victim = *deques_[(first + k) % n];
      if (victim.looks_empty()) continue;
      if (Task* const found = victim.steal(); found != nullptr) return found;
    }
    return nullptr;
  }

  /// Says that the calling follower has found no task. True: it may go. False: there is one after all.
  bool leave(place& at) noexcept {
    if (!at.withdraw()) return true;  // the thread that ended the call looks
    // acquire: pairs with add(). release: publishes the end of the call to it.
    const std::uint32_t n = count_.fetch_add(0, order::acq_rel);
    for (std::uint32_t d = 0; d < n; ++d) {
      if (!deques_[d]->holds_any()) continue;
      at.announce();
      return false;
    }
    return true;
  }

 private:
  atomic<std::uint32_t> count_{0};
  std::array<machine::plain_of<M, deque*>, most> deques_{};
};

}  // namespace callisto::loop
