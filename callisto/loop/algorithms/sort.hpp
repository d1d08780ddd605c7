// Parallel sorting: a sample sort (Sanders and Winkel, "Super Scalar Sample Sort", ESA 2004), after a look whether the
// input is sorted or the other way round.
//
// 1. Splitters are chosen from a sample and put into a search tree that is walked without branches.
// 2. Each block of the input counts how many of its elements fall between two splitters, and how many equal one.
// 3. Each block moves its elements to their buckets in a second array.
// 4. Each bucket is sorted on one thread. A second set of splitters brings its elements back to the input's place, in
//    small buckets, which quicksort or mergesort sorts there. Buckets of elements that equal a splitter are sorted
//    already. So an input with many equal elements costs less.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/algorithms/in_order.hpp>
#include <callisto/loop/algorithms/plain_order.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/algorithms/sort_alone.hpp>
#include <callisto/loop/algorithms/splitters.hpp>
#include <callisto/loop/algorithms/text_sort.hpp>
#include <callisto/loop/indices.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/thread_sanitizer.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto {

namespace loop {

/// Sorts a bucket of n elements that stand at `from` into `to`, where elements are overwritten. Sets `back` as soon as
/// all elements are at `to`; until then all are at `from`, also if a comparison throws. Then destroys the moved-from
/// elements at `from`. `bucket`: room for a number for each element.
template <bool Stable, class T, class Iterator, class Less>
void sort_bucket(T* from, Iterator to, std::ptrdiff_t n, std::uint16_t* bucket, Less& less, bool& back) {
  struct left_over {
    T* from;
    std::ptrdiff_t n;
    const bool& back;
    ~left_over() {
      if (back) std::destroy_n(from, n);
    }
  } const ends{from, n, back};
  const auto sort_here = [&](auto first, auto spare, std::ptrdiff_t size) {
    if constexpr (Stable) {
      sort_runs(first, size, less);
      return merge_sort(first, spare, size, run_of_insertion, less);
    } else {
      sort_alone<false>(first, first + size, less);
      return false;
    }
  };
  constexpr std::ptrdiff_t few = 1024;
  if (n < few) {
    if (!sort_here(from, to, n)) std::move(from, from + n, to);
    back = true;
    return;
  }
  using tree = splitters<T*, Less>;
  constexpr unsigned of_leaf = 6;  // bits of the number of elements that are left to a leaf
  const tree split(
      from, static_cast<std::uint64_t>(n),
      std::min(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(n))) - of_leaf, tree::most_levels), 3,
      less);
  std::array<std::ptrdiff_t, tree::most_buckets> ends_of{};
  split.classify(from, static_cast<std::uint64_t>(n), bucket, ends_of);
  std::ptrdiff_t sum = 0;
  for (std::ptrdiff_t& next : ends_of) sum += std::exchange(next, sum);
  for (std::ptrdiff_t i = 0; i < n; ++i) to[ends_of[bucket[i]]++] = std::move(from[i]);
  back = true;
  std::ptrdiff_t begin = 0;
  for (unsigned k = 0; k < split.buckets(); ++k) {
    const std::ptrdiff_t size = ends_of[k] - begin;
    // Buckets of elements that equal a splitter are sorted.
    if (k % 2 == 0 && size > 1 && sort_here(to + begin, from + begin, size))
      std::move(from + begin, from + begin + size, to + begin);
    begin += size;
  }
}

/// True if the elements were in order, or the other way round, which is common. They are in order then.
template <class Iterator, class Less>
bool puts_in_order(Iterator first, std::uint64_t n, Less& less, const std::source_location& where) {
  const auto at = [&](std::uint64_t i) { return first + static_cast<std::iter_difference_t<Iterator>>(i); };
  if (all_in_order(n, [&](std::uint64_t i) { return !less(*at(i), *at(i - 1)); }, where)) return true;
  if (!all_in_order(n, [&](std::uint64_t i) { return static_cast<bool>(less(*at(i), *at(i - 1))); }, where))
    return false;
  static_cast<void>(parallel_for(
      std::uint64_t{0}, n / 2, [&](std::uint64_t i) { std::ranges::iter_swap(at(i), at(n - 1 - i)); }, {}, where));
  return true;
}

