// Subjects: loops through the production team and loop item, from publication to completion.
//
// An item is made in memory of the subject that the leader's next item uses again, as the stack of a real leader would.
// The checker knows when the item's words begin and end to exist. It so finds a follower that touches the item of a
// leader that has returned.
#include "schedules.hpp"

#include <callisto/loop/loop_item.hpp>
#include <callisto/workers/teams/team.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace callisto::check {
namespace {

/// A distributor, the schedule that makes it what it is, and what its threads share.
template <class Distributor, class Schedule, class Seats>
struct arranged {
  using distributor_type = Distributor;
  using schedule = Schedule;
  using seats = Seats;
};

template <class Schedule, class Seats>
using counted = arranged<counters<machine::checked>, Schedule, Seats>;
template <class Schedule, class Seats>
using combining = arranged<combined<machine::checked>, Schedule, Seats>;

/// Up to three threads, each on a core of its own: one counter, or one for each.
using one_counter = counted<scheduled<counter(level::machine)>, on_cores<0, 1, 2>>;
using stripes_of_2 = counted<scheduled<counter(level::thread)>, on_cores<0, 1>>;
using stripes_of_3 = counted<scheduled<counter(level::thread)>, on_cores<0, 1, 2>>;
/// Two threads of a core.
using sync_2 = combining<scheduled<combine(level::core), counter(level::core)>, on_cores<0, 0>>;
using async_2 = combining<scheduled<combine_async(level::core), counter(level::core)>, on_cores<0, 0>>;
using ranges_2 = arranged<distributor::splitting_ranges<machine::checked>,
                          scheduled<stage{stage_kind::ranges, level::thread, false}>, on_cores<0, 1>>;
/// A core with two threads and one with one.
using async_3 = combining<scheduled<combine_async(level::core), counter(level::core)>, on_cores<0, 0, 1>>;

/// A stop request that the checker can see; in place of std::stop_token.
class stop_flag {
 public:
  explicit stop_flag(bool possible) : possible_(possible) {}
  bool stop_possible() const { return possible_; }
  bool stop_requested() const { return requested_.load(order::acquire) != 0; }
  void request() { requested_.store(1, order::release); }

 private:
  bool possible_;
  atomic<std::uint32_t> requested_{0};
};

/// Iterations that are counted, each in a word of its own and without order: two threads that ran one iteration would
/// race. Those in `throws`, a set of bits, throw their number.
template <std::uint64_t N>
struct counted_body {
  class participant {
   public:
    explicit participant(counted_body& body) : body_(body) {}
    void work(std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        require(body_.begun, "no iteration runs before the loop begins or after it has ended");
        require(i < N, "no iteration beyond the loop");
        body_.runs[i] = body_.runs[i] + 1;
        if ((body_.throws >> i & 1) != 0) throw static_cast<int>(i);
      }
    }
    void join() {}

   private:
    counted_body& body_;
  };

  unsigned throws = 0;
  plain<bool> begun{false};
  std::array<plain<unsigned>, N> runs{};
};

/// How a subject's loops may end early.
enum class early { never, by_exceptions, by_stop };

/// `Leaders` threads that lead `Loops` loops of N iterations each, `Followers` that follow until leader 0 finishes the
/// team; with early::by_stop, one more thread that requests a stop.
template <class Machine, class Arranged, unsigned Leaders, unsigned Followers, std::uint64_t N, unsigned Loops = 1,
          early End = early::never>
class loops {
 public:
  static constexpr unsigned threads = Leaders + Followers + (End == early::by_stop ? 1 : 0);
  // Only if neither slot, gate nor stripe depends on a follower's number.
  static constexpr unsigned first_alike =
      std::is_same_v<Machine, one_slot> && std::is_same_v<Arranged, one_counter> && End != early::by_stop ? Leaders
                                                                                                          : threads;
  static constexpr unsigned follower = Leaders == 1 && End == early::never && first_alike != threads ? 1 : threads;

