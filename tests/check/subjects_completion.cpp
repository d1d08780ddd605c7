// Subjects: the counts of completion events, and the word of full-empty variables.
#include "subject.hpp"

#include <callisto/global/synchronization/completion_counts.hpp>
#include <callisto/global/synchronization/full_empty_word.hpp>

namespace callisto::check {
namespace {

using counts = global::completion_counts<machine::checked>;

/// Two operations end while a worker waits for both.
class waits_for_two {
 public:
  static constexpr unsigned threads = 3;
  waits_for_two() { counts_.enroll(2); }

  void run(unsigned thread) {
    if (thread == 0) {
      if (!counts_.is_done_or_await()) {
        while (machine::checked::wait_while(
                   woken_, [](std::uint32_t w) { return w == 0; }, machine::patience::lasting) == 0) {
        }
      }
      require(first_ == 1 && second_ == 1, "the waiter sees what both operations did");
      return;
    }
    (thread == 1 ? first_ : second_) = 1;
    const counts::outcome o = counts_.settle(1);
    if (o.is_last && o.is_awaited) woken_.store(1, order::release);  // release: the waiter sees the operations
  }

 private:
  counts counts_{0};
  plain<int> first_{0};
  plain<int> second_{0};
  atomic<std::uint32_t> woken_{0};
};
const registered<waits_for_two> waiting("completion.wait", "a waiter goes on when the last operation has ended",
                                        exhaustive({0, 0}), exhaustive({1, 1}));

/// At a rank away from home a task ends, what it enrolled ends, and one more piece of work comes and ends.
class leaves_the_tree_once {
 public:
  static constexpr unsigned threads = 3;
  leaves_the_tree_once() {
    require(!counts_.arrive(7), "the first sender is the parent, and is told later");
    counts_.enroll(1);
  }

  void run(unsigned thread) {
    if (thread == 0) {
      while (machine::checked::wait_while(
                 told_, [](std::uint32_t t) { return t == 0; }, machine::patience::lasting) == 0) {
      }
      require(task_ == 1 && far_ == 1, "the parent is told when all has ended");
      return;
    }
    if (thread == 1) {
      task_ = 1;
    } else {
      require(counts_.arrive(2), "a rank in the tree tells other senders at once");
      tell_if_last(counts_.settle(1));
      far_ = 1;
    }
    tell_if_last(counts_.settle(1));
  }

 private:
  void tell_if_last(const counts::outcome& o) {
    if (!o.is_last) return;
    require(o.parent == 7, "the parent is the first sender");
    require(told_.exchange(1, order::release) == 0, "the parent is told once");  // release: shows what has ended
  }

  counts counts_{0};
  plain<int> task_{0};
  plain<int> far_{0};
  atomic<std::uint32_t> told_{0};
};
const registered<leaves_the_tree_once> away("completion.away", "a rank tells its parent when its own count is 0",
                                            exhaustive({0, 0}), exhaustive({1, 1}));

/// One thread fills the variable, another one takes the value if it is there, a third one changes it.
class full_or_empty {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 0) {
      require(!word_.hold(), "only the filler makes it full");
      value_ = 1;
      word_.release(true);
    } else if (thread == 1) {
      if (word_.try_hold(true)) {
        require(value_ == 1, "a full variable has a value");
        value_ = 0;
        word_.release(false);
      }
    } else {
      const bool is_full = word_.hold();
      require(value_ == (is_full ? 1 : 0), "the state says whether there is a value");
      word_.release(is_full);
    }
  }

 private:
  global::full_empty_word<machine::checked> word_;
  plain<int> value_{0};
};
const registered<full_or_empty> full_empty("full_empty.3", "the holder has value and state for itself",
                                           exhaustive({0, 0}), exhaustive({1, 1}));

}  // namespace
}  // namespace callisto::check
