// A ring: tasks in order of arrival. Its owner puts them in at the back; any thread takes from the front.
//
//   head    the first word that no thread has taken, which only grows, and the lane that took those before it; by
//           compare-and-swap
//   tail    the end of the words that may be taken; the owner, or the thread that opens a phase, moves it
//   put     the end of the words that were put in. Tasks in [tail, put) wait for their phase, and no thread sees them.
//
// A task takes as many words as it has. Positions are words.
// 1. A thread that takes copies tasks first and wins them by moving `head`. If another thread was faster, it drops the
//    copy, which may then be of any words.
// 2. Positions only grow, so a `head` that is unchanged means that the words were the same all the time.
// 3. The owner overwrites a word only after it has seen `head` beyond it.
// 4. A full ring grows: the owner copies what is left into a buffer of twice the size and publishes that. The old one
//    stays readable until the ring ends, for threads that still copy from it. All old buffers take less than the new.
#pragma once

#include <callisto/domino/task.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/thread_sanitizer.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace callisto::domino {

template <machine::policy M>
class ring {
  using order = machine::order;
  using word = machine::atomic_of<M, std::uint64_t>;

 public:
  /// Words that fit before the ring grows for the first time, at least 4. `M::domino_ring` makes it smaller for the
  /// checker.
  static constexpr std::uint64_t first_capacity = [] {
    if constexpr (requires { M::domino_ring; }) return std::uint64_t{M::domino_ring};
    return std::uint64_t{256};
  }();

  ring() = default;
  ~ring() {
    const machine::memory_unseen_by_sanitizer hidden;  // as in make_room()
    const auto ended = std::move(buffers_);
  }
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  /// Puts a task in, invisible until publish(). Called by the owner. May throw std::bad_alloc; then nothing happened.
  void put(const task& of) {
    if (!has_room(of)) [[unlikely]]
      make_room(put_, of.words());
    put_ = write_in_room(put_, of);
    waiting_ = waiting_ + 1;
  }

  /// Puts a task in that other threads may take at once, and all before it. Called by the owner.
  void put_published(const task& of) {
    if (!has_room(of)) [[unlikely]]
      make_room(put_, of.words());
    put_published_in_room(of);
  }
  /// Does the same for a task that the ring has room for.
  void put_published_in_room(const task& of) noexcept {
    const std::uint64_t end = write_in_room(put_, of);
    put_ = end;
    tail_.store(end, order::release);  // release: as in publish()
  }
  bool has_room(const task& of) const noexcept { return put_ + of.words() < limit_; }

  /// Lets threads take all tasks that were put in. Called by the owner, or by a thread that has the ring to itself.
  void publish() noexcept {
    waiting_ = 0;
    // release: publishes the words, and what spawned the tasks, to the acquire in take().
    tail_.store(put_, order::release);
  }

  /// The number of tasks that wait for publish(). As for publish().
  std::uint64_t unpublished() const noexcept { return waiting_; }

  /// The k-th word that no thread has taken, if there is one: a hint, and maybe a word of a record. Called by the
  /// owner.
  std::optional<std::uint64_t> upcoming(std::uint64_t k) const noexcept {
    const std::uint64_t at = position(head_.load(order::relaxed)) + k;  // relaxed: a hint
    if (at >= put_) return std::nullopt;
    return words_[at & mask_].load(order::relaxed);
  }

  /// True if there is nothing to take: a hint.
  bool looks_empty() const noexcept {
    // acquire: pairs with take(), so that a draft of the lane that took the last tasks is visible (hold.hpp).
    const std::uint64_t head = position(head_.load(order::acquire));
    return tail_.load(order::relaxed) <= head;
  }