  void run(unsigned thread) {
    if (thread < Leaders) {
      for (auto& work : bodies_[thread]) lead(work, rooms_[thread]);
      if (thread == 0) {
        finished_ = true;
        team_.finish();
      }
    } else if (thread < Leaders + Followers) {
      team_.follow(thread, thread);
      require(finished_, "a follower ends when the team is finished, and sees what came before");
    } else {
      stop_.request();
    }
  }

 private:
  using body = counted_body<N>;
  using item = loop::loop_item<Machine, typename Arranged::distributor_type, stop_flag>;
  struct alignas(item) room {
    std::array<std::byte, sizeof(item)> bytes;
  };

  void lead(body& work, room& memory) {
    if (End == early::by_exceptions) work.throws = 3;
    work.begun = true;
    item* const mine = ::new (static_cast<void*>(memory.bytes.data()))
        item(work, N, Arranged::seats::where(), Arranged::schedule::stages, 1, stop_);
    team_.lead(*mine);
    work.begun = false;  // a follower that still worked would race with this
    std::uint64_t ran = 0;
    for (const auto& r : work.runs) {
      require(r <= 1, "no iteration runs twice");
      ran += r;
    }
    try {
      const bool complete = mine->result();
      require(End != early::by_exceptions, "the leader gets an exception that a body threw");
      require(complete == (ran == N), "the result tells whether iterations were dropped");
      require(complete || End == early::by_stop, "every iteration runs");
    } catch (int thrower) {
      require(End == early::by_exceptions && (work.throws >> thrower & 1) != 0 && work.runs[std::size_t(thrower)] == 1,
              "the leader gets an exception that a body threw");
    }
    std::destroy_at(mine);
  }

  workers::team<Machine> team_{Machine::max_gates};
  stop_flag stop_{End == early::by_stop};
  std::array<std::array<body, Loops>, Leaders> bodies_{};
  std::array<room, Leaders> rooms_;
  plain<bool> finished_{false};
};

/// An item run by several threads, without a team: each that finds nothing left takes the notice off, when everything
/// has been handed out.
template <class Arranged, unsigned Threads, std::uint64_t N>
class withdrawals {
 public:
  static constexpr unsigned threads = Threads;
  withdrawals() { body_.begun = true; }
  void run(unsigned thread) { item_.run(thread, &notice_, nullptr); }
  void finish() {
    require(item_.result(), "every iteration runs");
    for (const auto& r : body_.runs) require(r == 1, "every iteration runs once");
    require(notice_.withdrawn.load(order::relaxed) == Threads, "every thread takes the notice off");
  }

 private:
  struct notice final : workers::work_item<machine::checked>::publication {
    void withdraw() noexcept override { withdrawn.fetch_add(1, order::relaxed); }
    atomic<unsigned> withdrawn{0};
  };

  counted_body<N> body_;
  stop_flag stop_{false};
  loop::loop_item<machine::checked, typename Arranged::distributor_type, stop_flag> item_{
      body_, N, Arranged::seats::where(), Arranged::schedule::stages, 1, stop_};
  notice notice_;
};

constexpr const char* complete = "every iteration once, between begin and end; leader returns; team ends";
constexpr const char* partly = "what was begun is complete; the leader learns what happened";
constexpr const char* off = "every iteration once, and the notice taken off by all that find none left";

template <class Arranged, unsigned Followers, std::uint64_t N>
using one_leader = loops<one_slot, Arranged, 1, Followers, N>;

const registered<one_leader<one_counter, 1, 2>> counter_2("loop.counter.2x2", complete, exhaustive({1, 0}),
                                                          exhaustive({2, 1}));
const registered<one_leader<stripes_of_2, 1, 2>> stripes_2("loop.stripes.2x2", complete, exhaustive({0, 0}),
                                                           exhaustive({2, 1}));
