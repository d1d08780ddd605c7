// A summary of all weights of a graph, from which kernels choose how to compute.
#pragma once

#include <algorithm>
#include <limits>

namespace callisto::graph {

struct weight_survey {
  double most = 0;     ///< the largest weight weight
  bool wrong = false;  ///< a weight is negative or NaN
  bool whole = true;   ///< all weights are whole numbers

  /// True if a weight is negative, NaN or infinite: no distance or sum can be made of it.
  bool refused() const noexcept { return wrong || most > std::numeric_limits<double>::max(); }

  friend weight_survey operator+(weight_survey a, weight_survey b) noexcept {
    return {std::max(a.most, b.most), a.wrong || b.wrong, a.whole && b.whole};
  }
  friend bool operator==(const weight_survey&, const weight_survey&) noexcept = default;
};

}  // namespace callisto::graph
