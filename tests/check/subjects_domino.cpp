// Subjects: the pieces of Domino, and whole computations of a few tasks.
#include "subject.hpp"

#include <callisto/domino/credits.hpp>
#include <callisto/domino/exclusive.hpp>
#include <callisto/domino/hold.hpp>
#include <callisto/domino/marks.hpp>
#include <callisto/domino/ring.hpp>
#include <callisto/domino/scheduler.hpp>
#include <callisto/domino/sleeping_lanes.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <array>

namespace callisto::check {
namespace {

/// The checked machine with small rings and holds, and credits one by one.
struct small : machine::checked {
  static constexpr unsigned domino_ring = 2;
  static constexpr unsigned domino_hold = 2;
  static constexpr unsigned domino_bulk = 1;
};

/// A machine with larger holds: an owner that was asked gives some of the rest back, and begins the last one.
struct larger : small {
  static constexpr unsigned domino_hold = 3;
};

/// A machine in which a wait ends only if the word changes.
struct patient : small {
  template <class T, class Keep>
  static T wait_while(const machine::checked::atomic<T>& word, Keep keep, machine::patience grade) {
    for (;;) {
      const T value = small::wait_while(word, keep, grade);
      if (!keep(value)) return value;
    }
  }
};

/// No membarrier: lanes change a word in place of fences.
struct gentle : small {
  static bool has_heavy_fence() noexcept { return false; }
};

using domino::task;

template <class M = small>
struct plain_thread : waiting::plain_thread<M> {
  plain_thread() : waiting::plain_thread<M>(0) {}
};

/// Takes tasks from a ring without a hold.
template <unsigned Most>
struct keeper {
  std::array<std::uint64_t, Most> kept{};
  std::uint64_t number() const { return 0; }
  void settle(unsigned) const {}
  void stage(std::uint64_t i, const task& t) { kept[i] = t.index(); }
  void draft(std::uint64_t, const atomic<std::uint64_t>&, std::uint64_t) const {}
  void commit() const {}
  void cancel() const {}
  bool may_take() const { return true; }
  bool tries_again() const { return true; }
};

/// An owner that puts `Tasks` tasks into a ring of two words, then takes what is left, beside thieves.
template <unsigned Tasks, unsigned Thieves>
class ring_users {
 public:
  static constexpr unsigned threads = 1 + Thieves;
  static constexpr unsigned follower = 1;

  void run(unsigned thread) {
    if (thread != 0) return take();
    for (unsigned i = 0; i < Tasks; ++i) {
      written_[i] = i + 1;
      ring_.put_published(task::of(0, i));
    }
    while (!ring_.looks_empty()) take();
  }
  void finish() {
    while (!ring_.looks_empty()) take();
    for (const auto& n : taken_) require(n == 1, "every task is taken once");
  }

 private:
  void take() {
    keeper<Tasks> got;
    const std::uint64_t n = ring_.take(2, got);
    for (std::uint64_t i = 0; i < n; ++i) {
      require(written_[got.kept[i]] == got.kept[i] + 1, "what the spawner wrote is visible");
      taken_[got.kept[i]] = taken_[got.kept[i]] + 1;
    }
  }

  domino::ring<small> ring_;
  std::array<plain<unsigned>, Tasks> written_{};
  std::array<plain<unsigned>, Tasks> taken_{};
};

using holding = domino::hold<small>;
using reply = holding::reply;

/// An owner that fills its hold, some times, beside threads that ask for its tasks.
template <unsigned Thieves, unsigned Fillings, class M = small>
class holders {
  using holding = domino::hold<M>;
  using reply = typename holding::reply;
  static constexpr unsigned most = holding::capacity;

 public:
  static constexpr unsigned threads = 1 + Thieves;
  static constexpr unsigned follower = 1;

