// Quiescence of all ranks: waves of sums over a tree of ranks (Mattern, "Algorithms for distributed termination
// detection", Distributed Computing 2, 1987: four counters).
#pragma once

#include <callisto/global/messages/activity.hpp>

#include <cstdint>

namespace callisto::global {

/// The binary tree of ranks along which waves and reports travel. Rank 0 is the root.
struct rank_tree {
  const int rank;
  const int ranks;

  int parent() const noexcept { return (rank - 1) / 2; }
  /// Calls f(rank) for each child.
  template <class F>
  void for_children(F f) const {
    for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < ranks; ++child) f(child);
  }
  int children() const noexcept {
    int count = 0;
    for_children([&count](int) { ++count; });
    return count;
  }
};

/// One rank's part of the search for the end of a phase. Ranks form a binary tree; rank 0 decides. Used under a lock.
///
/// 1. *Rank without work, with the reports of its children:* adds its own sums and reports to its parent. A rank with
///    work delays the wave, which costs nothing while there is work.
/// 2. *Rank 0, with all reports:* compares. Two waves with the same sums, of which as much ended as began, mean the
///    end: since counts only grow, nothing was under way between the two waves.
/// 3. *Rank 0, decided:* tells its children, which tell theirs: another wave, or the end.
class wave {
 public:
  explicit wave(const rank_tree& tree) noexcept : tree_(tree) {}
  wave(int rank, int ranks) noexcept : wave(rank_tree{rank, ranks}) {}

  const rank_tree& tree() const noexcept { return tree_; }

  /// Takes a child's report for this wave.
  void take_report(const activity_sums& sums) noexcept {
    of_children_ += sums;
    ++reports_;
  }

  /// The step of a rank after it added its own sums.
  enum class step {
    wait,       ///< a child has not reported, or this rank has
    report,     ///< tells sums() to its parent
    next_wave,  ///< rank 0: tells the children to report again
    end,        ///< rank 0: tells the children that the phase is over
  };

  /// True if own sums would be of use now.
  bool is_due() const noexcept { return reports_ == tree_.children() && !reported_; }

  /// Adds this rank's sums, taken while it had nothing to do; only if is_due().
  step add_own(const activity_sums& own) noexcept {
    sums_ = of_children_;
    sums_ += own;
    reported_ = true;
    if (tree_.rank != 0) return step::report;
    const bool over = sums_.begun == sums_.ended && has_last_ && sums_ == last_;
    last_ = sums_;
    has_last_ = true;
    return over ? step::end : step::next_wave;
  }
  /// True if this rank has added its sums.
  bool reported() const noexcept { return reported_; }
  const activity_sums& sums() const noexcept { return sums_; }

  /// Begins another wave.
  void begin_next() noexcept {
    of_children_ = {};
    reports_ = 0;
    reported_ = false;
  }
  /// Begins the first wave of the next phase.
  void begin_phase() noexcept {
    begin_next();
    has_last_ = false;
  }

 private:
  const rank_tree tree_;
  int reports_ = 0;        ///< of children, in this wave
  bool reported_ = false;  ///< this rank, in this wave
  bool has_last_ = false;
  activity_sums of_children_;
  activity_sums sums_;
  activity_sums last_;  ///< of the wave before, in rank 0
};

}  // namespace callisto::global
