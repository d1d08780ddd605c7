// Credits: how a group's threads find out that a phase has ended, with one locked instruction in some hundred tasks.
//
// `left` counts the tasks of the phase that have not ended, and the credits in lanes' pools.
// 1. A lane that spawns draws credits in bulk, before any thread can have the task.
// 2. A task that ends leaves its credit in the pool of the lane that ran it.
// 3. A lane without work gives its pool back. The one that brings `left` to 0 is alone in the group: no task is left,
//    and no other thread can make one.
// So `left` is never below the number of tasks that are open, and 0 is found once a phase.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::domino {

template <machine::policy M>
class credits {
  using order = machine::order;

 public:
  /// Begins a phase of `tasks` tasks. Called by the thread that is alone in the group, before it publishes them.
  void open(std::uint64_t tasks) noexcept {
    // relaxed: publishing the tasks also publishes this.
    left_.store(tasks, order::relaxed);
  }

  /// Draws credits. Called inside a task, which has a credit itself.
  void draw(std::uint64_t number) noexcept {
    // relaxed: comes before this lane's own give_back() in the word's order, and the task's credit keeps it above 0.
    left_.fetch_add(number, order::relaxed);
  }

  /// Gives credits back, at least one. True if the phase has ended: the caller is alone, and sees all that it did.
  bool give_back(std::uint64_t number) noexcept {
    // release: publishes what this lane's tasks did. acquire: the last lane sees what all did.
    return left_.fetch_sub(number, order::acq_rel) == number;
  }

 private:
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> left_{0};
};

}  // namespace callisto::domino