  void run(unsigned thread) {
    if (thread != 0) {
      std::uint64_t source = 0;
      if (holds_[0].ask(holds_[thread], thread, source) != reply::got) return;
      require(source == 7, "the thief learns where the tasks are from");
      return end_all(thread);
    }
    for (unsigned f = 0; f < Fillings; ++f) {
      for (unsigned i = 0; i < most; ++i) {
        written_[most * f + i] = 1;
        holds_[0].stage(i, task::of(0, most * f + i));
      }
      holds_[0].draft(most, 7, decides_, f + 1);
      decides_.store(f + 1, order::relaxed);
      holds_[0].commit();
      end_all(0);
    }
  }
  void finish() {
    unsigned left = 0;
    for (const auto& n : ended_) {
      require(n <= 1, "no task is begun twice");
      left += 1 - n;
    }
    bool all_ended = true;
    for (unsigned t = 0; t < threads; ++t) all_ended = all_ended && machine::checking::has_ended(t);
    require(left == 0 || !all_ended, "every task is begun, or given to one thread");
  }

 private:
  void end_all(unsigned thread) {
    task next;
    const auto settle = [&](unsigned lane) { holds_[lane].settle(); };
    while (holds_[thread].begin(next, [&](const task& t) { end(t.index()); }, settle)) end(next.index());
  }
  void end(std::uint64_t i) {
    require(written_[i] == 1, "what the spawner wrote is visible");
    ended_[i] = ended_[i] + 1;
  }

  std::array<holding, threads> holds_;
  atomic<std::uint64_t> decides_{0};
  std::array<plain<unsigned>, most * Fillings> written_{};
  std::array<plain<unsigned>, most * Fillings> ended_{};
};

/// A thread that takes tasks from a ring, and stops for ever when it has won them, or lost them; and others that find
/// all of them.
template <unsigned Others>
class drafters {
 public:
  static constexpr unsigned threads = 2 + Others;

  drafters() {
    for (unsigned i = 0; i < tasks; ++i) ring_.put_published(task::of(0, i));
  }
  void run(unsigned thread) {
    if (thread > Others) return take_the_rest();
    if (thread == 0) {
      ring_.take(2, taker{*this, 0, true});
    } else {
      take(thread);
    }
    stopped_.fetch_add(1, order::release);
  }
  void finish() {
    for (const auto& n : ended_)
      require(n.load(order::relaxed) == 1, "what a thread has taken that stopped can be had, once");
  }

 private:
  static constexpr unsigned tasks = 3;
  struct taker {
    drafters& of;
    unsigned lane;
    bool stops;
    std::uint64_t number() const { return lane + 1; }
    void settle(unsigned other) const { of.holds_[other].settle(); }
    void stage(std::uint64_t i, const task& t) const { of.holds_[lane].stage(i, t); }
    void draft(std::uint64_t n, const atomic<std::uint64_t>& word, std::uint64_t value) const {
      of.holds_[lane].draft(n, 7, word, value);
    }
    void commit() const {
      if (!stops) of.holds_[lane].commit();
    }
    void cancel() const { of.holds_[lane].cancel(); }
    bool may_take() const { return true; }
    bool tries_again() const { return true; }
  };

  void take_the_rest() {
    const auto some_run = [](unsigned n) { return n <= Others; };
    while (some_run(small::wait_while(stopped_, some_run, machine::patience::lasting))) {
    }
    for (unsigned turn = 0; turn < tasks; ++turn) take(Others + 1);
  }
  void take(unsigned thread) {
    std::uint64_t source = 0;
    holding& mine = holds_[thread];
    if (ring_.looks_empty() || ring_.take(2, taker{*this, thread, false}) == 0) {
      if (holds_[0].ask(mine, thread, source) != reply::got) return;
    }
    task next;
    const auto settle = [&](unsigned lane) { holds_[lane].settle(); };
    const auto end = [&](const task& t) { ended_[t.index()].fetch_add(1, order::relaxed); };
    while (mine.begin(next, end, settle)) end(next);
  }

  domino::ring<small> ring_;
  std::array<holding, Others + 2> holds_;
  atomic<unsigned> stopped_{0};
  std::array<atomic<unsigned>, tasks> ended_{};
};

/// A thread that takes all tasks of a ring, and stops for ever when it has won them; and one that finds the ring empty.
class emptied {
 public:
  static constexpr unsigned threads = 2;

