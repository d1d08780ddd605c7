// A loop as a work item: claim a batch, run the body over it, until nothing is left (ATC'15 section 2.1).
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/workers/work_item.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <stop_token>

namespace callisto::loop {

/// How much to ask the distributor for: the caller's batch, or batches that take about a target of time each: ten
/// microseconds, in long loops a thousandth of the time since the loop began, and never more than a hundred.
///
/// Time is measured for every batch, never once (a single probe that is preempted misleads for a whole loop, hpx#2173):
/// the size doubles while a batch takes less than half the target, halves above twice, and starts over above 16 times.
/// Ten microseconds keep the cost of a claim and of reading the clock near 1%, and bound what a thread can have left to
/// do when the others run dry, as a thousandth of the loop does; so does the share of the stripe that is left near the
/// end (shared/peers/loop-peers.md, section 5, idea 1). Longer batches pay by what a thread keeps in its own caches
/// from one iteration to the next: 1 to 2% in triangle counting.
template <class M>
class batch_sizer {
 public:
  /// `fixed`: the caller's batch, or 0. `n`: iterations of the whole loop, for `threads`.
  batch_sizer(std::uint64_t fixed, std::uint64_t n, unsigned threads) noexcept
      : timed_(fixed == 0 && n > 4 * std::uint64_t{threads}), size_(fixed == 0 ? 1 : fixed) {
    if (timed_) {
      shortest_ = M::ticks_per_second() / 100'000;
      target_ = shortest_;
      loop_began_ = M::ticks();
      begin_ = loop_began_;
    }
  }

  /// The size to ask for when `near` iterations are left nearby.
  std::uint64_t next(std::uint64_t near) const noexcept {
    return timed_ ? std::max<std::uint64_t>(1, std::min(size_, near / 8)) : size_;
  }

  /// A batch of `size` iterations has ended.
  void ended(std::uint64_t size) noexcept {
    if (!timed_) return;
    const std::uint64_t now = M::ticks();
    const std::uint64_t took = now - begin_;
    begin_ = now;
    target_ = std::clamp((now - loop_began_) / 1024, shortest_, 10 * shortest_);
    if (took > 16 * target_) {
      size_ = 1;
    } else if (took > 2 * target_) {
      size_ = std::max<std::uint64_t>(1, size_ / 2);
    } else if (took < target_ / 2 && size <= size_ && size_ < largest) {
      size_ *= 2;
    }
  }

 private:
  static constexpr std::uint64_t largest = std::uint64_t{1} << 31;

  bool timed_;
  std::uint64_t size_;
  std::uint64_t shortest_ = 0;
  std::uint64_t target_ = 0;
  std::uint64_t loop_began_ = 0;
  std::uint64_t begin_ = 0;
};

/// The loop body [0, n) of `Body`, handed out by `Distributor`. `Body` provides
///   class participant { explicit participant(Body&); void work(first, last); void join(); };
/// one of which is made on the stack of each thread that claims anything (fork), runs its batches, and joins at the end
/// unless a body threw on that thread. `Stop` is asked before every batch: stop_possible(), stop_requested().
template <class M, class Distributor, class Body, class Stop = std::stop_token>
class loop_item final : public workers::work_item {
  using order = machine::order;
  template <class T>
  using plain = typename M::template plain<T>;

 public:
  /// `scale`: iterations of the body to one of the distributor (a power of two; more than 1 only for loops of over 2^62
  /// iterations). `together`: all threads take from one place.
  loop_item(Body& body, std::uint64_t n, unsigned scale_bits, unsigned threads, std::uint64_t batch, const Stop& stop,
            bool together = false) noexcept
      : body_(body),
        n_(n),
        scale_bits_(scale_bits),
        units_(units(n, scale_bits)),
        threads_(threads),
        stop_(stop),
        stoppable_(stop.stop_possible()),
        // A loop that one thread runs, and that nothing can stop, is one batch.
        batch_(batch != 0                    ? units(batch, scale_bits)
               : threads == 1 && !stoppable_ ? std::uint64_t{units_}
                                             : 0),
        distributor_(units_, threads, together ? std::uint64_t{units_} : std::max<std::uint64_t>(1, batch_)) {}

  void run(unsigned thread, publication* published) noexcept override {
    auto cursor = distributor_.cursor_of(thread);
    batch_sizer<M> sizer(batch_, units_, threads_);
    distributor::range r = claim(cursor, sizer, published);
    if (r.empty()) return;
    try {
      typename Body::participant mine(body_);
      do {
        mine.work(r.first << scale_bits_, r.last == units_ ? std::uint64_t{n_} : r.last << scale_bits_);
        sizer.ended(r.size());
        r = claim(cursor, sizer, published);
      } while (!r.empty());
      mine.join();
    } catch (...) {
      fail(std::current_exception(), published);
    }
  }

  /// Leader, after everybody has left: rethrows what a body threw, the first one; true if no iteration was dropped.
  bool result() const {
    if (const std::exception_ptr& thrown = thrown_; thrown) std::rethrow_exception(thrown);
    return dropped_.load(order::relaxed) == 0;  // relaxed: the gate ordered it
  }

 private:
  static constexpr std::uint64_t units(std::uint64_t n, unsigned bits) noexcept {
    return (n >> bits) + ((n & ((std::uint64_t{1} << bits) - 1)) != 0 ? 1 : 0);
  }

  distributor::range claim(typename Distributor::cursor& cursor, const batch_sizer<M>& sizer,
                           publication* published) noexcept {
    if (stoppable_ && stop_.stop_requested()) {
      drop_the_rest(published);
      return {};
    }
    const distributor::range r = distributor_.claim(cursor, sizer.next(distributor_.near(cursor)));
    if (r.is_final && published != nullptr) published->withdraw();
    return r;
  }

  void drop_the_rest(publication* published) noexcept {
    // relaxed: read by the leader behind the gate.
    if (distributor_.exhaust()) dropped_.store(1, order::relaxed);
    if (published != nullptr) published->withdraw();
  }

  [[gnu::cold, gnu::noinline]] void fail(std::exception_ptr thrown, publication* published) noexcept {
    drop_the_rest(published);
    // relaxed: it only elects one; the leader reads the exception behind the gate.
    if (failed_.exchange(1, order::relaxed) == 0) thrown_ = std::move(thrown);
  }

  Body& body_;
  const plain<std::uint64_t> n_;
  const plain<unsigned> scale_bits_;
  const plain<std::uint64_t> units_;
  const plain<unsigned> threads_;
  const Stop& stop_;
  const plain<bool> stoppable_;
  const plain<std::uint64_t> batch_;  ///< in units; 0: sized by time
  typename M::template atomic<std::uint32_t> dropped_{0};
  typename M::template atomic<std::uint32_t> failed_{0};
  plain<std::exception_ptr> thrown_;
  Distributor distributor_;
};

}  // namespace callisto::loop
