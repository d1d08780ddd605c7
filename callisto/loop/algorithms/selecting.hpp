// Selecting by order: the element that belongs at a place, the least ones.
//
// 1. A sample gives two elements between which the wanted one probably stands (Floyd and Rivest, "Expected time bounds
//    for selection", 1975).
// 2. Each block tells its elements apart: less than both, between, greater. Nothing moves meanwhile.
// 3. All elements move to their part, by way of a second array. The part with the wanted place is selected from next.
#pragma once

#include <callisto/loop/algorithms/elements.hpp>
#include <callisto/loop/algorithms/filtering.hpp>
#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/algorithms/sort.hpp>
#include <callisto/loop/algorithms/sort_alone.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <source_location>
#include <utility>
#include <vector>

namespace callisto {

namespace loop {

/// Brings the element that belongs at place k there, with none that is greater before it and none that is less behind
/// it. Reads nothing outside of the n elements, whatever `less` says.
template <class I, class Less>
void select_alone(I first, std::uint64_t n, std::uint64_t k, Less& less) {
  constexpr std::iter_difference_t<I> few = 20;
  I last = place(first, n);
  const I wanted = place(first, k);
  for (auto depth = 2 * static_cast<int>(std::bit_width(n)); last - first > few; --depth) {
    if (depth == 0) return heap_sort(first, last - first, less);
    choose_pivot(first, last, less);
    const I pivot = part_by_pivot<is_small_and_plain<I>>(first, last, less);
    if (wanted == pivot) return;
    if (wanted < pivot) {
      last = pivot;
      continue;
    }
    I right = pivot + 1;
    if constexpr (is_small_and_plain<I>) {
      // Elements that equal the pivot went to the right.
      if (pivot - first < (last - first) / 8) {
        const std::iter_value_t<I> of = *pivot;
        right = move_left(right, last, [&](const std::iter_value_t<I>& x) { return !less(of, x); });
        if (wanted < right) return;
      }
    }
    first = right;
  }
  insertion_sort(first, last, less);
}

/// Places of a sample of [0, n) in the order of less(i, j), evenly spread.
inline constexpr std::uint64_t sample_size = 1024;
template <class Less>
std::vector<std::uint64_t> sorted_sample(std::uint64_t n, Less less) {
  std::vector<std::uint64_t> sample(sample_size);
  for (std::uint64_t s = 0; s < sample_size; ++s) {
    // Not at even distances, which may be those of a pattern.
    const std::uint64_t step = n / sample_size;
    sample[s] = s * step + (s * 0x9e3779b97f4a7c15 >> 32) % step;
  }
  sort_alone<false>(sample.data(), sample.data() + sample_size, less);
  return sample;
}
/// Returns how far the rank of an element in the sample may be from its share of it; seldom further.
inline constexpr std::uint64_t sample_error = 48;

/// Moves elements to their part, of three: less than `low`, greater than `high`, both places of elements, and between.
/// Returns where the second part begins, and the third.
template <class I, class Less>
std::pair<std::uint64_t, std::uint64_t> part_by_two(I first, std::uint64_t n, std::optional<std::uint64_t> low,
                                                    std::optional<std::uint64_t> high, Less& less, const policy& by) {
  using T = std::iter_value_t<I>;
  const blocks all(n, 1 << 12, 1 << 13);
  const auto part = std::make_unique_for_overwrite<std::uint8_t[]>(n);
  std::vector<std::array<std::uint64_t, 3>> next(all.count());
  const auto tell_apart = [&](const auto& below, const auto& above) {
    for_blocks(
        all,
        [&](std::uint64_t b) {
          std::uint64_t lows = 0;
          std::uint64_t highs = 0;
          for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
            const T& x = *place(first, i);
            const unsigned low_one = below(x) ? 1u : 0u;
            // One that is both, by no order, is low.
            const unsigned high_one = above(x) ? 1u - low_one : 0u;
            part[i] = static_cast<std::uint8_t>(1u - low_one + high_one);
            lows += low_one;
            highs += high_one;
          }
          next[b] = {lows, all.end(b) - all.begin(b) - lows - highs, highs};
        },
        by);
  };
  tell_apart([&](const T& x) { return low.has_value() && static_cast<bool>(less(x, *place(first, *low))); },
             [&](const T& x) { return high.has_value() && static_cast<bool>(less(*place(first, *high), x)); });
  std::uint64_t sum = 0;
  std::array<std::uint64_t, 3> begins{};
  for (std::size_t p = 0; p < 3; ++p) {
    begins[p] = sum;
    for (auto& of_block : next) sum += std::exchange(of_block[p], sum);
  }
  const raw_elements<T> room(n);
  T* const to = room.data();
  const auto move_block = [&](std::uint64_t b) noexcept {
    auto [low_to, middle_to, high_to] = next[b];
    for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
      const unsigned p = part[i];
      const std::uint64_t at = p == 0 ? low_to : p == 1 ? middle_to : high_to;
      low_to += p == 0 ? 1 : 0;
      middle_to += p == 1 ? 1 : 0;
      high_to += p == 2 ? 1 : 0;
      std::construct_at(to + at, std::move(*place(first, i)));
    }
  };
  move_pieces(
      all.count(),
      [&](std::uint64_t b, std::uint64_t end) noexcept {
        for (; b < end; ++b) move_block(b);
      },
      by.where());
  bring_back(to, n, first, by.where());
  return {begins[1], begins[2]};
}

