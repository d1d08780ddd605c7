// Code that the computations of this folder share: how many cells they have, and how threads' lists become one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace callisto::graph::changing {

/// Returns a number of cells above that of vertices, so that most new vertices need no new cells.
inline std::uint64_t room_for(std::uint64_t vertices) { return std::max<std::uint64_t>(1024, vertices + vertices / 4); }

/// Joins two lists, for reducer::take().
template <class T>
std::vector<T> joined(std::vector<T> all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace callisto::graph::changing
