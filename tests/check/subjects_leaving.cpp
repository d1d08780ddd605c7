// Subjects: loops on contexts that another job wants. A thread that is asked leaves between two batches and comes back
// later, or waits where it is. Nothing is lost, and no thread runs where the other job does.
//
// Each thread of the team has a context of its own. The other job, a further thread, wants one of them once. The
// context is one word, far simpler than the real one (subjects_cosched.cpp), and plain data that the thread running
// there touches: if two ran there at once, they would race.
#include "schedules.hpp"

#include <callisto/distributor/absent_threads.hpp>
#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/loop/loop_item.hpp>
#include <callisto/workers/teams/context_lease.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/team.hpp>
#include <callisto/workers/teams/thread_tree.hpp>
#include <callisto/workers/teams/tree_node.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <type_traits>

namespace callisto::check {
namespace {

/// A context, as the thread that belongs there and the other job see it.
class context {
 public:
  enum state : std::uint64_t { idle, ours, wanted, theirs };
  /// The other job runs there, once.
  void borrow() {
    for (;;) {
      std::uint64_t found = idle;
      if (word.compare_exchange(found, theirs, order::acquire)) break;
      found = ours;
      if (!word.compare_exchange(found, wanted, order::relaxed)) continue;
      while (word.load(order::acquire) == wanted) machine::checked::park(word, wanted);
      break;
    }
    use();
    word.store(idle, order::release);
    machine::checked::unpark(word, ~0u);
  }

  /// The thread that belongs there has no more to do, or makes room.
  void give() {
    std::uint64_t found = word.load(order::relaxed);
    while (found == ours || found == wanted) {
      if (word.compare_exchange(found, found == ours ? idle : theirs, order::release)) {
        return machine::checked::unpark(word, ~0u);
      }
    }
  }

  /// The thread that belongs there runs; false if over().
  bool take(const std::function<bool()>& over) {
    for (;;) {
      std::uint64_t found = idle;
      if (word.compare_exchange(found, ours, order::acquire)) return true;
      if (over()) return false;
      machine::checked::park(word, theirs);
    }
  }

  /// Runs there.
  void use() { uses_ = uses_ + 1; }

  atomic<std::uint64_t> word{idle};

 private:
  plain<unsigned> uses_{0};
};

template <class Machine>
class standing final : public workers::context_lease<Machine> {
 public:
  explicit standing(context& on) : workers::context_lease<Machine>(on.word), on_(on) {}

  bool stay(bool may_leave) noexcept override {
    idle();
    this->away_ = true;
    return !may_leave && arrive([] { return false; });
  }
  void idle() noexcept override {
    on_.give();
    this->at_.calm = ~std::uint64_t{0};
  }

 private:
  bool arrive(const std::function<bool()>& over) noexcept override {
    on_.give();
    this->away_ = !on_.take(over);
    if (!this->away_) this->at_.calm = context::ours;
    return !this->away_;
  }
  context& on_;
};

/// A leader, `Followers` followers, and the other job, which wants the context of thread `Wanted` during a loop of N
/// iterations, or before it, or after it.
template <class Machine, class Distributor, class Schedule, class Seats, unsigned Followers, unsigned Wanted,
          std::uint64_t N>
class leaving {
 public:
  static constexpr unsigned threads = Followers + 2;

  void run(unsigned thread) {
    if (thread == Followers + 1) {
      contexts_[Wanted].borrow();
      borrowed_.store(1, order::release);
      machine::checked::unpark(borrowed_, 1);
      return;
    }
    stacks_[thread] = static_cast<const char*>(__builtin_frame_address(0));
    standing<Machine> on(contexts_[thread]);
    if (thread != 0) return team_.follow(thread, thread, &on);
    on.stay(false);
    {
      body work{*this};
      // Several followers are not expected, and find the leader with everything.
      distributor::absent_threads<machine::checked> absent(Followers + 1);
      for (unsigned f = 1; Followers > 1 && f <= Followers; ++f) absent.set(f, true);
      item loop(work, N, Seats::where(), Schedule::stages, 1, never_, 1, {}, &absent);
      do {
        team_.lead(loop, &on);
      } while (loop.deserted());
      require(!on.away(), "the leader of a loop has its context afterwards");
      require(loop.result(), "no iteration is dropped");
    }
    for (const auto& r : runs_) require(r == 1, "every iteration runs once");
    on.idle();
    // A follower that sleeps does not keep its context.
    while (borrowed_.load(order::acquire) == 0) machine::checked::park(borrowed_, 0);
    team_.finish();
  }

 private:
  struct body {
    class participant {
     public:
      explicit participant(body& of) : of_(of.of) {}
      void work(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last; ++i) {
          of_.contexts_[of_.this_thread()].use();
          of_.runs_[i] = of_.runs_[i] + 1;
        }
      }
      void join() {}

     private:
      leaving& of_;
    };
    leaving& of;
  };
  using item = loop::loop_item<Machine, Distributor>;

  /// Threads are told apart by their stacks.
  unsigned this_thread() const {
    const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
    unsigned nearest = 0;
    std::ptrdiff_t least = PTRDIFF_MAX;
    for (unsigned t = 0; t <= Followers; ++t) {
      const std::ptrdiff_t below = stacks_[t] - here;
      if (stacks_[t] != nullptr && below >= 0 && below < least) nearest = t, least = below;
    }
    return nearest;
  }