template <class I, class Less>
void select(I first, std::uint64_t n, std::uint64_t k, Less& less, const policy& by) {
  // Small plain elements one thread parts without branches, in an eighth of the processor time.
  if constexpr (moves_by_threads<I> && !is_small_and_plain<I>) {
    constexpr std::uint64_t worth_while = 1 << 16;
    const bool several = by.options().threads != 1 && workers::loop_team_here().where.threads() > 1;
    while (n > worth_while && several) {
      const auto sample = sorted_sample(n, [&](std::uint64_t i, std::uint64_t j) {
        return static_cast<bool>(less(*place(first, i), *place(first, j)));
      });
      const std::uint64_t rank = k / (n / sample_size + 1);
      std::optional<std::uint64_t> low;
      std::optional<std::uint64_t> high;
      if (rank > sample_error) low = sample[rank - sample_error];
      if (rank + sample_error < sample_size) high = sample[rank + sample_error];
      const auto [middle, above] = part_by_two(first, n, low, high, less, by);
      const std::uint64_t begin = k < middle ? 0 : k < above ? middle : above;
      const std::uint64_t end = k < middle ? middle : k < above ? above : n;
      const bool shrinks = end - begin < n / 2;
      first = place(first, begin);
      n = end - begin;
      k -= begin;
      if (!shrinks) break;  // many elements are equal
    }
  }
  select_alone(first, n, k, less);
}

/// Returns an order of elements by what a projection gives.
template <class T, class Less, class Projection>
auto by_projection(Less& less, Projection& projection) {
  return [&](const T& a, const T& b) {
    return static_cast<bool>(std::invoke(less, std::invoke(projection, a), std::invoke(projection, b)));
  };
}

/// Returns the places of the k least of n elements, in order; less(i, j) compares places. Of equal elements, any.
template <class Less>
std::vector<std::uint64_t> least_places(std::uint64_t n, std::uint64_t k, Less less, const policy& by) {
  std::vector<std::uint64_t> found;
  const std::uint64_t rank = n < sample_size ? sample_size : k / (n / sample_size) + sample_error;
  if (rank < sample_size) {
    // Whatever is greater than one that is probably not among the k least is left out.
    const std::uint64_t high = sorted_sample(n, less)[rank];
    kept_places kept(0, n);
    kept.list([&](std::uint64_t i) { return !less(high, i); }, by);
    if (kept.kept() >= k) {
      found.resize(kept.kept());
      kept.each(by, [&](std::uint64_t i, std::uint64_t at) { found[at] = i; });
    }
  }
  if (found.empty()) {
    found.resize(n);
    for_pieces(
        n,
        [&](std::uint64_t from, std::uint64_t to) {
          for (; from < to; ++from) found[from] = from;
        },
        by);
  }
  if (k == 0) return {};
  if (k < found.size()) select(found.data(), found.size(), k - 1, less, by);
  found.resize(k);
  callisto::sort(by, found.begin(), found.end(), std::ref(less));
  return found;
}

}  // namespace loop

