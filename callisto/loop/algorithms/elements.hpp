// Algorithms that visit or write each element by itself: filling, copying, transforming, reversing.
//
// In the forms with a policy, what is not said here is as in the standard library's algorithm of the same name, with
// random-access iterators. The forms over ranges have projections.
#pragma once

#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto {

/// Calls f(element) for each element.
template <std::random_access_iterator I, class F>
void for_each(const policy& by, I first, I last, F f) {
  loop::for_pieces(
      loop::count_between(first, last),
      [&](std::uint64_t from, std::uint64_t to) {
        const I end = loop::place(first, to);
        for (I at = loop::place(first, from); at != end; ++at) std::invoke(f, *at);
      },
      by);
}
template <std::random_access_iterator I, std::integral Size, class F>
I for_each_n(const policy& by, I first, Size n, F f) {
  const I last = loop::place_after(first, n);
  callisto::for_each(by, first, last, std::move(f));
  return last;
}
template <loop::sequence Range, class F, class Projection = std::identity>
void for_each(Range&& range, F f, Projection projection = {},
              std::source_location where = std::source_location::current()) {
  callisto::for_each(policy(where), std::ranges::begin(range), loop::end_of(range),
                     [&](auto&& x) { std::invoke(f, std::invoke(projection, static_cast<decltype(x)>(x))); });
}

/// Assigns a value to each element.
template <std::random_access_iterator I, class T>
void fill(const policy& by, I first, I last, const T& value) {
  static_assert(loop::all_write_by_threads<I>, "elements of std::vector<bool> share words: use a std::vector<char>");
  loop::for_pieces(
      loop::count_between(first, last),
      [&](std::uint64_t from, std::uint64_t to) { std::fill(loop::place(first, from), loop::place(first, to), value); },
      by);
}
template <std::random_access_iterator I, std::integral Size, class T>
I fill_n(const policy& by, I first, Size n, const T& value) {
  const I last = loop::place_after(first, n);
  callisto::fill(by, first, last, value);
  return last;
}
template <loop::sequence Range, class T>
void fill(Range&& range, const T& value, std::source_location where = std::source_location::current()) {
  callisto::fill(policy(where), std::ranges::begin(range), loop::end_of(range), value);
}

/// Assigns f() to each element. Threads call f at once, in no order.
template <std::random_access_iterator I, class F>
void generate(const policy& by, I first, I last, F f) {
  static_assert(loop::all_write_by_threads<I>, "elements of std::vector<bool> share words: use a std::vector<char>");
  callisto::for_each(by, first, last, [&](auto&& x) { x = std::invoke(f); });
}
template <std::random_access_iterator I, std::integral Size, class F>
I generate_n(const policy& by, I first, Size n, F f) {
  static_assert(loop::all_write_by_threads<I>, "elements of std::vector<bool> share words: use a std::vector<char>");
  return callisto::for_each_n(by, first, n, [&](auto&& x) { x = std::invoke(f); });
}
template <loop::sequence Range, class F>
void generate(Range&& range, F f, std::source_location where = std::source_location::current()) {
  callisto::generate(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(f));
}

/// Writes f(element) of each element into `out`, in order, and returns the end of what is written. `out` may be
/// `first`. Results of f are assigned, and converted as by std::transform. Does not compile if `out` are elements of
/// std::vector<bool>, which share words.
template <std::random_access_iterator I, std::random_access_iterator Out, class F>
Out transform(const policy& by, I first, I last, Out out, F f) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  loop::for_pieces(
      n,
      [&](std::uint64_t from, std::uint64_t to) {
        const I end = loop::place(first, to);
        Out at = loop::place(out, from);
        for (I x = loop::place(first, from); x != end; ++x, ++at) *at = std::invoke(f, *x);
      },
      by);
  return loop::place(out, n);
}
/// Writes f(element, element of the second sequence); the rest as the form with one sequence.
template <std::random_access_iterator I, std::random_access_iterator J, std::random_access_iterator Out, class F>
Out transform(const policy& by, I first, I last, J second, Out out, F f) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  loop::for_pieces(
      n,
      [&](std::uint64_t from, std::uint64_t to) {
        const I end = loop::place(first, to);
        J y = loop::place(second, from);
        Out at = loop::place(out, from);
        for (I x = loop::place(first, from); x != end; ++x, ++y, ++at) *at = std::invoke(f, *x, *y);
      },
      by);
  return loop::place(out, n);
}
template <loop::sequence Range, std::random_access_iterator Out, class F, class Projection = std::identity>
  requires std::invocable<Projection&, std::ranges::range_reference_t<Range>> &&
           std::invocable<F&, std::invoke_result_t<Projection&, std::ranges::range_reference_t<Range>>>
