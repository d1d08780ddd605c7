// Algorithms in pieces: how a sequence is shared, after a beginning on the calling thread alone.
//
// Another thread pays if what is left takes longer than its wake-up. How long elements take is found by time: the
// calling thread runs pieces that grow while they are cheap, for 10 us at most or for one element, and looks at the
// clock between them. The rest is a loop.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/exceptions.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <utility>

namespace callisto::loop {

/// The pieces that the calling thread runs before it asks for threads.
class beginning_alone {
 public:
  beginning_alone(std::uint64_t n, const policy& by) : n_(n), stop_(by.options().stop) {}

  /// Moves on to the next piece; false: there is none, as the time has passed or all is done. Throws cancelled.
  bool next() {
    if (to_ == n_) return false;
    if (stop_.stop_possible() && stop_.stop_requested()) machine::throw_cancelled();
    if (to_ == 0) {
      began_ = machine::native::ticks();
    } else if (!grow()) {
      return false;
    }
    from_ = to_;
    to_ += std::min(size_, n_ - to_);
    return true;
  }
  std::uint64_t from() const noexcept { return from_; }
  std::uint64_t to() const noexcept { return to_; }

 private:
  bool grow() noexcept {
    if (limit_ == 0) limit_ = machine::native::ticks_per_second() / 100'000;
    const std::uint64_t took = machine::native::ticks() - began_;
    if (took >= limit_) return false;
    // Pieces grow by 8, as far as the time allows by what elements have taken so far.
    const double rate = static_cast<double>(to_) / static_cast<double>(took + 1);
    const double fits = rate * static_cast<double>(limit_ - took);
    size_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(fits, static_cast<double>(8 * size_))));
    return true;
  }

  const std::uint64_t n_;
  const std::stop_token& stop_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::uint64_t size_ = 1;
  std::uint64_t began_ = 0;
  std::uint64_t limit_ = 0;
};

/// A callable that takes the two ends of a piece, without its type: the loop over it is compiled once.
template <class R>
class piece_function {
 public:
  template <class F>
  explicit piece_function(F& f) noexcept
      : f_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* of, std::uint64_t from, std::uint64_t to) -> R { return (*static_cast<F*>(of))(from, to); }) {}
  R operator()(std::uint64_t from, std::uint64_t to) const { return call_(f_, from, to); }

 private:
  void* f_;
  R (*call_)(void*, std::uint64_t, std::uint64_t);
};

/// Calls f(begin, end) for pieces of [from, n) in a loop.
inline void hand_out(std::uint64_t from, std::uint64_t n, const piece_function<void>& f, const policy& by,
                     bool together = false) {
  loop_options options = by.options();
  options.together = together;
  if (!parallel_for(from, n, f, options, by.where())) machine::throw_cancelled();
}
/// for_pieces(), compiled once.
inline void run_pieces(std::uint64_t n, const piece_function<void>& f, const policy& by, bool together) {
  beginning_alone alone(n, by);
  while (alone.next()) f(alone.from(), alone.to());
  if (alone.to() != n) hand_out(alone.to(), n, f, by, together);
}
/// Calls f(begin, end) for pieces of [0, n): each iteration is in one. Throws what f throws, and cancelled. `together`:
/// as in loop_options.
template <class F>
void for_pieces(std::uint64_t n, F&& f, const policy& by, bool together = false) {
  run_pieces(n, piece_function<void>(f), by, together);
}

/// Calls f(begin, end) for pieces of [0, n), whatever happens: for elements that are on their way between two arrays. f
/// does not throw, so the loop fails only before it begins, as where the system refuses threads or a variable of the
/// environment is wrong. The calling thread runs it all then; the next loop says what was wrong.
template <class F>
void move_pieces(std::uint64_t n, F&& f, std::source_location where) noexcept {
  static_assert(noexcept(f(n, n)));
  const policy unstopped(where);
  beginning_alone alone(n, unstopped);
  while (alone.next()) f(alone.from(), alone.to());
  if (alone.to() == n) return;
  try {
    hand_out(alone.to(), n, piece_function<void>(f), unstopped);
  } catch (...) {
    f(alone.to(), n);
  }
}

