#include <callisto/domino/computation.hpp>

#include <callisto/domino/call_policy.hpp>
#include <callisto/domino/limits.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/ticks_of.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include <unistd.h>

namespace callisto::domino {

using machine::native;

namespace {

/// Returns the workers of all computations of the process. They sleep while there is nothing to do, and stay until the
/// process ends: to start them, and to join the other jobs, takes longer than many a run.
workers::worker_threads& shared_workers() {
  static std::mutex guard;
  static pid_t made_by = 0;
  static workers::worker_threads* known = nullptr;  // not destroyed: exit() may be called on one of the threads
  const std::scoped_lock held(guard);
  if (made_by == getpid()) return *known;
  // The first time, or in the child of a fork, which has none of its parent's threads.
  known = workers::create_workers({.workers = 0, .attached = 1, .coscheduled = true}).release();
  if (made_by == 0) {
    std::atexit([] {
      if (made_by == getpid()) known->leave_other_jobs();
    });
  }
  made_by = getpid();
  return *known;
}

/// Returns the contexts that a loop would use.
unsigned contexts_of_loops() {
  static const auto known =
      static_cast<unsigned>(machine::place(machine::topology::host(), machine::limits::current(),
                                           machine::placement_request::from_environment(), std::nullopt)
                                .contexts.size());
  return known;
}

}  // namespace

struct computation::state {
  explicit state(const options& how, unsigned threads) : of(threads), seed(how.order_seed) {
    leader = of.claim();  // lane 0
    of.outside().let_wake(false);
  }

  scheduler<native> of;
  const std::uint64_t seed;
  lane<native>* leader;
  std::deque<task_group> groups;
  std::vector<std::unique_ptr<task_base>> types;
  std::vector<merged_task*> unmarked;          ///< types made since the last run; cells may yet keep their marks
  workers::worker_threads* workers = nullptr;  ///< from the first run that needs them on
  std::optional<workers::native_ticket> ticket;
  std::atomic<bool> closing{false};
  call_policy calls;
  bool running = false;
  bool ran = false;

  /// Returns how many tasks helpers have run. Of many lanes, the first ones tell enough. Not while run() works.
  std::uint64_t tasks_of_helpers() noexcept {
    std::uint64_t all = 0;
    for (unsigned i = 1; i < std::min(of.threads(), 64U); ++i) all += of.lane_of(i).counts().tasks;
    return all;
  }
};

/// The up-call of a computation's ticket, and the two kinds of threads that work on its lanes.
struct helper {
  waiting::suspendable<native>& self;
  computation::state& of;
  workers::native_activation& activation;

  bool should_yield(const lane<native>&) const noexcept { return activation.should_yield(); }
  bool is_done() const noexcept { return of.closing.load(std::memory_order_acquire); }

  static void call(workers::native_activation& activation, void* data, workers::native_ticket) {
    auto& of = *static_cast<computation::state*>(data);
    lane<native>* const mine = of.of.claim();
    if (mine == nullptr) return;  // as many lanes as up-calls: another up-call is about to return
    helper one{activation, of, activation};
    of.of.work(*mine, one);
    of.of.release(*mine);
  }

  struct leader {
    waiting::suspendable<native>& self;
    computation::state& of;
    std::uint64_t alone_until;
    bool calls_others = false;  ///< it is time to call other threads

    bool should_yield(const lane<native>&) noexcept {
      if (!calls_others && native::ticks() >= alone_until) calls_others = true;
      return calls_others;
    }
    bool is_done() const noexcept { return of.of.is_over(); }
  };
  struct busy_leader {
    waiting::suspendable<native>& self;
    computation::state& of;

    bool should_yield(const lane<native>&) const noexcept { return self.has_better_to_do(); }
    bool is_done() const noexcept { return of.of.is_over(); }
  };

  /// Runs all tasks on the calling thread, each time one of those that may begin.
  static void run_in_random_order(computation::state& of) {
    std::mt19937_64 random(of.seed);
    std::vector<std::pair<domino::group<native>*, task>> bag;
    while (!of.of.is_over()) {
      of.of.take_all(bag);
      if (bag.empty()) {
        of.of.put_down(*of.leader);
        continue;
      }
      std::swap(bag[random() % bag.size()], bag.back());
      const auto [group, one] = bag.back();
      bag.pop_back();
      of.of.run_one(*of.leader, *group, one);
    }
  }