  const std::stop_token never_;
  workers::team<Machine> team_{Machine::max_gates};
  std::array<context, Followers + 1> contexts_;
  std::array<const char*, Followers + 1> stacks_{};
  std::array<plain<unsigned>, N> runs_{};
  atomic<std::uint64_t> borrowed_{0};
};

/// An outer loop of N iterations by threads 0 and 2, which are the first ones of two cores; 1 helps 0. A further thread
/// is the other job, which wants the context of thread `Wanted` once: 2 leaves its part of the loop and comes back for
/// what is left.
template <class Machine, unsigned Wanted, std::uint64_t N>
class leaving_a_part {
 public:
  static constexpr unsigned threads = 4;

  void run(unsigned thread) {
    if (thread == 3) {
      contexts_[Wanted].borrow();
      borrowed_.store(1, order::release);
      machine::checked::unpark(borrowed_, 1);
      return;
    }
    standing<Machine> on(contexts_[thread]);
    if (thread != 0) {
      tree_.member_of(thread).on = &on;
      return tree_.root().follow(thread);
    }
    on.stay(false);
    workers::tree_node<Machine>& root = tree_.root();
    leaders_stack_ = static_cast<const char*>(__builtin_frame_address(0));
    workers::member<Machine> me;
    me.on = &on;
    require(root.claim(), "the parts are free when no leader has them");
    {
      auto& with = root.at(1);
      body work{*this};
      item loop(work, N, with.where, by_ranges_stages, 1, never_);
      do {
        root.lead(loop, with, me);
      } while (loop.deserted());
      require(!on.away(), "the leader of a loop has its context afterwards");
      require(loop.result(), "no iteration is dropped");
    }
    root.give_back();
    for (const auto& r : runs_) require(r == 1, "every iteration runs once");
    on.idle();
    while (borrowed_.load(order::acquire) == 0) machine::checked::park(borrowed_, 0);
    root.finish();
  }

 private:
  static constexpr std::array by_ranges_stages{stage{stage_kind::ranges, level::thread, false}};

  struct body {
    class participant {
     public:
      explicit participant(body& of) : of_(of) {}
      void work(std::uint64_t first, std::uint64_t last) {
        // Of the two threads that may run these, 0 is the one that is where it leads.
        const bool leads = of_.of.leader_calls();
        for (std::uint64_t i = first; i < last; ++i) {
          of_.of.contexts_[leads ? 0 : 2].use();
          of_.of.runs_[i] = of_.of.runs_[i] + 1;
        }
      }
      void join() {}

     private:
      body& of_;
    };
    leaving_a_part& of;
  };
  using item = loop::loop_item<Machine, distributor::splitting_ranges<machine::checked>>;

  /// True if the calling thread is the leader: it is not so far down on its stack. Compares addresses of frames, since
  /// variables can be elsewhere (AddressSanitizer's detect_stack_use_after_return).
  bool leader_calls() const {
    constexpr std::ptrdiff_t farthest = 32 << 10;
    const std::ptrdiff_t below = leaders_stack_ - static_cast<const char*>(__builtin_frame_address(0));
    return below >= 0 && below < farthest;
  }

  static constexpr std::array<distributor::seat, 3> seats_{{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}}};
  const std::stop_token never_;
  workers::thread_tree<Machine> tree_{seats_, nesting::parse("1:core", "subject"), {}};
  std::array<context, 3> contexts_;
  const char* leaders_stack_ = nullptr;
  std::array<plain<unsigned>, N> runs_{};
  atomic<std::uint64_t> borrowed_{0};
};

using by_ranges = scheduled<stage{stage_kind::ranges, level::thread, false}>;
using by_counters = scheduled<counter(level::thread)>;
using by_async = scheduled<combine_async(level::core), counter(level::core)>;
template <unsigned Followers, unsigned Wanted, std::uint64_t N>
using of_ranges = leaving<one_slot, distributor::splitting_ranges<machine::checked>, by_ranges,
                          std::conditional_t<Followers == 1, on_cores<0, 1>, on_cores<0, 1, 2>>, Followers, Wanted, N>;
template <unsigned Wanted>
using of_counters = leaving<one_slot, counters<machine::checked>, by_counters, on_cores<0, 1>, 1, Wanted, 3>;
template <unsigned Wanted>
using of_async = leaving<one_slot, combined<machine::checked>, by_async, on_cores<0, 0>, 1, Wanted, 3>;

constexpr const char* promise = "every iteration once; no thread runs on a context that the other job has; all end";

const registered<of_ranges<1, 1, 3>> follower("leaving.ranges.follower", promise, preemptions(2, {0, 0}),
                                              preemptions(3, {1, 0}));
const registered<of_ranges<1, 0, 3>> leader("leaving.ranges.leader", promise, preemptions(2, {0, 0}),
                                            preemptions(3, {1, 0}));
const registered<of_ranges<2, 1, 3>> of_three("leaving.ranges.of_three", promise, pct(4, 50'000, {1, 0}),
                                              pct(5, 1'000'000, {1, 0}));
const registered<of_counters<1>> counting("leaving.counters", promise, preemptions(2, {0, 0}), preemptions(3, {1, 0}));
const registered<leaving_a_part<one_slot, 2, 3>> part("leaving.part", promise, pct(4, 50'000, {1, 0}),
                                                      pct(5, 1'000'000, {1, 0}));
const registered<leaving_a_part<one_slot, 1, 2>> helper("leaving.part_helper", promise, pct(4, 20'000, {1, 0}),
                                                        pct(5, 1'000'000, {1, 0}));
const registered<of_async<1>> async("leaving.async", promise, pct(4, 100'000, {1, 0}), preemptions(2, {0, 0}));

}  // namespace
}  // namespace callisto::check