Out transform(Range&& range, Out out, F f, Projection projection = {},
              std::source_location where = std::source_location::current()) {
  if constexpr (std::same_as<Projection, std::identity>) {
    return callisto::transform(policy(where), std::ranges::begin(range), loop::end_of(range), out, std::move(f));
  } else {
    using seen = std::invoke_result_t<Projection&, std::ranges::range_reference_t<Range>>;
    // The result of f may refer to what the projection makes, which ends with the call.
    using result = std::conditional_t<std::is_reference_v<seen>, std::invoke_result_t<F&, seen>,
                                      std::remove_cvref_t<std::invoke_result_t<F&, seen>>>;
    return callisto::transform(
        policy(where), std::ranges::begin(range), loop::end_of(range), out,
        [&](auto&& x) -> result { return std::invoke(f, std::invoke(projection, static_cast<decltype(x)>(x))); });
  }
}
/// Writes f(element of `a`, element of `b`) as far as the shorter range goes.
template <loop::sequence A, loop::sequence B, std::random_access_iterator Out, class F>
Out transform(A&& a, B&& b, Out out, F f, std::source_location where = std::source_location::current()) {
  const auto first = std::ranges::begin(a);
  const std::uint64_t n = std::min(loop::count_of(a), loop::count_of(b));
  return callisto::transform(policy(where), first, loop::place(first, n), std::ranges::begin(b), out, std::move(f));
}

/// Copies each element into `out`, which does not overlap; returns the end of what is written.
template <std::random_access_iterator I, std::random_access_iterator Out>
Out copy(const policy& by, I first, I last, Out out) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  loop::for_pieces(
      n,
      [&](std::uint64_t from, std::uint64_t to) {
        std::copy(loop::place(first, from), loop::place(first, to), loop::place(out, from));
      },
      by);
  return loop::place(out, n);
}
template <std::random_access_iterator I, std::integral Size, std::random_access_iterator Out>
Out copy_n(const policy& by, I first, Size n, Out out) {
  return callisto::copy(by, first, loop::place_after(first, n), out);
}
template <loop::sequence Range, std::random_access_iterator Out>
Out copy(Range&& range, Out out, std::source_location where = std::source_location::current()) {
  return callisto::copy(policy(where), std::ranges::begin(range), loop::end_of(range), out);
}

/// Moves each element into `out`, which does not overlap; returns the end of what is written.
template <std::random_access_iterator I, std::random_access_iterator Out>
Out move(const policy& by, I first, I last, Out out) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  loop::for_pieces(
      n,
      [&](std::uint64_t from, std::uint64_t to) {
        std::move(loop::place(first, from), loop::place(first, to), loop::place(out, from));
      },
      by);
  return loop::place(out, n);
}
template <loop::sequence Range, std::random_access_iterator Out>
Out move(Range&& range, Out out, std::source_location where = std::source_location::current()) {
  return callisto::move(policy(where), std::ranges::begin(range), loop::end_of(range), out);
}

/// Assigns `value` to the elements for which `wanted` is true.
template <std::random_access_iterator I, class Predicate, class T, class Projection = std::identity>
void replace_if(const policy& by, I first, I last, Predicate wanted, const T& value, Projection projection = {}) {
  static_assert(loop::all_write_by_threads<I>, "elements of std::vector<bool> share words: use a std::vector<char>");
  callisto::for_each(by, first, last, [&](auto&& x) {
    if (std::invoke(wanted, std::invoke(projection, x))) x = value;
  });
}
template <loop::sequence Range, class Predicate, class T, class Projection = std::identity>
void replace_if(Range&& range, Predicate wanted, const T& value, Projection projection = {},
                std::source_location where = std::source_location::current()) {
  callisto::replace_if(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(wanted), value,
                       std::move(projection));
}
/// Assigns `value` to the elements that equal `old`.
template <std::random_access_iterator I, class Old, class T, class Projection = std::identity>
void replace(const policy& by, I first, I last, const Old& old, const T& value, Projection projection = {}) {
  callisto::replace_if(by, first, last, [&](const auto& x) { return x == old; }, value, std::move(projection));
}
template <loop::sequence Range, class Old, class T, class Projection = std::identity>
void replace(Range&& range, const Old& old, const T& value, Projection projection = {},
             std::source_location where = std::source_location::current()) {
  callisto::replace(policy(where), std::ranges::begin(range), loop::end_of(range), old, value, std::move(projection));
}