template <bool Stable, class Iterator, class Less>
void sample_sort(Iterator first, std::uint64_t n, Less less, const std::source_location& where) {
  using T = std::iter_value_t<Iterator>;
  using difference = std::iter_difference_t<Iterator>;
  // Threads that wrote neighbours which share a word would lose them; an element that fails to move in the second array
  // could not come back.
  constexpr bool together =
      moves_surely<T> &&
      (std::is_copy_constructible_v<T> || std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>) &&
      !shares_words<std::iter_reference_t<Iterator>>;
  constexpr std::uint64_t worth_while = 1 << 14;
  const auto at = [&](std::uint64_t i) { return first + static_cast<difference>(i); };
  if (n < worth_while || workers::loop_team_here().where.threads() == 1 || !together) {
    return sort_alone<Stable>(first, at(n), less);
  }
  if constexpr (together) {
    if (puts_in_order(first, n, less, where)) return;
    using tree = splitters<Iterator, Less>;
    const auto levels = std::min(static_cast<unsigned>(std::bit_width(n >> 11)), tree::most_levels);
    const tree split(first, n, levels, 16, less);

    const blocks all(n, 1 << 13, 256);
    const raw_elements<std::uint16_t> bucket_room(n);
    std::uint16_t* const bucket = bucket_room.data();
    std::vector<std::array<std::uint64_t, tree::most_buckets>> place(all.count());
    all.each(
        [&](std::uint64_t b) {
          auto& count = place[b];
          count.fill(0);
          split.classify(at(all.begin(b)), all.end(b) - all.begin(b), bucket + all.begin(b), count);
        },
        where);
    // Where each block's part of each bucket begins.
    std::array<std::uint64_t, tree::most_buckets + 1> begins;
    std::uint64_t sum = 0;
    for (unsigned k = 0; k < tree::most_buckets; ++k) {
      begins[k] = sum;
      for (auto& of_block : place) sum += std::exchange(of_block[k], sum);
    }
    begins[tree::most_buckets] = n;

    const raw_elements<T> room(n);
    T* const to = room.data();
    const auto move_block = [&](std::uint64_t b) noexcept {
      auto& next = place[b];
      for (std::uint64_t i = all.begin(b); i < all.end(b); ++i)
        std::construct_at(to + next[bucket[i]]++, std::move(*at(i)));
    };
    const auto bring_back = [&](std::uint64_t k) noexcept {
      std::move(to + begins[k], to + begins[k + 1], at(begins[k]));
      std::destroy(to + begins[k], to + begins[k + 1]);
    };
    // Elements are in `to` from here on, and come back whatever a comparison or the beginning of a loop throws.
    struct everything {
      const decltype(move_block)& move;
      const decltype(bring_back)& bring;
      std::vector<char> moved;
      std::array<bool, tree::most_buckets> back{};
      ~everything() {
        const auto not_yet = std::find(back.begin(), back.end(), false);
        if (not_yet == back.end()) return;
        for (std::uint64_t b = 0; b < moved.size(); ++b) {
          if (moved[b] == 0) move(b);
        }
        for (std::uint64_t k = 0; k < back.size(); ++k) {
          if (!back[k]) bring(k);
        }
      }
    } done{move_block, bring_back, std::vector<char>(all.count(), 0)};
    all.each(
        [&](std::uint64_t b) {
          move_block(b);
          done.moved[b] = 1;
        },
        where);
    parallel_for(
        0u, split.buckets(),
        [&](unsigned k) {
          // Buckets of elements that equal a splitter are sorted.
          if (k % 2 == 1 || begins[k] == begins[k + 1]) {
            bring_back(k);
            done.back[k] = true;
          } else {
            sort_bucket<Stable>(to + begins[k], at(begins[k]), static_cast<std::ptrdiff_t>(begins[k + 1] - begins[k]),
                                bucket + begins[k], less, done.back[k]);
          }
        },
        {.batch = 1}, where);
  }
}

