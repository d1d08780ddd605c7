// Keeping some elements: copying them, removing the rest, partitions.
//
// 1. Each block lists the places that are kept, without a branch that depends on an element.
// 2. Sums over the blocks say where each block's elements go.
// 3. Each block writes what its list says. So a block that keeps few costs little then.
//
// As long as the calling thread is alone, it writes copies at once. An algorithm that changes places knows all of them
// before it moves an element: a condition that throws leaves all elements where they are. Small plain elements, which
// are copied rather than moved, are the exception.
#pragma once

#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/algorithms/sort_alone.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto {

namespace loop {

/// The places of [begin, begin + n) that are kept, listed by blocks. The calling thread lists the first block
/// alone; the size of the blocks behind it follows from that.
class kept_places {
 public:
  /// Throws std::bad_alloc.
  kept_places(std::uint64_t begin, std::uint64_t n)
      : begin_(begin), n_(n), list_(std::make_unique_for_overwrite<std::uint16_t[]>(n)), before_(2, 0) {}

  /// Lists the places for which keep(i), which is called once for each. Throws what that throws. `known`: how many
  /// elements the calling thread has done alone; 0: it begins alone here.
  template <class Keep>
  void list(Keep keep, const policy& by, std::uint64_t known = 0) {
    beginning_alone alone(known != 0 ? 0 : std::min(n_, most_in_block), by);
    while (alone.next()) before_[1] += list_piece(list_.get() + before_[1], alone.from(), 0, alone.to(), keep);
    alone_ = alone.to();
    const std::uint64_t left = n_ - alone_;
    if (left == 0) return;
    // An eighth of what the calling thread has listed: about 1 us.
    const std::uint64_t brief = std::clamp<std::uint64_t>((known != 0 ? known : alone_) / 8, 1, 1 << 12);
    all_ = blocks(left, std::min(std::max(brief, blocks::least_for(left, 1 << 10)), most_in_block),
                  std::max<std::uint64_t>(1 << 13, left / most_in_block + 1));
    before_.resize(all_.count() + 2);
    const auto list_blocks = [&](std::uint64_t b, std::uint64_t end) {
      for (; b < end; ++b)
        before_[b + 2] = list_piece(list_of(b + 1), begin_of(b + 1), begin_of(b + 1), end_of(b + 1), keep);
    };
    hand_out(0, all_.count(), piece_function<void>(list_blocks), by);
    for (std::uint64_t b = 1; b <= all_.count(); ++b) before_[b + 1] += before_[b];
  }
  std::uint64_t kept() const noexcept { return before_.back(); }

  /// Calls keep(i, k) for each kept place i, which is number k of these. With a second call, calls drop(i, k) for each
  /// place that is not kept, which is number k of these.
  template <class... Calls>
  void each(const policy& by, Calls... calls) const {
    for_pieces(
        before_.size() - 1,
        [&](std::uint64_t b, std::uint64_t end) {
          for (; b < end; ++b) block(b, calls...);
        },
        by);
  }
  /// Does as each() for calls that move elements, which do not throw: all are made (move_pieces()).
  template <class... Calls>
  void move(std::source_location where, Calls... calls) const noexcept {
    move_pieces(
        before_.size() - 1,
        [&](std::uint64_t b, std::uint64_t end) noexcept {
          for (; b < end; ++b) block(b, calls...);
        },
        where);
  }
  /// Does as each(), in the order of places on the calling thread.
  template <class... Calls>
  void in_order(Calls... calls) const {
    for (std::uint64_t b = 0; b + 1 < before_.size(); ++b) block(b, calls...);
  }

 private:
  static constexpr std::uint64_t most_in_block = 1 << 15;

  // Block 0 is [0, alone_), block b + 1 is block b of all_, counted from there.
  std::uint64_t begin_of(std::uint64_t b) const noexcept { return b == 0 ? 0 : alone_ + all_.begin(b - 1); }
  std::uint64_t end_of(std::uint64_t b) const noexcept { return b == 0 ? alone_ : alone_ + all_.end(b - 1); }
  std::uint16_t* list_of(std::uint64_t b) const noexcept { return list_.get() + begin_of(b); }

