// Finding hubs in the rows of other vertices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace callisto::graph {

/// Returns the place of v among the hubs, which ascend; their number if it is none.
template <class Vertex>
std::size_t hub_number(const std::vector<Vertex>& hubs, std::uint64_t v) noexcept {
  const auto found = std::lower_bound(hubs.begin(), hubs.end(), v);
  return found == hubs.end() || *found != v ? hubs.size() : static_cast<std::size_t>(found - hubs.begin());
}

/// Calls f(h, i) for each place i of an ascending row that has hub h.
template <class Vertex, class Function>
void for_each_hub(std::span<const Vertex> row, const std::vector<Vertex>& hubs, const Function& f) {
  if (hubs.size() * 8 < row.size()) {
    for (std::size_t h = 0; h != hubs.size(); ++h) {
      const auto places = std::equal_range(row.begin(), row.end(), hubs[h]);
      for (auto i = places.first; i != places.second; ++i) f(h, static_cast<std::size_t>(i - row.begin()));
    }
    return;
  }
  for (std::size_t i = 0; i != row.size(); ++i) {
    if (const std::size_t h = hub_number(hubs, row[i]); h != hubs.size()) f(h, i);
  }
}

}  // namespace callisto::graph