  emptied() { ring_.put_published(task::of(0, 0)); }
  void run(unsigned thread) {
    if (thread == 0) {
      ring_.take(1, taker{holds_[0]});
      return;
    }
    if (!ring_.looks_empty()) return;
    std::uint64_t source = 0;
    reply heard = reply::again;
    // A wait that ends early, or an exchange that fails without cause, lets it ask again.
    while (heard == reply::again) heard = holds_[0].ask(holds_[1], 1, source);
    require(heard == reply::got, "what is not in the ring is in a hold");
  }

 private:
  struct taker {
    holding& of;
    std::uint64_t number() const { return 1; }
    void settle(unsigned) const {}
    void stage(std::uint64_t i, const task& t) const { of.stage(i, t); }
    void draft(std::uint64_t n, const atomic<std::uint64_t>& word, std::uint64_t value) const {
      of.draft(n, 7, word, value);
    }
    void commit() const {}
    void cancel() const { of.cancel(); }
    bool may_take() const { return true; }
    bool tries_again() const { return true; }
  };
  domino::ring<small> ring_;
  std::array<holding, 2> holds_;
};

/// An owner with two tasks in its hold, and a thief that stops for ever: when it has won the tasks, or while it uses
/// force and the owner is inside a long task. Then another thread asks.
template <bool WhileForcing>
class robbed {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 2) return ask_when_they_stopped();
    begin(thread);
    stopped_.fetch_add(1, order::release);
  }
  void finish() {
    for (const auto& n : ended_) require(n == 1, "what a thief has won, or is about to win, can be had, once");
  }

 private:
  void begin(unsigned thread) {
    if (thread == 1) {
      std::uint64_t source = 0;
      thief one{holds_[1]};
      try {
        holds_[0].ask(one, 1, source);
      } catch (const stop&) {
      }
      return;
    }
    for (unsigned i = 0; i < 2; ++i) holds_[0].stage(i, task::of(0, i));
    holds_[0].draft(2, 7, decides_, 1);
    decides_.store(1, order::relaxed);
    holds_[0].commit();
    end_some(0, WhileForcing ? 1 : 2);
  }
  void ask_when_they_stopped() {
    const auto some_run = [](unsigned n) { return n < 2; };
    while (some_run(small::wait_while(stopped_, some_run, machine::patience::lasting))) {
    }
    for (unsigned turn = 0; turn < 3; ++turn) {
      for (unsigned from = 0; from < 2; ++from) {
        std::uint64_t source = 0;
        if (holds_[from].ask(holds_[2], 2, source) == reply::got) end_some(2, 2);
      }
    }
  }

  struct stop {};
  /// A hold that its thread leaves at the next step.
  struct thief {
    holding& of;
    void stage(std::uint64_t i, const task& t) const {
      if (WhileForcing) throw stop();
      of.stage(i, t);
    }
    void draft(std::uint64_t n, std::uint64_t source, const atomic<std::uint64_t>& word, std::uint64_t value) const {
      of.draft(n, source, word, value);
    }
    void commit() const {}
    void cancel() const { of.cancel(); }
  };

  void end_some(unsigned thread, unsigned most) {
    task next;
    const auto settle = [&](unsigned lane) { holds_[lane].settle(); };
    const auto end = [&](const task& t) { ended_[t.index()] = ended_[t.index()] + 1; };
    for (unsigned n = 0; n < most && holds_[thread].begin(next, end, settle); ++n) end(next);
  }

  std::array<holding, 3> holds_;
  atomic<std::uint64_t> decides_{0};
  atomic<unsigned> stopped_{0};
  std::array<plain<unsigned>, 2> ended_{};
};

/// A writer and a task that each changes a value and a mark: the task that comes last sees the last value.
class markers {
 public:
  static constexpr unsigned threads = 3;
  void run(unsigned thread) {
    if (thread == 2) {
      if (marks_.take(0, 1)) task_sees();
      return;
    }
    seen_[thread].store(1, order::relaxed);
    if (marks_.set(0, 1)) spawned_.fetch_add(1, order::relaxed);
  }
  void finish() {
    // The instance that is still pending, if one is.
    if (marks_.take(0, 1)) task_sees();
    require(last_[0] == 1 && last_[1] == 1, "an instance begins after each write, and sees it");
    require(spawned_.load(order::relaxed) == instances_, "an instance is spawned for each mark that was taken off");
  }

