// How an algorithm is called: callisto::par, where std::execution::par stands in calls of the standard library's.
#pragma once

#include <callisto/loop/indices.hpp>
#include <callisto/loop/loop_options.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto {

struct parallel_policy {};
/// Asks for threads in a call of an algorithm, as std::execution::par does: `callisto::fill(callisto::par, v.begin(),
/// v.end(), 1)`. Where `par` stands, `loop_options` may stand, too.
inline constexpr parallel_policy par{};

/// The first argument of an algorithm: `par`, or options of its loops. Of these, `stop` and `threads` count. An
/// algorithm that a request stops throws cancelled.
class policy {
 public:
  policy(const parallel_policy&, const std::source_location& where = std::source_location::current()) : where_(where) {}
  policy(loop_options options, const std::source_location& where = std::source_location::current())
      : options_{.stop = std::move(options.stop), .threads = options.threads}, where_(where) {}
  explicit policy(const std::source_location& where) : where_(where) {}

  const loop_options& options() const noexcept { return options_; }
  /// The place that names the algorithm's loops in statistics.
  const std::source_location& where() const noexcept { return where_; }

 private:
  loop_options options_;
  std::source_location where_;
};

namespace loop {

/// A range that threads can share: each element is reached at once.
template <class Range>
concept sequence = std::ranges::random_access_range<Range> && std::ranges::sized_range<Range>;

/// Returns the end of a sequence as an iterator.
template <sequence Range>
std::ranges::iterator_t<Range> end_of(Range& range) {
  return std::ranges::begin(range) + static_cast<std::ranges::range_difference_t<Range>>(std::ranges::size(range));
}

/// Returns how many elements stand in [first, last): none if `last` is before `first`.
template <std::random_access_iterator Iterator>
std::uint64_t count_between(Iterator first, Iterator last) {
  return last > first ? static_cast<std::uint64_t>(last - first) : 0;
}
/// Returns first + i.
template <std::random_access_iterator Iterator>
Iterator place(Iterator first, std::uint64_t i) {
  return first + static_cast<std::iter_difference_t<Iterator>>(i);
}

/// Returns the end of n elements from `first`; of none if n is negative, as the standard's _n forms have it.
template <std::random_access_iterator Iterator, std::integral Size>
Iterator place_after(Iterator first, Size n) {
  return n > 0 ? loop::place(first, static_cast<std::uint64_t>(n)) : first;
}

/// True if threads may write neighbours behind all such iterators.
template <class... Iterators>
inline constexpr bool all_write_by_threads = (!shares_words<std::iter_reference_t<Iterators>> && ...);

/// The elements of a sequence by number, projected.
template <class Iterator, class Projection>
class projected {
  using reference = std::iter_reference_t<Iterator>;
  // A projection may refer to its argument, which ends with the call if the iterator makes it.
  using value = std::conditional_t<std::is_reference_v<reference>, std::invoke_result_t<Projection&, reference>,
                                   std::remove_cvref_t<std::invoke_result_t<Projection&, reference>>>;

 public:
  projected(Iterator first, Projection& projection) : first_(first), projection_(projection) {}
  value operator()(std::uint64_t i) const { return std::invoke(projection_, *place(first_, i)); }

 private:
  Iterator first_;
  Projection& projection_;
};

}  // namespace loop
}  // namespace callisto
