// Loops and algorithms in a program without exceptions and run-time types.
#include <callisto/algorithms.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

int main() {
  std::vector<std::uint64_t> of(100'000);
  if (!callisto::parallel_for(std::size_t{0}, of.size(), [&](std::size_t i) { of[i] = of.size() - i; })) return 1;
  callisto::sort(of);
  if (!std::is_sorted(of.begin(), of.end())) return 1;
  const std::uint64_t sum =
      callisto::parallel_reduce(std::size_t{0}, of.size(), std::uint64_t{0}, [&](std::size_t i) { return of[i]; });
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return sum == of.size() * (of.size() + 1) / 2 ? 0 : 1;
}
