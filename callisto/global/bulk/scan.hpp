// Running sums over the elements of all ranks.
#pragma once

#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/here.hpp>

#include <cstddef>
#include <functional>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

namespace callisto::global {

/// Returns what the values of the ranks before this one combine to; `first` at rank 0. Called by main of all ranks.
template <class T, class Op = std::plus<>>
  requires std::is_trivially_copyable_v<T>
T scan_ranks(const T& value, T first = {}, const Op& op = {},
             std::source_location where = std::source_location::current()) {
  const std::vector<T> all = gather_all(value, where);
  for (std::size_t r = 0; r != static_cast<std::size_t>(here().rank); ++r) first = op(first, all[r]);
  return first;
}

namespace detail {

/// Returns what `first` and the elements of lower ranks combine to.
template <class T, class Op>
T before_part(std::span<const T> own, const T& first, const Op& op, std::source_location where) {
  T sum = first;
  for (const T& element : own) sum = op(sum, element);
  return scan_ranks(sum, first, op, where);
}

}  // namespace detail

/// Replaces each element by what `first` and all elements up to it combine to, this one included: elements of rank 0
/// come first. Of an array by_block, parts are `a.local()`. op(a, b) is associative, and `first` changes nothing.
/// Called by main of all ranks.
template <class T, class Op = std::plus<>>
  requires std::is_trivially_copyable_v<T>
void inclusive_scan_parts(std::span<T> own, T first = {}, const Op& op = {},
                          std::source_location where = std::source_location::current()) {
  T running = detail::before_part<T>(own, first, op, where);
  for (T& element : own) element = running = op(running, element);
}

/// Does so without the element itself: the first of all becomes `first`.
template <class T, class Op = std::plus<>>
  requires std::is_trivially_copyable_v<T>
void exclusive_scan_parts(std::span<T> own, T first = {}, const Op& op = {},
                          std::source_location where = std::source_location::current()) {
  T running = detail::before_part<T>(own, first, op, where);
  for (T& element : own) {
    const T next = op(running, element);
    element = running;
    running = next;
  }
}

}  // namespace callisto::global
