// Prefix sums: every element combined with all before it.
//
// Two passes over blocks (Blelloch, "Prefix sums and their applications", 1990): the first combines each block, the
// second scans each block from what stands before it. A block of which that is known in the first pass, as all blocks
// before it have been scanned, is scanned there and then (as the chained scan of Merrill and Garland, "Single-pass
// parallel prefix scan with decoupled look-back", 2016, but without waiting): so a thread that is left alone makes one
// pass. A sequence of one block is scanned at once.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/algorithms/scan_front.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/loop/running_value.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/runtime.hpp>

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

enum class scan_kind { inclusive, exclusive };

/// Fails to compile if a scan that keeps values of type T would cut off elements, or `out` what the scan writes.
template <class T, class Element, class Out, class Op>
constexpr void refuse_narrowing_scan() noexcept {
  using value = std::remove_cvref_t<Element>;
  using combined = std::remove_cvref_t<std::invoke_result_t<Op&, T, Element>>;
  using written = std::remove_cvref_t<std::iter_reference_t<Out>>;
  static_assert(!narrows<value, T> && !(narrows<combined, T> && std::is_floating_point_v<combined>),
                "scan: the elements do not fit the type of the initial value, in which the scan computes: give one of "
                "the elements' type, 0.0 instead of 0 for doubles");
  static_assert(!(std::is_floating_point_v<T> && std::is_integral_v<written>),
                "scan: `out` would cut off fractions: write into elements of the initial value's type");
}

/// Scans a block from what stands `before` it, and leaves there what stands behind it. If `Sum`, combines the block
/// into `sum`, too, which has no value yet if the first element is to begin it.
template <scan_kind Kind, bool Sum, class In, class Out, class T, class Op>
void scan_block(In in, Out out, std::uint64_t n, running_value<T>& before, Op& op, running_value<T>* sum = nullptr) {
  for (std::uint64_t i = 0; i < n; ++i, ++in, ++out) {
    if constexpr (Sum) {
      if (sum->has_value()) {
        sum->replace([&]() -> T { return std::invoke(op, std::move(**sum), *in); });
      } else if constexpr (std::convertible_to<std::iter_reference_t<In>, T>) {
        sum->begin([&]() -> T { return *in; });
      }
    }
    // `in` and `out` may be the same element.
    if constexpr (Kind == scan_kind::inclusive) {
      before.replace([&]() -> T { return std::invoke(op, std::move(*before), *in); });
      *out = *before;
    } else if constexpr (is_large<T>) {
      running_value<T> next;
      next.begin([&]() -> T { return std::invoke(op, *before, *in); });
      *out = std::move(*before);
      before.clear();
      before.take(next);
    } else {
      T next = std::invoke(op, *before, *in);
      *out = std::move(*before);
      *before = std::move(next);
    }
  }
}

