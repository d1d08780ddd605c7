// Workers of one core that wait for one thing, first come first served.
#pragma once

#include <callisto/global/tasks/worker.hpp>

namespace callisto::global {

/// A queue of suspended workers, linked through the workers: it allocates nothing. Not thread-safe: the owner of what
/// is waited for uses it from one thread, or under a lock.
class wait_list {
 public:
  bool empty() const noexcept { return first_ == nullptr; }

  /// Appends a worker, which then suspends.
  void push(worker& w) noexcept {
    w.next_ = nullptr;
    (first_ == nullptr ? first_ : last_->next_) = &w;
    last_ = &w;
  }

  /// Removes the worker that has waited longest, for the caller to wake; null if none waits.
  worker* pop() noexcept {
    worker* const w = first_;
    if (w != nullptr) first_ = w->next_;
    return w;
  }

 private:
  worker* first_ = nullptr;
  worker* last_ = nullptr;
};

}  // namespace callisto::global
