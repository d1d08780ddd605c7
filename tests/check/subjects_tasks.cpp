// Subjects: the inbox of a core, public tasks and thieves, and how cores and ranks find out that nothing is left.
#include "subject.hpp"

#include <callisto/global/messages/activity.hpp>
#include <callisto/global/session/wave.hpp>
#include <callisto/global/tasks/split_queue.hpp>
#include <callisto/waiting/wake_inbox.hpp>

#include <array>
#include <memory>

namespace callisto::check {
namespace {

using machine::checked;

struct item : waiting::inbox_link<checked> {
  unsigned number = 0;
};
using inbox = waiting::wake_inbox<checked, item>;

/// Wakers put items into the inbox of an owner that sleeps while there is none. Each waker has `Items` of its own.
template <unsigned Wakers, unsigned Items>
class mail {
 public:
  static constexpr unsigned threads = 1 + Wakers;

  mail() {
    for (unsigned i = 0; i != items_.size(); ++i) items_[i].number = i;
  }

  void run(unsigned thread) {
    if (thread != 0) {
      for (unsigned i = 0; i != Items; ++i) {
        item& mine = items_[(thread - 1) * Items + i];
        letters_[mine.number] = 1;
        if (inbox_.push(mine) == inbox::owner::parked) inbox_.unpark();
      }
      return;
    }
    unsigned got = 0;
    for (;;) {
      inbox_.take_all([&](item& it) {
        require(letters_[it.number] == 1, "what the waker did is visible");
        ++got;
      });
      if (got == Wakers * Items) return;
      if (inbox_.lie_down(false)) {
        inbox_.park();
        inbox_.get_up();
      }
    }
  }

 private:
  inbox inbox_;
  std::array<item, Wakers * Items> items_;
  std::array<plain<int>, Wakers * Items> letters_{};
};
const registered<mail<1, 2>> mail_of_one("tasks.inbox.1", "each push arrives, and ends the sleep", exhaustive({1, 1}),
                                         exhaustive({2, 2}));
const registered<mail<2, 1>> mail_of_two("tasks.inbox.2", "pushes of two wakers arrive", preemptions(3, {0, 1}),
                                         exhaustive({0, 1}));

/// Two wakers wake the same worker, each after it has done what the worker waits for.
class one_waiter {
 public:
  static constexpr unsigned threads = 3;
  void run(unsigned thread) {
    if (thread != 0) {
      done_[thread].store(1, order::relaxed);  // the push publishes it
      if (inbox_.push(worker_) == inbox::owner::parked) inbox_.unpark();
      return;
    }
    for (;;) {
      bool complete = false;
      inbox_.take_all(
          [&](item&) { complete = done_[1].load(order::relaxed) != 0 && done_[2].load(order::relaxed) != 0; });
      if (complete) return;
      if (inbox_.lie_down(false)) {
        inbox_.park();
        inbox_.get_up();
      }
    }
  }

 private:
  inbox inbox_;
  item worker_;
  std::array<atomic<int>, 3> done_{};
};
const registered<one_waiter> same_worker("tasks.inbox.same", "a wake of a worker that stands in the inbox is not lost",
                                         preemptions(3, {0, 0}), exhaustive({0, 0}));

/// A thread that makes the owner look around.
class nudged {
 public:
  static constexpr unsigned threads = 2;
  void run(unsigned thread) {
    if (thread == 1) {
      written_ = 1;
      if (inbox_.nudge() == inbox::owner::parked) inbox_.unpark();
      return;
    }
    for (;;) {
      if (inbox_.has_mail()) {
        inbox_.take_all([](item&) {});
        require(written_ == 1, "what the other thread did is visible");
        return;
      }
      if (inbox_.lie_down(false)) {
        inbox_.park();
        inbox_.get_up();
      }
    }
  }

 private:
  inbox inbox_;
  plain<int> written_{0};
};
const registered<nudged> a_nudge("tasks.inbox.nudge", "a nudge ends the sleep", exhaustive({1, 1}), exhaustive({2, 2}));

/// An owner that pushes and pops, and thieves: each task is taken once. The ring grows meanwhile.
template <unsigned Thieves, unsigned Tasks>
class public_tasks {
 public:
  static constexpr unsigned threads = 1 + Thieves;
  static constexpr unsigned first_alike = 1;

  void run(unsigned thread) {
    if (thread != 0) {
      tasks_.steal(Tasks, [&](int t) { take(t); });
      return;
    }
    for (unsigned t = 0; t != Tasks; ++t) {
      bodies_[t] = 1;
      tasks_.push(static_cast<int>(t));
    }
    for (int t = 0; tasks_.pop(t);) take(t);
  }

  void finish() {
    for (unsigned t = 0; t != Tasks; ++t) require(taken_[t] == 1, "each task is taken once");
  }

 private:
  void take(int t) {
    const auto at = static_cast<std::size_t>(t);
    require(bodies_[at] == 1, "the thief sees the task");
    taken_[at] = taken_[at] + 1;
  }