template <scan_kind Kind, class Range, class Out, class Init, class Op>
std::remove_cvref_t<Init> scan(Range&& range, Out out, Init&& initial, Op op, const policy& by) {
  using T = std::remove_cvref_t<Init>;
  using difference = std::ranges::range_difference_t<Range>;
  using element = std::ranges::range_reference_t<Range>;
  static_assert(writes_by_threads<Out>,
                "elements of std::vector<bool> share words, and threads that write neighbours lose values: use a "
                "std::vector<char>");
  refuse_narrowing_scan<T, element, Out, Op>();
  constexpr bool from_value = std::convertible_to<element, T>;
  if constexpr (!from_value) require_neutral<T>(initial, op);
  const auto in = std::ranges::begin(range);
  const std::uint64_t n = count_of(range);
  const blocks all(n, 1 << 14, 1 << 12);
  if (all.count() <= 1 || by.options().threads == 1 || workers::loop_team_here().where.threads() == 1) {
    running_value<T> before;
    before.begin([&]() -> T { return std::forward<Init>(initial); });
    scan_block<Kind, false>(in, out, n, before, op);
    return std::move(*before);
  }
  // By block, what stands before it, once that is known; until then what the block before it comes to by itself. One
  // behind all blocks. Each value has its own bytes; none is a bit of a word.
  const auto before = std::make_unique<running_value<T>[]>(all.count() + 1);
  before[0].begin([&]() -> T { return initial; });
  scan_front<machine::native> front;
  const auto scan_from = [&]<bool Sum>(std::uint64_t b, std::bool_constant<Sum>, running_value<T>& at,
                                       running_value<T>* of_block) {
    const auto place = static_cast<difference>(all.begin(b));
    scan_block<Kind, Sum>(in + place, out + static_cast<std::iter_difference_t<Out>>(place), all.end(b) - all.begin(b),
                          at, op, of_block);
  };
  const auto begin_sum = [&](running_value<T>& sum) {
    if constexpr (!from_value) sum.begin([&]() -> T { return initial; });
  };
  for_blocks(
      all,
      [&](std::uint64_t b) {
        if (front.is_at(b)) {
          running_value<T> at;
          at.begin([&]() -> T { return *before[b]; });
          // Integers come to the same in any order; else the sum of the block counts, as if the block were not scanned.
          if constexpr (std::integral<T>) {
            scan_from(b, std::false_type{}, at, nullptr);
            before[b + 1].take(at);
          } else {
            running_value<T> of_block;
            begin_sum(of_block);
            scan_from(b, std::true_type{}, at, &of_block);
            before[b + 1].begin([&]() -> T { return std::invoke(op, *before[b], std::move(*of_block)); });
          }
          front.passes(b);
          return;
        }
        running_value<T> of_block;
        begin_sum(of_block);
        std::uint64_t i = all.begin(b);
        if constexpr (from_value) of_block.begin([&]() -> T { return in[static_cast<difference>(i++)]; });
        for (; i < all.end(b); ++i) {
          of_block.replace(
              [&]() -> T { return std::invoke(op, std::move(*of_block), in[static_cast<difference>(i)]); });
        }
        before[b + 1].take(of_block);
      },
      by);
  const std::uint64_t scanned = front.at();
  for (std::uint64_t b = scanned; b < all.count(); ++b)
    before[b + 1].replace([&]() -> T { return std::invoke(op, *before[b], std::move(*before[b + 1])); });
  const bool all_scanned = parallel_for(
      scanned, all.count(),
      [&](std::uint64_t b) {
        running_value<T> at;
        at.begin([&]() -> T { return *before[b]; });
        scan_from(b, std::false_type{}, at, nullptr);
      },
      by.options(), by.where());
  if (!all_scanned) machine::throw_cancelled();
  return std::move(*before[all.count()]);
}

}  // namespace loop

/// Writes into `out`, for every element of `range`, the combination of `initial` and all elements up to it, itself
/// included, and returns that of all, as std::inclusive_scan does. `initial` counts once, before the first element.
/// `op` is associative; it need not be commutative. If elements do not convert to the type of `initial`, that must be
/// the neutral element of `op`; a number that is not throws usage_error. The result is the same on any number of
/// threads above one. `out` may be the range's beginning. Throws what `op` throws; then some of `out` is written. Does
/// not compile if elements do not fit the type of `initial`, such as doubles in an int, or if `out` are elements of
/// std::vector<bool>, which share words.
template <std::ranges::random_access_range Range, std::random_access_iterator Out, class Init, class Op = std::plus<>>
  requires std::ranges::sized_range<Range>
std::remove_cvref_t<Init> inclusive_scan(Range&& range, Out out, Init&& initial, Op op = {},
                                         std::source_location where = std::source_location::current()) {
  return loop::scan<loop::scan_kind::inclusive>(std::forward<Range>(range), out, std::forward<Init>(initial),
                                                std::move(op), policy(where));
}

/// Writes the combination of `initial` and all elements before each one; the rest as inclusive_scan.
template <std::ranges::random_access_range Range, std::random_access_iterator Out, class Init, class Op = std::plus<>>
  requires std::ranges::sized_range<Range>