 private:
  void task_sees() {
    for (unsigned i = 0; i < 2; ++i) last_[i] = seen_[i].load(order::relaxed);
    instances_ = instances_ + 1;
  }
  domino::marks<small> marks_{1};
  std::array<atomic<unsigned>, 2> seen_{};
  std::array<plain<unsigned>, 2> last_{};
  plain<unsigned> instances_{0};
  atomic<unsigned> spawned_{0};
};

/// A lane that sleeps while there is nothing to take, and one that publishes tasks: none stays with the publisher,
/// which does not take them.
template <unsigned Sleepers, class M = small>
class sleepers {
 public:
  static constexpr unsigned threads = 1 + Sleepers;
  void run(unsigned thread) {
    if (thread == 0) {
      for (unsigned i = 0; i < Sleepers; ++i) {
        ring_.put_published(task::of(0, i));
        sleeping_.tell(0);
      }
      return;
    }
    const auto take = [&] { return ring_.take(1, keeper<1>()) != 0; };
    for (bool taken = false; !taken;) {
      sleeping_.sleep(thread, thread_[thread - 1], [&] { return taken = take(); });
      if (!taken) taken = take();
    }
    sleeping_.awake(thread);
  }

 private:
  domino::ring<M> ring_;
  domino::sleeping_lanes<M> sleeping_{1 + Sleepers};
  std::array<plain_thread<M>, Sleepers> thread_;
};

/// A computation of one group and one type of tasks, on as many lanes as threads; thread 0 leads. A subject has
/// task_begins(lane, task), and calls work().
template <class Subject, unsigned Threads, unsigned Buckets = 2>
class on_lanes {
 public:
  static constexpr unsigned threads = Threads;

 protected:
  using lane = domino::lane<small>;

  on_lanes() { scheduler_.add_type(type_); }

  void spawn(lane& here, lane::due when, std::uint64_t index) {
    here.spawn(group_, when, task::of(type_.number, index));
  }
  /// Works as one thread until the run is over. The leader calls at_end() before the others are told.
  template <class AtEnd>
  void work(unsigned thread, AtEnd at_end) {
    lane& mine = scheduler_.lane_of(thread);
    party one{thread_[thread], *this, thread == 0, false};
    if (thread == 0) scheduler_.begin(mine);
    scheduler_.work(mine, one);
    if (thread == 0) {
      at_end();
      end_.store(1, order::release);
      scheduler_.wake_all();
    }
    scheduler_.release(mine);
  }
  /// Takes part as a thread that ends its turn when it finds no task.
  void work_until_idle(unsigned thread) {
    party one{thread_[thread], *this, false, false, true};
    scheduler_.work(scheduler_.lane_of(thread), one);
  }
  /// Takes part as a thread that ends its turn at once.
  void yield_at_once(unsigned thread) {
    party one{thread_[thread], *this, false, true};
    scheduler_.work(scheduler_.lane_of(thread), one);
  }

 private:
  struct party {
    waiting::suspendable<small>& self;
    on_lanes& of;
    bool leads;
    bool yields;
    bool leaves = false;
    bool should_yield(lane&) const { return yields; }
    bool is_done() const { return leaves || (leads ? of.scheduler_.is_over() : of.end_.load(order::acquire) != 0); }
  };
  struct own_type : domino::task_type<small> {
    explicit own_type(on_lanes& by, domino::group<small>& in) : domino::task_type<small>(&begin, in), owner(by) {}
    on_lanes& owner;
  };
  static void begin(domino::task_type<small>& self, lane& here, const task& t) {
    static_cast<Subject&>(static_cast<own_type&>(self).owner).task_begins(here, t);
  }

 protected:
  domino::scheduler<small> scheduler_{Threads};
  domino::group<small>& group_ = scheduler_.add_group(Buckets, 1);
  own_type type_{*this, group_};

 private:
  atomic<unsigned> end_{0};
  std::array<plain_thread<>, Threads> thread_;
};

