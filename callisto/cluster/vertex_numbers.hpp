// One numbering of the vertices of all ranks, which know them by labels or by names.
#pragma once

#include <callisto/graph/csr/edge_list.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace callisto::cluster {

/// Labels of vertices.
struct label_keys {
  using value = std::uint64_t;
  std::vector<std::uint64_t> labels;

  std::size_t size() const noexcept { return labels.size(); }
  value operator[](std::size_t i) const noexcept { return labels[i]; }
  void add(value label) { labels.push_back(label); }
};

/// Names of vertices.
struct name_keys {
  using value = std::string_view;
  std::vector<std::uint64_t> offsets{0};  ///< one more than names
  std::vector<char> bytes;

  std::size_t size() const noexcept { return offsets.size() - 1; }
  value operator[](std::size_t i) const noexcept {
    return {bytes.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  void add(value name) {
    bytes.insert(bytes.end(), name.begin(), name.end());
    offsets.push_back(bytes.size());
  }
};

/// The numbering of the keys of all ranks.
template <class Keys>
struct vertex_numbers {
  std::uint64_t vertices = 0;         ///< distinct keys
  std::vector<std::uint64_t> of_own;  ///< the number of each of this rank's keys
  Keys all;                           ///< at rank 0: all keys, by number
};

/// Numbers the keys of all ranks in ascending order; equal keys of different ranks are one vertex. `own` ascends.
/// Called by main of all ranks.
///
/// A sample of the keys divides them among the ranks; each rank sorts its share. Memory of a rank: its keys and its
/// share of all keys, both twice, and 8 bytes for each; at rank 0 all keys.
template <class Keys>
vertex_numbers<Keys> number_together(const Keys& own);

}  // namespace callisto::cluster