/// A sequence with elements that can be assigned.
template <class Range>
concept writable_sequence =
    sequence<Range> && std::is_assignable_v<std::ranges::range_reference_t<Range>, std::ranges::range_value_t<Range>>;

/// True if elements are reached by objects that stand for references, such as those of a zipped view.
template <class Iterator>
inline constexpr bool has_proxies = !std::is_lvalue_reference_v<std::iter_reference_t<Iterator>> &&
                                    !std::same_as<std::iter_reference_t<Iterator>, std::vector<bool>::reference>;

/// Sorts n elements that are reached by references, by what is fastest for them.
template <bool Stable, class Iterator, class Less, class Projection>
void sort_references(Iterator first, std::uint64_t n, Less& less, Projection& projection,
                     const std::source_location& where) {
  using T = std::iter_value_t<Iterator>;
  // A stable sort of bare numbers must tell -0.0 from 0.0 by their places.
  constexpr bool zeros_differ = Stable && std::is_floating_point_v<T>;
  constexpr bool plainly = std::contiguous_iterator<Iterator> && sorts_plainly<T, Less, Projection>() && !zeros_differ;
  if constexpr (plainly && !machine::sanitizer_sees_library) {
    sample_sort<Stable>(
        std::to_address(first), n,
        [&](const T& a, const T& b) {
          const auto& x = std::invoke(projection, a);
          const auto& y = std::invoke(projection, b);
          if (x != x || y != y) return x == x;  // NaNs come behind all numbers
          return static_cast<bool>(std::invoke(less, x, y));
        },
        where);
  } else if constexpr (plainly) {
    if (n < 2) return;
    T* const at = std::to_address(first);
    sort_plain(at, n, plain_order_of<Less>(*at, projection), where);
  } else {
    if constexpr (sorts_as_texts<Iterator, Less, Projection>() && machine::sanitizer_sees_library) {
      constexpr std::uint64_t worth_while = 128;
      if (n >= worth_while) {
        const auto by_text = [&](const T& a, const T& b) {
          return static_cast<bool>(std::invoke(less, std::invoke(projection, a), std::invoke(projection, b)));
        };
        if (!puts_in_order(first, n, by_text, where)) text_sort<Iterator, Less>(first, n, projection, where);
        return;
      }
    }
    // Pointers keep what is compiled for different ranges of one type the same.
    const auto begin = [&] {
      if constexpr (std::contiguous_iterator<Iterator>) {
        return std::to_address(first);
      } else {
        return first;
      }
    }();
    if constexpr (std::same_as<Projection, std::identity>) {
      sample_sort<Stable>(begin, n, std::ref(less), where);
    } else {
      const auto by_key = [&](const T& a, const T& b) {
        return static_cast<bool>(std::invoke(less, std::invoke(projection, a), std::invoke(projection, b)));
      };
      sample_sort<Stable>(begin, n, by_key, where);
    }
  }
}

/// Sorts n elements.
template <bool Stable, class Iterator, class Less, class Projection>
void sort_by(Iterator first, std::uint64_t n, Less& less, Projection& projection, const std::source_location& where) {
  if constexpr (has_proxies<Iterator>) {
    const Iterator last = first + static_cast<std::iter_difference_t<Iterator>>(n);
    if constexpr (Stable) {
      std::ranges::stable_sort(first, last, std::ref(less), std::ref(projection));
    } else {
      std::ranges::sort(first, last, std::ref(less), std::ref(projection));
    }
  } else {
    sort_references<Stable>(first, n, less, projection, where);
  }
}

