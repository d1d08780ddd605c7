// Reductions over ranges, and the deterministic one.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto {

/// Combines f(element) over the elements of a random-access range, starting from `identity`; the rest as the
/// parallel_reduce over indices.
template <std::ranges::random_access_range Range, class T, class F = std::identity, class Combine = std::plus<>>
  requires std::ranges::sized_range<Range> && std::invocable<F&, std::ranges::range_reference_t<Range>>
[[nodiscard]] T parallel_reduce(Range&& range, T identity, F&& f = {}, Combine combine = {},
                                const loop_options& options = {},
                                std::source_location where = std::source_location::current()) {
  const auto first = std::ranges::begin(range);
  using difference = std::ranges::range_difference_t<Range>;
  return parallel_reduce(
      std::size_t{0}, static_cast<std::size_t>(std::ranges::size(range)), std::move(identity),
      [&](std::size_t i) -> decltype(auto) { return std::invoke(f, first[static_cast<difference>(i)]); },
      std::move(combine), options, where);
}

/// Combines f(i) over every i in [first, last) with the same result on any number of threads, bit for bit, also for
/// floating-point sums: iterations are combined in blocks that depend on their number alone, in order, and the blocks'
/// values pairwise in a fixed tree. So `combine` need not be commutative. Costs as parallel_reduce, and a value for
/// each block. Throws what the callables throw, and std::bad_alloc.
template <loop::index A, loop::index B, class T, class F, class Combine = std::plus<>>
  requires std::invocable<F&, std::common_type_t<A, B>> ||
           std::invocable<F&, std::common_type_t<A, B>, std::common_type_t<A, B>, T>
[[nodiscard]] T deterministic_reduce(A first, B last, T identity, F&& f, Combine combine = {},
                                     std::source_location where = std::source_location::current()) {
  using common = std::common_type_t<A, B>;
  loop::refuse_narrowing<T, std::remove_reference_t<F>, Combine, common>();
  const common begin = loop::bound<A, B>(first);
  const common end = loop::bound<A, B>(last);
  const std::uint64_t n = loop::distance(begin, end);
  const loop::blocks all(n, loop::blocks::least_for(n, 1024), 1 << 14);
  std::vector<T> values(all.count(), identity);
  all.each(
      [&](std::uint64_t b) {
        T mine = identity;
        const common from = loop::advance(begin, all.begin(b));
        const common to = loop::advance(begin, all.end(b));
        if constexpr (std::invocable<F&, common>) {
          for (common i = from; i != to; ++i) mine = std::invoke(combine, std::move(mine), std::invoke(f, i));
        } else {
          mine = std::invoke(f, from, to, std::move(mine));
        }
        values[b] = std::move(mine);
      },
      where);
  // Neighbours, then neighbours of these: a tree of depth log n, with little rounding.
  for (std::size_t step = 1; step < values.size(); step *= 2) {
    for (std::size_t i = 0; i + step < values.size(); i += 2 * step) {
      values[i] = std::invoke(combine, std::move(values[i]), std::move(values[i + step]));
    }
  }
  return values.empty() ? std::move(identity) : std::move(values.front());
}

}  // namespace callisto
