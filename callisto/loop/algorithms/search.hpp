// Searching: the first element, or the first place, that is wanted.
#pragma once

#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto {

namespace loop {

/// True if a condition of such elements may be asked for some behind a hit: it costs about as much as to ask whether
/// there was one.
template <class Iterator>
inline constexpr bool looks_ahead = std::is_arithmetic_v<std::iter_value_t<Iterator>>;

/// Returns the first i of [0, n) for which hit(i). `Iterator`: of the elements.
template <class Iterator, class Hit>
std::uint64_t find_place(std::uint64_t n, Hit hit, const policy& by) {
  return find_first(
      n, [&](std::uint64_t from, std::uint64_t to) { return first_hit<looks_ahead<Iterator>>(from, to, hit); }, by);
}

}  // namespace loop

/// Returns the first element for which `wanted` is true, or the end. `wanted` is called for every element before the
/// one that is returned, and for some behind it. Threads drop what lies behind the first one known.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
I find_if(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  const loop::projected<I, Projection> at(first, projection);
  const auto hit = [&](std::uint64_t i) { return static_cast<bool>(std::invoke(wanted, at(i))); };
  return loop::place(first, loop::find_place<I>(loop::count_between(first, last), hit, by));
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
  requires std::invocable<Projection&, std::ranges::range_reference_t<Range>>
auto find_if(Range&& range, Predicate wanted, Projection projection = {},
             std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::find_if(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(wanted), std::move(projection)));
}
/// Returns the first element for which `wanted` is false, or the end; the rest as find_if().
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
I find_if_not(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  return callisto::find_if(by, first, last, std::not_fn(std::ref(wanted)), std::move(projection));
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
auto find_if_not(Range&& range, Predicate wanted, Projection projection = {},
                 std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::find_if_not(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(wanted), std::move(projection)));
}
/// Returns the first element that equals `value`, or the end.
template <std::random_access_iterator I, class T, class Projection = std::identity>
I find(const policy& by, I first, I last, const T& value, Projection projection = {}) {
  return callisto::find_if(by, first, last, [&](const auto& x) { return x == value; }, std::move(projection));
}
template <loop::sequence Range, class T, class Projection = std::identity>
auto find(Range&& range, const T& value, Projection projection = {},
          std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(
      callisto::find(policy(where), std::ranges::begin(range), loop::end_of(range), value, std::move(projection)));
}

