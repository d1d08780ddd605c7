// Subjects: how threads share the pieces of messages, and how ranks of a node share packets and sleep.
#include "subject.hpp"

#include <callisto/global/caches/transfer_count.hpp>
#include <callisto/global/messages/owner_lock.hpp>
#include <callisto/global/messages/window.hpp>
#include <callisto/global/transport/doorbell.hpp>
#include <callisto/global/transport/shared_stack.hpp>
#include <callisto/waiting/spin_lock.hpp>

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

  waiting::spin_lock<machine::checked> lock_;
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

/// An asker that asks for pieces, at most a window ahead, and threads that end them. The count is gone in the end.
template <unsigned Enders, unsigned Pieces, std::uint64_t Window>
class transfer_users {
 public:
  static constexpr unsigned threads = 1 + Enders;
  void run(unsigned thread) {
    if (thread != 0) {
      for (unsigned i = thread - 1; i < Pieces; i += Enders) end(i);
      return;
    }
    for (unsigned i = 0; i < Pieces; ++i) {
      while (count_.under_way() + piece > window && count_.under_way() != 0) wait_if(count_.await_few());
      require(count_.under_way() + piece <= window, "no more than the window is under way");
      count_.begin(piece);
      asked_.store(i + 1, order::release);
    }
    wait_if(count_.await_none());
    unsigned sum = 0;
    for (const plain<unsigned>& p : here_) sum += p;
    require(sum == Pieces, "all pieces are here");
    is_gone_ = 1;
  }

 private:
  static constexpr std::uint64_t piece = 2;
  static constexpr std::uint64_t window = Window;

  /// Waits until the word is at least `least`: the machine may end a wait early.
  static void wait_for(const atomic<unsigned>& word, unsigned least) {
    const auto is_less = [least](unsigned found) { return found < least; };
    while (is_less(machine::checked::wait_while(word, is_less, machine::patience::brief))) {
    }
  }
  void wait_if(bool must_wait) {
    if (!must_wait) return;
    wait_for(told_, 1);
    told_.store(0, order::relaxed);
  }
  void end(unsigned i) {
    wait_for(asked_, i + 1);
    here_[i] = 1;
    require(is_gone_ == 0, "the count is there while bytes are under way");
    if (!count_.end(piece)) return;
    require(is_gone_ == 0, "an asker that is about to be told waits for it");
    told_.store(1, order::release);
  }

  global::transfer_count<machine::checked> count_{window / 2};
  atomic<unsigned> asked_{0};
  atomic<unsigned> told_{0};
  std::array<plain<unsigned>, Pieces> here_{};
  plain<unsigned> is_gone_{0};
};

/// One asker that asks for all pieces at once, waits for the first, and then for the rest: the second wait is told by
/// an end that learns of the asker's empty flag from the count alone.
class transfer_of_two {
 public:
  static constexpr unsigned threads = 2;
  void run(unsigned thread) {
    if (thread != 0) {
      for (plain<unsigned>& p : here_) {
        p = 1;
        if (count_.end(piece)) told_.store(1, order::release);
      }
      return;
    }
    wait_if(count_.await_few());
    wait_if(count_.await_none());
    require(here_[0] + here_[1] == 2, "all pieces are here");
  }

 private:
  static constexpr std::uint64_t piece = 2;

  void wait_if(bool must_wait) {
    if (!must_wait) return;
    const auto is_less = [](unsigned found) { return found < 1; };
    while (is_less(machine::checked::wait_while(told_, is_less, machine::patience::brief))) {
    }
    told_.store(0, order::relaxed);
  }

  struct begun : global::transfer_count<machine::checked> {
    begun() : global::transfer_count<machine::checked>(piece) {
      begin(piece);
      begin(piece);
    }
  };
  begun count_;
  atomic<unsigned> told_{0};
  std::array<plain<unsigned>, 2> here_{};
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
const char* const copied = "a transfer ends when all bytes are here, and never has more than its window under way";
const registered<transfer_users<1, 2, 2>> one_ender("transfer_count.1", copied, preemptions(2, some),
                                                    preemptions(2, some));
const registered<transfer_users<2, 3, 4>> two_enders("transfer_count.2", copied, preemptions(1, none),
                                                     preemptions(2, none));
const registered<transfer_of_two> asked_at_once("transfer_count.at_once", copied, exhaustive(some), exhaustive(some));
const registered<ringers<1>> rung("doorbell.1", "no ring is lost", exhaustive(none), exhaustive(some));
const registered<ringers<2>> rung_twice("doorbell.2", "no ring is lost", preemptions(2, some), preemptions(3, some));

}  // namespace
}  // namespace callisto::check
