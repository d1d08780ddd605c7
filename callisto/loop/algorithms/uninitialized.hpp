// Elements in memory that has none yet, and their end.
#pragma once

#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto {

namespace loop {

/// Calls construct(from, to) for pieces of [0, n), each of which constructs its elements or throws and leaves none. If
/// a piece throws, the elements of all pieces are destroyed. `Surely`: none throws.
template <bool Surely, class I, class Construct>
void construct_all(I first, std::uint64_t n, Construct construct, const policy& by) {
  if constexpr (Surely || std::is_trivially_destructible_v<std::iter_value_t<I>>) {
    for_pieces(n, construct, by);
  } else {
    const blocks all(n, blocks::least_for(n, 1 << 10), 1 << 14);
    // By block: whether it has elements.
    const auto done = std::make_unique<std::atomic<bool>[]>(all.count());
    struct undo {
      I first;
      const blocks& all;
      std::atomic<bool>* done;
      bool right = false;
      ~undo() {
        if (right) return;
        for (std::uint64_t b = 0; b < all.count(); ++b) {
          // relaxed, as below: the loop has ended, which orders what its threads did.
          if (done[b].load(std::memory_order_relaxed))
            std::destroy(place(first, all.begin(b)), place(first, all.end(b)));
        }
      }
    } guard{first, all, done.get()};
    for_blocks(
        all,
        [&](std::uint64_t b) {
          construct(all.begin(b), all.end(b));
          done[b].store(true, std::memory_order_relaxed);
        },
        by);
    guard.right = true;
  }
}

}  // namespace loop