/// Copies each element into `out`, or `value` if `wanted` is true for it; returns the end of what is written.
template <std::random_access_iterator I, std::random_access_iterator Out, class Predicate, class T,
          class Projection = std::identity>
Out replace_copy_if(const policy& by, I first, I last, Out out, Predicate wanted, const T& value,
                    Projection projection = {}) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  loop::for_pieces(
      n,
      [&](std::uint64_t from, std::uint64_t to) {
        const I end = loop::place(first, to);
        Out at = loop::place(out, from);
        for (I x = loop::place(first, from); x != end; ++x, ++at) {
          if (std::invoke(wanted, std::invoke(projection, *x))) {
            *at = value;
          } else {
            *at = *x;
          }
        }
      },
      by);
  return loop::place(out, n);
}
template <loop::sequence Range, std::random_access_iterator Out, class Predicate, class T,
          class Projection = std::identity>
Out replace_copy_if(Range&& range, Out out, Predicate wanted, const T& value, Projection projection = {},
                    std::source_location where = std::source_location::current()) {
  return callisto::replace_copy_if(policy(where), std::ranges::begin(range), loop::end_of(range), out,
                                   std::move(wanted), value, std::move(projection));
}
/// Copies each element into `out`, or `value` if it equals `old`; returns the end of what is written.
template <std::random_access_iterator I, std::random_access_iterator Out, class Old, class T,
          class Projection = std::identity>
Out replace_copy(const policy& by, I first, I last, Out out, const Old& old, const T& value,
                 Projection projection = {}) {
  return callisto::replace_copy_if(
      by, first, last, out, [&](const auto& x) { return x == old; }, value, std::move(projection));
}
template <loop::sequence Range, std::random_access_iterator Out, class Old, class T, class Projection = std::identity>
Out replace_copy(Range&& range, Out out, const Old& old, const T& value, Projection projection = {},
                 std::source_location where = std::source_location::current()) {
  return callisto::replace_copy(policy(where), std::ranges::begin(range), loop::end_of(range), out, old, value,
                                std::move(projection));
}

/// Writes the first element, then op(element, the one before it) for each other one; returns the end of what is
/// written. `out` does not overlap.
template <std::random_access_iterator I, std::random_access_iterator Out, class Op = std::minus<>>
Out adjacent_difference(const policy& by, I first, I last, Out out, Op op = {}) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  if (n == 0) return out;
  *out = *first;
  return callisto::transform(by, first + 1, last, first, out + 1, std::ref(op));
}
template <loop::sequence Range, std::random_access_iterator Out, class Op = std::minus<>>
Out adjacent_difference(Range&& range, Out out, Op op = {},
                        std::source_location where = std::source_location::current()) {
  return callisto::adjacent_difference(policy(where), std::ranges::begin(range), loop::end_of(range), out,
                                       std::move(op));
}

