// What is known of a graph's weights when all have been looked at.
#pragma once

#include <algorithm>
#include <limits>

namespace callisto::graph {

struct weight_survey {
  double most = 0;     ///< the largest
  bool wrong = false;  ///< one is negative or no number
  bool whole = true;   ///< all are whole numbers

  /// Whether no distance or sum can be made of one of them.
  bool refused() const noexcept { return wrong || most > std::numeric_limits<double>::max(); }

  friend weight_survey operator+(weight_survey a, weight_survey b) noexcept {
    return {std::max(a.most, b.most), a.wrong || b.wrong, a.whole && b.whole};
  }
  friend bool operator==(const weight_survey&, const weight_survey&) noexcept = default;
};

}  // namespace callisto::graph