/// Default-initializes an element at each place: numbers have any value. If a constructor throws, no element is left.
template <std::random_access_iterator I>
void uninitialized_default_construct(const policy& by, I first, I last) {
  loop::construct_all<std::is_nothrow_default_constructible_v<std::iter_value_t<I>>>(
      first, loop::count_between(first, last),
      [&](std::uint64_t from, std::uint64_t to) {
        std::uninitialized_default_construct(loop::place(first, from), loop::place(first, to));
      },
      by);
}
template <std::random_access_iterator I, std::integral Size>
I uninitialized_default_construct_n(const policy& by, I first, Size n) {
  const I last = loop::place_after(first, n);
  callisto::uninitialized_default_construct(by, first, last);
  return last;
}
template <loop::sequence Range>
void uninitialized_default_construct(Range&& range, std::source_location where = std::source_location::current()) {
  callisto::uninitialized_default_construct(policy(where), std::ranges::begin(range), loop::end_of(range));
}
/// Value-initializes an element at each place: numbers are 0. If a constructor throws, no element is left.
template <std::random_access_iterator I>
void uninitialized_value_construct(const policy& by, I first, I last) {
  loop::construct_all<std::is_nothrow_default_constructible_v<std::iter_value_t<I>>>(
      first, loop::count_between(first, last),
      [&](std::uint64_t from, std::uint64_t to) {
        std::uninitialized_value_construct(loop::place(first, from), loop::place(first, to));
      },
      by);
}
template <std::random_access_iterator I, std::integral Size>
I uninitialized_value_construct_n(const policy& by, I first, Size n) {
  const I last = loop::place_after(first, n);
  callisto::uninitialized_value_construct(by, first, last);
  return last;
}
template <loop::sequence Range>
void uninitialized_value_construct(Range&& range, std::source_location where = std::source_location::current()) {
  callisto::uninitialized_value_construct(policy(where), std::ranges::begin(range), loop::end_of(range));
}
/// Constructs a copy of `value` at each place. If a constructor throws, no element is left.
template <std::random_access_iterator I, class T>
void uninitialized_fill(const policy& by, I first, I last, const T& value) {
  loop::construct_all<std::is_nothrow_constructible_v<std::iter_value_t<I>, const T&>>(
      first, loop::count_between(first, last),
      [&](std::uint64_t from, std::uint64_t to) {
        std::uninitialized_fill(loop::place(first, from), loop::place(first, to), value);
      },
      by);
}
template <std::random_access_iterator I, std::integral Size, class T>
I uninitialized_fill_n(const policy& by, I first, Size n, const T& value) {
  const I last = loop::place_after(first, n);
  callisto::uninitialized_fill(by, first, last, value);
  return last;
}
template <loop::sequence Range, class T>
void uninitialized_fill(Range&& range, const T& value, std::source_location where = std::source_location::current()) {
  callisto::uninitialized_fill(policy(where), std::ranges::begin(range), loop::end_of(range), value);
}
/// Constructs copies of the elements in `out`; returns the end of these. If a constructor throws, none is left there.
template <std::random_access_iterator I, std::random_access_iterator Out>
Out uninitialized_copy(const policy& by, I first, I last, Out out) {
  const std::uint64_t n = loop::count_between(first, last);
  loop::construct_all<std::is_nothrow_constructible_v<std::iter_value_t<Out>, std::iter_reference_t<I>>>(
      out, n,
      [&](std::uint64_t from, std::uint64_t to) {
        std::uninitialized_copy(loop::place(first, from), loop::place(first, to), loop::place(out, from));
      },
      by);
  return loop::place(out, n);
}
template <std::random_access_iterator I, std::integral Size, std::random_access_iterator Out>
Out uninitialized_copy_n(const policy& by, I first, Size n, Out out) {
  const I last = loop::place_after(first, n);
  return callisto::uninitialized_copy(by, first, last, out);
}
template <loop::sequence Range, std::random_access_iterator Out>
Out uninitialized_copy(Range&& range, Out out, std::source_location where = std::source_location::current()) {
  return callisto::uninitialized_copy(policy(where), std::ranges::begin(range), loop::end_of(range), out);
}
/// Constructs elements in `out` by moving; returns the end of these. If a constructor throws, none is left there.
template <std::random_access_iterator I, std::random_access_iterator Out>
Out uninitialized_move(const policy& by, I first, I last, Out out) {
  const std::uint64_t n = loop::count_between(first, last);
  loop::construct_all<std::is_nothrow_constructible_v<std::iter_value_t<Out>, std::iter_rvalue_reference_t<I>>>(
      out, n,
      [&](std::uint64_t from, std::uint64_t to) {
        std::uninitialized_move(loop::place(first, from), loop::place(first, to), loop::place(out, from));
      },
      by);
  return loop::place(out, n);
}
template <std::random_access_iterator I, std::integral Size, std::random_access_iterator Out>
std::pair<I, Out> uninitialized_move_n(const policy& by, I first, Size n, Out out) {
  const I last = loop::place_after(first, n);
  return {last, callisto::uninitialized_move(by, first, last, out)};
}
template <loop::sequence Range, std::random_access_iterator Out>
Out uninitialized_move(Range&& range, Out out, std::source_location where = std::source_location::current()) {
  return callisto::uninitialized_move(policy(where), std::ranges::begin(range), loop::end_of(range), out);
}

/// Destroys each element.
template <std::random_access_iterator I>
void destroy(const policy& by, I first, I last) {
  if constexpr (!std::is_trivially_destructible_v<std::iter_value_t<I>>) {
    loop::for_pieces(
        loop::count_between(first, last),
        [&](std::uint64_t from, std::uint64_t to) { std::destroy(loop::place(first, from), loop::place(first, to)); },
        policy(by.where()));
  }
}
template <std::random_access_iterator I, std::integral Size>
I destroy_n(const policy& by, I first, Size n) {
  const I last = loop::place_after(first, n);
  callisto::destroy(by, first, last);
  return last;
}
template <loop::sequence Range>
void destroy(Range&& range, std::source_location where = std::source_location::current()) {
  callisto::destroy(policy(where), std::ranges::begin(range), loop::end_of(range));
}

}  // namespace callisto
