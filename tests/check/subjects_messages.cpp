// Subjects: how threads share the pieces of messages, and how ranks of a node share packets and sleep.
#include "subject.hpp"

#include <callisto/global/messages/owner_lock.hpp>
#include <callisto/global/messages/window.hpp>
#include <callisto/global/transport/doorbell.hpp>
#include <callisto/global/transport/shared_stack.hpp>
#include <callisto/workers/waiting/spin_lock.hpp>

#include <algorithm>
#include <array>
#include <mutex>

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

/// Threads of a rank that send packets of several sizes to another one, which gives credits back when they are due.
template <unsigned Senders, std::uint32_t... Charges>
class window_users {
 public:
  static constexpr unsigned threads = 1 + Senders;
  void run(unsigned thread) {
    if (thread == Senders) return receive();
    for (const std::uint32_t charge : charges) {
      {
        const std::scoped_lock guard(lock_);
        queue_[queued_] = charge;
        queued_ = queued_ + 1;
        window_.enqueue(charge);
        require(window_.queued() + window_.under_way() <= limit + Senders * most, "each task is one packet ahead");
        move();
      }
      while (window_.is_over(limit)) wait();
    }
    while (is_queued()) wait();
  }
  void finish() {
    require(handled_ == Senders * sum, "each packet arrives");
    require(window_.queued() == 0, "nothing waits in the end");
    const std::uint64_t coming = credits_.load(order::acquire) - taken_;
    require(window_.under_way() == debt_.owed() + coming, "what is under way is what the receiver owes");
  }

 private:
  static constexpr std::uint64_t limit = 8;
  static constexpr std::array<std::uint32_t, sizeof...(Charges)> charges{Charges...};
  static constexpr std::uint64_t sum = (std::uint64_t{Charges} + ...);
  static constexpr std::uint64_t most = std::max({limit, std::uint64_t{Charges}...});

  /// Waits until more credits have come than any thread has taken, and takes them.
  void wait() {
    std::uint64_t seen;
    {
      const std::scoped_lock guard(lock_);
      move();
      seen = taken_;
      if (!window_.is_over(limit) && sent_ == queued_) return;
    }
    machine::checked::wait_while(credits_, [seen](std::uint64_t c) { return c == seen; }, machine::patience::brief);
    const std::scoped_lock guard(lock_);
    move();
  }
  bool is_queued() {
    const std::scoped_lock guard(lock_);
    return sent_ != queued_;
  }
  /// Takes credits, and sends what may leave.
  void move() {
    const std::uint64_t credits = credits_.load(order::acquire);
    require(window_.give_back(credits - taken_), "no more comes back than went away");
    taken_ = credits;
    while (sent_ != queued_ && window_.admits(queue_[sent_], limit)) {
      const std::uint32_t charge = queue_[sent_];
      sent_ = sent_ + 1;
      window_.leave(charge);
      wire_.store(wire_.load(order::relaxed) + charge, order::release);
    }
  }
  void receive() {
    while (handled_ != Senders * sum) {
      const std::uint64_t seen = handled_;
      const std::uint64_t arrived =
          machine::checked::wait_while(wire_, [seen](std::uint64_t w) { return w == seen; }, machine::patience::brief);
      require(arrived - seen + debt_.owed() <= most, "no more than the window is under way");
      debt_.add(static_cast<std::uint32_t>(arrived - seen));
      handled_ = arrived;
      if (!debt_.is_due(limit)) continue;
      credits_.store(credits_.load(order::relaxed) + debt_.owed(), order::release);
      debt_.clear();
    }
  }

  workers::spin_lock<machine::checked> lock_;
  global::send_window<machine::checked> window_;
  std::array<std::uint32_t, Senders * charges.size()> queue_{};
  plain<unsigned> queued_{0};
  plain<unsigned> sent_{0};
  plain<std::uint64_t> taken_{0};
  atomic<std::uint64_t> wire_{0};
  atomic<std::uint64_t> credits_{0};
  // Of the receiver:
  global::credit_debt debt_;
  std::uint64_t handled_ = 0;
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
const char* const bounded = "what is under way is bounded, and every packet leaves";
const registered<window_users<1, 3, 3, 9, 3>> one_sender("window.1", bounded, preemptions(3, none), exhaustive(some));
const registered<window_users<2, 3, 5>> two_senders("window.2", bounded, preemptions(1, none), preemptions(2, some));
const registered<ringers<1>> rung("doorbell.1", "no ring is lost", exhaustive(none), exhaustive(some));
const registered<ringers<2>> rung_twice("doorbell.2", "no ring is lost", preemptions(2, some), preemptions(3, some));

}  // namespace
}  // namespace callisto::check
