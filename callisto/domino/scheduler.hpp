// The scheduler of a computation: how lanes find tasks, how phases and groups begin and end, how threads without work
// sleep.
//
// A thread works on its lane:
// 1. It takes tasks from the lane's ring of the open bucket into its hold, and runs them.
// 2. If there are none, it takes some of another lane's ring, also of a lane that no thread has.
// 3. If there are none, it gives its credits back. If that ends the phase, it is alone in the group, and opens the next
//    phase: it sets `left` to the number of deferred tasks, then publishes the rings that they are in.
// 4. Else it asks for what other lanes hold, then watches for news for a short time, then sleeps.
//
// A phase thus changes without a barrier, and deferred tasks belong to no thread. A thread that stops for ever holds up
// one task, which it is inside, begins or hands on, and what has to wait for the end of that one.
//
// Orders: what a task did reaches the tasks that it spawned through the rings and holds. Effects of a phase reach the
// next phase through `left` (credits.hpp), then the rings. Plain data of a group and of lanes' parts of it is written
// in its phases by lanes' owners, and between phases by the thread that is alone: `left` and the rings pass it on.
#pragma once

#include <callisto/domino/group.hpp>
#include <callisto/domino/lane.hpp>
#include <callisto/domino/limits.hpp>
#include <callisto/domino/sleeping_lanes.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/exceptions.hpp>
#include <callisto/machine/ticks_of.hpp>
#include <callisto/waiting/spinning.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace callisto::domino {

template <machine::policy M>
class scheduler {
  using order = machine::order;

 public:
  /// Makes lanes for `threads` threads, and one for the application between runs.
  explicit scheduler(unsigned threads) : sleeping_(threads), hold_ticks_(machine::ticks_of<M>(domino_limits::hold_ns)) {
    for (unsigned i = 0; i <= threads; ++i)
      lanes_.push_back(
          std::make_unique<lane<M>>(*this, i, threads == 1, sleeping_.watched_by(std::min(i, threads - 1))));
  }
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  unsigned threads() const noexcept { return static_cast<unsigned>(lanes_.size()) - 1; }
  lane<M>& lane_of(unsigned number) noexcept { return *lanes_[number]; }
  /// The lane of the application's thread while nothing runs: what it spawns there runs in the next run.
  lane<M>& outside() noexcept { return *lanes_.back(); }
  sleeping_lanes<M>& sleeping() noexcept { return sleeping_; }

  // Before the first run:

  group<M>& add_group(unsigned buckets, std::uint64_t ranks_in_a_phase) {
    auto made = std::make_unique<group<M>>(static_cast<unsigned>(groups_.size()), buckets, ranks_in_a_phase);
    for (auto& l : lanes_) l->parts_.push_back(std::make_unique<lane_part<M>>(*made));
    groups_.push_back(std::move(made));
    return *groups_.back();
  }

  /// Gives a type its number. It must outlive the scheduler's runs.
  void add_type(task_type<M>& made) {
    if (types_.size() == task::most_types)
      machine::throw_usage_error("domino: a computation has at most 16384 types of tasks");
    made.number = types_.size();
    types_.push_back(&made);
    if (made.before_phase != nullptr) made.of->prepared.push_back(&made);
  }

  /// No task of `later` begins before `earlier` is quiet. Throws usage_error if that closes a circle.
  void set_after(group<M>& later, group<M>& earlier) {
    if (!has(later) || !has(earlier)) machine::throw_usage_error("domino: group.after(): groups of two computations");
    if (&later == &earlier || comes_after(earlier, later))
      machine::throw_usage_error(
          "domino: group.after(): the group would come after itself; declare groups in one order");
    earlier.followers.push_back(&later);
    ++later.leaders;
  }

  /// True if `later` was declared to come after `earlier`, maybe by way of other groups.
  static bool comes_after(const group<M>& later, const group<M>& earlier) noexcept {
    return std::any_of(earlier.followers.begin(), earlier.followers.end(),
                       [&](const group<M>* f) { return f == &later || comes_after(later, *f); });
  }

  /// True if the group is one of this scheduler.
  bool has(const group<M>& g) const noexcept { return g.number < groups_.size() && groups_[g.number].get() == &g; }

