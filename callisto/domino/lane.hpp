// A lane: what one thread of a computation works with. It holds the tasks that were spawned on it, the few that its
// thread has taken, and credits of the group that its thread works in.
#pragma once

#include <callisto/domino/group.hpp>
#include <callisto/domino/hold.hpp>
#include <callisto/domino/sleeping_lanes.hpp>
#include <callisto/domino/task.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/thread_sanitizer.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace callisto::domino {

template <machine::policy M>
class scheduler;

/// A kind of tasks: what they do, in which group. Derived classes add what run() needs.
template <machine::policy M>
struct task_type {
  using body = void (*)(task_type& self, lane<M>& here, const task& of);
  task_type(body does, group<M>& in) noexcept : run(does), of(&in) {}
  body run;
  group<M>* of;
  /// If it is not null: called before a phase of its group begins, for tasks that it adds with lane::put_due().
  void (*before_phase)(task_type& self, lane<M>& here) = nullptr;
  std::uint64_t number = 0;  ///< in its scheduler
};

/// Counts of one lane, by kind.
struct lane_counts {
  std::uint64_t tasks = 0;     ///< tasks run
  std::uint64_t merged = 0;    ///< spawns that found an instance pending
  std::uint64_t outdated = 0;  ///< entries of instances that had run already, at a lower rank
  std::uint64_t dense = 0;     ///< phases in which it laid out a walk over the marks of a type
};

/// The lane of the thread that runs a task. Only that thread calls members, while it runs the task.
template <machine::policy M>
class alignas(M::line_size) lane {
  using order = machine::order;

 public:
  /// When a task is to run.
  struct due {
    std::uint64_t rank;  ///< the phase, or the rank that its bucket stands for
    bool open;           ///< in the phase that the spawner runs in
  };

  lane(scheduler<M>& of, unsigned number, bool alone, const machine::atomic_of<M, std::uint64_t>& sleepers) noexcept
      : of_(of), home_(&of), number_(number), alone_(alone), sleepers_(&sleepers) {}

  unsigned number() const noexcept { return number_; }
  /// True if no other thread runs tasks: no change of a word then needs a locked instruction, which waits for memory.
  bool is_alone() const noexcept { return alone_; }

  /// The first word of the task that this lane begins after `k` other tasks, or of a record of one; nothing if it has
  /// not that many. A hint: other threads may take it. Inside a task.
  std::optional<std::uint64_t> upcoming(unsigned k) const noexcept {
    const unsigned held = hold_.size();
    return k < held ? hold_.upcoming(k) : open_ring_->upcoming(k - held);
  }

  /// True if the run is to stop: a long task may end early.
  bool should_stop() const noexcept { return of_.is_stopping(); }

  // Each throws usage_error if the lane may not spawn a task of `g` at present (scheduler::require_spawner()): before a
  // mark is set or a value written.

  /// When a task of `g` runs that is spawned now: in this phase. From a task of another group, which must be before
  /// `g`, or from outside: in the next phase of `g`.
  due now(const group<M>& g) const {
    const bool mine = at_ == &g;
    if (!mine) [[unlikely]]
      of_.require_spawner(*this, g);
    return {mine ? std::uint64_t{g.rank} : g.rank + 1, mine && !keeps_};
  }
  /// When a task of `g` runs that is to run in the next phase.
  due later(const group<M>& g) const {
    if (at_ != &g) of_.require_spawner(*this, g);
    return {g.rank + 1, false};
  }
  /// When a task of `g` of this rank runs: not before the spawner's own rank. Throws usage_error if it has no ranks,
  /// and for the rank 2^64 - 1.
  due at_rank(const group<M>& g, std::uint64_t rank) const {
    if (rank == no_rank || !g.has_ranks()) [[unlikely]]
      scheduler<M>::refuse_rank(rank);
    const std::uint64_t bucket = rank / g.width;
    if (at_ != &g) {
      of_.require_spawner(*this, g);
      return {bucket, false};
    }
    return {std::max<std::uint64_t>(bucket, g.rank), bucket <= g.rank && !keeps_};
  }
  /// True if cells of the computation that `of` schedules may be written here at present: not of another one, and not
  /// through the place of the application while run() works.
  bool may_write(const scheduler<M>* of) const noexcept { return home_.load(order::relaxed) == of; }

  /// Spawns a task of group g, with a record of at most two words if the group has ranks. May throw std::bad_alloc.
  [[gnu::always_inline]] void spawn(group<M>& g, due when, const task& of) {
    if (!when.open || pool_ == 0 || !open_ring_->has_room(of)) [[unlikely]]
      return spawn_slowly(g, when, of);
    open_ring_->put_published_in_room(of);
    pool_ = pool_ - 1;
    tell_sleepers();
  }

  /// The tasks of this lane that wait for a phase of a group without ranks.
  std::uint64_t waiting(const group<M>& g, due when) noexcept {
    return part(g).rings[when.rank % g.window].unpublished();
  }
  /// Adds a task to the phase that is about to begin; for before_phase().
  void put_due(group<M>& g, const task& of) { part(g).rings[g.rank % g.window].put(of); }
  /// True if no task of the lane runs: what is written here precedes the next phase.
  bool is_between_phases() const noexcept { return at_ == nullptr || keeps_; }
  /// Puts the rest of a task, which began, back into its phase for the next run: this one is to stop.
  void keep_rest(const task& of) {
    keeps_ = true;
    defer(*at_, at_->rank, of);
  }