/// Calls f(block) for each of `all`, as for_pieces.
template <class F>
void for_blocks(const blocks& all, F&& f, const policy& by, bool together = false) {
  for_pieces(
      all.count(),
      [&](std::uint64_t from, std::uint64_t to) {
        for (; from < to; ++from) f(from);
      },
      by, together);
}

/// find_first(), compiled once.
inline std::uint64_t look_through(std::uint64_t n, const piece_function<std::uint64_t>& look, const policy& by) {
  beginning_alone alone(n, by);
  while (alone.next()) {
    if (const std::uint64_t at = look(alone.from(), alone.to()); at != alone.to()) return at;
  }
  const std::uint64_t begin = alone.to();
  if (begin == n) return n;
  std::atomic<std::uint64_t> found{n};
  const std::uint64_t left = n - begin;
  // Blocks, so that the first ones are looked at early, and a block behind the first hit costs a comparison.
  // An eighth of what the calling thread has looked at: about 1 us.
  const std::uint64_t brief = std::clamp<std::uint64_t>(begin / 8, 1, 1 << 12);
  const blocks rest(left, std::max(brief, blocks::least_for(left, 1 << 10)), 1 << 14);
  loop_options options = by.options();
  options.together = true;
  const bool all = parallel_for(
      std::uint64_t{0}, rest.count(),
      [&](std::uint64_t b) {
        const std::uint64_t from = begin + rest.begin(b);
        const std::uint64_t to = begin + rest.end(b);
        // relaxed, all: the number alone counts; the loop's end orders the rest.
        if (found.load(std::memory_order_relaxed) < from) return;
        const std::uint64_t at = look(from, to);
        if (at == to) return;
        std::uint64_t known = found.load(std::memory_order_relaxed);
        while (at < known && !found.compare_exchange_weak(known, at, std::memory_order_relaxed)) {
        }
      },
      options, by.where());
  if (!all) machine::throw_cancelled();
  return found.load(std::memory_order_relaxed);
}
/// Returns the first i of [0, n) that `look` finds: look(begin, end) returns the first one of a piece, or `end`.
/// Threads drop what lies behind the first one known.
template <class Look>
std::uint64_t find_first(std::uint64_t n, Look look, const policy& by) {
  return look_through(n, piece_function<std::uint64_t>(look), by);
}

/// Returns the first i of [from, to) for which hit(i), or `to`. `Cheap`: hit may be called for some behind it; a long
/// piece is then looked at without branches, which compilers make vectors of.
template <bool Cheap, class Hit>
std::uint64_t first_hit(std::uint64_t from, std::uint64_t to, Hit hit) {
  if constexpr (Cheap) {
    constexpr std::uint64_t stretch = 64;
    // A piece is long if its elements are cheap.
    for (; to - from >= 4 * stretch; from += stretch) {
      unsigned hits = 0;
      for (std::uint64_t i = 0; i < stretch; ++i) hits |= hit(from + i) ? 1u : 0u;
      if (hits != 0) break;
    }
  }
  for (; from < to; ++from) {
    if (hit(from)) return from;
  }
  return to;
}

/// Returns the value of [0, n): fold(begin, end) of its pieces, combined in any order; none if n is 0.
template <class T, class Fold, class Combine>
std::optional<T> fold_pieces(std::uint64_t n, Fold fold, Combine combine, const policy& by) {
  std::optional<T> total;
  waiting::spin_lock<machine::native> lock;
  for_pieces(
      n,
      [&](std::uint64_t from, std::uint64_t to) {
        T mine = fold(from, to);
        const std::scoped_lock held(lock);
        if (total.has_value()) {
          total = combine(std::move(*total), std::move(mine));
        } else {
          total = std::move(mine);
        }
      },
      by);
  return total;
}

}  // namespace callisto::loop
