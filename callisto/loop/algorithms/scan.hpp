// Prefix sums: every element combined with all before it.
//
// Two passes over blocks (Blelloch, "Prefix sums and their applications", 1990): the first combines each block, the
// second scans each block from what stands before it. A sequence of one block is scanned at once.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <utility>
#include <vector>

namespace callisto {

namespace loop {

enum class scan_kind { inclusive, exclusive };

template <scan_kind Kind, class In, class Out, class T, class Op>
T scan_block(In in, Out out, std::uint64_t n, T before, Op& op) {
  for (std::uint64_t i = 0; i < n; ++i, ++in, ++out) {
    // `in` and `out` may be the same element.
    T next = std::invoke(op, before, *in);
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
    return scan_block<Kind>(in, out, n, std::move(identity), op);
  std::vector<T> before(all.count() + 1, identity);
  all.each(
      [&](std::uint64_t b) {
        T sum = identity;
        for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
          sum = std::invoke(op, std::move(sum), in[static_cast<difference>(i)]);
        }
        before[b + 1] = std::move(sum);
      },
      where);
  for (std::uint64_t b = 0; b < all.count(); ++b) before[b + 1] = std::invoke(op, before[b], before[b + 1]);
  all.each(
      [&](std::uint64_t b) {
        const auto at = static_cast<difference>(all.begin(b));
        scan_block<Kind>(in + at, out + static_cast<std::iter_difference_t<Out>>(at), all.end(b) - all.begin(b),
                         before[b], op);
      },
      where);
  return before.back();
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
