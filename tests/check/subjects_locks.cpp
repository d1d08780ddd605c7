// Subjects: locks that are released by a plain store while no thread waits.
#include "subject.hpp"

#include <callisto/waiting/asymmetric_lock_word.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <array>
#include <mutex>

namespace callisto::check {
namespace {

/// Locks that share one waiter flag, and which thread sleeps for which lock.
template <unsigned Locks, unsigned Threads>
class quick_locks {
 public:
  quick_locks() {
    for (auto& n : asleep_) n = nothing;
  }
  void lock(unsigned which, unsigned thread) {
    if (!words_[which].try_take()) wait(which, thread);
  }
  void unlock(unsigned which) {
    auto& word = words_[which];
    const bool ask = alert_.is_raised() ? word.give_up_and_ask() : word.give_up(alert_);
    if (ask) wake(which);
  }
  void calm() { alert_.calm(); }

 private:
  static constexpr unsigned nothing = Locks;

  void wait(unsigned which, unsigned thread) {
    alert_.raise();
    while (!words_[which].take_or_say()) {
      {
        const std::scoped_lock held(queue_);
        if (!words_[which].is_waited_for()) continue;
        asleep_[thread] = which;
        woken_[thread].store(0, order::relaxed);
      }
      while (machine::checked::wait_while(
                 woken_[thread], [](unsigned woken) { return woken == 0; }, machine::patience::lasting) == 0) {
      }
    }
    alert_.lower();
  }

  void wake(unsigned which) {
    const std::scoped_lock held(queue_);
    for (unsigned n = 0; n < Threads; ++n) {
      if (asleep_[n] != which) continue;
      asleep_[n] = nothing;
      return woken_[n].store(1, order::release);
    }
  }

  waiting::waiter_flag<machine::checked> alert_;
  std::array<waiting::asymmetric_lock_word<machine::checked>, Locks> words_;
  waiting::spin_lock<machine::checked> queue_;
  std::array<plain<unsigned>, Threads> asleep_;
  std::array<atomic<unsigned>, Threads> woken_{};
};

/// Threads that each add to one number under a lock a fixed number of times. A thread that finds the lock held sleeps
/// at once. Any thread clears the waiter flag at any time.
template <unsigned Threads, unsigned Rounds>
class lockers {
 public:
  static constexpr unsigned threads = Threads;
  static constexpr unsigned first_alike = 0;
  void run(unsigned thread) {
    for (unsigned r = 0; r < Rounds; ++r) {
      locks_.lock(0, thread);
      total_ = total_ + 1;
      locks_.unlock(0);
      locks_.calm();
    }
  }
  void finish() { require(total_ == Threads * Rounds, "the lock keeps every addition"); }

 private:
  quick_locks<1, Threads> locks_;
  plain<unsigned> total_{0};
};

/// One thread holds two locks and releases them; two others want one each. The fence of one is not the other's.
class strangers {
 public:
  static constexpr unsigned threads = 3;
  static constexpr unsigned first_alike = threads;
  strangers() {
    locks_.lock(0, 0);
    locks_.lock(1, 0);
  }
  void run(unsigned thread) {
    if (thread != 0) {
      locks_.lock(thread - 1, thread);
      return locks_.unlock(thread - 1);
    }
    locks_.unlock(1);
    locks_.unlock(0);
  }
  void finish() {}

 private:
  quick_locks<2, threads> locks_;
};

constexpr const char* wakes = "one holder at a time; no wake-up is lost";

const registered<lockers<2, 1>> locks_2("locks.2x1", wakes, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<lockers<2, 2>> locks_22("locks.2x2", wakes, preemptions(2, {1, 0}), preemptions(3, {1, 1}));
const registered<lockers<3, 1>> locks_3("locks.3x1", wakes, preemptions(2, {0, 0}), preemptions(3, {1, 0}));
const registered<strangers> locks_of_two("locks.strangers", wakes, preemptions(2, {0, 0}), preemptions(3, {1, 0}));

/// Two threads that wait for a spin lock, and one that takes it only if no thread holds it. Each adds to one number.
class spinners {
 public:
  static constexpr unsigned threads = 3;
  void run(unsigned thread) {
    const std::unique_lock held = thread == 2 ? std::unique_lock(lock_, std::try_to_lock) : std::unique_lock(lock_);
    added_[thread] = held.owns_lock();
    if (held) total_ = total_ + 1;
  }
  void finish() { require(total_ == added_[0] + added_[1] + added_[2], "the lock keeps every addition"); }

 private:
  waiting::spin_lock<machine::checked> lock_;
  plain<int> total_{0};
  std::array<int, 3> added_{};
};
const registered<spinners> spin_3("spin_lock.3", "one thread at a time holds it", exhaustive({0, 0}),
                                  exhaustive({1, 1}));

}  // namespace
}  // namespace callisto::check