  static void run(computation::state& of) {
    of.leader->let_wake(false);
    const std::uint64_t begin = native::ticks();
    {
      leader me{workers::this_suspendable(), of, begin + machine::ticks_of<native>(of.calls.alone_for())};
      of.of.work(*of.leader, me);
      if (of.of.is_over()) return;
    }
    if (of.of.threads() > 1 && !of.ticket) {
      of.workers = &shared_workers();
      of.ticket = (*of.workers)->create_ticket(&call, &of, of.of.threads() - 1);
    }
    // An activation works where it is. A thread of the application takes the context of a worker meanwhile.
    std::optional<workers::attached_here> attached;
    if (of.workers != nullptr && workers::this_activation() == nullptr) attached.emplace(*of.workers);
    const std::uint64_t own_before = of.leader->counts().tasks;
    of.leader->let_wake(true);
    of.of.sleeping().tell_all(of.leader->number());
    while (!of.of.is_over()) {
      busy_leader me{workers::this_suspendable(), of};
      of.of.work(*of.leader, me);
      if (!of.of.is_over()) me.self.give_way();
    }
    of.of.sleeping().awake(of.leader->number());
    of.of.sleeping().wait_for_wakers(of.leader->number());  // they know this thread as it was attached
    const double ticks = static_cast<double>(native::ticks() - begin);
    of.calls.note(of.leader->counts().tasks - own_before, of.tasks_of_helpers(), of.of.threads() - 1,
                  static_cast<std::uint64_t>(ticks * 1e9 / static_cast<double>(native::ticks_per_second())));
  }
};

computation::computation(const options& how) {
  unsigned threads = how.order_seed != 0 ? 1 : how.contexts;
  if (threads == 0) threads = contexts_of_loops();
  if (threads > machine::most_threads)
    throw usage_error("domino: " + std::to_string(threads) + " contexts; expected at most " +
                      std::to_string(machine::most_threads));
  state_ = std::make_unique<state>(how, threads);
}

computation::~computation() {
  if (state_->running) {
    std::fputs("callisto: a domino::computation was destroyed while run() works; expected its end after run()\n",
               stderr);
    std::abort();
  }
  if (!state_->ticket) return;
  state_->closing.store(true, std::memory_order_release);
  state_->of.wake_all();
  (*state_->workers)->set_drained(*state_->ticket);
  workers::wait_complete(*state_->workers, *state_->ticket);
}

task_group& computation::group(ranking how) {
  state& s = *state_;
  if (how.buckets < 2 || how.buckets > 64 || !std::has_single_bit(how.buckets) || how.width == 0)
    throw usage_error("domino: group(): " + std::to_string(how.buckets) + " buckets of " + std::to_string(how.width) +
                      " ranks; expected a power of two from 2 to 64, and at least one rank");
  // Threads of an earlier run may still look for tasks in its groups.
  if (s.running || (s.ran && !s.groups.empty()))
    throw usage_error("domino: a group is made after the first run; make groups before");
  return s.groups.emplace_back(task_group(s.of, s.of.add_group(how.buckets, how.width)));
}

task_group& computation::main_group() {
  if (state_->groups.empty()) return group();
  return state_->groups.front();
}

void computation::add(std::unique_ptr<task_base> made) {
  if (state_->running) throw usage_error("domino: a type of tasks is made while run() works; make types before");
  state_->of.add_type(*made);
  state_->types.push_back(std::move(made));
}

merged_task& computation::add_merged(std::unique_ptr<merged_task> made) {
  merged_task& type = *made;
  add(std::unique_ptr<task_base>(std::move(made)));
  state_->unmarked.push_back(&type);
  // A random order chooses among instances, and not among walks.
  if (state_->seed == 0 && !type.in().has_ranks() && type.indices() >= domino_limits::least_walked) {
    state_->of.add_type(type.walk_);
    type.may_walk_ = true;
    type.many_ = std::max<std::uint64_t>(domino_limits::least_walked / 4,
                                         type.indices() / (domino_limits::dense_share * lanes()));
  }
  return type;
}

void computation::require_indices(std::uint64_t indices) {
  if (indices > task::most_indices)
    throw usage_error("domino: a type of tasks with " + std::to_string(indices) +
                      " indices; at most 2^48 are possible");
}

void computation::refuse_large_record(task_group& in) {
  if (in.group_.has_ranks())
    throw usage_error("domino: a record of more than 16 bytes in a group with ranks, which keep a word of it");
}

here& computation::outside() {
  if (state_->of.is_running()) scheduler<native>::refuse_outside();
  return state_->of.outside();
}

const scheduler<native>& computation::schedules() const noexcept { return state_->of; }

void computation::require_own(const task_group& in) const {
  if (&in.of_ != &state_->of) throw usage_error("domino: a type of tasks was made in a group of another computation");
}

void refuse_index(std::uint64_t index, std::uint64_t size) {
  throw usage_error("domino: index " + std::to_string(index) + " of a cell or a task; expected one below " +
                    std::to_string(size));
}

bool computation::run_tasks(std::stop_token stop) {
  state& s = *state_;
  if (s.running) throw usage_error("domino: run() is called inside a run; a task spawns tasks instead");
  struct running_now {
    state& of;
    explicit running_now(state& s) : of(s) { set(true); }
    ~running_now() { set(false); }
    void set(bool runs) const {
      of.running = runs;
      of.of.set_running(runs);
    }
  } const now{s};
  s.ran = true;
  // Before threads may spawn the first instance of a type at once.
  for (; !s.unmarked.empty(); s.unmarked.pop_back()) s.unmarked.back()->keep_marks();
  s.of.prepare();
  {
    // First: from begin() on other threads work.
    const std::stop_callback on_stop(stop, [&s] { s.of.stop(); });
    s.of.begin(*s.leader);
    if (s.seed != 0) {
      helper::run_in_random_order(s);
    } else {
      helper::run(s);
    }
  }
  if (const std::exception_ptr failure = s.of.failure()) {
    s.of.forget_failure();
    std::rethrow_exception(failure);
  }
  return !s.of.has_tasks_left();
}

statistics computation::statistics() const {
  domino::statistics all;
  for (unsigned i = 0; i <= state_->of.threads(); ++i) {
    domino::here& lane = state_->of.lane_of(i);
    const lane_counts& c = lane.counts();
    all.tasks += c.tasks;
    all.merged += c.merged;
    all.outdated += c.outdated;
    all.dense += c.dense;
    all.steals += lane.steals();
    all.forced += lane.forced();
    all.sleeps += lane.sleeps();
  }
  all.tasks -= all.outdated;
  for (const auto& g : state_->of.groups()) all.phases += g->phases;
  return all;
}

unsigned computation::lanes() const noexcept { return state_->of.threads(); }

}  // namespace callisto::domino
