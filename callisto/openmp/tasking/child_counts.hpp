// What a task counts of its descendants: its children that are not finished, which `taskwait` waits for; and
// references, its own and one for each child that still has any. So a task's memory stays as long as descendants may
// look at it, and a task has no reference but its own exactly when all its descendants are finished.
//
// Counting is biased (Choi, Shull and Torrellas, "Biased reference counting", PACT 2018). Most children are made, run
// and ended by the thread that runs their parent, its *runner*, which counts them in a word of its own, without locked
// instructions and on a line that nobody else wants. The other threads count down in a shared word; only the sum of
// both words means anything. Before others may find out by the shared word alone that something has ended (the runner
// is about to sleep until its children are finished, or to end), it adds its own word to the shared one. Until then the
// shared word is larger by a bias that nobody can count away, so nobody takes what it finds there for an end.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::openmp {

/// `Most`: children that the runner counts before it tells the shared word of them; below 2^30.
template <machine::policy M, std::uint32_t Most = std::uint32_t{1} << 30>
class child_counts {
  using order = machine::order;

 public:
  // A count: children in the lower half, references in the upper one.
  static constexpr std::uint64_t one_child = 1;
  static constexpr std::uint64_t one_reference = std::uint64_t{1} << 32;
  static constexpr std::uint64_t children_in(std::uint64_t count) noexcept { return count % one_reference; }
  static constexpr std::uint64_t references_in(std::uint64_t count) noexcept { return count / one_reference; }

  child_counts() = default;
  child_counts(const child_counts&) = delete;
  child_counts& operator=(const child_counts&) = delete;

  /// `runner`, the calling thread, counts by itself from now on, if there are no descendants; else nothing happens.
  /// Nobody else may know the task yet, or any more.
  void begin(const void* runner) noexcept {
    // acquire: what the last descendants did.
    if (shared_.load(order::acquire) != one_reference) return;
    own_ = 0;
    // relaxed, both: whoever else comes to know the task does so through a child, which is handed on with release.
    shared_.store(bias + one_reference, order::relaxed);
    runner_.store(runner, order::relaxed);
  }

  /// Whether `thread`, the calling one, is the runner that counts by itself. relaxed: only a thread itself makes it
  /// true or false for that thread.
  bool counts_alone(const void* thread) const noexcept { return runner_.load(order::relaxed) == thread; }

  /// There is `more`: a reference, maybe with a child. By the thread that runs the task. True: the first reference
  /// besides its own of a task whose count is shared.
  bool add(const void* thread, std::uint64_t more) noexcept {
    if (counts_alone(thread)) {
      own_ = own_ + more;
      if (children_in(own_) >= Most) [[unlikely]] {
        shared_.fetch_add(own_, order::relaxed);  // relaxed: as below
        own_ = 0;
      }
      return false;
    }
    // relaxed: only descendants count down again, which begin later.
    return references_in(shared_.fetch_add(more, order::relaxed)) == 1;
  }

  /// There is `less`. By any thread. What is left, or, while the runner counts alone, something large.
  std::uint64_t remove(const void* thread, std::uint64_t less) noexcept {
    if (counts_alone(thread)) {
      own_ = own_ - less;
      return bias;
    }
    // release: what the descendant did, for who waits for it or frees the task; acquire: for that.
    return shared_.fetch_sub(less, order::acq_rel) - less;
  }

  /// The runner counts alone no more. What is left.
  std::uint64_t share() noexcept {
    runner_.store(this, order::relaxed);  // relaxed: as in counts_alone()
    const std::uint64_t more = own_ - bias;
    own_ = 0;
    // As in remove(): from here on it is one among those that may end something.
    return shared_.fetch_add(more, order::acq_rel) + more;
  }

  /// The calling thread, which runs the task, counts alone again; there are no children. What is left.
  std::uint64_t take_back(const void* runner) noexcept {
    runner_.store(runner, order::relaxed);  // relaxed: as in counts_alone()
    // relaxed: only who takes the count for an end needs what others did.
    return shared_.fetch_add(bias, order::relaxed);
  }

  // For the thread that runs the task, and for others only once it is finished and that has been handed on to them.

  /// What has ended was done before: acquire.
  bool has_children() const noexcept { return children_in(sum()) % children_in(bias) != 0; }
  bool has_descendants() const noexcept {
    const std::uint64_t all = sum();
    return all != bias + one_reference && all != one_reference;
  }
  /// Whether it is as begin() made it.
  bool is_fresh() const noexcept {
    return own_ == 0 && shared_.load(order::acquire) == bias + one_reference;  // acquire: as above
  }

  /// The shared word, read by a locked instruction. By who waits for children, having said so where those that end them
  /// look: either it sees that they are finished, or they see that it waits.
  std::uint64_t look_surely() noexcept { return shared_.fetch_add(0, order::acq_rel); }

 private:
  /// Half of what there is room for, of both: neither what others count down, less than Most before the runner tells
  /// what it has counted, nor what the runner adds comes near its ends.
  static constexpr std::uint64_t bias = (one_child + one_reference) << 31;

  std::uint64_t sum() const noexcept { return own_ + shared_.load(order::acquire); }

  machine::plain_of<M, std::uint64_t> own_{0};
  machine::atomic_of<M, const void*> runner_{this};  ///< no thread: the count is shared
  machine::atomic_of<M, std::uint64_t> shared_{one_reference};
};

}  // namespace callisto::openmp