  /// Throws usage_error unless `by` may spawn tasks of `to`, which is not the group that it works in: in a task of a
  /// group before that, or between runs.
  [[gnu::noinline]] void require_spawner(const lane<M>& by, const group<M>& to) const {
    if (!by.may_write(this)) refuse_outside();
    if (!has(to)) machine::throw_usage_error("domino: a task of one computation was spawned in another computation");
    if (by.at() != nullptr && !comes_after(to, *by.at()))
      machine::throw_usage_error(
          "domino: a task spawned one of a group that is not after its own: declare after(), "
          "or put both into one group");
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void refuse_outside() {
    machine::throw_usage_error(
        "domino: outside() is used while run() works; a task writes and spawns at the place that is passed to it, and "
        "other threads wait for the run's end");
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void refuse_rank(std::uint64_t rank) {
    if (rank == no_rank)
      machine::throw_usage_error("domino: the rank 18446744073709551615; expected one up to 2^64 - 2");
    machine::throw_usage_error(
        "domino: a rank for tasks of a group without ranks: make it by group(strict) or loose()");
  }

  /// Says that a run works, or has ended: the application's lane is closed meanwhile.
  void set_running(bool runs) noexcept { outside().home_.store(runs ? nullptr : this, order::relaxed); }
  bool is_running() const noexcept { return !lanes_.back()->may_write(this); }

  // For the thread that runs the computation, on its lane. No other thread may be in begin() or run().

  /// Forgets a stop of the last run: stop() is for the next run from now on.
  void prepare() noexcept {
    stop_.store(0, order::relaxed);
    failure_ = nullptr;
  }
  /// Opens the groups that come after no other.
  void begin(lane<M>& here);

  /// True if the run has ended. All that its tasks did is visible then.
  bool is_over() const noexcept { return over_.load(order::acquire) != 0; }  // acquire: pairs with group_ended()

  /// After the run: true if tasks are left, since it was stopped.
  bool has_tasks_left() const noexcept {
    return std::any_of(groups_.begin(), groups_.end(), [&](const auto& g) { return deferred_of(*g).some(); });
  }
  /// After the run: the first exception of a task, or null.
  std::exception_ptr failure() const noexcept { return failure_; }

  // For threads that work:

  /// Claims a lane that no thread has; null: there is none.
  lane<M>* claim() noexcept {
    for (unsigned i = 0; i < threads(); ++i) {
      lane<M>& l = *lanes_[i];
      // acquire: pairs with release(), for what the last thread wrote into the lane.
      if (l.claimed_.load(order::relaxed) == 0 && l.claimed_.exchange(1, order::acquire) == 0) return &l;
    }
    return nullptr;
  }
  /// Gives a lane back. Its tasks stay in its rings, where all threads find them.
  void release(lane<M>& here) noexcept {
    put_down(here);
    sleeping_.awake(here.number_);
    here.claimed_.store(0, order::release);  // release: publishes the lane to claim()
  }

  /// Runs tasks until party.is_done() or party.should_yield(). `party` says so, and party.self is the thread.
  template <class Party>
  void work(lane<M>& here, Party& party) {
    for (;;) {
      while (find(here)) {
        run_held(here);
        if (party.should_yield(here)) return put_down(here);
      }
      if (party.is_done()) return;
      wait_for_work(here, party);
    }
  }

  /// Asks tasks to end; no task begins any more. From any thread.
  void stop() noexcept { stop_.store(1, order::relaxed); }
  bool is_stopping() const noexcept { return stop_.load(order::relaxed) != 0; }

  /// Stops the run because of the exception in flight.
  void fail() noexcept {
    if (failed_.exchange(1, order::relaxed) == 0) failure_ = std::current_exception();
    stop();
  }
  /// Forgets a failure that was rethrown.
  void forget_failure() noexcept {
    failure_ = nullptr;
    failed_.store(0, order::relaxed);
  }

  /// Wakes every thread: something that is_done() looks at has changed.
  void wake_all() noexcept {
    news_.fetch_add(1, order::release);  // release: publishes what has changed to wait_for_work()
    M::light_fence();
    for (unsigned i = 0; i < threads(); ++i) sleeping_.wake_lane(i);
  }

  const std::vector<std::unique_ptr<group<M>>>& groups() const noexcept { return groups_; }

  // For runs on one thread in a random order (computation.cpp):

  /// Takes all tasks that may begin into `bag`, with their groups. They keep their credits.
  void take_all(std::vector<std::pair<group<M>*, task>>& bag) {
    for (auto& g : groups_) {
      for (auto& l : lanes_) {
        const std::uint32_t bucket = g->open.load(order::relaxed);
        if (bucket == group<M>::closed) continue;
        l->part(*g).rings[bucket].drain([&](const task& t) { bag.emplace_back(g.get(), t); });
      }
    }
  }
  /// Runs a task of that bag.
  void run_one(lane<M>& here, group<M>& g, const task& t) {
    move_to(here, g);
    run(here, t, g.spreads);
    here.pool_ = here.pool_ + 1;
    ++here.counts_.tasks;
  }
  /// Gives the lane's credits back.
  void put_down(lane<M>& here) noexcept {
    here.hold_.empty([&](const task& t) { hand_back(here, t); }, settling());
    leave_group(here);
  }

 private:
  static constexpr unsigned leader = 0;  ///< the lane of the thread that runs the computation

  // Tasks.

  /// Runs what find() or ask_holders() has put into the hold.
  void run_held(lane<M>& here) noexcept {
    sleeping_.awake(here.number_);
    const bool measures = is_measured(here);
    const std::uint64_t begin = measures ? M::ticks() : 0;
    if (!is_stopping()) here.keeps_ = false;  // what was kept is of an earlier run
    const auto give_back = [&](const task& t) { hand_back(here, t); };
    const auto settle = settling();
    std::uint64_t begun = 0;
    bool spreads = false;
    for (task next; here.hold_.begin(next, give_back, settle); ++begun) {
      // Only with a task begun: while the hold was full, thieves may have taken all of it and ended the phase.
      spreads = here.at_->spreads;
      run(here, next, spreads);
    }
    if (begun == 0) return;  // thieves had all: the run may be over, and its counts be read
    here.pool_ = here.pool_ + begun;
    if (!spreads) here.counts_.tasks += begun;
    if (!measures) return;
    // The next hold: as many as take some ten microseconds.
    const std::uint64_t took = M::ticks() - begin;
    if (took > hold_ticks_) {
      here.hold_most_ = std::max(1U, here.hold_most_ / 2);
    } else if (begun >= here.hold_most_ && 2 * took < hold_ticks_) {
      here.hold_most_ = std::min(most_held_, here.hold_most_ * 2);
    }
  }

  /// Whether the tasks in the hold are to be timed, which costs as much as two or three tasks: while holds may grow,
  /// and one in some later on. A single task says nothing about how many to hold.
  bool is_measured(lane<M>& here) const noexcept {
    const unsigned n = here.hold_.size();
    if (n >= here.hold_most_ && here.hold_most_ < most_held_) return true;
    return n > 1 && ++here.unmeasured_ % domino_limits::measured_holds == 0;
  }

  /// Runs a task. Its credit is the caller's afterwards.
  void run(lane<M>& here, const task& t, bool spreads) noexcept {
    if (is_stopping()) [[unlikely]] {
      if (!spreads) --here.counts_.tasks;  // the caller counts it as begun
      return keep(here, t);
    }
    CALLISTO_TRY {
      if (spreads) [[unlikely]] {
        task far = t;
        const std::uint64_t rank = far.pop();
        here.defer(*here.at_, rank, far);
      } else {
        task_type<M>& type = *types_[t.type()];
        type.run(type, here, t);
      }
    }
    CALLISTO_CATCH_ALL { fail(); }
  }

  /// Puts a task that was to begin back into its bucket, for the next run. Memory that is short here ends the
  /// program: the task would be lost.
  void keep(lane<M>& here, const task& t) noexcept {
    here.keeps_ = true;
    group<M>& g = *here.at_;
    task kept = t;
    const std::uint64_t rank = g.spreads ? kept.pop() : std::uint64_t{g.rank};
    here.defer(g, rank, kept);
  }

  /// Puts a task of the hold back into the lane's ring.
  void hand_back(lane<M>& here, const task& t) noexcept {
    if (!here.keeps_) return here.open_ring_->put_published(t);
    keep(here, t);
    here.pool_ = here.pool_ + 1;
  }

  // Where tasks come from (task_search.hpp).

  /// Fills the hold; false if no thread has a task to give. Then the caller has no credits.
  bool find(lane<M>& here) { return (here.at_ != nullptr && take_own(here, *here.at_)) || find_elsewhere(here); }
  [[gnu::noinline]] bool find_elsewhere(lane<M>& here);
  static bool is_open(const group<M>& g, std::uint32_t bucket) noexcept;

  auto settling() noexcept {
    return [this](unsigned lane) { lanes_[lane]->hold_.settle(); };
  }

  using reply = typename hold<M>::reply;
  struct taker;

  /// Fills the hold from a ring of group g. If `lost` is given, it does not try again where another thread is faster.
  bool take_from(lane<M>& here, group<M>& g, std::uint32_t bucket, ring<M>& from, bool* lost = nullptr);
  bool take_own(lane<M>& here, group<M>& g);
  /// Takes some of another lane's ring of group g. Each time it begins with another lane, and a thief that was beaten
  /// at a ring looks at other rings first: thieves that crowd at one ring keep each other, and its owner, from taking.
  bool steal(lane<M>& here, group<M>& g);
  /// Asks other lanes for tasks that they hold.
  reply ask_holders(lane<M>& here);
  /// Makes g the group that the lane's thread works in. It holds tasks of g.
  void move_to(lane<M>& here, group<M>& g) noexcept;
  /// Gives the lane's credits back. True if that ended a phase.
  bool leave_group(lane<M>& here) noexcept;

  // Phases and groups (phases.hpp). The caller is alone in the group.

  /// The tasks of a group that wait for a phase.
  struct deferred {
    std::uint64_t filled = 0;           ///< bit b: bucket b has some
    std::uint64_t least_far = no_rank;  ///< the lowest rank of those that are far
    bool some() const noexcept { return filled != 0 || least_far != no_rank; }
  };
  deferred deferred_of(const group<M>& g) const noexcept;
  void end_phase(lane<M>& here, group<M>& g) noexcept;
  /// Opens a group in this run.
  void open_group(lane<M>& here, group<M>& g) noexcept;
  /// Opens the bucket of the lowest rank, or ends the group for this run if there is none.
  void open_phase(lane<M>& here, group<M>& g) noexcept;
  /// How many ranks after the group's rank the first filled bucket is.
  static std::uint64_t first_bucket(std::uint64_t filled, const group<M>& g) noexcept;
  /// Ends a group for this run, and opens those that waited for it.
  void close_group(lane<M>& here, group<M>& g) noexcept;
  void group_ended() noexcept;
  /// Makes the tasks that an earlier run left in buckets far ones, if the application spawned tasks of a lower rank.
  void gather(lane<M>& here, group<M>& g);

  // Waiting.

  template <class Party>
  void wait_for_work(lane<M>& here, Party& party) {
    const waiting::spinning<M> spin(party.self);
    while (!party.self.has_better_to_do() && !spin.is_over()) {
      const std::uint64_t seen = news_.load(order::relaxed);
      if (party.is_done() || anything_to_take()) return;
      waiting::glance<M, std::uint64_t>(news_, [seen](std::uint64_t word) { return word == seen; });
      if (ask_holders(here) == reply::got) return run_held(here);
    }
    bool holds = false;
    here.sleeps_.fetch_add(1, order::relaxed);
    sleeping_.sleep(here.number_, party.self, [&] { return party.is_done() || (holds = find(here)); });
    if (holds) run_held(here);
  }

  bool anything_to_take() const noexcept {
    for (const auto& g : groups_) {
      const std::uint32_t bucket = g->open.load(order::relaxed);
      if (bucket == group<M>::closed) continue;
      for (const auto& l : lanes_) {
        if (!l->part(*g).rings[bucket].looks_empty()) return true;
      }
    }
    return false;
  }

  std::vector<std::unique_ptr<lane<M>>> lanes_;
  std::vector<std::unique_ptr<group<M>>> groups_;
  std::vector<task_type<M>*> types_;
  sleeping_lanes<M> sleeping_;
  const std::uint64_t hold_ticks_;
  const unsigned most_held_ = hold<M>::most();
  std::exception_ptr failure_;
  alignas(M::line_size) machine::atomic_of<M, std::uint32_t> stop_{0};
  machine::atomic_of<M, std::uint32_t> failed_{0};
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> open_groups_{0};
  machine::atomic_of<M, std::uint32_t> over_{0};
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> news_{0};
};

}  // namespace callisto::domino

// The rest of the members:
#include <callisto/domino/phases.hpp>
#include <callisto/domino/task_search.hpp>
