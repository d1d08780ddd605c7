// Subjects: spin lock, entry gate, work signal and attendance, the pieces that threads wait at.
#include "subject.hpp"

#include <callisto/waiting/attendance.hpp>
#include <callisto/waiting/entry_gate.hpp>
#include <callisto/waiting/late_step.hpp>
#include <callisto/waiting/spin_lock.hpp>
#include <callisto/waiting/work_signal.hpp>

#include <array>
#include <mutex>

namespace callisto::check {
namespace {

/// Threads that add to one number under the lock.
template <unsigned Threads, unsigned Rounds>
class lockers {
 public:
  static constexpr unsigned threads = Threads;
  static constexpr unsigned first_alike = 0;
  void run(unsigned) {
    for (unsigned r = 0; r < Rounds; ++r) {
      const std::scoped_lock held(lock_);
      total_ = total_ + 1;
    }
  }
  void finish() { require(total_ == Threads * Rounds, "the lock keeps every addition"); }

 private:
  waiting::spin_lock<machine::checked> lock_;
  plain<unsigned> total_{0};
};

/// A leader that opens and drains the gate, once in each round; followers that try to get in, and read and write what
/// the gate must order.
template <unsigned Followers, unsigned Rounds, unsigned Tries>
class gate_keepers {
 public:
  static constexpr unsigned threads = 1 + Followers;
  static constexpr unsigned first_alike = 1;
  void run(unsigned thread) {
    if (thread != 0) return follow(written_[thread - 1]);
    for (unsigned round = 1; round <= Rounds; ++round) {
      item_ = round;
      gate_.open();
      gate_.close_and_drain();
      item_ = 0;  // a follower that is still inside would race, or find it
      for (const auto& w : written_) require(w <= round * Tries, "what followers wrote is visible");
    }
  }

 private:
  void follow(plain<unsigned>& written) {
    for (unsigned t = 0; t < Tries; ++t) {
      if (!gate_.try_enter()) continue;
      require(item_ != 0, "a follower inside finds the item");
      written = written + 1;
      gate_.leave();
    }
  }

  waiting::entry_gate<machine::checked> gate_;
  plain<unsigned> item_{0};
  std::array<plain<unsigned>, Followers> written_{};
};

/// Followers that sleep until slot 1 is announced; before that, slot 0 comes and goes.
template <unsigned Followers>
class sleepers {
 public:
  static constexpr unsigned threads = 1 + Followers;
  static constexpr unsigned first_alike = 1;
  void run(unsigned thread) {
    if (thread == 0) {
      work_signal_.announce(0);
      work_signal_.withdraw(0);
      work_signal_.announce(1);
      return;
    }
    for (;;) {
      const auto notice = work_signal_.wait_for_work();
      require(notice.open != 0 && !notice.finished, "a notice says what is open");
      if ((notice.open & 2) != 0) return;
      work_signal_.wait_for_change(notice);
    }
  }

 private:
  waiting::work_signal<two_slots> work_signal_;
};

/// Two leaders that announce a loop each, at the same time; followers that want to see both.
template <unsigned Followers>
class sleepers_of_two {
 public:
  static constexpr unsigned threads = 2 + Followers;
  static constexpr unsigned first_alike = 2;
  void run(unsigned thread) {
    if (thread < 2) return work_signal_.announce(thread);
    for (;;) {
      const auto notice = work_signal_.wait_for_work();
      if (notice.open == 3) return;
      work_signal_.wait_for_change(notice);
    }
  }

 private:
  waiting::work_signal<two_slots> work_signal_;
};

/// Followers that end when the work signal says so, and then see what the finishing thread did.
template <unsigned Followers, bool Announce>
class finishers {
 public:
  static constexpr unsigned threads = 1 + Followers;
  static constexpr unsigned first_alike = 1;
  void run(unsigned thread) {
    if (thread == 0) {
      if (Announce) work_signal_.announce(0);
      done_ = 1;
      work_signal_.finish();
      return;
    }
    for (;;) {
      const auto notice = work_signal_.wait_for_work();
      if (notice.finished) break;
      work_signal_.wait_for_change(notice);
    }
    require(done_ == 1, "what came before finish() is visible to those that end");
  }

 private:
  waiting::work_signal<one_slot> work_signal_;
  plain<unsigned> done_{0};
};

/// A watcher that rests while no thread is present, and threads that wait, in each round, until it has looked since
/// they came.
template <unsigned Present, unsigned Rounds>
class watcher_and_present {
  using order = machine::order;
  using checked = machine::checked;