const registered<one_leader<one_counter, 2, 2>> counter_3("loop.counter.3x2", complete, preemptions(2, {0, 0}),
                                                          preemptions(2, {1, 0}));
const registered<one_leader<stripes_of_3, 2, 3>> stripes_3("loop.stripes.3x3", complete, nearly_fresh(1),
                                                           preemptions(1, {1, 0}));
const registered<loops<one_slot, one_counter, 1, 1, 1, 2>> in_turn("loop.in_turn", complete, preemptions(3, {0, 0}),
                                                                   exhaustive({1, 1}));
const registered<loops<two_slots, one_counter, 1, 1, 2>> gates("loop.two_gates", complete, exhaustive({1, 0}),
                                                               exhaustive({2, 1}));
const registered<loops<two_slots, one_counter, 2, 1, 1>> two("loop.two_leaders", complete, preemptions(2, {0, 0}),
                                                             preemptions(2, {1, 1}));
const registered<loops<one_slot, one_counter, 2, 1, 1>> full("loop.slots_taken", complete, preemptions(2, {0, 0}),
                                                             preemptions(3, {1, 0}));
const registered<loops<one_slot, one_counter, 1, 1, 3, 1, early::by_exceptions>> throwing("loop.exceptions", partly,
                                                                                          exhaustive({1, 0}),
                                                                                          exhaustive({2, 1}));
const registered<loops<one_slot, stripes_of_2, 1, 1, 2, 1, early::by_stop>> stopped("loop.stop", partly,
                                                                                    preemptions(2, {1, 0}),
                                                                                    preemptions(3, {1, 0}));
const registered<withdrawals<one_counter, 2, 3>> withdraw_counter("item.counter", off, exhaustive({1, 1}),
                                                                  exhaustive({1, 1}));
const registered<withdrawals<stripes_of_2, 2, 3>> withdraw_stripes("item.stripes", off, exhaustive({1, 1}),
                                                                   exhaustive({1, 1}));

const registered<withdrawals<async_2, 2, 2>> withdraw_async("item.async", off, exhaustive({0, 0}), exhaustive({1, 1}));

const registered<one_leader<sync_2, 1, 2>> sync_loop("loop.sync.2x2", complete, preemptions(2, {0, 0}),
                                                     preemptions(3, {1, 0}));
const registered<one_leader<async_2, 1, 3>> async_loop("loop.async.2x3", complete, preemptions(2, {0, 0}),
                                                       preemptions(3, {1, 0}));
const registered<one_leader<async_3, 2, 3>> async_loop_3("loop.async.3x3", complete, nearly_fresh(1),
                                                         preemptions(2, {0, 0}));
const registered<loops<one_slot, async_2, 1, 1, 3, 1, early::by_exceptions>> async_throwing("loop.async.exceptions",
                                                                                            partly,
                                                                                            preemptions(2, {0, 0}),
                                                                                            preemptions(3, {1, 0}));
const registered<loops<one_slot, async_2, 1, 1, 3, 1, early::by_stop>> async_stopped("loop.async.stop", partly,
                                                                                     preemptions(1, {0, 0}),
                                                                                     preemptions(2, {1, 0}));

const registered<one_leader<ranges_2, 1, 4>> ranges_loop("loop.ranges.2x4", complete, preemptions(2, {2, 0}),
                                                         preemptions(3, {2, 0}));
const registered<loops<one_slot, ranges_2, 1, 1, 4, 1, early::by_exceptions>> ranges_throwing("loop.ranges.exceptions",
                                                                                              partly,
                                                                                              preemptions(2, {2, 0}),
                                                                                              preemptions(3, {2, 0}));
const registered<loops<one_slot, ranges_2, 1, 1, 4, 1, early::by_stop>> ranges_stopped("loop.ranges.stop", partly,
                                                                                       preemptions(1, {2, 0}),
                                                                                       preemptions(2, {2, 0}));

}  // namespace
}  // namespace callisto::check