  /// Lists the kept ones of [from, to) as distances from `base`; returns how many.
  template <class Keep>
  std::uint64_t list_piece(std::uint16_t* list, std::uint64_t from, std::uint64_t base, std::uint64_t to,
                           Keep& keep) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = from; i < to; ++i) {
      list[count] = static_cast<std::uint16_t>(i - base);
      count += keep(begin_ + i) ? 1u : 0u;
    }
    return count;
  }
  template <class Keep>
  void block(std::uint64_t b, Keep& keep) const {
    const std::uint16_t* const mine = list_of(b);
    const std::uint64_t n = before_[b + 1] - before_[b];
    for (std::uint64_t k = 0; k < n; ++k) keep(begin_ + begin_of(b) + mine[k], before_[b] + k);
  }
  template <class Keep, class Drop>
  void block(std::uint64_t b, Keep& keep, Drop& drop) const {
    const std::uint16_t* next = list_of(b);
    const std::uint16_t* const end = next + (before_[b + 1] - before_[b]);
    std::uint64_t i = begin_of(b);
    std::uint64_t k = before_[b];
    for (; next != end; ++next) {
      for (const std::uint64_t stop = begin_of(b) + *next; i < stop; ++i) drop(begin_ + i, i - k);
      keep(begin_ + i, k);
      ++i;
      ++k;
    }
    for (; i < end_of(b); ++i) drop(begin_ + i, i - k);
  }

  const std::uint64_t begin_;
  const std::uint64_t n_;
  std::uint64_t alone_ = 0;                      ///< places of the first block
  blocks all_{0, 1, 1};                          ///< the places behind it
  const std::unique_ptr<std::uint16_t[]> list_;  ///< by block: the kept places, counted from the block's beginning
  std::vector<std::uint64_t> before_;            ///< by block: how many are kept before it; behind all: how many
};

/// Calls write(i, k) for each i of [0, n) for which keep(i), which is number k of these; returns how many. Calls keep
/// once for each.
template <class Keep, class Write>
std::uint64_t filter(std::uint64_t n, Keep keep, Write write, const policy& by) {
  std::uint64_t count = 0;
  beginning_alone alone(n, by);
  while (alone.next()) {
    for (std::uint64_t i = alone.from(); i < alone.to(); ++i) {
      if (keep(i)) write(i, count++);
    }
  }
  if (alone.to() == n) return count;
  kept_places rest(alone.to(), n - alone.to());
  rest.list(keep, by, alone.to());
  rest.each(by, [&](std::uint64_t i, std::uint64_t k) { write(i, count + k); });
  return count + rest.kept();
}

/// True if elements behind such iterators can change places by way of a second array.
template <class Iterator>
inline constexpr bool moves_by_threads =
    moves_surely<std::iter_value_t<Iterator>> && std::is_lvalue_reference_v<std::iter_reference_t<Iterator>> &&
    !shares_words<std::iter_reference_t<Iterator>>;

/// Moves n elements from a second array back to `first`, and ends them there.
template <class T, class I>
void bring_back(T* from, std::uint64_t n, I first, std::source_location where) noexcept {
  move_pieces(
      n,
      [&](std::uint64_t begin, std::uint64_t end) noexcept {
        std::move(from + begin, from + end, place(first, begin));
        std::destroy(from + begin, from + end);
      },
      where);
}

/// Brings the kept ones of n elements to the front on the calling thread, and the rest behind them if `Rest`.
template <bool Rest, class I>
void bring_few_to_front(I first, std::uint64_t n, const kept_places& places) {
  using T = std::iter_value_t<I>;
  const auto keeps = [&](std::uint64_t i, std::uint64_t k) noexcept {
    if (i != k) *place(first, k) = std::move(*place(first, i));
  };
  if constexpr (Rest) {
    const std::uint64_t dropped = n - places.kept();
    const raw_elements<T> room(dropped);
    T* const rest = room.data();
    places.in_order(keeps, [&](std::uint64_t i, std::uint64_t k) noexcept {
      std::construct_at(rest + k, std::move(*place(first, i)));
    });
    std::move(rest, rest + dropped, place(first, places.kept()));
    std::destroy_n(rest, dropped);
  } else {
    places.in_order(keeps);
  }
}

