// Reductions over ranges, and the deterministic one.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/algorithms/meetings.hpp>
#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/native.hpp>

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

namespace callisto {

namespace loop {

/// Combines `initial` and f(i) for n indices from `begin` on, in blocks, as deterministic_reduce says. Blocks have
/// `most` indices; fewer if there were fewer than a thousand blocks and `Plain` is false: indices may take long.
template <index I, bool Plain = false, class Init, class F, class Combine>
std::remove_cvref_t<Init> reduce_in_blocks(I begin, std::uint64_t n, std::uint64_t most, Init&& initial, F& f,
                                           Combine& combine, const policy& by) {
  using T = std::remove_cvref_t<Init>;
  constexpr bool from_value = begins_with_value<F, I, T>;
  const blocks all(n, Plain ? most : blocks::least_for(n, most), 1 << 14);
  const auto block_value = [&](std::uint64_t b, running_value<T>& mine) {
    if constexpr (!from_value) mine.begin([&]() -> T { return initial; });
    fold(mine, advance(begin, all.begin(b)), advance(begin, all.end(b)), f, combine);
  };
  if (all.count() <= 1) {
    running_value<T> mine;
    if (n != 0) block_value(0, mine);
    return reduced<from_value>(std::forward<Init>(initial), mine, combine);
  }
  // Each value has its own bytes; none is a bit of a word.
  const auto values = std::make_unique<running_value<T>[]>(all.count());
  // Neighbours, then neighbours of these: a tree of depth log n, with little rounding.
  meetings<machine::native> tree(all.count());
  for_blocks(
      all,
      [&](std::uint64_t b) {
        running_value<T> mine;
        block_value(b, mine);
        values[b].take(mine);
        tree.arrive(b, [&](std::uint64_t left, std::uint64_t right) {
          values[left].replace(
              [&]() -> T { return std::invoke(combine, std::move(*values[left]), std::move(*values[right])); });
          values[right].clear();
        });
      },
      by);
  return reduced<from_value>(std::forward<Init>(initial), values[0], combine);
}

/// True if an operation takes about as long as its operands take to arrive: a block need not be short for the sake of
/// few elements that take long.
template <class T, class Op>
inline constexpr bool is_plain_operation =
    std::is_arithmetic_v<T> && (std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<T>> ||
                                std::same_as<Op, std::multiplies<>> || std::same_as<Op, std::multiplies<T>>);

/// reduce() and transform_reduce(): `at` gives an element by its number.
template <bool Plain, class T, class At, class Op>
T reduce_elements(const policy& by, std::uint64_t n, T initial, At at, Op& op) {
  refuse_narrowing<T, At, Op, std::uint64_t>();
  if constexpr (!begins_with_value<At, std::uint64_t, T>) require_neutral<T>(initial, op);
  // Elements that may take long are in 64 blocks at least.
  const std::uint64_t most = Plain ? 1024 : std::clamp<std::uint64_t>(n / 64, 1, 1024);
  return reduce_in_blocks<std::uint64_t, true>(std::uint64_t{0}, n, most, std::move(initial), at, op, by);
}

}  // namespace loop

/// Combines `initial` and f(element) for each element of a random-access range; the rest as the parallel_reduce over
/// indices.
template <std::ranges::random_access_range Range, class Init, class F = std::identity, class Combine = std::plus<>>
  requires std::ranges::sized_range<Range> && std::invocable<F&, std::ranges::range_reference_t<Range>>
[[nodiscard]] std::remove_cvref_t<Init> parallel_reduce(Range&& range, Init&& initial, F&& f = {}, Combine combine = {},
                                                        const loop_options& options = {},
                                                        std::source_location where = std::source_location::current()) {
  const auto first = std::ranges::begin(range);
  using difference = std::ranges::range_difference_t<Range>;
  using reference = std::ranges::range_reference_t<Range>;
  // The result of f may refer to its argument: to an element, or to a value that ends with the call, as of a view.
  using result = std::conditional_t<std::is_reference_v<reference>, std::invoke_result_t<F&, reference>,
                                    std::remove_cvref_t<std::invoke_result_t<F&, reference>>>;
  return parallel_reduce(
      std::uint64_t{0}, loop::count_of(range), std::forward<Init>(initial),
      [&](auto i) -> result { return std::invoke(f, first[static_cast<difference>(i)]); }, std::move(combine), options,
      where);
}

/// Combines `initial` and f(i) for every i in [first, last), each once, with the same result on any number of threads,
/// bit for bit, also for floating-point sums: iterations are combined in blocks that depend on their number alone, in
/// order, the blocks' values pairwise in a fixed tree, and `initial` with the value of all. So `combine` need not be
/// commutative; but sums of floats or doubles by std::plus go in eight lanes of a block, which are then added. If f
/// takes (b, e, running), blocks begin with `initial`: the rest as parallel_reduce. Costs as parallel_reduce; a block's
/// value is kept until its neighbour has one. Throws what the callables throw, and std::bad_alloc.
template <loop::index A, loop::index B, class Init, class F, class Combine = std::plus<>>
  requires std::invocable<F&, std::common_type_t<A, B>> ||
           std::invocable<F&, std::common_type_t<A, B>, std::common_type_t<A, B>, std::remove_cvref_t<Init>>
[[nodiscard]] std::remove_cvref_t<Init> deterministic_reduce(
    A first, B last, Init&& initial, F&& f, Combine combine = {},
    std::source_location where = std::source_location::current()) {
  using T = std::remove_cvref_t<Init>;
  using common = std::common_type_t<A, B>;
  using callable = std::remove_reference_t<F>;
  loop::refuse_narrowing<T, callable, Combine, common>();
  const common begin = loop::bound<A, B>(first);
  const common end = loop::bound<A, B>(last);
  loop::require_fitting<F>(begin, end);
  if constexpr (!loop::begins_with_value<callable, common, T>) loop::require_neutral<T>(initial, combine);
  return loop::reduce_in_blocks<common>(begin, loop::distance(begin, end), 1024, std::forward<Init>(initial), f,
                                        combine, policy(where));
}

/// Combines `initial` and all elements by `op`, as std::reduce, with the same result on any number of threads, as
/// deterministic_reduce. Does not compile if an element does not fit the type of `initial`.
template <std::random_access_iterator I, class T, class Op = std::plus<>>
T reduce(const policy& by, I first, I last, T initial, Op op = {}) {
  std::identity itself;
  return loop::reduce_elements<loop::is_plain_operation<T, Op>>(
      by, loop::count_between(first, last), std::move(initial), loop::projected<I, std::identity>(first, itself), op);
}
template <std::random_access_iterator I>
std::iter_value_t<I> reduce(const policy& by, I first, I last) {
  return callisto::reduce(by, first, last, std::iter_value_t<I>());
}
template <loop::sequence Range, class T, class Op = std::plus<>>
T reduce(Range&& range, T initial, Op op = {}, std::source_location where = std::source_location::current()) {
  return callisto::reduce(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(initial),
                          std::move(op));
}

/// Combines `initial` and f(element) of all elements by `op`; the rest as reduce().
template <std::random_access_iterator I, class T, class Op, class F>
  requires(!std::random_access_iterator<T>)
T transform_reduce(const policy& by, I first, I last, T initial, Op op, F f) {
  return loop::reduce_elements<false>(by, loop::count_between(first, last), std::move(initial),
                                      loop::projected<I, F>(first, f), op);
}
/// Combines `initial` and product(element, element of the second sequence) by `op`; the rest as reduce().
template <std::random_access_iterator I, std::random_access_iterator J, class T, class Op, class Product>
T transform_reduce(const policy& by, I first, I last, J second, T initial, Op op, Product product) {
  const auto at = [&](std::uint64_t i) -> decltype(auto) {
    return std::invoke(product, *loop::place(first, i), *loop::place(second, i));
  };
  constexpr bool plain = loop::is_plain_operation<T, Op> && loop::is_plain_operation<T, Product>;
  return loop::reduce_elements<plain>(by, loop::count_between(first, last), std::move(initial), at, op);
}
template <std::random_access_iterator I, std::random_access_iterator J, class T>
T transform_reduce(const policy& by, I first, I last, J second, T initial) {
  return callisto::transform_reduce(by, first, last, second, std::move(initial), std::plus<>{}, std::multiplies<>{});
}
template <loop::sequence Range, class T, class Op, class F>
T transform_reduce(Range&& range, T initial, Op op, F f, std::source_location where = std::source_location::current()) {
  return callisto::transform_reduce(policy(where), std::ranges::begin(range), loop::end_of(range), std::move(initial),
                                    std::move(op), std::move(f));
}

}  // namespace callisto