/// True if `wanted` is true for some element.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
bool any_of(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  return callisto::find_if(by, first, last, std::ref(wanted), std::move(projection)) != last;
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
bool any_of(Range&& range, Predicate wanted, Projection projection = {},
            std::source_location where = std::source_location::current()) {
  return callisto::any_of(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(wanted),
                          std::move(projection));
}
/// True if `wanted` is true for every element.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
bool all_of(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  return !callisto::any_of(by, first, last, std::not_fn(std::ref(wanted)), std::move(projection));
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
bool all_of(Range&& range, Predicate wanted, Projection projection = {},
            std::source_location where = std::source_location::current()) {
  return callisto::all_of(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(wanted),
                          std::move(projection));
}
/// True if `wanted` is true for no element.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
bool none_of(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  return !callisto::any_of(by, first, last, std::ref(wanted), std::move(projection));
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
bool none_of(Range&& range, Predicate wanted, Projection projection = {},
             std::source_location where = std::source_location::current()) {
  return callisto::none_of(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(wanted),
                           std::move(projection));
}

/// Returns the first element that is followed by one for which same(element, next) is true, or the end.
template <std::random_access_iterator I, class Same = std::equal_to<>, class Projection = std::identity>
I adjacent_find(const policy& by, I first, I last, Same same = {}, Projection projection = {}) {
  const std::uint64_t n = loop::count_between(first, last);
  if (n < 2) return last;
  const loop::projected<I, Projection> at(first, projection);
  const auto hit = [&](std::uint64_t i) { return static_cast<bool>(std::invoke(same, at(i), at(i + 1))); };
  const std::uint64_t found = loop::find_place<I>(n - 1, hit, by);
  return found == n - 1 ? last : loop::place(first, found);
}
template <loop::sequence Range, class Same = std::equal_to<>, class Projection = std::identity>
auto adjacent_find(Range&& range, Same same = {}, Projection projection = {},
                   std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::adjacent_find(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(same), std::move(projection)));
}

/// Returns the first element that is the same as one of a second sequence, or the end.
template <std::random_access_iterator I, std::random_access_iterator J, class Same = std::equal_to<>>
I find_first_of(const policy& by, I first, I last, J begin, J end, Same same = {}) {
  return callisto::find_if(by, first, last, [&](auto&& x) {
    for (J y = begin; y != end; ++y) {
      if (std::invoke(same, x, *y)) return true;
    }
    return false;
  });
}
template <loop::sequence Range, loop::sequence Of, class Same = std::equal_to<>>
auto find_first_of(Range&& range, Of&& of, Same same = {},
                   std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::find_first_of(policy(where), std::ranges::begin(range),
                                                                         loop::end_of(range), std::ranges::begin(of),
                                                                         loop::end_of(of), std::move(same)));
}

/// Returns where a second sequence stands first in the first one, or the end.
template <std::random_access_iterator I, std::random_access_iterator J, class Same = std::equal_to<>>
I search(const policy& by, I first, I last, J begin, J end, Same same = {}) {
  const std::uint64_t n = loop::count_between(first, last);
  const std::uint64_t of = loop::count_between(begin, end);
  if (of == 0) return first;
  if (of > n) return last;
  const std::uint64_t places = n - of + 1;
  const std::uint64_t found = loop::find_first(
      places,
      [&](std::uint64_t from, std::uint64_t to) {
        const I till = loop::place(first, to + of - 1);
        const I at = std::search(loop::place(first, from), till, begin, end, std::ref(same));
        return at == till ? to : loop::count_between(first, at);
      },
      by);
  return found == places ? last : loop::place(first, found);
}
template <loop::sequence Range, loop::sequence Of, class Same = std::equal_to<>>
auto search(Range&& range, Of&& of, Same same = {}, std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::search(policy(where), std::ranges::begin(range),
                                                                  loop::end_of(range), std::ranges::begin(of),
                                                                  loop::end_of(of), std::move(same)));
}
/// Returns where a second sequence stands last in the first one, or the end.
template <std::random_access_iterator I, std::random_access_iterator J, class Same = std::equal_to<>>
I find_end(const policy& by, I first, I last, J begin, J end, Same same = {}) {
  if (begin == end) return last;
  // Not std::reverse_iterator(at), which copies `at` if it is a reverse iterator itself.
  const auto back = []<class At>(At at) { return std::reverse_iterator<At>(at); };
  const auto found = callisto::search(by, back(last), back(first), back(end), back(begin), std::ref(same));
  return found == back(first) ? last : found.base() - (end - begin);
}
template <loop::sequence Range, loop::sequence Of, class Same = std::equal_to<>>
auto find_end(Range&& range, Of&& of, Same same = {}, std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::find_end(policy(where), std::ranges::begin(range),
                                                                    loop::end_of(range), std::ranges::begin(of),
                                                                    loop::end_of(of), std::move(same)));
}
/// Returns the first of `count` neighbours that are all the same as `value`, or the end.
template <std::random_access_iterator I, std::integral Size, class T, class Same = std::equal_to<>>
I search_n(const policy& by, I first, I last, Size count, const T& value, Same same = {}) {
  const std::uint64_t n = loop::count_between(first, last);
  if (count <= 0) return first;
  const auto of = static_cast<std::uint64_t>(count);
  if (of > n) return last;
  const std::uint64_t places = n - of + 1;
  const std::uint64_t found = loop::find_first(
      places,
      [&](std::uint64_t from, std::uint64_t to) {
        std::uint64_t run = 0;
        for (std::uint64_t i = from; i < to + of - 1; ++i) {
          run = std::invoke(same, *loop::place(first, i), value) ? run + 1 : 0;
          if (run == of) return i + 1 - of;
          if (run == 0 && i >= to) return to;
        }
        return to;
      },
      by);
  return found == places ? last : loop::place(first, found);
}
template <loop::sequence Range, std::integral Size, class T, class Same = std::equal_to<>>
auto search_n(Range&& range, Size count, const T& value, Same same = {},
              std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(
      callisto::search_n(policy(where), std::ranges::begin(range), loop::end_of(range), count, value, std::move(same)));
}

}  // namespace callisto
