// Searching, counting, filtering and transforming sequences.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/algorithms/reduce.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <source_location>
#include <utility>
#include <vector>

namespace callisto {

/// Returns the first element for which `wanted` is true, or the range's end. `wanted` is called for every element
/// before the one that is returned, and for some behind it. Threads drop what lies behind the first one known.
template <std::ranges::random_access_range Range, class Predicate>
  requires std::ranges::sized_range<Range> && std::predicate<Predicate&, std::ranges::range_reference_t<Range>>
auto find_if(Range&& range, Predicate wanted, std::source_location where = std::source_location::current()) {
  using difference = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  const auto n = static_cast<std::uint64_t>(std::ranges::size(range));
  std::atomic<std::uint64_t> found{n};
  // Blocks, so that the first ones are looked at early, and a block behind the first hit costs a comparison.
  const loop::blocks all(n, loop::blocks::least_for(n, 1 << 10), 1 << 14);
  all.each(
      [&](std::uint64_t b) {
        for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
          // relaxed, all: the number alone counts; the loop's end orders the rest.
          if ((i & 63) == 0 && found.load(std::memory_order_relaxed) < i) return;
          if (!std::invoke(wanted, first[static_cast<difference>(i)])) continue;
          std::uint64_t known = found.load(std::memory_order_relaxed);
          while (i < known && !found.compare_exchange_weak(known, i, std::memory_order_relaxed)) {
          }
          return;
        }
      },
      where, true);
  return first + static_cast<difference>(found.load(std::memory_order_relaxed));
}

/// True if `wanted` is true for some element.
template <std::ranges::random_access_range Range, class Predicate>
bool any_of(Range&& range, Predicate wanted, std::source_location where = std::source_location::current()) {
  return find_if(range, std::move(wanted), where) != std::ranges::end(range);
}
/// True if `wanted` is true for every element.
template <std::ranges::random_access_range Range, class Predicate>
bool all_of(Range&& range, Predicate wanted, std::source_location where = std::source_location::current()) {
  return find_if(range, std::not_fn(std::move(wanted)), where) == std::ranges::end(range);
}
/// Returns for how many elements `wanted` is true.
template <std::ranges::random_access_range Range, class Predicate>
std::uint64_t count_if(Range&& range, Predicate wanted, std::source_location where = std::source_location::current()) {
  return parallel_reduce(
      std::forward<Range>(range), std::uint64_t{0},
      [&](auto&& element) { return std::uint64_t{std::invoke(wanted, element) ? 1u : 0u}; }, std::plus<>{}, {}, where);
}

/// Writes f(element) of every element into `out`, in order, and returns the end of what is written. `out` may be the
/// range's beginning.
template <std::ranges::random_access_range Range, std::random_access_iterator Out, class F>
  requires std::ranges::sized_range<Range> && std::invocable<F&, std::ranges::range_reference_t<Range>>
Out transform(Range&& range, Out out, F f, std::source_location where = std::source_location::current()) {
  const auto first = std::ranges::begin(range);
  const auto n = static_cast<std::ptrdiff_t>(std::ranges::size(range));
  parallel_for(std::ptrdiff_t{0}, n, [&](std::ptrdiff_t i) { out[i] = std::invoke(f, first[i]); }, {}, where);
  return out + n;
}

/// Copies the elements for which `wanted` is true into `out`, in order, and returns the end of what is written. Calls
/// `wanted` once for each element. `out` does not overlap the range. Takes a byte an element meanwhile.
template <std::ranges::random_access_range Range, std::random_access_iterator Out, class Predicate>
  requires std::ranges::sized_range<Range> && std::predicate<Predicate&, std::ranges::range_reference_t<Range>>
Out copy_if(Range&& range, Out out, Predicate wanted, std::source_location where = std::source_location::current()) {
  using difference = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  const auto n = static_cast<std::uint64_t>(std::ranges::size(range));
  const loop::blocks all(n, loop::blocks::least_for(n, 1 << 12), 1 << 13);
  const auto kept = std::make_unique_for_overwrite<bool[]>(n);
  std::vector<std::uint64_t> begins(all.count() + 1, 0);
  all.each(
      [&](std::uint64_t b) {
        std::uint64_t count = 0;
        for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
          count += (kept[i] = std::invoke(wanted, first[static_cast<difference>(i)])) ? 1 : 0;
        }
        begins[b + 1] = count;
      },
      where);
  for (std::uint64_t b = 0; b < all.count(); ++b) begins[b + 1] += begins[b];
  all.each(
      [&](std::uint64_t b) {
        auto to = out + static_cast<std::iter_difference_t<Out>>(begins[b]);
        for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
          if (kept[i]) *to++ = first[static_cast<difference>(i)];
        }
      },
      where);
  return out + static_cast<std::iter_difference_t<Out>>(begins.back());
}

}  // namespace callisto
