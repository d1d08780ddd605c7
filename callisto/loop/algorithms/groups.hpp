// Histograms and groups, which the standard library lacks, under the names of ParlayLib.
#pragma once

#include <callisto/loop/algorithms/elements.hpp>
#include <callisto/loop/algorithms/filtering.hpp>
#include <callisto/loop/algorithms/reduce.hpp>
#include <callisto/loop/algorithms/sort.hpp>
#include <callisto/machine/system/exceptions.hpp>

#include <algorithm>
#include <concepts>
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

/// Returns where runs of equal keys begin in a sorted vector, and its end behind them.
template <class Key>
std::vector<std::uint64_t> begins_of_runs(const std::vector<Key>& keys, const policy& by) {
  const std::uint64_t n = keys.size();
  kept_places firsts(0, n);
  firsts.list([&](std::uint64_t i) { return i == 0 || keys[i - 1] < keys[i]; }, by);
  std::vector<std::uint64_t> begins(firsts.kept() + 1, n);
  firsts.each(by, [&](std::uint64_t i, std::uint64_t k) { begins[k] = i; });
  return begins;
}

}  // namespace loop

/// Returns how often each number of [0, buckets) is among the elements, or what `bucket` returns for them. Throws
/// usage_error if one is not below `buckets`. Each thread counts into as many counters.
template <loop::sequence Range, class Bucket = std::identity>
  requires loop::index<std::remove_cvref_t<std::invoke_result_t<Bucket&, std::ranges::range_reference_t<Range>>>>
std::vector<std::uint64_t> histogram_by_index(Range&& range, std::uint64_t buckets, Bucket bucket = {},
                                              std::source_location where = std::source_location::current()) {
  using counts = std::vector<std::uint64_t>;
  const loop::projected<std::ranges::iterator_t<Range>, Bucket> at(std::ranges::begin(range), bucket);
  return parallel_reduce(
      std::uint64_t{0}, loop::count_of(range), counts(buckets, 0),
      [&](std::uint64_t i, std::uint64_t end, counts& mine) {
        for (; i < end; ++i) {
          const auto k = static_cast<std::uint64_t>(at(i));
          if (k >= buckets) machine::throw_usage_error("histogram_by_index: an element beyond the last bucket");
          ++mine[k];
        }
      },
      [](counts a, const counts& b) {
        for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
        return a;
      },
      {}, where);
}

/// Returns each value that is among the elements, or that `key` returns for them, with how often it is: in order by <.
/// Copies and sorts the values.
template <loop::sequence Range, class Key = std::identity>
auto histogram_by_key(Range&& range, Key key = {}, std::source_location where = std::source_location::current()) {
  using value = std::remove_cvref_t<std::invoke_result_t<Key&, std::ranges::range_reference_t<Range>>>;
  static_assert(!std::same_as<value, bool>, "histogram_by_key: count two values by count_if");
  const policy by(where);
  std::vector<value> keys(loop::count_of(range));
  callisto::transform(by, std::ranges::begin(range), loop::end_of(range), keys.begin(), std::ref(key));
  callisto::sort(by, keys.begin(), keys.end());
  const auto begins = loop::begins_of_runs(keys, by);
  std::vector<std::pair<value, std::uint64_t>> all(begins.size() - 1);
  loop::for_pieces(
      all.size(),
      [&](std::uint64_t k, std::uint64_t end) {
        for (; k < end; ++k) all[k] = {std::move(keys[begins[k]]), begins[k + 1] - begins[k]};
      },
      by);
  return all;
}

/// Returns the elements in groups of one key each, what `key` returns for them, with the groups in order by < of keys
/// and the elements of each as they stand in the range: `value` of each, a copy of it by itself.
template <loop::sequence Range, class Key, class Value = std::identity>
auto group_by_key(Range&& range, Key key, Value value = {},
                  std::source_location where = std::source_location::current()) {
  using element = std::ranges::range_reference_t<Range>;
  using K = std::remove_cvref_t<std::invoke_result_t<Key&, element>>;
  using V = std::remove_cvref_t<std::invoke_result_t<Value&, element>>;
  static_assert(!std::same_as<K, bool>, "group_by_key: make two groups by partition_copy");
  struct place_of {
    K key;
    std::uint64_t place;
  };
  const policy by(where);
  const auto first = std::ranges::begin(range);
  std::vector<place_of> places(loop::count_of(range));
  loop::for_pieces(
      places.size(),
      [&](std::uint64_t i, std::uint64_t end) {
        for (; i < end; ++i) places[i] = {std::invoke(key, *loop::place(first, i)), i};
      },
      by);
  callisto::stable_sort(by, places.begin(), places.end(), {}, &place_of::key);
  loop::kept_places firsts(0, places.size());
  firsts.list([&](std::uint64_t i) { return i == 0 || places[i - 1].key < places[i].key; }, by);
  std::vector<std::uint64_t> begins(firsts.kept() + 1, places.size());
  firsts.each(by, [&](std::uint64_t i, std::uint64_t k) { begins[k] = i; });
  std::vector<std::pair<K, std::vector<V>>> groups(begins.size() - 1);
  loop::for_pieces(
      groups.size(),
      [&](std::uint64_t k, std::uint64_t end) {
        for (; k < end; ++k) {
          groups[k].second.reserve(begins[k + 1] - begins[k]);
          for (std::uint64_t i = begins[k]; i < begins[k + 1]; ++i)
            groups[k].second.push_back(std::invoke(value, *loop::place(first, places[i].place)));
          groups[k].first = std::move(places[begins[k]].key);
        }
      },
      by);
  return groups;
}

}  // namespace callisto
