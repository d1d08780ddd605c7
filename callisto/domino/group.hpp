// A group of tasks with phases, or with ranks, and a lane's part of it: rings for the phase that is open and for those
// to come.
//
// Tasks of one bucket run in one phase. Bucket rank % window holds the tasks of a rank in [rank, rank + window); tasks
// of a later rank are *far*, and are spread over buckets when their time comes. A group without ranks has two buckets:
// this phase and the next. A task of a bucket that is not open was put in a ring and not published. So nothing is moved
// when a phase begins: the thread that ends a phase publishes rings, whatever lanes they belong to.
#pragma once

#include <callisto/domino/credits.hpp>
#include <callisto/domino/ring.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace callisto::domino {

template <machine::policy M>
class lane;
template <machine::policy M>
struct task_type;

inline constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();

template <machine::policy M>
struct group {
  /// `buckets`: a power of two, 2 to 64. `ranks_in_a_phase`: the number of ranks that run in one phase.
  group(unsigned place, unsigned buckets, std::uint64_t ranks_in_a_phase) noexcept
      : number(place), window(buckets), width(ranks_in_a_phase) {}

  bool has_ranks() const noexcept { return window > 2; }

  const unsigned number;
  const unsigned window;
  const std::uint64_t width;
  std::vector<group*> followers;  ///< groups that are after this one
  unsigned leaders = 0;           ///< groups that this one is after
  std::function<void(lane<M>&)> between;
  std::vector<task_type<M>*> prepared;  ///< types with a before_phase()

  credits<M> left;
  /// The bucket that is open, or `closed` while a thread publishes rings. A hint, since the phase may have ended; but a
  /// thread that has seen a task in a ring and then finds the ring's bucket here may take the task.
  machine::atomic_of<M, std::uint32_t> open{closed};
  static constexpr std::uint32_t closed = ~0U;
  machine::atomic_of<M, std::uint32_t> waits_for{0};  ///< groups before this one that are not quiet
  // Written by the thread that is alone in the group, read by its tasks:
  machine::plain_of<M, std::uint64_t> rank{0};
  machine::plain_of<M, std::uint32_t> far{0};  ///< 0 or 1: which of two rings takes far tasks
  machine::plain_of<M, bool> spreads{false};   ///< this phase puts far tasks into the buckets of their ranks
  machine::plain_of<M, std::uint64_t> phases{0};
};

/// A lane's tasks of one group.
template <machine::policy M>
struct lane_part {
  explicit lane_part(const group<M>& of) : rings(std::make_unique<ring<M>[]>(of.window + 2)) {}

  // Written by the lane's owner inside a task of the group, or by the thread that is alone in the group:
  machine::plain_of<M, std::uint64_t> filled{0};           ///< bit b: bucket b has tasks that are not published
  machine::plain_of<M, std::uint64_t> least_far{no_rank};  ///< the lowest rank of its far tasks
  std::unique_ptr<ring<M>[]> rings;                        ///< one a bucket, then the two of far tasks
};

}  // namespace callisto::domino