/// A computation: tasks of a phase spawn tasks of the same phase and of the next.
///   task 0 of phase 1 spawns tasks 1 and 2 later; task 1 of phase 2 spawns task 3 now and task 4 later.
/// Those from `Tasks` on are left out. `Between`: tasks 1 and 2 are spawned between the phases, so that the same bucket
/// opens again.
template <unsigned Threads, unsigned Tasks, bool Between = false>
class computers : public on_lanes<computers<Threads, Tasks, Between>, Threads> {
  using base = on_lanes<computers, Threads>;
  using base::group_, base::scheduler_, base::spawn;
  using typename base::lane;

 public:
  computers() {
    if (Between) {
      group_.between = [this](lane& here) {
        if (group_.phases != 1) return;
        for (unsigned i = 1; i < 3; ++i) spawn(here, here.now(group_), i);
      };
    }
    spawn(scheduler_.outside(), scheduler_.outside().now(group_), 0);
  }

  void run(unsigned thread) {
    this->work(thread, [this] {
      for (unsigned t = 0; t < Tasks; ++t) require(ran_[t] == phase_of(t), "every task ran in its phase");
    });
  }
  void finish() { require(group_.phases == phase_of(Tasks - 1), "the end of each phase is seen once"); }

  void task_begins(lane& here, const task& t) {
    const auto i = static_cast<unsigned>(t.index());
    require(ran_[i] == 0, "a task runs once");
    ran_[i] = static_cast<unsigned>(group_.phases) + 1;
    const auto make = [&](typename lane::due when, std::uint64_t index) {
      if (index < Tasks) spawn(here, when, index);
    };
    if (i == 0) {
      if (Between) return;
      make(here.later(group_), 1);
      make(here.later(group_), 2);
    } else if (i == 1) {
      require(ran_[0] == 1, "what the phase before wrote is visible");
      make(here.now(group_), 3);
      make(here.later(group_), 4);
    } else if (i == 4) {
      require(ran_[1] == 2 && ran_[2] == 2 && ran_[3] == 2, "the phase before has ended");
    }
  }

 private:
  static unsigned phase_of(unsigned t) { return t == 0 ? 1 : t < 4 ? 2 : 3; }

  std::array<plain<unsigned>, Tasks> ran_{};
};

/// The run after one that was stopped, in which each of two lanes has kept a task. Both spawn another one. The bucket
/// is the same, so that a late thread finds it as it was. `Again` = false: there was no run before.
template <bool Again>
class goes_on : public on_lanes<goes_on<Again>, 2> {
  using base = on_lanes<goes_on, 2>;
  using base::group_, base::scheduler_, base::spawn;
  using typename base::lane;

 public:
  goes_on() {
    for (unsigned l = 0; l < 2; ++l) {
      lane& mine = scheduler_.lane_of(l);
      spawn(mine, mine.now(group_), l);
    }
    if (!Again) return;
    scheduler_.begin(scheduler_.lane_of(0));
    scheduler_.stop();
    for (unsigned l = 0; l < 2; ++l) this->yield_at_once(l);
    scheduler_.prepare();
  }
  void run(unsigned thread) {
    this->work(thread, [this] {
      for (const auto& n : ran_) require(n == 1, "every task runs once");
    });
  }

  void task_begins(lane& here, const task& t) {
    const auto i = static_cast<unsigned>(t.index());
    ran_[i] = ran_[i] + 1;
    if (i < 2) spawn(here, here.now(group_), i + 2);
  }

 private:
  std::array<plain<unsigned>, 4> ran_{};
};

/// A run that was stopped has left two tasks of rank 1, and its bucket open. The application spawns one of rank 0: so
/// the next run gathers the others, while a late thread looks for tasks.
class gathers : public on_lanes<gathers, 2, 4> {
  using base = on_lanes<gathers, 2, 4>;

