// Two divisions into groups, compared by the sizes of what their groups share.
#include <callisto/graph/communities/compare.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Sums over the sizes of groups.
struct group_sums {
  std::uint64_t groups = 0;
  double pairs = 0;  ///< of items in one group
  double logs = 0;   ///< sum of size times logarithm of size

  void add(std::uint64_t size) noexcept {
    const auto s = static_cast<double>(size);
    ++groups;
    pairs += s * (s - 1) / 2;
    logs += s * std::log(s);
  }
};

/// Sums over the runs of equal elements.
template <class T>
group_sums sums_of(std::vector<T>& of) {
  std::sort(of.begin(), of.end());
  group_sums sums;
  for (std::size_t first = 0; first < of.size();) {
    std::size_t last = first;
    while (last < of.size() && of[last] == of[first]) ++last;
    sums.add(last - first);
    first = last;
  }
  return sums;
}

}  // namespace

groups_comparison compare_groups(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  if (a.size() != b.size()) throw usage_error("the two divisions are of different numbers of items");
  groups_comparison found{.items = a.size()};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> shared(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) shared[i] = {a[i], b[i]};
  const group_sums both = sums_of(shared);
  std::vector<std::uint64_t> one(a.begin(), a.end());
  const group_sums of_a = sums_of(one);
  one.assign(b.begin(), b.end());
  const group_sums of_b = sums_of(one);
  found.groups_a = of_a.groups;
  found.groups_b = of_b.groups;
  found.both = both.groups;
  // As many groups in both as in each: each group is a group of the other division.
  if (a.size() < 2 || (both.groups == of_a.groups && both.groups == of_b.groups)) {
    found.mutual_information = found.adjusted_rand = found.rand = 1;
    return found;
  }
  const auto n = static_cast<double>(a.size());
  const double entropy_a = std::log(n) - of_a.logs / n;
  const double entropy_b = std::log(n) - of_b.logs / n;
  const double joint = std::log(n) - both.logs / n;
  found.mutual_information = std::clamp(2 * (entropy_a + entropy_b - joint) / (entropy_a + entropy_b), 0.0, 1.0);
  found.variation_of_information = std::max(0.0, 2 * joint - entropy_a - entropy_b);
  const double all = n * (n - 1) / 2;
  const double expected = of_a.pairs * of_b.pairs / all;
  const double most = (of_a.pairs + of_b.pairs) / 2;
  found.adjusted_rand = (both.pairs - expected) / (most - expected);
  found.rand = (all + 2 * both.pairs - of_a.pairs - of_b.pairs) / all;
  return found;
}

}  // namespace callisto::graph
