// Elements of all ranks, brought together by key.
#pragma once

#include <callisto/global/bulk/dealt.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/loop/algorithms/sort_here.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

namespace callisto::global {

/// Elements in groups: group g is values[begins[g]] to values[begins[g + 1] - 1].
template <class T>
struct grouped {
  std::vector<T> values;
  std::vector<std::uint64_t> begins{0};  ///< of groups, and the number of elements

  std::size_t size() const noexcept { return begins.size() - 1; }
  std::span<const T> operator[](std::size_t g) const noexcept {
    return std::span<const T>(values).subspan(begins[g], begins[g + 1] - begins[g]);
  }
};

/// Brings the elements of all ranks with equal key(element) together: each group is at one rank, groups of a rank
/// ascend by key, and elements of a group are in order of ranks. Keys have std::hash and an order. Called by main of
/// all ranks.
///
/// Cost: one exchange, and a sort of what came.
template <class T, class KeyOf>
  requires std::is_trivially_copyable_v<T>
grouped<T> group_by(std::span<const T> elements, const KeyOf& key,
                    std::source_location where = std::source_location::current()) {
  const detail::dealt_elements<T> sent = detail::dealt_by_key(elements, key);
  grouped<T> made;
  exchange(std::span<const T>(sent.values), sent.counts, made.values, where);
  loop::stable_sort_here(made.values.data(), made.values.size(),
                         [&](const T& a, const T& b) { return key(a) < key(b); });
  for (std::uint64_t i = 1; i <= made.values.size(); ++i) {
    if (i == made.values.size() || key(made.values[i - 1]) < key(made.values[i])) made.begins.push_back(i);
  }
  return made;
}

}  // namespace callisto::global
