// Elements dealt to ranks by a hash of their keys.
#pragma once

#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/global/transport/here.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <vector>

namespace callisto::global::detail {

/// Returns the rank that has a key: the same at all ranks, which run the same build.
template <class Key>
std::size_t rank_of_key(const Key& key) {
  std::uint64_t bits = std::hash<Key>{}(key);  // numbers are their own hash
  bits = (bits ^ bits >> 32) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9;
  return static_cast<std::size_t>((bits >> 32) * static_cast<std::uint64_t>(here().ranks) >> 32);
}

/// Elements on the way to ranks: sorted by rank.
template <class T>
struct dealt_elements {
  std::vector<T> values;
  std::vector<std::uint64_t> counts;  ///< by rank
  std::vector<std::uint64_t> places;  ///< by element before: its place among `values`
};

/// Sorts elements by the rank of key(element); equal ranks keep their order.
template <class T, class KeyOf>
dealt_elements<T> dealt_by_key(std::span<const T> elements, const KeyOf& key) {
  dealt_elements<T> made;
  const auto ranks = static_cast<std::size_t>(here().ranks);
  made.counts.resize(ranks);
  made.places.reserve(elements.size());
  for (const T& e : elements) {
    made.places.push_back(rank_of_key(key(e)));
    ++made.counts[made.places.back()];
  }
  std::vector<std::uint64_t> next(ranks);
  for (std::size_t r = 1; r < ranks; ++r) next[r] = next[r - 1] + made.counts[r - 1];
  if (elements.empty()) return made;
  made.values.assign(elements.size(), elements.front());
  for (std::size_t i = 0; i != elements.size(); ++i) {
    made.places[i] = next[made.places[i]]++;
    made.values[made.places[i]] = elements[i];
  }
  return made;
}

}  // namespace callisto::global::detail
