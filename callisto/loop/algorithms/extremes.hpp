// Counting, and the least and the greatest element.
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

template <class I, class Predicate, class Projection>
std::uint64_t count_places(const policy& by, I first, I last, Predicate& wanted, Projection& projection) {
  const projected<I, Projection> at(first, projection);
  const auto in_piece = [&](std::uint64_t from, std::uint64_t to) {
    std::uint64_t count = 0;
    for (; from < to; ++from) count += std::invoke(wanted, at(from)) ? 1u : 0u;
    return count;
  };
  return fold_pieces<std::uint64_t>(count_between(first, last), in_piece, std::plus<>{}, by).value_or(0);
}

/// True if integers compare in their usual order, in which the least one can be found without its place.
template <class I, class Less, class Projection>
inline constexpr bool compares_integers =
    std::integral<std::iter_value_t<I>> && std::same_as<Projection, std::identity> &&
    (std::same_as<Less, std::less<>> || std::same_as<Less, std::ranges::less> ||
     std::same_as<Less, std::less<std::iter_value_t<I>>>);

/// Returns the place of the best one of [0, n), n > 0: better(i, j), a strict weak order of places. Of equal ones, the
/// first, or the last if `Last`.
template <bool Last, class Better>
std::uint64_t best_place(std::uint64_t n, Better better, const policy& by) {
  const auto in_piece = [&](std::uint64_t from, std::uint64_t to) {
    std::uint64_t best = from;
    for (std::uint64_t i = from + 1; i < to; ++i) {
      if (Last ? !better(best, i) : better(i, best)) best = i;
    }
    return best;
  };
  const auto of_two = [&](std::uint64_t a, std::uint64_t b) {
    if (a > b) std::swap(a, b);
    return (Last ? !better(a, b) : better(b, a)) ? b : a;
  };
  return *fold_pieces<std::uint64_t>(n, in_piece, of_two, by);
}

/// Returns what best_place() does, for integers. A piece is looked at for the value, then for its place.
template <bool Last, bool Greatest, class I>
std::uint64_t best_integer(std::uint64_t n, I first, const policy& by) {
  using T = std::iter_value_t<I>;
  struct best {
    T value;
    std::uint64_t at;
  };
  const auto of = [](T a, T b) { return Greatest ? std::max(a, b) : std::min(a, b); };
  const auto in_piece = [&](std::uint64_t from, std::uint64_t to) {
    T value = *place(first, from);
    for (std::uint64_t i = from; i < to; ++i) value = of(value, *place(first, i));
    if constexpr (Last) {
      while (*place(first, --to) != value) {
      }
      return best{value, to};
    } else {
      return best{value, first_hit<true>(from, to, [&](std::uint64_t i) { return *place(first, i) == value; })};
    }
  };
  const auto of_two = [&](best a, best b) {
    if (a.value == b.value) return (a.at < b.at) != Last ? a : b;
    return of(a.value, b.value) == a.value ? a : b;
  };
  return fold_pieces<best>(n, in_piece, of_two, by)->at;
}

template <bool Last, bool Greatest, class I, class Less, class Projection>
I extreme(const policy& by, I first, I last, Less& less, Projection& projection) {
  const std::uint64_t n = count_between(first, last);
  if (n == 0) return last;
  if constexpr (compares_integers<I, Less, Projection>) {
    return place(first, best_integer<Last, Greatest>(n, first, by));
  } else {
    const projected<I, Projection> at(first, projection);
    const auto better = [&](std::uint64_t i, std::uint64_t j) {
      return static_cast<bool>(Greatest ? std::invoke(less, at(j), at(i)) : std::invoke(less, at(i), at(j)));
    };
    return place(first, best_place<Last>(n, better, by));
  }
}

}  // namespace loop

/// Returns for how many elements `wanted` is true.
template <std::random_access_iterator I, class Predicate, class Projection = std::identity>
std::iter_difference_t<I> count_if(const policy& by, I first, I last, Predicate wanted, Projection projection = {}) {
  return static_cast<std::iter_difference_t<I>>(loop::count_places(by, first, last, wanted, projection));
}
template <loop::sequence Range, class Predicate, class Projection = std::identity>
std::uint64_t count_if(Range&& range, Predicate wanted, Projection projection = {},
                       std::source_location where = std::source_location::current()) {
  return loop::count_places(policy(where), std::ranges::begin(range), loop::end_of(range), wanted, projection);
}
/// Returns how many elements equal `value`.
template <std::random_access_iterator I, class T, class Projection = std::identity>
std::iter_difference_t<I> count(const policy& by, I first, I last, const T& value, Projection projection = {}) {
  return callisto::count_if(by, first, last, [&](const auto& x) { return x == value; }, std::move(projection));
}
template <loop::sequence Range, class T, class Projection = std::identity>
std::uint64_t count(Range&& range, const T& value, Projection projection = {},
                    std::source_location where = std::source_location::current()) {
  return callisto::count_if(range, [&](const auto& x) { return x == value; }, std::move(projection), where);
}

/// Returns the first of the least elements, or the end if there is no element.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
I min_element(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  return loop::extreme<false, false>(by, first, last, less, projection);
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
auto min_element(Range&& range, Less less = {}, Projection projection = {},
                 std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::min_element(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(less), std::move(projection)));
}
/// Returns the first of the greatest elements, or the end if there is no element.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
I max_element(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  return loop::extreme<false, true>(by, first, last, less, projection);
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
auto max_element(Range&& range, Less less = {}, Projection projection = {},
                 std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Range>(callisto::max_element(
      policy(where), std::ranges::begin(range), loop::end_of(range), std::move(less), std::move(projection)));
}
/// Returns the first of the least elements and the last of the greatest ones, or twice the end.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
std::pair<I, I> minmax_element(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  return {loop::extreme<false, false>(by, first, last, less, projection),
          loop::extreme<true, true>(by, first, last, less, projection)};
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
auto minmax_element(Range&& range, Less less = {}, Projection projection = {},
                    std::source_location where = std::source_location::current()) {
  using iterator = std::ranges::borrowed_iterator_t<Range>;
  const auto found = callisto::minmax_element(policy(where), std::ranges::begin(range), loop::end_of(range),
                                              std::move(less), std::move(projection));
  return std::pair<iterator, iterator>(found.first, found.second);
}

}  // namespace callisto