  global::split_queue<checked, int> tasks_{2};
  std::array<plain<int>, Tasks> bodies_{};
  std::array<plain<int>, Tasks> taken_{};
};
const registered<public_tasks<1, 3>> one_thief("tasks.steal.1", "each public task is taken once", exhaustive({0, 1}),
                                               exhaustive({1, 1}));
const registered<public_tasks<2, 3>> two_thieves("tasks.steal.2", "two thieves and an owner: each task once",
                                                 preemptions(2, {0, 0}), preemptions(4, {0, 0}));

/// What a rank has sent and handled.
struct message_counts {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
};

/// A core that looks whether its rank is quiet, while another core runs a task, which begins another one. Both tasks
/// send a message.
class rank_gets_quiet {
 public:
  static constexpr unsigned threads = 2;
  void run(unsigned thread) {
    if (thread == 1) {
      const auto none = [](int there) { return there == 0; };
      while (none(checked::wait_while(task_, none, machine::patience::brief))) {
      }
      counts_[1].begin();  // the child
      results_[0] = 1;
      sent_.store(1, order::relaxed);  // relaxed: the end of the task publishes it
      counts_[1].end();
      results_[1] = 1;
      sent_.store(2, order::relaxed);
      counts_[1].end();
      return;
    }
    counts_[0].begin();
    task_.store(1, order::release);
    const std::array<const global::activity<checked>*, 2> all{&counts_[0], &counts_[1]};
    for (int look = 0; look != 2; ++look) {
      // relaxed: see run()
      const auto sums = global::quiet_sums(all, [this] { return message_counts{sent_.load(order::relaxed), 0}; });
      if (!sums) continue;
      require(results_[0] == 1 && results_[1] == 1, "a quiet rank has run all tasks");
      require(sums->begun == 4, "a quiet rank knows of all messages that its tasks have sent");
      return;
    }
  }

 private:
  std::array<global::activity<checked>, 2> counts_;
  atomic<std::uint64_t> sent_{0};
  atomic<int> task_{0};
  std::array<plain<int>, 2> results_{};
};
const registered<rank_gets_quiet> quiet("tasks.quiet", "as many ends as beginnings mean that all tasks ran",
                                        exhaustive({0, 0}), exhaustive({1, 0}));

/// Two ranks. Rank 1 reports before it gets a message. Its handler begins a task and answers: one wave is too few.
class two_ranks {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned rank) {
    global::wave search(static_cast<int>(rank), 2);
    if (rank == 1) {
      report(search);
      await(message_, 1);
      messages_[1].sent = 1;  // the answer
      tasks_[1].begin();
      messages_[1].handled = 1;
      answer_.store(1, order::release);
      result_ = 1;
      tasks_[1].end();
      for (unsigned w = 2; await(wave_, w) != over; ++w) {
        search.begin_next();
        report(search);
      }
      return;
    }
    messages_[0].sent = 1;
    message_.store(1, order::release);
    await(answer_, 1);
    messages_[0].handled = 1;
    for (unsigned w = 1;; ++w) {
      await(reports_, w);
      search.take_report({.begun = begun_, .ended = ended_});
      require(search.is_due(), "the wave has all reports");
      const global::wave::step step = search.add_own(sums_of(0));
      if (step == global::wave::step::end) {
        require(result_ == 1, "the phase ends after all tasks");
        wave_.store(over, order::release);
        return;
      }
      require(step == global::wave::step::next_wave, "rank 0 decides");
      search.begin_next();
      wave_.store(w + 1, order::release);
    }
  }

 private:
  static constexpr unsigned over = 1000;

  static unsigned await(atomic<unsigned>& word, unsigned least) {
    const auto below = [least](unsigned value) { return value < least; };
    for (;;) {
      const unsigned value = checked::wait_while(word, below, machine::patience::brief);
      if (!below(value)) return value;
    }
  }

  global::activity_sums sums_of(unsigned rank) {
    const std::array<const global::activity<checked>*, 1> cores{&tasks_[rank]};
    const auto sums = global::quiet_sums(cores, [&] { return messages_[rank]; });
    require(sums.has_value(), "a rank is quiet once its tasks have ended");
    return *sums;
  }

  void report(global::wave& search) {
    require(search.add_own(sums_of(1)) == global::wave::step::report, "a leaf reports");
    begun_ = search.sums().begun;
    ended_ = search.sums().ended;
    reports_.store(++reported_, order::release);
  }

  std::array<global::activity<checked>, 2> tasks_;
  std::array<message_counts, 2> messages_;  ///< each its rank's
  atomic<unsigned> message_{0};
  atomic<unsigned> answer_{0};
  atomic<unsigned> wave_{1};
  atomic<unsigned> reports_{0};
  plain<std::uint64_t> begun_{0};
  plain<std::uint64_t> ended_{0};
  plain<int> result_{0};
  unsigned reported_ = 0;
};
const registered<two_ranks> waves("tasks.waves", "two equal waves mean that all tasks and messages have ended",
                                  exhaustive({0, 0}), exhaustive({1, 0}));

}  // namespace
}  // namespace callisto::check
