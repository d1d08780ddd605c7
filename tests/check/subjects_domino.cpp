// Subjects: the pieces of Domino, and whole computations of a few tasks.
#include "subject.hpp"

#include <callisto/domino/credits.hpp>
#include <callisto/domino/hold.hpp>
#include <callisto/domino/marks.hpp>
#include <callisto/domino/ring.hpp>
#include <callisto/domino/scheduler.hpp>
#include <callisto/domino/sleeping_lanes.hpp>
#include <callisto/workers/waiting/suspendable.hpp>

#include <array>

namespace callisto::check {
namespace {

/// The checked machine with small rings and holds, and credits one by one.
struct small : machine::checked {
  static constexpr unsigned domino_ring = 2;
  static constexpr unsigned domino_hold = 2;
  static constexpr unsigned domino_bulk = 1;
};

using domino::task;

struct plain_thread : workers::plain_thread<small> {
  plain_thread() : workers::plain_thread<small>(0) {}
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
    std::array<std::uint64_t, Tasks> got{};
    const auto keep = [&](std::uint64_t i, const task& t) { got[i] = t.index(); };
    const std::uint64_t n = ring_.take(2, keep, [] { return true; });
    for (std::uint64_t i = 0; i < n; ++i) {
      require(written_[got[i]] == got[i] + 1, "what the spawner wrote is visible");
      taken_[got[i]] = taken_[got[i]] + 1;
    }
  }

  domino::ring<small> ring_;
  std::array<plain<unsigned>, Tasks> written_{};
  std::array<plain<unsigned>, Tasks> taken_{};
};

/// An owner that fills its hold twice with two tasks, beside threads that ask for them.
template <unsigned Thieves, unsigned Fillings>
class holders {
 public:
  static constexpr unsigned threads = 1 + Thieves;
  static constexpr unsigned follower = 1;

  void run(unsigned thread) {
    if (thread != 0) {
      std::array<std::uint64_t, 2> got{};
      std::uint64_t n = 0;
      std::uint64_t source = 0;
      const auto reply = hold_.ask(n, source, [&](std::uint64_t i, const task& t) { got[i] = t.index(); });
      if (reply != domino::hold<small>::reply::got) return;
      require(source == 7, "the thief learns where the tasks are from");
      for (std::uint64_t i = 0; i < n; ++i) end(got[i]);
      return;
    }
    for (unsigned f = 0; f < Fillings; ++f) {
      for (unsigned i = 0; i < 2; ++i) {
        written_[2 * f + i] = 1;
        hold_.stage(i, task::of(0, 2 * f + i));
      }
      hold_.fill(2, 7);
      task next;
      while (hold_.begin(next, [&](const task& t) { end(t.index()); })) end(next.index());
    }
  }
  void finish() {
    for (const auto& n : ended_) require(n == 1, "every task is begun once, or given to one thread");
  }

 private:
  void end(std::uint64_t i) {
    require(written_[i] == 1, "what the spawner wrote is visible");
    ended_[i] = ended_[i] + 1;
  }

  domino::hold<small> hold_;
  std::array<plain<unsigned>, 2 * Fillings> written_{};
  std::array<plain<unsigned>, 2 * Fillings> ended_{};
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
template <unsigned Sleepers>
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
    const auto take = [&] { return ring_.take(1, [](std::uint64_t, const task&) {}, [] { return true; }) != 0; };
    for (bool taken = false; !taken;) {
      sleeping_.sleep(thread, thread_[thread - 1], [&] { return taken = take(); });
      if (!taken) taken = take();
    }
    sleeping_.awake(thread);
  }

 private:
  domino::ring<small> ring_;
  domino::sleeping_lanes<small> sleeping_{1 + Sleepers};
  std::array<plain_thread, Sleepers> thread_;
};

/// A computation: tasks of a phase spawn tasks of the same phase and of the next.
///   task 0 of phase 1 spawns tasks 1 and 2 later; task 1 of phase 2 spawns task 3 now and task 4 later.
/// Those from `Tasks` on are left out. `Between`: tasks 1 and 2 are spawned between the phases, so that the same bucket
/// opens again.
template <unsigned Threads, unsigned Tasks, bool Between = false>
class computers {
  using lane = domino::lane<small>;
  using type = domino::task_type<small>;