/// Copies the elements for which keep(i), which may look at the element before it, to the front; returns how many.
template <class I, class Keep>
std::uint64_t copy_to_front(I first, std::uint64_t n, Keep& keep, const policy& by) {
  std::uint64_t kept = 0;
  beginning_alone alone(n, by);
  const auto copy_piece = [&](std::uint64_t from, std::uint64_t to) {
    for (; from < to; ++from) {
      if (keep(from)) *place(first, kept++) = *place(first, from);
    }
  };
  while (alone.next()) copy_piece(alone.from(), alone.to());
  // An element that takes less than 4 ns costs more to list than to copy.
  constexpr std::uint64_t cheap = 2500;
  if (alone.to() > cheap) {
    copy_piece(alone.to(), n);
    return kept;
  }
  if (alone.to() == n) return kept;
  kept_places rest(alone.to(), n - alone.to());
  rest.list(keep, by, alone.to());
  rest.in_order([&](std::uint64_t i, std::uint64_t k) { *place(first, kept + k) = *place(first, i); });
  return kept + rest.kept();
}

/// Brings the elements for which keep(i) to the front, in their order, and returns how many there are. Behind them are
/// the rest, in order if `Rest`, else any values. `keep` is asked before anything moves.
template <bool Rest, class I, class Keep>
std::uint64_t bring_to_front(I first, std::uint64_t n, Keep keep, const policy& by) {
  using T = std::iter_value_t<I>;
  if constexpr (!Rest && is_small_and_plain<I>) return copy_to_front(first, n, keep, by);
  kept_places places(0, n);
  places.list(keep, by);
  const std::uint64_t kept = places.kept();
  if (kept == n || (Rest && kept == 0)) return kept;
  constexpr std::uint64_t few = 1 << 15;
  if (n <= few) {
    bring_few_to_front<Rest>(first, n, places);
    return kept;
  }
  const std::uint64_t moved = Rest ? n : kept;
  const raw_elements<T> room(moved);
  T* const to = room.data();
  // From here on no request to stop is heard, and no failure: elements are in the second array.
  const auto keeps = [&](std::uint64_t i, std::uint64_t k) noexcept {
    std::construct_at(to + k, std::move(*place(first, i)));
  };
  if constexpr (Rest) {
    places.move(by.where(), keeps, [&](std::uint64_t i, std::uint64_t k) noexcept { keeps(i, kept + k); });
  } else {
    places.move(by.where(), keeps);
  }
  bring_back(to, moved, first, by.where());
  return kept;
}

}  // namespace loop

/// Copies the elements for which `wanted` is true into `out`, in order, and returns the end of what is written. Calls
/// `wanted` once for each element. `out` does not overlap the range, and is not of std::vector<bool>. Takes two bytes
/// an element meanwhile, if the elements are more than the calling thread copies in 10 us.
template <std::random_access_iterator I, std::random_access_iterator Out, class Predicate,
          class Projection = std::identity>
Out copy_if(const policy& by, I first, I last, Out out, Predicate wanted, Projection projection = {}) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const loop::projected<I, Projection> at(first, projection);
  return loop::place(out,
                     loop::filter(
                         loop::count_between(first, last),
                         [&](std::uint64_t i) { return static_cast<bool>(std::invoke(wanted, at(i))); },
                         [&](std::uint64_t i, std::uint64_t k) { *loop::place(out, k) = *loop::place(first, i); }, by));
}
template <loop::sequence Range, std::random_access_iterator Out, class Predicate, class Projection = std::identity>
Out copy_if(Range&& range, Out out, Predicate wanted, Projection projection = {},
            std::source_location where = std::source_location::current()) {
  return callisto::copy_if(policy(where), std::ranges::begin(range), loop::end_of(range), out, std::move(wanted),
                           std::move(projection));
}
/// Writes the elements through an iterator that takes them in order, such as std::back_inserter: the calling thread
/// writes, all threads ask `wanted`.
template <loop::sequence Range, class Out, class Predicate, class Projection = std::identity>
  requires(!std::random_access_iterator<Out>) && std::output_iterator<Out, std::ranges::range_reference_t<Range>>
