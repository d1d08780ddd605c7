// Where the leader runs, and which follower makes room for it. Internal to runtime.cpp.
//
// A leader is not pinned, and the system wakes it on any free context, such as that of a sleeping follower. The
// follower would then wait for the end of the leader's time slice while another context idles. So the follower that is
// pinned to the leader's context takes the spare one, which the plan kept for the leader.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/coscheduling.hpp>
#include <callisto/workers/teams/thread_hooks.hpp>
#include <callisto/workers/teams/thread_tree.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <pthread.h>

namespace callisto::workers {

/// A thread of the library that follows loops.
struct follower_thread {
  thread_tree<machine::native>* where;
  unsigned number;
  pthread_t thread;
  std::optional<unsigned> os_index;                      ///< the context that it is pinned to
  std::unique_ptr<coscheduling::follower> on = nullptr;  ///< its lease there, where jobs share the machine
  std::shared_ptr<const thread_hooks> hooks = nullptr;   ///< null: none
};

/// The contexts of the leader and of the followers that make room for it. Its caller holds the runtime's lock, except
/// for is_elsewhere().
class leader_placement {
 public:
  using followers = std::vector<std::unique_ptr<follower_thread>>;

  /// True if a leader on context `here` is not where one was last seen; a hint.
  bool is_elsewhere(int here) const noexcept {
    return here != leader_context_.load(machine::order::relaxed);  // relaxed: a hint, checked again under the lock
  }
  /// Says where a leader is; -1: unknown.
  void leader_is_on(int context) noexcept { leader_context_.store(context, machine::order::relaxed); }
  /// Sets the planned context to which no follower is pinned.
  void set_spare_context(unsigned context) noexcept { spare_context_ = context; }

  /// True if no leader moved within the last millisecond. Two leaders on different contexts would send a follower to
  /// and fro at each loop, some microseconds each.
  bool may_move() const noexcept {
    const std::uint64_t since = moved_at_.load(machine::order::relaxed);  // relaxed: a hint
    return machine::native::ticks() - since >= machine::native::ticks_per_second() / 1000;
  }

  /// Makes room on the context `here`, to which the leader has come. Where jobs share the machine, the leader goes to
  /// its job's main context instead. `sharing` may be null.
  void make_room(int here, followers& all, coscheduling* sharing) noexcept;

  /// Moves the leader's thread to its job's main context, which a new assignment may have changed. The thread is not
  /// pinned there: threads and programs that it starts would be, too. False if it may not run there.
  bool move_leader(unsigned context, followers& all, coscheduling* sharing) noexcept;

 private:
  static bool go_to(unsigned context) noexcept;
  void clear(unsigned context, followers& all, coscheduling* sharing) noexcept;

  unsigned spare_context_ = 0;
  machine::native::atomic<int> leader_context_{-1};     ///< the last known context of a leader
  machine::native::atomic<std::uint64_t> moved_at_{0};  ///< ticks
};

}  // namespace callisto::workers