 public:
  gathers() {
    lane& outside = scheduler_.outside();
    for (unsigned i = 1; i < 3; ++i) spawn(outside, outside.at_rank(group_, 1), i);
    scheduler_.begin(scheduler_.lane_of(0));
    // The first phase spreads far tasks, one a turn: the second one begins with the last of them.
    while (group_.rank != 1 || group_.spreads) yield_at_once(0);
    scheduler_.stop();
    while (!scheduler_.is_over()) yield_at_once(0);
    scheduler_.prepare();
    spawn(outside, outside.at_rank(group_, 0), 0);
  }
  void run(unsigned thread) {
    work(thread, [this] {
      for (const auto& n : ran_) require(n == 1, "every task runs once");
    });
  }
  void task_begins(lane&, const task& t) {
    const auto i = static_cast<unsigned>(t.index());
    require(group_.rank == (i == 0 ? 0 : 1), "a task runs in the phase of its rank");
    if (i != 0) require(ran_[0] == 1, "the lower rank has ended");
    ran_[i] = ran_[i] + 1;
  }

 private:
  std::array<plain<unsigned>, 3> ran_{};
};

/// One phase: a task that spawns two others, on two threads, one of which is stopped for ever at each of its steps. It
/// holds up one task at most: the one that it is inside, begins or hands on.
template <unsigned Tasks>
class stopped : public on_lanes<stopped<Tasks>, 2> {
  using base = on_lanes<stopped, 2>;
  using base::group_, base::scheduler_, base::spawn;
  using typename base::lane;

 public:
  static constexpr unsigned follower = 1;
  static constexpr const char* leader_waits = "callisto/waiting/suspendable.hpp";

  stopped() {
    spawn(scheduler_.outside(), scheduler_.outside().now(group_), 0);
    spawned_[0] = 1;
  }
  void run(unsigned thread) {
    this->work(thread, [] {});
  }
  void finish() {
    unsigned held_up = 0;
    for (unsigned i = 0; i < Tasks; ++i) {
      require(ended_[i] <= 1, "a task runs once");
      if (spawned_[i] != 0 && ended_[i] == 0) ++held_up;
    }
    if (machine::checking::has_ended(1)) require(held_up == 0, "every task runs");
    require(held_up <= 1, "a thread that stops holds up one task");
  }

  void task_begins(lane& here, const task& t) {
    const auto i = static_cast<unsigned>(t.index());
    for (unsigned k = 1; i == 0 && k < Tasks; ++k) {
      spawn(here, here.now(group_), k);
      spawned_[k] = 1;
    }
    ended_[i] = ended_[i] + 1;
  }

 private:
  std::array<plain<unsigned>, Tasks> spawned_{};
  std::array<plain<unsigned>, Tasks> ended_{};
};

/// A thread that takes tasks of its own ring, the first of which is long; and a thief that takes several at once, since
/// it has run a short one. Even if the other thread was faster, the thief runs what is left before it ends its turn.
class beaten : public on_lanes<beaten, 2> {
 public:
  beaten() {
    for (unsigned i = 0; i < tasks; ++i) {
      lane& of = scheduler_.lane_of(i == 0 ? 0 : 1);
      spawn(of, of.now(group_), i);
    }
    scheduler_.begin(scheduler_.lane_of(0));
  }
  void run(unsigned thread) {
    work_until_idle(thread);
    if (thread != 0) return;
    unsigned left = 0;
    for (const auto& n : ended_) left += n.load(order::relaxed) == 0 ? 1 : 0;
    require(left <= 1, "a thief that was beaten runs all tasks but the one that the other thread is inside");
    idle_.store(1, order::release);
  }
  void finish() {
    for (const auto& n : ended_) require(n.load(order::relaxed) == 1, "every task runs once");
  }
  void task_begins(lane& here, const task& t) {
    const auto waits = [](unsigned n) { return n == 0; };
    while (here.number() == 1 && waits(small::wait_while(idle_, waits, machine::patience::lasting))) {
    }
    ended_[t.index()].fetch_add(1, order::relaxed);
  }

 private:
  static constexpr unsigned tasks = 3;
  std::array<atomic<unsigned>, tasks> ended_{};
  atomic<unsigned> idle_{0};
};

