// Subjects: how threads share the pieces of messages, and how ranks of a node share packets and sleep.
#include "subject.hpp"

#include <callisto/global/messages/owner_lock.hpp>
#include <callisto/global/transport/doorbell.hpp>
#include <callisto/global/transport/shared_stack.hpp>

#include <array>

namespace callisto::check {
namespace {

/// No membarrier: owner and visitors meet in one word.
struct without_fences : machine::checked {
  static bool has_heavy_fence() noexcept { return false; }
};

/// An owner that fills a piece, and visitors that take what they find in it.
template <class Machine, unsigned Visitors, unsigned Rounds>
class piece_sharers {
 public:
  static constexpr unsigned threads = 1 + Visitors;
  void run(unsigned thread) {
    if (thread == 0) {
      for (unsigned r = 0; r < Rounds; ++r) {
        lock_.enter();
        in_piece_ = in_piece_ + 1;
        lock_.leave();
      }
      return;
    }
    for (unsigned r = 0; r < Rounds; ++r) {
      if (!lock_.try_visit()) continue;
      taken_ = taken_ + in_piece_;
      in_piece_ = 0;
      lock_.end_visit();
    }
  }
  void finish() { require(taken_ + in_piece_ == Rounds, "each message is taken once, or still there"); }

 private:
  global::owner_lock<Machine> lock_;
  plain<unsigned> in_piece_{0};
  plain<unsigned> taken_{0};
};

/// Threads that push packets, and one that takes all it finds, as often as there are packets.
template <unsigned Pushers>
class stackers {
 public:
  static constexpr unsigned threads = 1 + Pushers;
  void run(unsigned thread) {
    if (thread != 0) {
      content_[thread - 1] = thread;
      stack_.push(thread - 1, links_.data());
      return;
    }
    for (unsigned i = 0; i < Pushers; ++i) take();
  }
  void finish() {
    take();
    for (unsigned i = 0; i < Pushers; ++i) require(times_[i] == 1, "each packet arrives once");
  }

 private:
  void take() {
    for (std::uint32_t n = stack_.take_all(); n != 0; n = links_[n - 1]) {
      require(content_[n - 1] == n, "a packet arrives with its bytes");
      ++times_[n - 1];
    }
  }

  global::shared_stack<machine::checked> stack_;
  std::array<plain<std::uint32_t>, Pushers> links_{};
  std::array<plain<unsigned>, Pushers> content_{};
  std::array<unsigned, Pushers> times_{};
};

/// Senders that post a packet each and ring, and a receiver that sleeps until it has all.
template <unsigned Senders>
class ringers {
 public:
  static constexpr unsigned threads = 1 + Senders;
  void run(unsigned thread) {
    if (thread != 0) {
      stack_.push(thread - 1, links_.data());
      if (bell_.ring()) machine::checked::unpark(bell_.word(), 1);
      return;
    }
    for (unsigned got = 0;;) {
      const std::uint32_t seen = bell_.rings();
      for (std::uint32_t n = stack_.take_all(); n != 0; n = links_[n - 1]) ++got;
      if (got == Senders) return;
      if (bell_.lie_down(seen)) machine::checked::park(bell_.word(), seen);
      bell_.get_up();
    }
  }

 private:
  global::shared_stack<machine::checked> stack_;
  global::doorbell<machine::checked> bell_;
  std::array<plain<std::uint32_t>, Senders> links_{};
};

constexpr whims none{0, 0};
constexpr whims some{1, 1};
const char* const once = "the piece's messages are taken once";

const registered<piece_sharers<machine::checked, 1, 2>> by_fences("owner_lock.2", once, preemptions(3, some),
                                                                  exhaustive(some));
const registered<piece_sharers<machine::checked, 2, 1>> two_visitors("owner_lock.3", once, preemptions(2, some),
                                                                     preemptions(3, some));
const registered<piece_sharers<without_fences, 1, 2>> by_words("owner_lock.without_fences", once, preemptions(3, some),
                                                               exhaustive(some));
const registered<piece_sharers<without_fences, 2, 1>> more_by_words("owner_lock.3_without_fences", once,
                                                                    preemptions(2, some), preemptions(3, some));
const registered<stackers<2>> stacked("shared_stack.2", "packets arrive once, whole", preemptions(3, some),
                                      exhaustive(some));
const registered<ringers<1>> rung("doorbell.1", "no ring is lost", exhaustive(none), exhaustive(some));
const registered<ringers<2>> rung_twice("doorbell.2", "no ring is lost", preemptions(2, some), preemptions(3, some));

}  // namespace
}  // namespace callisto::check