/// Sorts as a policy asks. A request to stop counts until the sort begins.
template <bool Stable, class Iterator, class Less, class Projection>
void sort_with(const policy& by, Iterator first, Iterator last, Less& less, Projection& projection) {
  std::optional<thread_limit> limit;
  if (by.options().threads != 0) limit.emplace(by.options().threads);
  if (by.options().stop.stop_requested()) machine::throw_cancelled();
  sort_by<Stable>(first, count_between(first, last), less, projection, by.where());
}

}  // namespace loop

/// Sorts a random-access range by `less` of what `projection` returns for its elements, a strict weak order. Equal
/// elements come in any order.
///
/// Numbers by std::less or std::greater, or by their `std::ranges` forms, sort by their bits. The same holds for
/// trivially copyable elements of 8, 16, 24 or 32 bytes by a member that is a number (`sort(range, {}, &T::key)`). NaNs
/// are allowed then, and come behind all numbers; -0.0 comes before or after 0.0. Elements that are or have a
/// std::string or std::string_view sort by eight characters at a time in these orders. Any other order is asked by
/// calls.
///
/// Uses a second array, and two bytes an element if it calls `less`, 16 for texts; throws std::bad_alloc if there is no
/// room, with the range as it was. If `less` throws, the range holds the same elements in some order, and also if it is
/// no strict weak order, such as <= or one that changes: nothing outside of the range is read or written. The calling
/// thread alone sorts short ranges, sorts inside of a loop body, and elements that may throw when they move, or are
/// bits of a std::vector<bool>. It also sorts elements that are reached by objects, such as those of a zipped view, as
/// std::ranges::sort does.
template <std::ranges::random_access_range Range, class Less = std::less<>, class Projection = std::identity>
  requires loop::writable_sequence<Range> && (!std::same_as<Projection, std::source_location>)
void sort(Range&& range, Less less = {}, Projection projection = {},
          std::source_location where = std::source_location::current()) {
  loop::sort_by<false>(std::ranges::begin(range), loop::count_of(range), less, projection, where);
}
template <std::ranges::random_access_range Range, class Less>
  requires loop::writable_sequence<Range>
void sort(Range&& range, Less less, std::source_location where) {
  loop::sort_by<false>(std::ranges::begin(range), loop::count_of(range), less, std::identity(), where);
}

template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
void sort(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  loop::sort_with<false>(by, first, last, less, projection);
}
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
  requires(!std::same_as<Less, std::source_location>)
void sort(I first, I last, Less less = {}, Projection projection = {},
          std::source_location where = std::source_location::current()) {
  loop::sort_with<false>(policy(where), first, last, less, projection);
}

/// Sorts as sort(), and keeps the order of equal elements, of which -0.0 and 0.0 are.
template <std::ranges::random_access_range Range, class Less = std::less<>, class Projection = std::identity>
  requires loop::writable_sequence<Range> && (!std::same_as<Projection, std::source_location>)
void stable_sort(Range&& range, Less less = {}, Projection projection = {},
                 std::source_location where = std::source_location::current()) {
  loop::sort_by<true>(std::ranges::begin(range), loop::count_of(range), less, projection, where);
}
template <std::ranges::random_access_range Range, class Less>
  requires loop::writable_sequence<Range>
void stable_sort(Range&& range, Less less, std::source_location where) {
  loop::sort_by<true>(std::ranges::begin(range), loop::count_of(range), less, std::identity(), where);
}
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
void stable_sort(const policy& by, I first, I last, Less less = {}, Projection projection = {}) {
  loop::sort_with<true>(by, first, last, less, projection);
}
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
  requires(!std::same_as<Less, std::source_location>)
void stable_sort(I first, I last, Less less = {}, Projection projection = {},
                 std::source_location where = std::source_location::current()) {
  loop::sort_with<true>(policy(where), first, last, less, projection);
}

}  // namespace callisto