/// A task that spawns another one and waits until that has run. So the other thread must take it, even if it was about
/// to sleep: nothing else wakes it.
class awaited : public on_lanes<awaited, 2> {
 public:
  awaited() {
    lane& outside = scheduler_.outside();
    spawn(outside, outside.now(group_), 0);
  }
  void run(unsigned thread) {
    work(thread, [] {});
  }
  void task_begins(lane& here, const task& t) {
    if (t.index() == 1) return ran_.store(1, order::relaxed);
    spawn(here, here.now(group_), 1);
    const auto waits = [](unsigned n) { return n == 0; };
    while (waits(small::wait_while(ran_, waits, machine::patience::lasting))) {
    }
  }

 private:
  atomic<unsigned> ran_{0};
};

/// Tasks of one key, which add to plain data, on some threads.
template <unsigned Threads>
class keyed : public on_lanes<keyed<Threads>, Threads> {
  using base = on_lanes<keyed, Threads>;
  using base::group_, base::scheduler_, base::spawn;
  using typename base::lane;

 public:
  keyed() {
    lane& outside = scheduler_.outside();
    for (unsigned i = 0; i < tasks; ++i) spawn(outside, outside.now(group_), i);
  }
  void run(unsigned thread) {
    this->work(thread, [this] {
      for (const auto& n : ran_) require(n == 1, "every task runs once");
    });
  }

  void task_begins(lane& here, const task& t) {
    keys_.run(0, here, t, [this](const task& one) {
      sum_ = sum_ + 1;  // plain: two tasks of one key at once are a race
      ran_[one.index()] = ran_[one.index()] + 1;
    });
  }

 private:
  static constexpr unsigned tasks = 2;
  domino::exclusive_keys<small> keys_{1};
  plain<unsigned> sum_{0};
  std::array<plain<unsigned>, tasks> ran_{};
};

/// More threads than lanes: each claims a lane, changes what belongs to it, and releases it.
class claimants {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned) {
    domino::lane<small>* const mine = scheduler_.claim();
    if (mine == nullptr) return;
    used_[mine->number()] = used_[mine->number()] + 1;
    claimed_.fetch_add(1, order::relaxed);
    scheduler_.release(*mine);
  }
  void finish() {
    require(claimed_.load(order::relaxed) >= 2, "a thread finds a lane unless others have all");
    require(used_[0] + used_[1] == claimed_.load(order::relaxed), "a lane has one thread at a time");
  }

 private:
  domino::scheduler<small> scheduler_{2};
  std::array<plain<unsigned>, 2> used_{};
  atomic<unsigned> claimed_{0};
};

const char* const once = "every task is taken once, and what its spawner wrote is visible";
const char* const phases = "every task runs once, in its phase, and sees what the phase before wrote";

/// Executions with few preemptions in which loads return one of the two newest values.
machine::checking::options few(unsigned bound) {
  machine::checking::options o = preemptions(bound, {0, 0});
  o.stale = 1;
  return o;
}

/// Executions as of few() in which each thread may give up one wait: so thieves come to use force.
machine::checking::options few_patient(unsigned bound) {
  machine::checking::options o = few(bound);
  o.early_returns = 1;
  return o;
}

/// Executions with few preemptions in which loads return the newest values.
machine::checking::options in_turns(unsigned bound) {
  machine::checking::options o = preemptions(bound, {0, 0});
  o.stale = 0;
  return o;
}

const registered<ring_users<3, 1>> ring_2("domino.ring.3of2", once, exhaustive({0, 0}), exhaustive({0, 1}));
const registered<ring_users<4, 1>> ring_4("domino.ring.4of2", once, preemptions(2, {0, 0}), preemptions(3, {0, 0}));
const registered<ring_users<3, 2>> ring_3("domino.ring.3", once, preemptions(1, {0, 0}), preemptions(2, {0, 0}));
const registered<holders<1, 2>> hold_2("domino.hold.2", once, preemptions(2, {0, 0}), exhaustive({1, 0}));
const registered<holders<2, 1>> hold_3("domino.hold.3", once, few(1), preemptions(2, {1, 0}));
const registered<holders<1, 1, larger>> hold_of3("domino.hold.of3", once, few(2), preemptions(3, {1, 0}));
const registered<holders<2, 1>> hold_robbed("domino.hold.robbed", "no thief takes what another one has taken",
                                            few_patient(1), few_patient(2));
