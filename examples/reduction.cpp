// Reductions: a sum, a maximum with its place, and a histogram that each thread folds in place.
//
// Threads combine in no fixed order. The operator must be associative and commutative, and the third argument must be
// its neutral element: x combined with it is x.
#include <callisto/callisto.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

int main() {
  constexpr std::uint64_t n = 1'000'000;

  // The default operator is +. The body returns the value of one iteration.
  const std::uint64_t sum = callisto::parallel_reduce(0, n, std::uint64_t{0}, [](std::uint64_t i) { return i; });
  std::printf("sum: %llu\n", static_cast<unsigned long long>(sum));

  // Another operator: the larger of two pairs of value and place.
  using place = std::pair<std::uint64_t, std::uint64_t>;
  const place top = callisto::parallel_reduce(
      0, n, place{0, 0}, [](std::uint64_t i) { return place{i * 7'919 % 1'000'003, i}; },
      [](const place& a, const place& b) { return a.first < b.first ? b : a; });
  std::printf("largest: %llu at %llu\n", static_cast<unsigned long long>(top.first),
              static_cast<unsigned long long>(top.second));

  // A large value: the body gets a batch and folds it into the thread's own value, which is never copied.
  using histogram = std::array<std::uint64_t, 10>;
  const histogram digits = callisto::parallel_reduce(
      0, n, histogram{},
      [](std::uint64_t first, std::uint64_t last, histogram& mine) {
        for (std::uint64_t i = first; i < last; ++i) ++mine[i * i % 10];
      },
      [](histogram a, const histogram& b) {
        for (std::size_t d = 0; d < a.size(); ++d) a[d] += b[d];
        return a;
      });
  std::printf("squares that end in 6: %llu\n", static_cast<unsigned long long>(digits[6]));
}
