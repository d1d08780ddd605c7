// Prefix sums: every element combined with all before it.
//
// Two passes over blocks (Blelloch, "Prefix sums and their applications", 1990): the first combines each block, the
// second scans each block from what stands before it. A block of which that is known in the first pass, as all blocks
// before it have been scanned, is scanned there and then (as the chained scan of Merrill and Garland, "Single-pass
// parallel prefix scan with decoupled look-back", 2016, but without waiting): so a thread that is left alone makes one
// pass. A sequence of one block is scanned at once.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/algorithms/scan_front.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/runtime.hpp>

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

namespace loop {

enum class scan_kind { inclusive, exclusive };

/// Scans a block from what stands `before` it; returns what stands behind it. If `Sum`, combines the block into `sum`,
/// too.
template <scan_kind Kind, bool Sum, class In, class Out, class T, class Op>
T scan_block(In in, Out out, std::uint64_t n, T before, Op& op, T* sum = nullptr) {
  for (std::uint64_t i = 0; i < n; ++i, ++in, ++out) {
    // `in` and `out` may be the same element.
    T next = std::invoke(op, before, *in);
    if constexpr (Sum) *sum = std::invoke(op, std::move(*sum), *in);
    if constexpr (Kind == scan_kind::inclusive) {
      *out = next;
    } else {
      *out = before;
    }
    before = std::move(next);
  }
  return before;
}

template <scan_kind Kind, class Range, class Out, class T, class Op>
T scan(Range&& range, Out out, T identity, Op op, const std::source_location& where) {
  using difference = std::ranges::range_difference_t<Range>;
  const auto in = std::ranges::begin(range);
  const auto n = static_cast<std::uint64_t>(std::ranges::size(range));
  const blocks all(n, 1 << 14, 1 << 12);
  if (all.count() <= 1 || workers::loop_team_here().where.threads() == 1)
    return scan_block<Kind, false>(in, out, n, std::move(identity), op);
  struct sum {
    T value;  // no vector of bool
  };
  std::vector<sum> before(all.count() + 1, sum{identity});
  scan_front<machine::native> front;
  const auto scan_from = [&]<bool Sum>(std::uint64_t b, std::bool_constant<Sum>, T* of_block) {
    const auto at = static_cast<difference>(all.begin(b));
    return scan_block<Kind, Sum>(in + at, out + static_cast<std::iter_difference_t<Out>>(at), all.end(b) - all.begin(b),
                                 before[b].value, op, of_block);
  };
  all.each(
      [&](std::uint64_t b) {
        if (front.is_at(b)) {
          // Integers come to the same in any order; else the sum of the block counts, as if the block were not scanned.
          if constexpr (std::integral<T>) {
            before[b + 1].value = scan_from(b, std::false_type{}, nullptr);
          } else {
            T of_block = identity;
            scan_from(b, std::true_type{}, &of_block);
            before[b + 1].value = std::invoke(op, before[b].value, std::move(of_block));
          }
          front.passes(b);
          return;
        }
        T of_block = identity;
        for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
          of_block = std::invoke(op, std::move(of_block), in[static_cast<difference>(i)]);
        }
        before[b + 1].value = std::move(of_block);
      },
      where);
  const std::uint64_t scanned = front.at();
  for (std::uint64_t b = scanned; b < all.count(); ++b)
    before[b + 1].value = std::invoke(op, before[b].value, before[b + 1].value);
  parallel_for(scanned, all.count(), [&](std::uint64_t b) { scan_from(b, std::false_type{}, nullptr); }, {}, where);
  return std::move(before.back().value);
}

}  // namespace loop

/// Writes into `out`, for every element of `range`, the combination of all elements up to it, itself included, and
/// returns that of all. `op` is associative, with `identity` as its neutral element; it need not be commutative. The
/// result is the same on any number of threads above one. `out` may be the range's beginning. Throws what `op` throws;
/// then some of `out` is written.
template <std::ranges::random_access_range Range, std::random_access_iterator Out, class T, class Op = std::plus<>>
  requires std::ranges::sized_range<Range>
T inclusive_scan(Range&& range, Out out, T identity, Op op = {},
                 std::source_location where = std::source_location::current()) {
  return loop::scan<loop::scan_kind::inclusive>(std::forward<Range>(range), out, std::move(identity), std::move(op),
                                                where);
}

/// Writes the combination of all elements before each one, beginning with `identity`; the rest as inclusive_scan.
template <std::ranges::random_access_range Range, std::random_access_iterator Out, class T, class Op = std::plus<>>
  requires std::ranges::sized_range<Range>
T exclusive_scan(Range&& range, Out out, T identity, Op op = {},
                 std::source_location where = std::source_location::current()) {
  return loop::scan<loop::scan_kind::exclusive>(std::forward<Range>(range), out, std::move(identity), std::move(op),
                                                where);
}

}  // namespace callisto
