// Computes the median and the confidence interval of the sign test.
#include <callisto/app/base/sample_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace callisto::app {

double median_of(std::vector<double> values) { return estimate_of(std::move(values)).median; }

estimate estimate_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  // Let p(k) be the probability that at most k of n fair coins show heads. The true median is below the k-th smallest
  // value, counted from 0, with probability p(k). The loop finds the largest k for which p(k) is at most 5%.
  double term = std::exp2(-static_cast<double>(n));
  double chance = term;
  std::size_t k = 0;
  for (; k + 1 < n; ++k) {
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    if (chance + term > 0.05) break;
    chance += term;
  }
  return {n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2, values[k], values[n - 1 - k]};
}

}  // namespace callisto::app
