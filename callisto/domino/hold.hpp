// A hold: the few tasks that a lane's owner has taken and begins in sequence, without a locked instruction. Another
// thread can get the tasks that are not begun: on request, or by force if the owner does not answer. A stalled owner
// keeps only the task that it has already started.
//
// Words:
// - `reserved`: [begun, limit), written by the owner: a plain store for each task that it begins.
// - `request`: how thieves ask for what is reserved, politely and then by force (waiting/forced_steal.hpp). A unit is a
//   task, and a cut is the place of a task and the thief's lane. An owner that calls a thief off puts what it has not
//   begun into its ring, task by task.
//
// A thief copies the tasks before it wins them. That is safe: the owner cannot fill the hold anew while a thief copies
// from it and wins, since it would have called the thief off before.
//
// A hold is filled from a ring, or from another hold: one exchange of a word there decides. The owner may stop right
// after it. So the owner writes a draft first, and any thread may make the draft firm:
//
// 1. *Owner, before the exchange:* writes the tasks, the word's address and the value that it is about to give the
//    word. Then it writes `reserved`, marked as a draft.
// 2. *Owner, decides:* exchanges the word for that value, which no other exchange writes.
// 3. *Owner, after the exchange:* makes `reserved` firm.
// 4. *Thread that finds a draft:* compares. If the word has the value, the tasks are the owner's, and the thread makes
//    them firm.
// 5. *Thread that changes the word again:* first makes the draft firm. So if the word of a draft has another value, the
//    draft was not decided.
#pragma once

#include <callisto/domino/task.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/waiting/forced_steal.hpp>

#include <array>
#include <cstdint>

namespace callisto::domino {

template <machine::policy M>
class hold {
  using order = machine::order;
  using word = machine::atomic_of<M, std::uint64_t>;

 public:
  /// The most tasks in a hold. `M::domino_hold` makes it smaller for the checker.
  static constexpr unsigned capacity = [] {
    if constexpr (requires { M::domino_hold; }) return unsigned{M::domino_hold};
    return 32U;
  }();

  /// Returns how many tasks a thread should take at most: one, if no thread can get more from it by force.
  static unsigned most() noexcept { return M::has_heavy_fence() ? capacity : 1; }

  // For the owner:

  /// Writes the i-th task of the next filling. The hold is empty.
  void stage(std::uint64_t i, const task& of) noexcept { slots_[i].write(of); }

  /// Drafts a filling: the first n tasks staged, from the place `source`, a number. They are the hold's once
  /// `decides` has `value`. commit() or cancel() follows.
  void draft(std::uint64_t n, std::uint64_t source, const word& decides, std::uint64_t value) noexcept {
    next_ = 0;
    limit_ = rest_ = static_cast<std::uint32_t>(n);
    firm_ = ((firm_ >> version_shift) + 1) << version_shift | n << 16;
    source_.store(source, order::relaxed);  // relaxed: as a task, see shared_task
    // release: a thread in settle() that reads one of these also finds that the draft before has ended.
    decides_.store(&decides, order::release);
    value_.store(value, order::release);
    // release: publishes the above and the slots, and what spawned the tasks, to the acquires in settle() and ask().
    reserved_.store(firm_ | draft_bit, order::release);
  }
  void commit() noexcept { reserved_.store(firm_, order::release); }  // release: as in draft()
  /// The tasks that are not begun.
  unsigned size() const noexcept { return limit_ - next_; }
  /// The head of the k-th of these: a hint, since thieves may take it.
  std::uint64_t upcoming(unsigned k) const noexcept { return slots_[next_ + k].head(); }
  void cancel() noexcept {
    reserved_.store(firm_ | limit_, order::relaxed);  // relaxed: an empty part lets a thief read nothing
    next_ = limit_;
  }

  /// Begins the next task: true, and `next` is to be run. False if none is left. Calls give_back(task) for each task
  /// that it gives back to other threads because a thread has asked, and settle(lane) for a lane that has taken the
  /// rest.
  template <class GiveBack, class Settle>
  bool begin(task& next, const GiveBack& give_back, const Settle& settle) {
    if (next_ == limit_) {
      if (rest_ == limit_) {
        turn_away();
        return false;
      }
      if (!give_rest(give_back, settle)) return false;
    }
    const std::uint32_t at = next_;
    if (!advance(settle)) return false;
    slots_[at].copy_to(next);
    return true;
  }

  /// Lets a thief go on that asks in vain. Called while the hold is empty.
  void turn_away() noexcept { request_.refuse(); }

  /// Takes the tasks that are not begun out of the hold: calls give_back(task) for each. The owner leaves.
  template <class GiveBack, class Settle>
  void empty(const GiveBack& give_back, const Settle& settle) {
    task next;
    while (begin(next, give_back, settle)) give_back(next);
  }

  // For any thread:

  /// Makes a draft firm if its filling was decided. Returns `reserved` as it then is.
  std::uint64_t settle() noexcept {
    for (;;) {
      std::uint64_t found = reserved_.load(order::acquire);  // acquire: pairs with draft(), commit() and advance()
      if ((found & draft_bit) == 0) return found;
      // acquire: pairs with draft(): a newer value comes with a newer `reserved`.
      const word* const decides = decides_.load(order::acquire);
      const std::uint64_t value = value_.load(order::acquire);
      const bool decided = decides->load(order::relaxed) == value;
      if (reserved_.load(order::relaxed) != found) continue;  // the owner has ended it, or another thread
      if (!decided) return found;
      const std::uint64_t firm = found & ~draft_bit;
      if (reserved_.compare_exchange(found, firm, order::relaxed)) return firm;  // relaxed: what draft() has published
    }
  }

  using reply = waiting::steal_reply;

