// Medians, and what can be said of them with confidence, whatever the distribution of what was measured.
#pragma once

#include <vector>

namespace callisto::app {

/// The median of `values`, which are not empty.
double median_of(std::vector<double> values);

/// A median and where the true one lies: at least `low` with a confidence of 95%, at most `high` with the same.
struct estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// Of values that are not empty: order statistics by the sign test. Of fewer than five, the bounds are the extremes and
/// the confidence less.
estimate estimate_of(std::vector<double> values);

}  // namespace callisto::app