  /// Says that a task that was taken has not ended: it was left with the holder of its key, and keeps its credit.
  void leave_open(group<M>& g) noexcept {
    if (pool_ == 0) draw(g);
    pool_ = pool_ - 1;
  }
  void take_credit_back() noexcept { pool_ = pool_ + 1; }
  /// Puts a task that keeps its credit into the open bucket again.
  void put_again(const task& of) {
    if (!keeps_) return open_ring_->put_published(of);
    defer(*at_, at_->rank, of);  // the run stops: what is kept must not be published
    pool_ = pool_ + 1;
  }
  /// Whether spawning here wakes threads that sleep: not at the beginning of a run, which may be over soon.
  void let_wake(bool wakes) noexcept { may_wake_ = wakes; }

  lane_counts& counts() noexcept { return counts_; }
  // Counts that also change when a run is over:
  std::uint64_t steals() const noexcept { return steals_.load(order::relaxed); }
  std::uint64_t forced() const noexcept { return forced_.load(order::relaxed); }
  std::uint64_t sleeps() const noexcept { return sleeps_.load(order::relaxed); }
  scheduler<M>& owner() noexcept { return of_; }
  group<M>* at() const noexcept { return at_; }

 private:
  friend class scheduler<M>;

  /// Credits that a lane draws at once. `M::domino_bulk` makes it smaller for the checker.
  static constexpr std::uint64_t bulk = [] {
    if constexpr (requires { M::domino_bulk; }) return std::uint64_t{M::domino_bulk};
    return std::uint64_t{256};
  }();

  /// Does what spawn() does, also for another phase, or if credits or room are short. Out of line: bodies are short.
  [[gnu::noinline]] void spawn_slowly(group<M>& g, due when, const task& of) {
    const machine::unseen_by_sanitizer hidden;  // the library may call the program's copy of this
    if (!when.open) return defer(g, when.rank, of);
    if (pool_ == 0) draw(g);
    open_ring_->put_published(of);
    pool_ = pool_ - 1;
    tell_sleepers();
  }
  void tell_sleepers() noexcept {
    M::light_fence();  // pairs with the heavy fence in sleeping_lanes::sleep()
    if (sleeping_lanes<M>::may_need(sleepers_->load(order::relaxed))) [[unlikely]]
      tell();
  }
  [[gnu::noinline]] void draw(group<M>& g) noexcept {
    const machine::unseen_by_sanitizer hidden;
    g.left.draw(bulk);
    pool_ = bulk;
  }
  [[gnu::noinline, gnu::cold]] void tell() noexcept {
    const machine::unseen_by_sanitizer hidden;
    if (may_wake_) of_.sleeping().tell(number_);
  }

  /// Returns a pseudo-random number below `n`.
  unsigned any_below(unsigned n) noexcept {
    random_ = random_ * 1'664'525 + 1'013'904'223;  // Numerical Recipes' generator; the high bits are good
    return static_cast<unsigned>(std::uint64_t{random_} * n >> 32);
  }

  lane_part<M>& part(const group<M>& g) noexcept { return *parts_[g.number]; }

  /// Puts a task into the bucket of its rank, for a phase that has not begun.
  void defer(group<M>& g, std::uint64_t rank, const task& of) {
    const bool begins_anywhere = at_ != &g && g.has_ranks();  // its group may begin at any rank
    if (begins_anywhere || rank - g.rank >= g.window) return put_far(g, rank, of);
    lane_part<M>& mine = part(g);
    const auto bucket = static_cast<unsigned>(rank % g.window);
    mine.rings[bucket].put(of);
    mine.filled = mine.filled | std::uint64_t{1} << bucket;
  }
  void put_far(group<M>& g, std::uint64_t rank, task of) {
    lane_part<M>& mine = part(g);
    of.push(rank);
    mine.rings[g.window + g.far].put(of);
    mine.least_far = std::min<std::uint64_t>(mine.least_far, rank);
  }

  scheduler<M>& of_;
  /// The scheduler; null in the application's lane while a run works. Only misuse is found by it, so it orders nothing.
  machine::atomic_of<M, const scheduler<M>*> home_;
  const unsigned number_;
  const bool alone_;
  const machine::atomic_of<M, std::uint64_t>* const sleepers_;
  group<M>* at_ = nullptr;        ///< the group that the lane's thread works in, and has credits of
  ring<M>* open_ring_ = nullptr;  ///< the lane's ring of the open bucket
  machine::plain_of<M, std::uint64_t> pool_{0};
  std::uint32_t random_ = number_ * 2'654'435'769U;
  bool keeps_ = false;       ///< spawned tasks wait for another phase: the run stops, or the thread is alone
  bool may_wake_ = true;     ///< spawning wakes lanes that sleep
  unsigned hold_most_ = 1;   ///< tasks that it takes at once: some ten microseconds' worth
  unsigned unmeasured_ = 0;  ///< holds since the last one that was timed
  machine::atomic_of<M, std::uint32_t> claimed_{0};
  hold<M> hold_;
  std::vector<std::unique_ptr<lane_part<M>>> parts_;
  lane_counts counts_;
  machine::atomic_of<M, std::uint64_t> steals_{0};  ///< rings of other lanes from which tasks were taken
  machine::atomic_of<M, std::uint64_t> forced_{0};  ///< holds of other lanes from which tasks were taken by force
  machine::atomic_of<M, std::uint64_t> sleeps_{0};  ///< how often its thread slept
};

}  // namespace callisto::domino
