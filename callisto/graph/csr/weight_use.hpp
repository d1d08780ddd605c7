// Meaning that a kernel gives the weights of edges.
#pragma once

namespace callisto::graph {

enum class weight_use {
  none,      ///< weights play no part: each stored edge counts 1
  strength,  ///< a weight says how strong a tie is: of two edges of weight 1, one of weight 2 does the work
  length,    ///< a weight says how long an edge is, so that paths have lengths
};

/// Returns the name: "none", "strength", "length".
constexpr const char* name_of(weight_use use) noexcept {
  switch (use) {
    case weight_use::strength:
      return "strength";
    case weight_use::length:
      return "length";
    case weight_use::none:
      break;
  }
  return "none";
}

}  // namespace callisto::graph
