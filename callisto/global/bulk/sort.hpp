// Sorting the elements of all ranks.
#pragma once

#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/loop/algorithms/sort_here.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

namespace callisto::global {

namespace detail {

/// An element, and where it was: equal elements have an order, so that each of them is on one side of each bound.
template <class T>
struct placed_element {
  T value;
  std::uint64_t rank;
  std::uint64_t index;
};

/// Returns the elements that are first of ranks' parts, but for rank 0, after a sort of all: by samples of each rank.
template <class T, class Less>
std::vector<placed_element<T>> bounds_of_sorted(const std::vector<T>& sorted, const Less& less,
                                                const std::source_location& where) {
  const auto ranks = static_cast<std::uint64_t>(here().ranks);
  const auto me = static_cast<std::uint64_t>(here().rank);
  // A rank with more elements gives more samples, so that each stands for about as many.
  const std::uint64_t all = reduce_all(std::uint64_t{sorted.size()}, std::plus<>{}, where);
  const std::uint64_t each = std::max<std::uint64_t>(1, all / (ranks * rank_limits::samples_a_rank));
  std::vector<placed_element<T>> own;
  for (std::uint64_t i = each / 2; i < sorted.size(); i += each) own.push_back({sorted[i], me, i});
  std::vector<placed_element<T>> to_all;
  for (std::uint64_t r = 0; r != ranks; ++r) to_all.insert(to_all.end(), own.begin(), own.end());
  std::vector<placed_element<T>> samples =
      exchange(std::span<const placed_element<T>>(to_all), std::vector<std::uint64_t>(ranks, own.size()), where).values;
  // By rank and index already: a stable sort keeps that order among equal elements.
  std::stable_sort(samples.begin(), samples.end(),
                   [&](const auto& a, const auto& b) { return less(a.value, b.value); });
  std::vector<placed_element<T>> bounds;
  for (std::uint64_t r = 1; r != ranks && !samples.empty(); ++r) bounds.push_back(samples[samples.size() * r / ranks]);
  return bounds;
}

}  // namespace detail

/// Sorts the elements of all ranks, those of rank 0 first: then rank 0 has the smallest ones, sorted, rank 1 those that
/// follow, and so on. Equal elements stay in their order. Each rank gets about as many; in all, 64 samples a rank
/// differ from an even share by a few percent. Called by main of all ranks, with the same `less`.
///
/// Cost: a sort of own elements, one exchange, and a merge. Memory: twice the elements.
template <class T, class Less = std::less<>>
  requires std::is_trivially_copyable_v<T>
void sort_parts(std::vector<T>& own, const Less& less = {},
                std::source_location where = std::source_location::current()) {
  loop::stable_sort_here(own.data(), own.size(), less);
  const auto ranks = static_cast<std::size_t>(here().ranks);
  const auto me = static_cast<std::uint64_t>(here().rank);
  if (ranks == 1) return;
  std::vector<std::uint64_t> begins{0};
  for (const detail::placed_element<T>& bound : detail::bounds_of_sorted(own, less, where)) {
    // Of equal elements, all of lower ranks are before the bound, and of its rank the elements before its index.
    const auto at = bound.rank == me  ? own.begin() + static_cast<std::ptrdiff_t>(bound.index)
                    : me < bound.rank ? std::upper_bound(own.begin(), own.end(), bound.value, less)
                                      : std::lower_bound(own.begin(), own.end(), bound.value, less);
    begins.push_back(static_cast<std::uint64_t>(at - own.begin()));
  }
  begins.resize(ranks, own.size());
  begins.push_back(own.size());
  std::vector<std::uint64_t> counts;
  for (std::size_t r = 0; r != ranks; ++r) counts.push_back(begins[r + 1] - begins[r]);
  std::vector<T> came;
  const std::vector<std::uint64_t> from = exchange(std::span<const T>(own), counts, came, where);
  own = std::move(came);
  // Runs by rank, merged in pairs.
  std::vector<std::uint64_t> ends{0};
  for (const std::uint64_t n : from) ends.push_back(ends.back() + n);
  for (std::size_t step = 1; step < ranks; step *= 2) {
    for (std::size_t r = 0; r + step < ranks; r += 2 * step) {
      const auto place = [&](std::size_t rank) {
        return own.begin() + static_cast<std::ptrdiff_t>(ends[std::min(rank, ranks)]);
      };
      std::inplace_merge(place(r), place(r + step), place(r + 2 * step), less);
    }
  }
}

}  // namespace callisto::global