std::remove_cvref_t<Init> exclusive_scan(Range&& range, Out out, Init&& initial, Op op = {},
                                         std::source_location where = std::source_location::current()) {
  return loop::scan<loop::scan_kind::exclusive>(std::forward<Range>(range), out, std::forward<Init>(initial),
                                                std::move(op), policy(where));
}

/// Writes scans as the standard library's, and returns the end of what is written; the rest as the forms over ranges.
/// Without an initial value the first element begins.
template <std::random_access_iterator I, std::random_access_iterator Out, class Op, class T>
Out inclusive_scan(const policy& by, I first, I last, Out out, Op op, T initial) {
  loop::scan<loop::scan_kind::inclusive>(std::ranges::subrange(first, last), out, std::move(initial), std::move(op),
                                         by);
  return loop::place(out, loop::count_between(first, last));
}
template <std::random_access_iterator I, std::random_access_iterator Out, class Op = std::plus<>>
Out inclusive_scan(const policy& by, I first, I last, Out out, Op op = {}) {
  if (first == last) return out;
  std::iter_value_t<I> initial = *first;
  *out = initial;
  return callisto::inclusive_scan(by, first + 1, last, out + 1, std::move(op), std::move(initial));
}
template <std::random_access_iterator I, std::random_access_iterator Out, class T, class Op = std::plus<>>
Out exclusive_scan(const policy& by, I first, I last, Out out, T initial, Op op = {}) {
  loop::scan<loop::scan_kind::exclusive>(std::ranges::subrange(first, last), out, std::move(initial), std::move(op),
                                         by);
  return loop::place(out, loop::count_between(first, last));
}

/// Scan f(element) of each element; f may be called several times for one.
template <std::random_access_iterator I, std::random_access_iterator Out, class T, class Op, class F>
Out transform_exclusive_scan(const policy& by, I first, I last, Out out, T initial, Op op, F f) {
  loop::scan<loop::scan_kind::exclusive>(std::ranges::subrange(first, last) | std::views::transform(std::ref(f)), out,
                                         std::move(initial), std::move(op), by);
  return loop::place(out, loop::count_between(first, last));
}
template <std::random_access_iterator I, std::random_access_iterator Out, class Op, class F, class T>
Out transform_inclusive_scan(const policy& by, I first, I last, Out out, Op op, F f, T initial) {
  loop::scan<loop::scan_kind::inclusive>(std::ranges::subrange(first, last) | std::views::transform(std::ref(f)), out,
                                         std::move(initial), std::move(op), by);
  return loop::place(out, loop::count_between(first, last));
}
template <std::random_access_iterator I, std::random_access_iterator Out, class Op, class F>
Out transform_inclusive_scan(const policy& by, I first, I last, Out out, Op op, F f) {
  if (first == last) return out;
  std::remove_cvref_t<std::invoke_result_t<F&, std::iter_reference_t<I>>> initial = std::invoke(f, *first);
  *out = initial;
  return callisto::transform_inclusive_scan(by, first + 1, last, out + 1, std::move(op), std::move(f),
                                            std::move(initial));
}
/// Scan f(element) of each element, and return the combination of all, as inclusive_scan and exclusive_scan over
/// ranges.
template <loop::sequence Range, std::random_access_iterator Out, class Init, class Op, class F>
std::remove_cvref_t<Init> transform_exclusive_scan(Range&& range, Out out, Init&& initial, Op op, F f,
                                                   std::source_location where = std::source_location::current()) {
  return callisto::exclusive_scan(std::views::all(range) | std::views::transform(std::ref(f)), out,
                                  std::forward<Init>(initial), std::move(op), where);
}
template <loop::sequence Range, std::random_access_iterator Out, class Init, class Op, class F>
std::remove_cvref_t<Init> transform_inclusive_scan(Range&& range, Out out, Init&& initial, Op op, F f,
                                                   std::source_location where = std::source_location::current()) {
  return callisto::inclusive_scan(std::views::all(range) | std::views::transform(std::ref(f)), out,
                                  std::forward<Init>(initial), std::move(op), where);
}

}  // namespace callisto