Out copy_if(Range&& range, Out out, Predicate wanted, Projection projection = {},
            std::source_location where = std::source_location::current()) {
  const auto first = std::ranges::begin(range);
  const loop::projected<std::ranges::iterator_t<Range>, Projection> at(first, projection);
  loop::kept_places kept(0, loop::count_of(range));
  kept.list([&](std::uint64_t i) { return static_cast<bool>(std::invoke(wanted, at(i))); }, policy(where));
  kept.in_order([&](std::uint64_t i, std::uint64_t) { *out++ = *loop::place(first, i); });
  return out;
}
/// Copies the elements for which `unwanted` is false; the rest as copy_if().
template <std::random_access_iterator I, std::random_access_iterator Out, class Predicate,
          class Projection = std::identity>
Out remove_copy_if(const policy& by, I first, I last, Out out, Predicate unwanted, Projection projection = {}) {
  return callisto::copy_if(by, first, last, out, std::not_fn(std::ref(unwanted)), std::move(projection));
}
template <loop::sequence Range, std::random_access_iterator Out, class Predicate, class Projection = std::identity>
Out remove_copy_if(Range&& range, Out out, Predicate unwanted, Projection projection = {},
                   std::source_location where = std::source_location::current()) {
  return callisto::remove_copy_if(policy(where), std::ranges::begin(range), loop::end_of(range), out,
                                  std::move(unwanted), std::move(projection));
}
/// Copies the elements that differ from `value`; the rest as copy_if().
template <std::random_access_iterator I, std::random_access_iterator Out, class T, class Projection = std::identity>
Out remove_copy(const policy& by, I first, I last, Out out, const T& value, Projection projection = {}) {
  return callisto::copy_if(by, first, last, out, [&](const auto& x) { return !(x == value); }, std::move(projection));
}
template <loop::sequence Range, std::random_access_iterator Out, class T, class Projection = std::identity>
Out remove_copy(Range&& range, Out out, const T& value, Projection projection = {},
                std::source_location where = std::source_location::current()) {
  return callisto::remove_copy(policy(where), std::ranges::begin(range), loop::end_of(range), out, value,
                               std::move(projection));
}
/// Copies the first of neighbours that are the same, in order, and returns the end of what is written.
template <std::random_access_iterator I, std::random_access_iterator Out, class Same = std::equal_to<>,
          class Projection = std::identity>
Out unique_copy(const policy& by, I first, I last, Out out, Same same = {}, Projection projection = {}) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const loop::projected<I, Projection> at(first, projection);
  return loop::place(out,
                     loop::filter(
                         loop::count_between(first, last),
                         [&](std::uint64_t i) { return i == 0 || !std::invoke(same, at(i - 1), at(i)); },
                         [&](std::uint64_t i, std::uint64_t k) { *loop::place(out, k) = *loop::place(first, i); }, by));
}
template <loop::sequence Range, std::random_access_iterator Out, class Same = std::equal_to<>,
          class Projection = std::identity>
Out unique_copy(Range&& range, Out out, Same same = {}, Projection projection = {},
                std::source_location where = std::source_location::current()) {
  return callisto::unique_copy(policy(where), std::ranges::begin(range), loop::end_of(range), out, std::move(same),
                               std::move(projection));
}

