// Counts of a task's descendants:
// - children: its unfinished children, which `taskwait` waits for;
// - references: the task's own, and one for each child that still has references.
//
// So a task's memory stays as long as descendants can look at it. A task has only its own reference exactly when all
// its descendants are finished.
//
// Counting is biased (Choi, Shull and Torrellas, "Biased reference counting", PACT 2018). The thread that runs the
// parent, its *runner*, also makes, runs and ends most children. It counts them in a private word, without locked
// instructions, on a line that no other thread needs. Other threads count down in a shared word. Only the sum of both
// words has a meaning.
//
// 1. While the runner counts alone, the shared word contains a bias, so no thread can take its value for an end.
// 2. Before it sleeps until its children are finished, or ends, the runner adds its own word to the shared one and
//    removes the bias: share().
// 3. From then on the thread that brings the shared word to its end value reports the end.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::openmp {

/// `Most`: children that the runner counts before it moves them to the shared word; below 2^30.
template <machine::policy M, std::uint32_t Most = std::uint32_t{1} << 30>
class child_counts {
  using order = machine::order;

 public:
  // A count has children in the lower half, references in the upper half.
  static constexpr std::uint64_t one_child = 1;
  static constexpr std::uint64_t one_reference = std::uint64_t{1} << 32;
  static constexpr std::uint64_t children_in(std::uint64_t count) noexcept { return count % one_reference; }
  static constexpr std::uint64_t references_in(std::uint64_t count) noexcept { return count / one_reference; }

  child_counts() = default;
  child_counts(const child_counts&) = delete;
  child_counts& operator=(const child_counts&) = delete;

  /// If there are no descendants, `runner`, the calling thread, counts alone from here on; else does nothing. No other
  /// thread may know the task at the time.
  void begin(const void* runner) noexcept {
    // acquire: pairs with remove(): work of the last descendants.
    if (shared_.load(order::acquire) != one_reference) return;
    own_ = 0;
    // relaxed, both: another thread gets to know the task through a child, which is published with release.
    shared_.store(bias + one_reference, order::relaxed);
    runner_.store(runner, order::relaxed);
  }

  /// True if `thread`, the calling thread, is the runner that counts alone. relaxed: only a thread itself makes this
  /// true or false for that thread.
  bool counts_alone(const void* thread) const noexcept { return runner_.load(order::relaxed) == thread; }

  /// Adds `more`: a reference, with or without a child. Called by the thread that runs the task. Returns true if the
  /// count is shared and this is the first reference besides the task's own.
  bool add(const void* thread, std::uint64_t more) noexcept {
    if (counts_alone(thread)) {
      own_ = own_ + more;
      if (children_in(own_) >= Most) [[unlikely]] {
        shared_.fetch_add(own_, order::relaxed);  // relaxed: as below
        own_ = 0;
      }
      return false;
    }
    // relaxed: only descendants subtract, and they begin later.
    return references_in(shared_.fetch_add(more, order::relaxed)) == 1;
  }

  /// Subtracts `less`. Called by any thread. Returns what is left; while the runner counts alone, a large number.
  std::uint64_t remove(const void* thread, std::uint64_t less) noexcept {
    if (counts_alone(thread)) {
      own_ = own_ - less;
      return bias;
    }
    // release: publishes what the descendant did to the thread that waits for it or frees the task; acquire: for that
    // thread.
    return shared_.fetch_sub(less, order::acq_rel) - less;
  }

  /// The runner stops counting alone. Returns what is left.
  std::uint64_t share() noexcept {
    runner_.store(this, order::relaxed);  // relaxed: as in counts_alone()
    const std::uint64_t more = own_ - bias;
    own_ = 0;
    // acq_rel: as in remove(), because the runner can be the one that ends the task from here on.
    return shared_.fetch_add(more, order::acq_rel) + more;
  }

  /// The calling thread, which runs the task, counts alone again. There must be no children. Returns what was left.
  std::uint64_t take_back(const void* runner) noexcept {
    runner_.store(runner, order::relaxed);  // relaxed: as in counts_alone()
    // relaxed: only a thread that takes the count for an end needs the work of other threads.
    return shared_.fetch_add(bias, order::relaxed);
  }

  // For the thread that runs the task. For other threads only after the task is finished and published to them.

  /// acquire: sees what finished children did.
  bool has_children() const noexcept { return children_in(sum()) % children_in(bias) != 0; }
  bool has_descendants() const noexcept {
    const std::uint64_t all = sum();
    return all != bias + one_reference && all != one_reference;
  }
  /// True if the counts are as begin() made them.
  bool is_fresh() const noexcept {
    return own_ == 0 && shared_.load(order::acquire) == bias + one_reference;  // acquire: as above
  }

  /// Reads the shared word by a locked instruction. A waiting thread first enters the list in which ending threads
  /// look. Then either it sees that its children are finished, or the ending thread sees it in the list.
  std::uint64_t look_surely() noexcept { return shared_.fetch_add(0, order::acq_rel); }

 private:
  /// Half of the range, for both parts. Other threads subtract less than Most before the runner moves its count, so
  /// neither part can overflow.
  static constexpr std::uint64_t bias = (one_child + one_reference) << 31;

  std::uint64_t sum() const noexcept { return own_ + shared_.load(order::acquire); }

  machine::plain_of<M, std::uint64_t> own_{0};
  machine::atomic_of<M, const void*> runner_{this};  ///< `this` stands for no thread: the count is shared
  machine::atomic_of<M, std::uint64_t> shared_{one_reference};
};

}  // namespace callisto::openmp
