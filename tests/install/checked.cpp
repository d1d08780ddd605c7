// A program outside the repository that is built with ThreadSanitizer, with a Callisto that is not: every report is
// false.
#include <callisto/callisto.hpp>

#include <numeric>
#include <vector>

int main() {
  std::vector<long> values(1000);
  long sum = 0;
  for (long round = 0; round < 100; ++round) {
    std::iota(values.begin(), values.end(), round);
    callisto::parallel_for(values, [round](long& v) { v -= round; });
    sum = callisto::parallel_reduce(0, 1000, 0L, [&](int i) { return values[static_cast<std::size_t>(i)]; });
  }
  return sum == 499500 ? 0 : 1;
}