/// Brings the elements for which `unwanted` is false to the front, in order, and returns where they end; any values are
/// behind. Calls `unwanted` once for each element, before anything moves, except that small plain elements are copied
/// meanwhile. The calling thread alone removes elements that may throw when they move.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
I remove_if(const policy& by, I first, I last, Predicate unwanted, Projection projection = {}) {
  const loop::projected<I, Projection> at(first, projection);
  if constexpr (loop::moves_by_threads<I>) {
    const auto keep = [&](std::uint64_t i) { return !std::invoke(unwanted, at(i)); };
    return loop::place(first, loop::bring_to_front<false>(first, loop::count_between(first, last), keep, by));
  } else {
    return std::ranges::remove_if(first, last, std::ref(unwanted), std::ref(projection)).begin();
  }
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
auto remove_if(Range&& range, Predicate unwanted, Projection projection = {},
               std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::remove_if(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(unwanted), std::move(projection)));
}
/// Brings the elements that differ from `value` to the front; the rest as remove_if().
template <std::random_access_iterator I, class T, class Projection = std::identity>
I remove(const policy& by, I first, I last, const T& value, Projection projection = {}) {
  return callisto::remove_if(by, first, last, [&](const auto& x) { return x == value; }, std::move(projection));
}
template <loop::sequence Range, class T, class Projection = std::identity>
auto remove(Range&& range, const T& value, Projection projection = {},
            std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(
      callisto::remove(policy(where), std::ranges::begin(range), loop::end_of(range), value, std::move(projection)));
}
/// Brings the first of neighbours that are the same to the front; the rest as remove_if(). `same` is an equivalence.
template <std::random_access_iterator I, class Same = std::equal_to<>, class Projection = std::identity>
I unique(const policy& by, I first, I last, Same same = {}, Projection projection = {}) {
  const loop::projected<I, Projection> at(first, projection);
  if constexpr (loop::moves_by_threads<I>) {
    const auto keep = [&](std::uint64_t i) { return i == 0 || !std::invoke(same, at(i - 1), at(i)); };
    return loop::place(first, loop::bring_to_front<false>(first, loop::count_between(first, last), keep, by));
  } else {
    return std::ranges::unique(first, last, std::ref(same), std::ref(projection)).begin();
  }
}
template <loop::sequence Range, class Same = std::equal_to<>, class Projection = std::identity>
auto unique(Range&& range, Same same = {}, Projection projection = {},
            std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::unique(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(same), std::move(projection)));
}

/// Brings the elements for which `wanted` is true to the front, and the elements for which it is false behind them, in
/// order; returns where the second part begins. Calls `wanted` once for each element, before anything moves.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
I stable_partition(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  const loop::projected<I, Projection> at(first, projection);
  const auto keep = [&](std::uint64_t i) { return static_cast<bool>(std::invoke(wanted, at(i))); };
  if constexpr (loop::moves_by_threads<I>) {
    return loop::place(first, loop::bring_to_front<true>(first, loop::count_between(first, last), keep, by));
  } else {
    return std::ranges::stable_partition(first, last, std::ref(wanted), std::ref(projection)).begin();
  }
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
auto stable_partition(Range&& range, Predicate wanted, Projection projection = {},
                      std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::stable_partition(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(wanted), std::move(projection)));
}
/// Brings the elements for which `wanted` is true to the front; returns where they end.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
I partition(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  return callisto::stable_partition(by, first, last, std::ref(wanted), std::move(projection));
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
auto partition(Range&& range, Predicate wanted, Projection projection = {},
               std::source_location where = std::source_location::current()) {
  return callisto::stable_partition(std::forward<Range>(range), std::move(wanted), std::move(projection), where);
}
/// Copies the elements for which `wanted` is true into `yes` and the elements for which it is false into `no`, in
/// order; returns the ends of both.
template <std::random_access_iterator I, std::random_access_iterator Yes, std::random_access_iterator No,
          class Predicate, class Projection = std::identity>
std::pair<Yes, No> partition_copy(const policy& by, I first, I last, Yes yes, No no, Predicate wanted,
                                  Projection projection = {}) {
  static_assert(loop::all_write_by_threads<Yes, No>,
                "elements of std::vector<bool> share words: use a std::vector<char>");
  const loop::projected<I, Projection> at(first, projection);
  const std::uint64_t n = loop::count_between(first, last);
  loop::kept_places places(0, n);
  places.list([&](std::uint64_t i) { return static_cast<bool>(std::invoke(wanted, at(i))); }, by);
  places.each(
      by, [&](std::uint64_t i, std::uint64_t k) { *loop::place(yes, k) = *loop::place(first, i); },
      [&](std::uint64_t i, std::uint64_t k) { *loop::place(no, k) = *loop::place(first, i); });
  return {loop::place(yes, places.kept()), loop::place(no, n - places.kept())};
}
template <loop::sequence Range, std::random_access_iterator Yes, std::random_access_iterator No, class Predicate,
          class Projection = std::identity>
std::pair<Yes, No> partition_copy(Range&& range, Yes yes, No no, Predicate wanted, Projection projection = {},
                                  std::source_location where = std::source_location::current()) {
  return callisto::partition_copy(policy(where), std::ranges::begin(range), loop::end_of(range), yes, no,
                                  std::move(wanted), std::move(projection));
}

}  // namespace callisto
