// Comparing two sequences, and asking whether one is in some order.
#pragma once

#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/algorithms/search.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <utility>

namespace callisto {

namespace loop {

/// True if `Same` compares elements behind such iterators, and is no iterator itself.
template <class Same, class I, class J>
concept compares = std::predicate<Same&, std::iter_reference_t<I>, std::iter_reference_t<J>>;

/// Returns the first place of [0, n) where two sequences differ, or n.
template <class I, class J, class Same>
std::uint64_t first_difference(std::uint64_t n, I a, J b, Same& same, const policy& by) {
  return find_place<I>(n, [&](std::uint64_t i) { return !std::invoke(same, *place(a, i), *place(b, i)); }, by);
}

}  // namespace loop

/// Returns the first two elements at the same place of both sequences for which `same` is false; the ends of the
/// shorter sequence if there are none.
template <std::random_access_iterator I, std::random_access_iterator J, class Same = std::equal_to<>>
  requires loop::compares<Same, I, J>
std::pair<I, J> mismatch(const policy& by, I first, I last, J second, J end, Same same = {}) {
  const std::uint64_t n = std::min(loop::count_between(first, last), loop::count_between(second, end));
  const std::uint64_t at = loop::first_difference(n, first, second, same, by);
  return {loop::place(first, at), loop::place(second, at)};
}
template <std::random_access_iterator I, std::random_access_iterator J, class Same = std::equal_to<>>
  requires loop::compares<Same, I, J>
std::pair<I, J> mismatch(const policy& by, I first, I last, J second, Same same = {}) {
  return callisto::mismatch(by, first, last, second, second + (last - first), std::move(same));
}
template <loop::sequence A, loop::sequence B, class Same = std::equal_to<>>
auto mismatch(A&& a, B&& b, Same same = {}, std::source_location where = std::source_location::current()) {
  const auto found = callisto::mismatch(policy(where), std::ranges::begin(a), loop::end_of(a), std::ranges::begin(b),
                                        loop::end_of(b), std::move(same));
  return std::pair<std::ranges::borrowed_iterator_t<A>, std::ranges::borrowed_iterator_t<B>>(found.first, found.second);
}

/// True if both sequences have the same length, and `same` is true at each place.
template <std::random_access_iterator I, std::random_access_iterator J, class Same = std::equal_to<>>
  requires loop::compares<Same, I, J>
bool equal(const policy& by, I first, I last, J second, J end, Same same = {}) {
  const std::uint64_t n = loop::count_between(first, last);
  return n == loop::count_between(second, end) && loop::first_difference(n, first, second, same, by) == n;
}
template <std::random_access_iterator I, std::random_access_iterator J, class Same = std::equal_to<>>
  requires loop::compares<Same, I, J>
bool equal(const policy& by, I first, I last, J second, Same same = {}) {
  return callisto::equal(by, first, last, second, second + (last - first), std::move(same));
}
template <loop::sequence A, loop::sequence B, class Same = std::equal_to<>>
bool equal(A&& a, B&& b, Same same = {}, std::source_location where = std::source_location::current()) {
  return callisto::equal(policy(where), std::ranges::begin(a), loop::end_of(a), std::ranges::begin(b), loop::end_of(b),
                         std::move(same));
}

/// True if the first sequence comes before the second one, as words do in a dictionary.
template <std::random_access_iterator I, std::random_access_iterator J, class Less = std::less<>>
bool lexicographical_compare(const policy& by, I first, I last, J second, J end, Less less = {}) {
  const std::uint64_t a = loop::count_between(first, last);
  const std::uint64_t b = loop::count_between(second, end);
  const auto differs = [&](std::uint64_t i) {
    return std::invoke(less, *loop::place(first, i), *loop::place(second, i)) ||
           std::invoke(less, *loop::place(second, i), *loop::place(first, i));
  };
  const std::uint64_t at = loop::find_place<I>(std::min(a, b), differs, by);
  return at == std::min(a, b) ? a < b : std::invoke(less, *loop::place(first, at), *loop::place(second, at));
}
template <loop::sequence A, loop::sequence B, class Less = std::less<>>
bool lexicographical_compare(A&& a, B&& b, Less less = {},
                             std::source_location where = std::source_location::current()) {
  return callisto::lexicographical_compare(policy(where), std::ranges::begin(a), loop::end_of(a), std::ranges::begin(b),
                                           loop::end_of(b), std::move(less));
}

/// Returns the first element that is less than the one before it, or the end.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
I is_sorted_until(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  const auto falls = [&](auto&& a, auto&& b) { return std::invoke(less, b, a); };
  const I found = callisto::adjacent_find(by, first, last, falls, std::move(projection));
  return found == last ? last : found + 1;
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
auto is_sorted_until(Range&& range, Less less = {}, Projection projection = {},
                     std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::is_sorted_until(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(less), std::move(projection)));
}
/// True if no element is less than the one before it.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
bool is_sorted(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  return callisto::is_sorted_until(by, first, last, std::move(less), std::move(projection)) == last;
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
bool is_sorted(Range&& range, Less less = {}, Projection projection = {},
               std::source_location where = std::source_location::current()) {
  return callisto::is_sorted(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(less),
                             std::move(projection));
}

/// Returns the end of the longest beginning that is a heap.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
I is_heap_until(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  const std::uint64_t n = loop::count_between(first, last);
  if (n < 2) return last;
  const loop::projected<I, Projection> at(first, projection);
  const auto breaks = [&](std::uint64_t i) { return static_cast<bool>(std::invoke(less, at(i / 2), at(i + 1))); };
  const std::uint64_t found = loop::find_place<I>(n - 1, breaks, by);
  return loop::place(first, found + 1);
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
auto is_heap_until(Range&& range, Less less = {}, Projection projection = {},
                   std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::is_heap_until(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(less), std::move(projection)));
}
/// True if the elements are a heap: none is greater than its parent, which stands at half its place.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
bool is_heap(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  return callisto::is_heap_until(by, first, last, std::move(less), std::move(projection)) == last;
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
bool is_heap(Range&& range, Less less = {}, Projection projection = {},
             std::source_location where = std::source_location::current()) {
  return callisto::is_heap(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(less),
                           std::move(projection));
}

/// True if no element for which `wanted` is true stands behind an element for which it is false.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
bool is_partitioned(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  const I middle = callisto::find_if_not(by, first, last, std::ref(wanted), std::ref(projection));
  return callisto::none_of(by, middle, last, std::ref(wanted), std::ref(projection));
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
bool is_partitioned(Range&& range, Predicate wanted, Projection projection = {},
                    std::source_location where = std::source_location::current()) {
  return callisto::is_partitioned(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(wanted),
                                  std::move(projection));
}

}  // namespace callisto
