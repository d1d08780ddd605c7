// Subjects: a thread's tasks, which it pops and thieves steal, and followers that are called for them.
#include "subject.hpp"

#include <callisto/loop/tasks/task_board.hpp>
#include <callisto/loop/tasks/task_deque.hpp>
#include <callisto/waiting/work_signal.hpp>
#include <callisto/workers/teams/standing_item.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

/// Deques of `Capacity` tasks, one deque a board, one loop at a time.
template <std::uint32_t Capacity>
struct small : machine::checked {
  static constexpr unsigned max_slots = 1;
  static constexpr std::uint32_t deque_capacity = Capacity;
  static constexpr std::uint32_t most_deques = 1;
};

/// A task that counts its runs without order: two threads that ran it would race.
struct counted_task {
  plain<unsigned> made{0};
  plain<unsigned> runs{0};

  void run() {
    require(made == 1, "what its maker wrote is visible");
    require(runs == 0, "a task runs once");
    runs = 1;
  }
};

/// An owner that offers tasks and pops those that are left, and a follower that is called for them.
template <std::uint32_t Capacity, unsigned Tasks, bool Pops>
class offered {
  using M = small<Capacity>;
  using board = loop::task_board<M, counted_task>;

 public:
  static constexpr unsigned threads = 2;

  /// Followers are called already, for some earlier task.
  offered() { place_.announce(); }

  void run(unsigned thread) { thread == 0 ? own() : follow(); }

 private:
  void own() {
    require(board_.add(own_), "there is room");
    for (counted_task& t : tasks_) {
      t.made = 1;
      if (!board_.offer(own_, t, place_)) run_task(t);
    }
    if constexpr (Pops) {
      while (counted_task* const t = own_.pop()) run_task(*t);
    }
    while (checked::wait_while(ended_, [](std::uint64_t n) { return n != Tasks; }, machine::patience::brief) != Tasks) {
    }
    for (counted_task& t : tasks_) require(t.runs == 1, "each task has run");
    signal_.finish();
  }

  void follow() {
    std::uint32_t random = 1;
    for (;;) {
      if (signal_.wait_for_work().finished) return;
      do {
        while (counted_task* const t = board_.steal(random)) run_task(*t);
      } while (!board_.leave(place_));
    }
  }

  void run_task(counted_task& t) {
    t.run();
    ended_.fetch_add(1, order::release);
  }

  using checked = machine::checked;
  waiting::work_signal<M> signal_;
  workers::standing_place<M> place_{signal_, 0};
  board board_;
  typename board::deque own_;
  std::array<counted_task, Tasks> tasks_;
  atomic<std::uint64_t> ended_{0};
};

const registered<offered<2, 1, false>> called("board.called", "a follower comes for each task that its maker offers",
                                              exhaustive({0, 0}), exhaustive({1, 1}));
const registered<offered<2, 2, false>> twice("board.called_twice", "a follower comes again", preemptions(2, {0, 0}),
                                             preemptions(4, {1, 0}));
const registered<offered<2, 2, true>> popped("board.popped", "owner and thief run each task once",
                                             preemptions(2, {0, 0}), preemptions(4, {1, 1}));
const registered<offered<1, 2, true>> narrow("board.narrow", "a slot is filled again only when its thief has read it",
                                             preemptions(3, {0, 0}), preemptions(5, {0, 0}));

}  // namespace
}  // namespace callisto::check