 public:
  static constexpr unsigned threads = Threads;

  computers() {
    scheduler_.add_type(type_);
    if (Between) {
      group_.between = [this](lane& here) {
        if (group_.phases != 1) return;
        for (unsigned i = 1; i < 3; ++i) here.spawn(group_, here.now(group_), task::of(type_.number, i));
      };
    }
    scheduler_.outside().spawn(group_, scheduler_.outside().now(group_), task::of(type_.number, 0));
  }

  void run(unsigned thread) {
    lane& mine = scheduler_.lane_of(thread);
    party one{thread_[thread], *this, thread == 0};
    if (thread == 0) scheduler_.begin(mine);
    scheduler_.work(mine, one);
    if (thread == 0) {
      for (unsigned t = 0; t < Tasks; ++t) require(ran_[t] == phase_of(t), "every task ran in its phase");
      end_.store(1, order::release);
      scheduler_.wake_all();
    }
    scheduler_.release(mine);
  }
  void finish() { require(group_.phases == phase_of(Tasks - 1), "the end of each phase is seen once"); }

 private:
  struct party {
    workers::suspendable<small>& self;
    computers& of;
    bool leads;
    bool should_yield(lane&) const { return false; }
    bool is_done() const { return leads ? of.scheduler_.is_over() : of.end_.load(order::acquire) != 0; }
  };
  struct own_type : type {
    explicit own_type(computers& by, domino::group<small>& in) : type(&computers::begin, in), owner(by) {}
    computers& owner;
  };

  static unsigned phase_of(unsigned t) { return t == 0 ? 1 : t < 4 ? 2 : 3; }

  static void begin(type& self, lane& here, const task& t) {
    computers& of = static_cast<own_type&>(self).owner;
    domino::group<small>& g = *self.of;
    const auto i = static_cast<unsigned>(t.index());
    require(of.ran_[i] == 0, "a task runs once");
    of.ran_[i] = static_cast<unsigned>(g.phases) + 1;
    const auto make = [&](lane::due when, std::uint64_t index) {
      if (index < Tasks) here.spawn(g, when, task::of(self.number, index));
    };
    if (i == 0) {
      if (Between) return;
      make(here.later(g), 1);
      make(here.later(g), 2);
    } else if (i == 1) {
      require(of.ran_[0] == 1, "what the phase before wrote is visible");
      make(here.now(g), 3);
      make(here.later(g), 4);
    } else if (i == 4) {
      require(of.ran_[1] == 2 && of.ran_[2] == 2 && of.ran_[3] == 2, "the phase before has ended");
    }
  }

  domino::scheduler<small> scheduler_{Threads};
  domino::group<small>& group_ = scheduler_.add_group(2, 1);
  own_type type_{*this, group_};
  atomic<unsigned> end_{0};
  std::array<plain<unsigned>, Tasks> ran_{};
  std::array<plain_thread, Threads> thread_;
};

const char* const once = "every task is taken once, and what its spawner wrote is visible";
const char* const phases = "every task runs once, in its phase, and sees what the phase before wrote";

const registered<ring_users<3, 1>> ring_2("domino.ring.3of2", once, exhaustive({0, 0}), exhaustive({0, 1}));
const registered<ring_users<4, 1>> ring_4("domino.ring.4of2", once, preemptions(2, {0, 0}), preemptions(3, {0, 0}));
const registered<ring_users<3, 2>> ring_3("domino.ring.3", once, preemptions(1, {0, 0}), preemptions(2, {0, 0}));
const registered<holders<1, 2>> hold_2("domino.hold.2", once, exhaustive({1, 0}), exhaustive({1, 1}));
const registered<holders<2, 1>> hold_3("domino.hold.3", once, preemptions(2, {1, 0}), preemptions(3, {1, 0}));
const registered<markers> marked("domino.marks",
                                 "an instance runs after each write that spawned it or found it pending",
                                 exhaustive({0, 0}), exhaustive({0, 0}));
const registered<sleepers<1>> sleep_2("domino.sleep.2", "no lane sleeps while there are tasks", exhaustive({1, 0}),
                                      exhaustive({1, 1}));
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

}  // namespace
}  // namespace callisto::check