  /// Takes the first tasks, up to `most` and about half of what is there, for `taker`:
  ///   number()                its lane + 1; 0: no other thread takes meanwhile
  ///   settle(lane)            makes firm what this lane may have taken last
  ///   stage(i, task)          keeps the i-th task; maybe called anew
  ///   draft(n, word, value)   says that the n tasks are its own once the word has this value
  ///   commit(), cancel()      says that they are, or are not
  ///   may_take()              asked after tasks were seen
  ///   tries_again()           asked after another thread was faster
  /// Returns how many it took: 0 if there are none, or if may_take() or tries_again() is false. From any thread.
  template <class Taker>
  std::uint64_t take(std::uint64_t most, Taker&& taker) {
    for (;;) {
      // acquire: pairs with the exchange below, for the draft of the last taker.
      std::uint64_t head = head_.load(order::acquire);
      // acquire: pairs with publish().
      const std::uint64_t tail = tail_.load(order::acquire);
      const std::uint64_t first = position(head);
      if (tail <= first || !taker.may_take()) return 0;
      const std::uint64_t last_taker = head >> lane_shift;
      if (last_taker != 0 && last_taker != taker.number()) taker.settle(static_cast<unsigned>(last_taker - 1));
      // acquire: pairs with make_room(). A buffer newer than `tail` has the same tasks in the same positions.
      const buffer& from = *buffer_.load(order::acquire);
      const word* const words = from.words;
      const std::uint64_t mask = from.mask;
      const std::uint64_t half = first + (tail - first + 1) / 2;
      std::uint64_t n = 0;
      std::uint64_t at = first;
      do {
        task copy{};  // takers may copy all of it
        copy.head = words[at & mask].load(order::relaxed);
        const unsigned record = copy.words();
        task::each_word(record, [&](unsigned w) { copy.record[w] = words[(at + 1 + w) & mask].load(order::relaxed); });
        taker.stage(n, copy);
        at += 1 + record;
      } while (++n < most && at < half);
      const std::uint64_t taken = at | taker.number() << lane_shift;
      taker.draft(n, head_, taken);
      // release: the copies were made before. Pairs with the acquire in make_room(), after which the words are reused.
      // It also publishes the draft.
      if (head_.compare_exchange(head, taken, order::release)) {
        taker.commit();
        return n;
      }
      taker.cancel();
      if (!taker.tries_again()) return 0;
    }
  }

  /// Takes all tasks one by one, and calls f(task) for each. No other thread takes meanwhile.
  template <class F>
  void drain(F f) {
    struct {
      task one{};
      std::uint64_t number() const { return 0; }
      void settle(unsigned) const {}
      void stage(std::uint64_t, const task& t) { one = t; }
      void draft(std::uint64_t, const word&, std::uint64_t) const {}
      void commit() const {}
      void cancel() const {}
      bool may_take() const { return true; }
      bool tries_again() const { return true; }
    } taker;
    while (take(1, taker) != 0) f(taker.one);
  }

  /// The most lanes that may take.
  static constexpr std::uint64_t most_lanes = (1U << 16) - 1;

 private:
  // `head`: a position in 48 bits, and the number of the taker.
  static constexpr unsigned lane_shift = 48;
  static constexpr std::uint64_t position(std::uint64_t head) noexcept {
    return head & ((std::uint64_t{1} << lane_shift) - 1);
  }

  struct buffer {
    explicit buffer(std::uint64_t capacity)
        : mask(capacity - 1), words(static_cast<word*>(::operator new(capacity * sizeof(word), line))) {
      std::uninitialized_default_construct_n(words, capacity);
    }
    ~buffer() {
      std::destroy_n(words, mask + 1);
      ::operator delete(words, line);
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    static constexpr std::align_val_t line{M::line_size};
    const std::uint64_t mask;
    word* const words;
  };

  /// Writes a task at a position, and returns the end of it.
  std::uint64_t write_in_room(std::uint64_t at, const task& of) noexcept {
    const unsigned record = of.words();
    // relaxed: publish() publishes the words, and make_room() the buffer.
    words_[at & mask_].store(of.head, order::relaxed);
    task::each_word(record, [&](unsigned w) { words_[(at + 1 + w) & mask_].store(of.record[w], order::relaxed); });
    return at + 1 + record;
  }

  /// Makes sure that positions [at, at + record] have separate words.
  [[gnu::noinline]] void make_room(std::uint64_t at, unsigned record) {
    const machine::memory_unseen_by_sanitizer hidden;  // another thread gives it back
    const std::uint64_t capacity = words_ == nullptr ? 0 : mask_ + 1;
    const std::uint64_t head = position(head_.load(order::acquire));  // acquire: take() has read what is before it
    limit_ = head + capacity;
    if (at + record < limit_) return;
    auto larger = std::make_unique<buffer>(std::max(first_capacity, 2 * capacity));
    for (std::uint64_t p = head; p < at; ++p)
      larger->words[p & larger->mask].store(words_[p & mask_].load(order::relaxed), order::relaxed);
    buffers_.push_back(std::move(larger));
    const buffer& made = *buffers_.back();
    mask_ = made.mask;
    limit_ = head + made.mask + 1;
    words_ = made.words;
    buffer_.store(&made, order::release);  // release: publishes the copies to take()
  }

  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> head_{0};
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> tail_{0};
  machine::atomic_of<M, const buffer*> buffer_{nullptr};
  // The owner's, handed on with the ring:
  machine::plain_of<M, std::uint64_t> put_{0};
  machine::plain_of<M, std::uint64_t> waiting_{0};  ///< tasks that were put in and not published
  std::uint64_t limit_ = 0;                         ///< the end of the positions that are free, or were put in
  std::uint64_t mask_ = 0;
  word* words_ = nullptr;
  std::vector<std::unique_ptr<buffer>> buffers_;
};

}  // namespace callisto::domino
