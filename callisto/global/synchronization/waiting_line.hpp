// Those that wait for an object, in the order in which they came.
#pragma once

#include <deque>
#include <utility>

namespace callisto::global {

/// A queue that takes memory only while it holds something, so that an array of a million objects with a line each
/// stays small. Its objects may be dropped without a destructor while the line is empty. Not thread-safe.
template <class T>
class waiting_line {
 public:
  bool empty() const noexcept { return queue_ == nullptr; }

  void push(const T& waiter) {
    if (queue_ == nullptr) queue_ = new std::deque<T>;
    queue_->push_back(waiter);
  }

  const T& front() const noexcept { return queue_->front(); }

  T pop() {
    T first = queue_->front();
    queue_->pop_front();
    if (queue_->empty()) delete std::exchange(queue_, nullptr);
    return first;
  }

 private:
  std::deque<T>* queue_ = nullptr;
};

}  // namespace callisto::global
