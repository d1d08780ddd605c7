// Sets sizes and names.
#include <lab/experiments/workload.hpp>

#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace callisto::lab {
namespace {

constexpr std::uint64_t power_of_two(unsigned k) { return std::uint64_t{1} << k; }

}  // namespace

std::string bench_workload::order() const {
  return fmt::format("{} {} {} {} {} {} {}", static_cast<unsigned>(shape), reversed ? 1 : 0, site, n, heavy, blocks,
                     extra);
}

std::vector<bench_workload> table_workloads(std::uint64_t divisor) {
  // ATC'15, section 4.1: an even loop, and one with first iterations that are 1,024 times as long.
  const auto skewed = [&](const std::string& name, std::uint64_t heavy, std::uint64_t light) {
    bench_workload w;
    w.name = name;
    w.shape = cost_shape::skewed;
    w.heavy = std::max<std::uint64_t>(1, heavy / divisor);
    w.n = w.heavy + light / divisor;
    w.words = fmt::format("{} iterations of 1,024 units, then {} of one", with_separators(w.heavy),
                          with_separators(w.n - w.heavy));
    return w;
  };
  std::vector<bench_workload> all;
  bench_workload even;
  even.name = "even";
  even.n = power_of_two(24) / divisor;
  even.words = fmt::format("{} iterations of one unit", with_separators(even.n));
  all.push_back(even);
  all.push_back(skewed("skewed", 8192, power_of_two(23)));
  all.push_back(skewed("skew75", 12288, power_of_two(22)));
  bench_workload power;
  power.name = "power";
  power.shape = cost_shape::power;
  power.n = power_of_two(22) / divisor;
  power.words = fmt::format("{} iterations, by a power law from 100,000 units to one", with_separators(power.n));
  all.push_back(power);
  for (std::size_t i = 1; i < 4; ++i) {
    bench_workload w = all[i];
    w.name += "-reversed";
    w.words += ", in reverse order";
    w.reversed = true;
    all.push_back(std::move(w));
  }
  bench_workload tiny;
  tiny.name = "tiny";
  tiny.n = 1024;
  tiny.repeats = static_cast<unsigned>(std::max<std::uint64_t>(30, 300 / divisor));
  tiny.words = fmt::format("1,024 iterations of one unit, launched {} times", tiny.repeats);
  all.push_back(std::move(tiny));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].site = static_cast<unsigned>(i);
  return all;
}

std::vector<bench_workload> sweep_workloads(std::uint64_t divisor) {
  struct cost {
    double seconds;
    std::uint64_t blocks;
    std::uint64_t extra;
    const char* name;
  };
  // 19 multiplications take about 15 ns, and an iteration takes 2 ns besides.
  static constexpr cost costs[] = {{2e-9, 0, 0, "2 ns"},
                                   {17e-9, 1, 0, "17 ns"},
                                   {1e-6, 67, 0, "1 us"},
                                   {100e-6, 6700, 0, "100 us"},
                                   {10e-3, 670000, 0, "10 ms"}};
  constexpr double longest = 0.4;
  constexpr double shortest = 2e-3;
  std::vector<bench_workload> all;
  unsigned site = 0;
  for (const cost& c : costs) {
    for (const unsigned k : {1U, 4U, 8U, 12U, 16U, 20U, 24U, 26U}) {
      bench_workload w;
      w.n = power_of_two(k);
      const double whole = static_cast<double>(w.n) * c.seconds;
      if (whole > longest / static_cast<double>(divisor) && k > 1) continue;
      w.name = fmt::format("2^{} of {}", k, c.name);
      w.words = fmt::format("{} iterations of {}", with_separators(w.n), c.name);
      w.site = 8 + site++ % 7;
      w.blocks = c.blocks;
      w.extra = c.extra;
      w.repeats = static_cast<unsigned>(std::clamp(shortest / whole, 1.0, 1e4));
      all.push_back(std::move(w));
    }
  }
  for (const unsigned k : {32U, 40U}) {
    bench_workload w;
    w.n = power_of_two(k);
    w.shape = cost_shape::sparse;
    w.name = fmt::format("2^{}, one in 2^20 of 17 ns", k);
    w.words = fmt::format("{} iterations, one in 1,048,576 of 17 ns, the others free", with_separators(w.n));
    w.site = 8 + site++ % 7;
    w.repeats = k == 32 ? 30 : 1;
    all.push_back(std::move(w));
  }
  return all;
}

}  // namespace callisto::lab
