// The queue of public tasks of a core: its owner works at one end, thieves take half of what the owner shares at the
// second end.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace callisto::global {

/// A queue in three parts: [head, split) is shared, under a lock; [split, tail) is the owner's own, without one. The
/// owner shares half of its part when that has two or more entries and the shared part is empty: a plain comparison
/// while there is enough. `T` moves as bytes.
template <machine::policy M, class T>
class split_queue {
  using order = machine::order;

 public:
  explicit split_queue(std::size_t capacity = 64) : items_(new slot[capacity]), capacity_(capacity) {}

  /// Appends an item. Owner. Throws std::bad_alloc if the queue must grow and cannot.
  void push(const T& item) {
    if (tail_ - oldest_ == capacity_) [[unlikely]]
      make_room();
    items_[tail_++ & (capacity_ - 1)] = item;
    share();
  }

  /// Removes the item that was pushed last; false if the queue is empty. Owner.
  bool pop(T& into) {
    if (tail_ == split_ && !take_back()) return false;
    into = items_[--tail_ & (capacity_ - 1)];
    share();
    return true;
  }

  /// Shares half of the owner's own items if thieves find none. Owner; push() and pop() do it, too.
  void share() {
    if (tail_ - split_ < 2 || shared_.load(order::relaxed) != 0) return;  // relaxed: a hint
    const std::scoped_lock guard(lock_);
    const std::uint64_t more = (tail_ - split_) / 2;
    split_ += more;
    // relaxed: thieves read the items under the lock. The owner alone adds.
    shared_.store(shared_.load(order::relaxed) + more, order::relaxed);
    oldest_ = head_;
  }

  /// Removes half of the shared items, at most `most` and at least one if there is one, the oldest first; calls
  /// take(item) for each. Returns their number. Any thread.
  template <class F>
  std::size_t steal(std::size_t most, F take) {
    if (shared_.load(order::relaxed) == 0) return 0;  // relaxed: a hint
    const std::scoped_lock guard(lock_);
    const std::uint64_t there = shared_.load(order::relaxed);  // relaxed: the lock orders it
    const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(there + 1) / 2, most);
    for (std::size_t i = 0; i != count; ++i) take(static_cast<const T&>(items_[(head_ + i) & (capacity_ - 1)]));
    head_ = head_ + count;
    // relaxed: the lock orders it; the owner's look without the lock is a hint.
    shared_.store(there - count, order::relaxed);
    return count;
  }

  /// Removes half of all items, at most `most`, the oldest first; calls take(item) for each. A single item goes if
  /// thieves could take it. Returns their number. Owner.
  template <class F>
  std::size_t take_half(std::size_t most, F take) {
    if (shared_.load(order::relaxed) == 0 && tail_ - split_ < 2) return 0;  // relaxed: the owner alone adds
    const std::scoped_lock guard(lock_);
    const std::uint64_t there = shared_.load(order::relaxed);  // relaxed: the lock orders it
    const std::uint64_t own = tail_ - split_;
    const std::size_t count =
        std::min<std::size_t>(static_cast<std::size_t>((there + own + (own == 0 ? 1 : 0)) / 2), most);
    for (std::size_t i = 0; i != count; ++i) take(static_cast<const T&>(items_[(head_ + i) & (capacity_ - 1)]));
    head_ = head_ + count;
    split_ = std::max(split_, static_cast<std::uint64_t>(head_));
    shared_.store(split_ - head_, order::relaxed);  // relaxed: as in steal()
    oldest_ = head_;
    return count;
  }

  /// Returns the number of items. Owner.
  std::size_t size() const noexcept {
    return static_cast<std::size_t>(tail_ - split_ +
                                    shared_.load(order::relaxed));  // relaxed: thieves may be taking some
  }
  bool empty() const noexcept { return size() == 0; }
  /// Returns the number of items that thieves can take. Any thread; a hint.
  std::size_t stealable() const noexcept { return static_cast<std::size_t>(shared_.load(order::relaxed)); }

 private:
  using slot = machine::plain_of<M, T>;

  /// Takes half of the shared items back; false if there is none.
  bool take_back() {
    if (shared_.load(order::relaxed) == 0) return false;  // relaxed: the owner alone adds, so 0 stays
    const std::scoped_lock guard(lock_);
    const std::uint64_t there = shared_.load(order::relaxed);  // relaxed: the lock orders it
    const std::uint64_t back = (there + 1) / 2;
    split_ -= back;
    shared_.store(there - back, order::relaxed);  // relaxed: as above
    oldest_ = head_;
    return back != 0;
  }

  /// Doubles the ring, unless thieves have left room in it.
  void make_room() {
    const std::scoped_lock guard(lock_);
    oldest_ = head_;
    if (tail_ - oldest_ < capacity_) return;
    const std::size_t larger = 2 * capacity_;
    std::unique_ptr<slot[]> items(new slot[larger]);
    for (std::uint64_t i = oldest_; i != tail_; ++i) {
      items[i & (larger - 1)] = static_cast<const T&>(items_[i & (capacity_ - 1)]);
    }
    items_ = std::move(items);
    capacity_ = larger;
  }

  // The owner's; thieves read items_ and capacity_ under the lock, under which the owner writes them.
  std::unique_ptr<slot[]> items_;
  std::size_t capacity_;  ///< a power of two
  std::uint64_t split_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t oldest_ = 0;  ///< head_ as the owner knows it: not above it

  alignas(M::line_size) waiting::spin_lock<M> lock_;
  machine::plain_of<M, std::uint64_t> head_{0};     ///< under the lock
  machine::atomic_of<M, std::uint64_t> shared_{0};  ///< the length of the shared part; written under the lock
};

}  // namespace callisto::global
