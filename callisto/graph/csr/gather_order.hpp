// The order in which sweeps over rows have the values that they gather.
#pragma once

#include <string_view>

namespace callisto::graph {

/// It changes times alone, and measured times choose it.
enum class gather_order {
  given,    ///< that of the vertices
  degrees,  ///< groups of falling degree: hot values lie together (hub_places.hpp)
};

/// Returns "given" or "degrees".
constexpr std::string_view name_of(gather_order order) noexcept {
  return order == gather_order::degrees ? "degrees" : "given";
}

}  // namespace callisto::graph
