// How much two divisions of the same items into groups agree.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <span>

namespace callisto::graph {

struct groups_comparison {
  std::uint64_t items = 0;
  std::uint64_t groups_a = 0;
  std::uint64_t groups_b = 0;
  std::uint64_t both = 0;  ///< pairs of groups, one of each division, that share an item
  /// Normalized mutual information: twice the information that each division has about its partner, by the sum of both
  /// entropies (Danon et al. 2005; Fred and Jain 2003). 1: the divisions are equal; 0: independent.
  double mutual_information = 0;
  /// Adjusted Rand index: the pairs of items together in both divisions, less what chance would give, by the most that
  /// is possible (Hubert and Arabie 1985). 1: equal; 0: as by chance; it may be below 0.
  double adjusted_rand = 0;
  /// Rand index: the share of pairs of items that are together in both divisions, or apart in both (Rand 1971).
  double rand = 0;
  /// Variation of information, in nats: a distance; 0: equal (Meila 2003).
  double variation_of_information = 0;
};

/// Compares two divisions: by item, any number that names its group. Of fewer than two items, or if neither division
/// tells anything, they are equal: the indices are 1. Takes 40 bytes an item. Throws usage_error if the numbers of
/// items differ; std::bad_alloc.
CALLISTO_API groups_comparison compare_groups(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace callisto::graph
