// The orphans of a set of workers: activations that can go on, in the order in which they became orphans.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/activations/activation.hpp>

#include <cstdint>

namespace callisto::workers {

/// A list that its user guards by a latch. Any thread may read what is said to be a hint.
template <machine::policy M>
class orphan_queue {
  using order = machine::order;
  using act = activation<M>;

 public:
  // With the latch held; it orders all operations, which are relaxed, therefore.

  /// Appends `a`, which is an orphan since `now`, in M::ticks().
  void push(act& a, std::uint64_t now) noexcept {
    a.next_ = nullptr;
    if (first_.load(order::relaxed) == nullptr) {
      first_.store(&a, order::relaxed);
    } else {
      last_->next_ = &a;
    }
    last_ = &a;
    count_.store(count_.load(order::relaxed) + 1, order::relaxed);
    newest_at_.store(now, order::relaxed);
  }
  /// Removes the first one, which there is; true if that leaves none.
  bool pop() noexcept {
    act* const a = first_.load(order::relaxed);
    first_.store(a->next_, order::relaxed);
    count_.store(count_.load(order::relaxed) - 1, order::relaxed);
    return a->next_ == nullptr;
  }

  // With the latch held, or as hints:

  /// Returns the first one; null: there is none.
  act* first() const noexcept { return first_.load(order::relaxed); }
  unsigned count() const noexcept { return count_.load(order::relaxed); }
  /// Returns when the last one became an orphan, in M::ticks().
  std::uint64_t newest_at() const noexcept { return newest_at_.load(order::relaxed); }

 private:
  machine::atomic_of<M, act*> first_{nullptr};
  machine::plain_of<M, act*> last_{nullptr};  ///< unless there is none
  machine::atomic_of<M, unsigned> count_{0};
  machine::atomic_of<M, std::uint64_t> newest_at_{0};
};

}  // namespace callisto::workers
