// Values for vertices of other processes, sorted by the process that has the vertex.
#pragma once

#include <callisto/graph/csr/partners.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::cluster {

/// Returns the number of the process that has vertex v.
inline std::size_t owner_of(const std::vector<std::uint64_t>& bounds, std::uint64_t v) noexcept {
  return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), v) - bounds.begin()) - 1;
}

/// Sends post(v) for each v of `vertices` to the process that has v, and returns what came, by number of the sender.
/// Called by all processes.
template <class Vertex, class Post>
auto post_to_owners(graph::partners& among, const std::vector<Vertex>& vertices, const Post& post) {
  using posted = std::remove_cvref_t<decltype(post(vertices.front()))>;
  const std::vector<std::uint64_t>& bounds = among.bounds();
  std::vector<std::uint64_t> counts(among.count());
  for (const Vertex v : vertices) ++counts[owner_of(bounds, v)];
  std::vector<std::uint64_t> next(among.count());
  for (std::size_t p = 1; p < next.size(); ++p) next[p] = next[p - 1] + counts[p - 1];
  std::vector<posted> sorted(vertices.size());
  for (const Vertex v : vertices) sorted[next[owner_of(bounds, v)]++] = post(v);
  return among.exchange(sorted, counts);
}

}  // namespace callisto::cluster