  /// Asks for what is not begun. The tasks that it takes by force are in `mine` then, the empty hold of the caller's
  /// lane, and `source` is where the tasks are from.
  template <class Hold>
  reply ask(Hold& mine, unsigned lane, std::uint64_t& source) {
    return request_.ask(thief<Hold>{*this, mine, lane, source});
  }

  /// True if it has tasks that are not begun: a hint.
  bool has_tasks() const noexcept { return !is_empty(reserved_.load(order::relaxed)); }

 private:
  /// A task that several threads may look at. Relaxed throughout: a thief that copies it wins or loses it by a change
  /// of `request`, and drops the copy if it loses. The owner overwrites it only after it has seen that change.
  class shared_task {
   public:
    void write(const task& of) noexcept {
      words_[0].store(of.head, order::relaxed);
      task::each_word(of.words(), [&](unsigned w) { words_[1 + w].store(of.record[w], order::relaxed); });
    }
    /// Into memory that the caller passes on: a processor waits for words that are written and at once read as vectors.
    void copy_to(task& to) const noexcept {
      const std::uint64_t head = words_[0].load(order::relaxed);
      to.head = head;
      task::each_word(task::words(head), [&](unsigned w) { to.record[w] = words_[1 + w].load(order::relaxed); });
    }
    std::uint64_t head() const noexcept { return words_[0].load(order::relaxed); }
    task read() const noexcept {
      task copy;
      copy_to(copy);
      return copy;
    }

   private:
    std::array<word, 1 + task::most_record_words> words_{};
  };

  /// A thief that drafts its hold with the tasks that it sees: they are its own once it has cut off the owner.
  template <class Hold>
  struct thief {
    hold& from;
    Hold& mine;
    unsigned lane;
    std::uint64_t& source;
    std::uint64_t part = 0;
    bool look() noexcept { return !is_empty(part = from.settle()); }
    std::uint64_t cut() const noexcept { return first(part) | std::uint64_t{lane} << lane_shift; }
    void prepare(const word& decides, std::uint64_t value) {
      std::uint64_t n = 0;
      for (std::uint32_t at = first(part); at < last(part); ++at) mine.stage(n++, from.slots_[at].read());
      source = from.source_.load(order::relaxed);
      mine.draft(n, source, decides, value);
    }
    void commit() { mine.commit(); }
    void cancel() { mine.cancel(); }
  };

  // Words of `reserved`, from the low end: begun and limit in 16 bits each, the draft bit, a version in 31.
  static constexpr unsigned version_shift = 33;
  static constexpr std::uint64_t draft_bit = std::uint64_t{1} << 32;
  static constexpr std::uint32_t first(std::uint64_t pair) noexcept { return pair & 0xffff; }
  static constexpr std::uint32_t last(std::uint64_t pair) noexcept { return pair >> 16 & 0xffff; }
  static constexpr bool is_empty(std::uint64_t pair) noexcept {
    return first(pair) >= last(pair) || (pair & draft_bit) != 0;
  }

  // A cut, from the low end: the place of a task in 8 bits, the thief's lane in 16.
  static constexpr unsigned cut_bits = 24;
  static constexpr unsigned lane_shift = 8;

  /// Begins the task at next_. False if a thief has taken it, and what followed.
  template <class Settle>
  bool advance(const Settle& settle) {
    // release: as in draft(), for the tasks that are left.
    reserved_.store(firm_ | (next_ + 1), order::release);
    next_ = next_ + 1;
    if (!request_.is_asked()) [[likely]]
      return true;
    return answer(settle);
  }

  /// Answers a thief, after `begun` was advanced to next_. True if the task before next_ is the owner's.
  template <class Settle>
  [[gnu::cold, gnu::noinline]] bool answer(const Settle& settle) {
    using outcome = typename decltype(request_)::outcome;
    const auto heard = request_.call_off();
    if (heard.how == outcome::unasked) return true;
    if (heard.how == outcome::called_off) {
      limit_ = next_;  // the owner ends this task, then gives back the rest
      return true;
    }
    // The thief took everything from the cut on. It has seen the task that the owner is about to begin, or not.
    const bool mine = (heard.cut & 0xff) == next_;
    settle(static_cast<unsigned>(heard.cut >> lane_shift));  // before the word that decides changes
    reserved_.store(firm_ | rest_, order::relaxed);          // relaxed: an empty part lets a thief read nothing
    request_.end_cut();
    next_ = limit_ = rest_;
    return mine;
  }

  /// Gives back all tasks but the last one, each as if it began it. False if a thief has taken what was left.
  template <class GiveBack, class Settle>
  [[gnu::cold, gnu::noinline]] bool give_rest(const GiveBack& give_back, const Settle& settle) {
    limit_ = rest_;
    while (limit_ - next_ > 1) {
      const std::uint32_t at = next_;
      if (!advance(settle)) return false;
      give_back(slots_[at].read());
      limit_ = rest_;
    }
    return next_ != limit_;
  }

  alignas(M::line_size) word reserved_{0};
  word source_{0};
  machine::atomic_of<M, const word*> decides_{nullptr};
  word value_{0};
  std::uint64_t firm_ = 0;  ///< `reserved` of this filling before anything has begun
  machine::plain_of<M, std::uint32_t> next_{0};
  machine::plain_of<M, std::uint32_t> limit_{0};  ///< the owner begins what is before it
  machine::plain_of<M, std::uint32_t> rest_{0};   ///< the end; beyond limit_ if it was asked for the rest
  alignas(M::line_size) waiting::forced_steal<M, cut_bits, true> request_;
  alignas(M::line_size) std::array<shared_task, capacity> slots_{};
};

}  // namespace callisto::domino
