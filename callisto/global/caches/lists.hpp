// Lists of indices, which the mains of all ranks gather and scatter together; each rank has its list.
//
// A list costs two exchanges (synchronization/exchange.hpp), whatever its order: 8 bytes an index to its owner, and the
// value back or along.
#pragma once

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/synchronization/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace callisto::global {

namespace detail {

/// A list, sorted by the ranks that have its elements.
struct dealt_list {
  std::vector<std::uint64_t> counts;   ///< by rank
  std::vector<std::uint64_t> locals;   ///< numbers of the elements there, by rank and in the order of the list
  std::vector<std::uint64_t> entries;  ///< places in the list, in the same order
};

template <class T>
dealt_list deal(array<T> a, std::span<const std::uint64_t> indices, const std::source_location& where) {
  const array_record& record = array_of(a.number());
  const bool is_symmetric = record.how().kind == distribution::kinds::symmetric;
  const auto place_of = [&](std::uint64_t i) {
    require_range(a.number(), a.size(), i, 1, where);
    return is_symmetric ? dealt_place{static_cast<std::uint64_t>(here().rank), i} : record.place(i);
  };
  dealt_list list;
  list.counts.resize(static_cast<std::size_t>(here().ranks));
  for (const std::uint64_t i : indices) ++list.counts[place_of(i).rank];
  std::vector<std::uint64_t> next(list.counts.size());
  for (std::size_t r = 1; r < next.size(); ++r) next[r] = next[r - 1] + list.counts[r - 1];
  list.locals.resize(indices.size());
  list.entries.resize(indices.size());
  for (std::uint64_t e = 0; e != indices.size(); ++e) {
    const dealt_place at = place_of(indices[e]);
    const std::uint64_t to = next[at.rank]++;
    list.locals[to] = at.local;
    list.entries[to] = e;
  }
  return list;
}

}  // namespace detail

/// Returns the elements with these indices, in their order. Called by main of all ranks, with lists that may differ.
/// Throws usage_error for an index that is none.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<T> gather_list(array<T> a, std::span<const std::uint64_t> indices,
                           std::source_location where = std::source_location::current()) {
  const detail::dealt_list list = detail::deal(a, indices, where);
  const auto asked = exchange(std::span<const std::uint64_t>(list.locals), list.counts, where);
  std::vector<T> answers;
  answers.reserve(asked.values.size());
  for (const std::uint64_t local : asked.values) answers.push_back(a.local()[local]);
  const auto came = exchange(std::span<const T>(answers), asked.counts, where);
  std::vector<T> found(indices.size());
  for (std::uint64_t i = 0; i != came.values.size(); ++i) found[list.entries[i]] = came.values[i];
  return found;
}

/// Lets op(element, value) change the element with indices[i] by values[i], where the element lives: those of one
/// rank's list in their order, the lists by rank. Called by main of all ranks; their lists may differ. Throws
/// usage_error for an index that is none, and if there is not one value an index.
template <class T, class V, class Op>
  requires std::is_trivially_copyable_v<V>
void scatter_list(array<T> a, std::span<const std::uint64_t> indices, std::span<const V> values, Op op,
                  std::source_location where = std::source_location::current()) {
  if (indices.size() != values.size()) {
    throw usage_error(detail::place_of_call(where) + std::to_string(values.size()) + " values for " +
                      std::to_string(indices.size()) + " indices; expected one for each");
  }
  const detail::dealt_list list = detail::deal(a, indices, where);
  std::vector<V> sorted;
  sorted.reserve(values.size());
  for (const std::uint64_t e : list.entries) sorted.push_back(values[e]);
  const auto locals = exchange(std::span<const std::uint64_t>(list.locals), list.counts, where);
  const auto came = exchange(std::span<const V>(sorted), list.counts, where);
  const std::span<T> own = a.local();
  for (std::uint64_t i = 0; i != came.values.size(); ++i) op(own[locals.values[i]], came.values[i]);
}

/// Writes values[i] to the element with indices[i]. Of equal indices, the last one of the highest rank stays.
template <class T>
  requires std::is_trivially_copyable_v<T>
void scatter_list(array<T> a, std::span<const std::uint64_t> indices, std::span<const T> values,
                  std::source_location where = std::source_location::current()) {
  scatter_list(a, indices, values, [](T& element, const T& value) { element = value; }, where);
}

}  // namespace callisto::global