/// Swaps each element with the second sequence's; returns the end of that.
template <std::random_access_iterator I, std::random_access_iterator J>
J swap_ranges(const policy& by, I first, I last, J second) {
  static_assert(loop::all_write_by_threads<I, J>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  loop::for_pieces(
      n,
      [&](std::uint64_t from, std::uint64_t to) {
        for (; from < to; ++from) std::ranges::iter_swap(loop::place(first, from), loop::place(second, from));
      },
      by);
  return loop::place(second, n);
}
/// Swaps elements as far as the shorter range goes.
template <loop::sequence A, loop::sequence B>
void swap_ranges(A&& a, B&& b, std::source_location where = std::source_location::current()) {
  const auto first = std::ranges::begin(a);
  const std::uint64_t n = std::min(loop::count_of(a), loop::count_of(b));
  callisto::swap_ranges(policy(where), first, loop::place(first, n), std::ranges::begin(b));
}

/// Turns the order of the elements round.
template <std::random_access_iterator I>
void reverse(const policy& by, I first, I last) {
  static_assert(loop::all_write_by_threads<I>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  loop::for_pieces(
      n / 2,
      [&](std::uint64_t from, std::uint64_t to) {
        for (; from < to; ++from) std::ranges::iter_swap(loop::place(first, from), loop::place(first, n - 1 - from));
      },
      by);
}
template <loop::sequence Range>
void reverse(Range&& range, std::source_location where = std::source_location::current()) {
  callisto::reverse(policy(where), std::ranges::begin(range), loop::end_of(range));
}
/// Copies the elements into `out`, the last one first; returns the end of what is written.
template <std::random_access_iterator I, std::random_access_iterator Out>
Out reverse_copy(const policy& by, I first, I last, Out out) {
  return callisto::copy(by, std::reverse_iterator<I>(last), std::reverse_iterator<I>(first), out);
}
template <loop::sequence Range, std::random_access_iterator Out>
Out reverse_copy(Range&& range, Out out, std::source_location where = std::source_location::current()) {
  return callisto::reverse_copy(policy(where), std::ranges::begin(range), loop::end_of(range), out);
}

/// Makes *middle the first element, with what stands before it behind the rest; returns where the first one has come.
template <std::random_access_iterator I>
I rotate(const policy& by, I first, I middle, I last) {
  static_assert(loop::all_write_by_threads<I>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const I now = first + (last - middle);
  if (first == middle || middle == last) return now;
  callisto::reverse(by, first, middle);
  callisto::reverse(by, middle, last);
  callisto::reverse(by, first, last);
  return now;
}
template <loop::sequence Range>
auto rotate(Range&& range, std::ranges::iterator_t<Range> middle,
            std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(
      callisto::rotate(policy(where), std::ranges::begin(range), middle, loop::end_of(range)));
}
/// Copies [middle, last), then [first, middle) into `out`; returns the end of what is written.
template <std::random_access_iterator I, std::random_access_iterator Out>
Out rotate_copy(const policy& by, I first, I middle, I last, Out out) {
  return callisto::copy(by, first, middle, callisto::copy(by, middle, last, out));
}
template <loop::sequence Range, std::random_access_iterator Out>
Out rotate_copy(Range&& range, std::ranges::iterator_t<Range> middle, Out out,
                std::source_location where = std::source_location::current()) {
  return callisto::rotate_copy(policy(where), std::ranges::begin(range), middle, loop::end_of(range), out);
}

/// Moves each element `n` places towards the first one; returns the end of what has moved.
template <std::random_access_iterator I>
I shift_left(const policy& by, I first, I last, std::iter_difference_t<I> n) {
  static_assert(loop::all_write_by_threads<I>, "elements of std::vector<bool> share words: use a std::vector<char>");
  if (n <= 0) return last;
  if (n >= last - first) return first;
  // Places that are `n` apart depend on each other: a round of n elements, then the next one.
  constexpr std::iter_difference_t<I> worth_a_loop = 1 << 14;
  if (n < worth_a_loop) return std::move(first + n, last, first);
  I to = first;
  for (I from = first + n; from != last;) {
    const auto count = std::min(n, last - from);
    to = callisto::move(by, from, from + count, to);
    from += count;
  }
  return to;
}
template <loop::sequence Range>
auto shift_left(Range&& range, std::ranges::range_difference_t<Range> n,
                std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(
      callisto::shift_left(policy(where), std::ranges::begin(range), loop::end_of(range), n));
}
/// Moves each element `n` places towards the last one; returns where those that have moved begin.
template <std::random_access_iterator I>
I shift_right(const policy& by, I first, I last, std::iter_difference_t<I> n) {
  if (n <= 0) return first;
  if (n >= last - first) return last;
  return callisto::shift_left(by, std::reverse_iterator<I>(last), std::reverse_iterator<I>(first), n).base();
}
template <loop::sequence Range>
auto shift_right(Range&& range, std::ranges::range_difference_t<Range> n,
                 std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(
      callisto::shift_right(policy(where), std::ranges::begin(range), loop::end_of(range), n));
}

}  // namespace callisto