 public:
  static constexpr unsigned threads = 1 + Present;
  static constexpr unsigned first_alike = 1;
  void run(unsigned thread) {
    if (thread == 0) return watch();
    for (unsigned r = 0; r < Rounds; ++r) {
      users_.arrive();
      const std::uint64_t before = looks_.load(order::relaxed);
      wanted_.fetch_add(1, order::relaxed);
      const auto same = [before](std::uint64_t looks) { return looks == before; };
      while (same(checked::wait_while(looks_, same, machine::patience::none))) {
        checked::park(looks_, static_cast<std::uint32_t>(before));
      }
      users_.depart();
    }
    users_.arrive();  // for good: the watcher, which may rest, ends once all have
    wanted_.fetch_add(1, order::relaxed);
  }

 private:
  /// Looks after each wish, and rests where there is nothing to look at.
  void watch() {
    for (std::uint64_t served = 0; served < Present * (Rounds + 1);) {
      if (!users_.any()) {
        users_.rest([](const auto& word, std::uint32_t low) { checked::park(word, low); });
        continue;
      }
      const auto none = [served](std::uint64_t wanted) { return wanted == served; };
      served = checked::wait_while(wanted_, none, machine::patience::brief);
      looks_.fetch_add(1, order::relaxed);
      checked::unpark(looks_, ~0U);
    }
  }

  waiting::attendance<checked> users_;
  machine::atomic_of<checked, std::uint64_t> wanted_{0};
  machine::atomic_of<checked, std::uint64_t> looks_{0};
};

/// A taker that tries a late step until it is forbidden or taken; a thread that forbids it; and threads that put it
/// off, look at what it makes, and let go.
template <unsigned Others>
class takers_and_others {
  using order = machine::order;
  using checked = machine::checked;

 public:
  static constexpr unsigned threads = 2 + Others;
  static constexpr unsigned first_alike = 2;
  void run(unsigned thread) {
    if (thread == 0) return take();
    if (thread == 1) {
      step_.forbid();
      const unsigned seen = made_;
      step_.forbid();
      require(seen == made_, "nothing is made once it is forbidden");
      return;
    }
    step_.put_off();
    const unsigned seen = made_;
    const unsigned again = made_;
    require(seen == again && seen % 2 == 0, "a step is seen whole, or not");
    step_.let_go();
  }

 private:
  void take() {
    for (unsigned tries = 0; tries < 2 && !step_.is_forbidden(); ++tries) {
      if (!step_.begin()) continue;
      require(made_ == 0, "a step is taken once");
      made_ = 1;
      made_ = 2;
      step_.end();
      return;
    }
  }

  waiting::late_step<checked> step_;
  plain<unsigned> made_{0};
};

constexpr const char* excludes = "one holder at a time; additions kept";
constexpr const char* orders = "the item is seen inside; the leader sees what followers wrote";
constexpr const char* wakes = "no wake-up is lost";
constexpr const char* ends = "finish() ends every follower, the sleeping ones too";

const registered<lockers<2, 2>> lock_2("lock.2x2", excludes, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<lockers<3, 1>> lock_3("lock.3x1", excludes, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<gate_keepers<1, 2, 2>> gate_2("gate.2", orders, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<gate_keepers<2, 2, 1>> gate_3("gate.3", orders, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<sleepers<1>> board_2("work_signal.2", wakes, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<sleepers<2>> board_3("work_signal.3", wakes, preemptions(1, {1, 0}), preemptions(2, {1, 0}));
const registered<sleepers<3>> board_4("work_signal.4", wakes, pct(3, 20'000, {2, 0}), preemptions(1, {1, 0}));
const registered<sleepers_of_two<1>> work_signal_two("work_signal.two_leaders", wakes, exhaustive({1, 1}),
                                                     exhaustive({2, 1}));
const registered<finishers<1, true>> finish_2("finish.2", ends, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<finishers<2, false>> finish_3("finish.3", ends, exhaustive({1, 1}), exhaustive({2, 1}));
const registered<takers_and_others<0>> late_step_2("late_step.2", "a late step is seen whole, or forbidden",
                                                   exhaustive({1, 1}), exhaustive({2, 2}));
const registered<takers_and_others<1>> late_step_3("late_step.3", "a late step is seen whole, or put off",
                                                   exhaustive({1, 1}), exhaustive({2, 1}));
const registered<watcher_and_present<1, 1>> attendance_2("attendance.2", wakes, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<watcher_and_present<1, 2>> attendance_again("attendance.2x2", wakes, exhaustive({1, 1}),
                                                             exhaustive({2, 1}));
const registered<watcher_and_present<2, 1>> attendance_3("attendance.3", wakes, pct(3, 20'000, {1, 0}),
                                                         pct(4, 20'000, {2, 0}));

}  // namespace
}  // namespace callisto::check
