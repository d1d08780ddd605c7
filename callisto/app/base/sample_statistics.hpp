// Medians of measured values and their confidence intervals. Neither assumes a distribution of the values.
#pragma once

#include <vector>

namespace callisto::app {

/// Returns the median of `values`, which are not empty.
double median_of(std::vector<double> values);

/// A sample's median, and bounds of the true median. The true median is at least `low` with a confidence of 95%, and at
/// most `high` with a confidence of 95%.
struct estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// Returns the median of `values`, which are not empty, and its bounds by the sign test, which are order statistics.
/// For fewer than five values the bounds are the extremes, and the confidence is below 95%.
estimate estimate_of(std::vector<double> values);

}  // namespace callisto::app