/// Brings the element that belongs at `nth` in sorted order there; none behind it is less, none before it greater. The
/// calling thread alone selects among elements that may throw when they move. Takes a second array. If `less` throws,
/// or is no order, the sequence holds the same elements in some order.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
void nth_element(const policy& by, I first, I nth, I last, Less less = {}, Projection projection = {}) {
  if (nth == last || first == last) return;
  auto by_key = loop::by_projection<std::iter_value_t<I>>(less, projection);
  loop::select(first, loop::count_between(first, last), loop::count_between(first, nth), by_key, by);
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
void nth_element(Range&& range, std::ranges::iterator_t<Range> nth, Less less = {}, Projection projection = {},
                 std::source_location where = std::source_location::current()) {
  callisto::nth_element(policy(where), std::ranges::begin(range), nth, loop::end_of(range), std::move(less),
                        std::move(projection));
}

/// Brings the least elements before `middle`, in order; the rest as nth_element().
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
void partial_sort(const policy& by, I first, I middle, I last, Less less = {}, Projection projection = {}) {
  if (first == middle) return;
  if (middle != last) callisto::nth_element(by, first, middle - 1, last, std::ref(less), std::ref(projection));
  callisto::sort(by, first, middle, less, projection);
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
void partial_sort(Range&& range, std::ranges::iterator_t<Range> middle, Less less = {}, Projection projection = {},
                  std::source_location where = std::source_location::current()) {
  callisto::partial_sort(policy(where), std::ranges::begin(range), middle, loop::end_of(range), std::move(less),
                         std::move(projection));
}
/// Copies the least elements into [out, out_end), in order, as many as there is room for; returns the end of what is
/// written.
template <std::random_access_iterator I, std::random_access_iterator Out, class Less = std::less<>,
          class Projection = std::identity>
Out partial_sort_copy(const policy& by, I first, I last, Out out, Out out_end, Less less = {},
                      Projection projection = {}) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  const std::uint64_t k = std::min(n, loop::count_between(out, out_end));
  const loop::projected<I, Projection> at(first, projection);
  const auto found = loop::least_places(
      n, k, [&](std::uint64_t i, std::uint64_t j) { return static_cast<bool>(std::invoke(less, at(i), at(j))); }, by);
  return callisto::transform(by, found.begin(), found.end(), out,
                             [&](std::uint64_t i) -> decltype(auto) { return *loop::place(first, i); });
}
template <loop::sequence Range, loop::sequence Out, class Less = std::less<>, class Projection = std::identity>
auto partial_sort_copy(Range&& range, Out&& out, Less less = {}, Projection projection = {},
                       std::source_location where = std::source_location::current()) {
  return std::ranges::borrowed_iterator_t<Out>(
      callisto::partial_sort_copy(policy(where), std::ranges::begin(range), loop::end_of(range),
                                  std::ranges::begin(out), loop::end_of(out), std::move(less), std::move(projection)));
}
/// Returns copies of the k least elements, in order; all if there are fewer. By std::greater: the greatest ones.
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
std::vector<std::ranges::range_value_t<Range>> top_k(Range&& range, std::uint64_t k, Less less = {},
                                                     Projection projection = {},
                                                     std::source_location where = std::source_location::current()) {
  const auto first = std::ranges::begin(range);
  const std::uint64_t n = loop::count_of(range);
  const loop::projected<std::ranges::iterator_t<Range>, Projection> at(first, projection);
  std::vector<std::ranges::range_value_t<Range>> all;
  all.reserve(std::min(n, k));
  const auto by_key = [&](std::uint64_t i, std::uint64_t j) {
    return static_cast<bool>(std::invoke(less, at(i), at(j)));
  };
  for (const std::uint64_t i : loop::least_places(n, std::min(n, k), by_key, policy(where)))
    all.push_back(*loop::place(first, i));
  return all;
}

}  // namespace callisto