const registered<holders<2, 1, patient>> hold_patient("domino.hold.patient", "no thief waits for an owner that sleeps",
                                                      in_turns(2), in_turns(3));
const registered<markers> marked("domino.marks",
                                 "an instance runs after each write that spawned it or found it pending",
                                 exhaustive({0, 0}), exhaustive({0, 0}));
const registered<sleepers<1>> sleep_2("domino.sleep.2", "no lane sleeps while there are tasks", exhaustive({1, 0}),
                                      exhaustive({1, 1}));
const registered<sleepers<1, gentle>> sleep_gentle("domino.sleep.gentle", "no lane sleeps while there are tasks",
                                                   exhaustive({1, 0}), exhaustive({1, 1}));
const registered<sleepers<2>> sleep_3("domino.sleep.3", "no lane sleeps while there are tasks", preemptions(1, {0, 0}),
                                      preemptions(2, {0, 0}));
const registered<computers<2, 2>> compute_2("domino.phases.2", phases, pct(3, 20'000, {0, 0}), preemptions(0, {0, 0}));
const registered<computers<2, 2>> compute_force("domino.phases.2forced", phases, pct(3, 20'000, {1, 0}),
                                                pct(4, 500'000, {1, 0}));
const registered<computers<2, 5>> compute_5("domino.phases.5", phases, pct(3, 5'000, {1, 0}), preemptions(1, {0, 0}));
const registered<computers<2, 3, true>> between("domino.between", phases, pct(3, 20'000, {0, 0}),
                                                preemptions(0, {0, 0}));
const registered<computers<3, 5>> compute_3("domino.phases.3x5", phases, pct(3, 5'000, {1, 0}),
                                            pct(4, 500'000, {0, 0}));

const registered<goes_on<false>> begin_2("domino.phases.two_rings", phases, pct(3, 3'000, {0, 0}), few(1));
const registered<goes_on<true>> again_2("domino.phases.again", "a run goes on where the last one was stopped",
                                        pct(3, 3'000, {0, 0}), few(1));

const registered<gathers> gather("domino.gather", "a run begins with the lowest rank, also after one that was stopped",
                                 pct(3, 3'000, {0, 0}), few(1));

const registered<emptied> draft_1("domino.draft.1", "what a stopped thread has taken can be had", exhaustive({1, 0}),
                                  exhaustive({1, 1}));
const registered<drafters<1>> draft_2("domino.draft.2", "what a stopped thread has taken can be had",
                                      preemptions(2, {0, 0}), preemptions(3, {0, 1}));
const registered<drafters<2>> draft_3("domino.draft.3", "what a stopped thread has taken can be had",
                                      pct(3, 10'000, {0, 0}), preemptions(1, {0, 0}));
const registered<robbed<false>> draft_4("domino.draft.4", "what a stopped thief has won can be had",
                                        preemptions(1, {1, 0}), preemptions(2, {1, 1}));
const registered<robbed<true>> draft_5("domino.draft.5", "a thief that stops keeps no other from a hold",
                                       preemptions(1, {1, 0}), preemptions(2, {1, 1}));
const registered<stopped<3>> stop_3("domino.stopped", "a thread that stops holds up one task", pct(3, 500, {1, 0}),
                                    pct(4, 200'000, {1, 0}));
const registered<beaten> beaten_2("domino.beaten", "a thief that was beaten takes what is left", in_turns(1),
                                  in_turns(2));
const registered<awaited> awaited_2("domino.awaited", "a thread that is about to sleep sees a task that is spawned",
                                    few(1), few(2));
const registered<keyed<2>> keyed_2("domino.exclusive.2", "tasks of one key run in turns, all of them",
                                   pct(3, 20'000, {0, 0}), preemptions(0, {0, 0}));
const registered<keyed<3>> keyed_3("domino.exclusive.3", "tasks of one key run in turns, all of them",
                                   pct(3, 5'000, {0, 0}), pct(4, 200'000, {0, 0}));
const registered<claimants> claim_3("domino.claim.3", "a lane has one thread at a time", preemptions(2, {0, 0}),
                                    exhaustive({0, 0}));

}  // namespace
}  // namespace callisto::check
