// Tasks, beside oneTBB's if it is installed: a recursion of empty tasks, and a sort by halves.
#include "compare.hpp"

#include <callisto/algorithms.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#ifdef CALLISTO_BENCH_TBB
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace {

using namespace callisto;
using namespace callisto::lab;

constexpr int fib_of = 27;
constexpr long calls = 832'039;  // of fib(27) that make a task

template <class Group>
long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  Group both;
  both.run([&] { a = fib<Group>(n - 1); });
  const long b = fib<Group>(n - 2);
  both.wait();
  return a + b;
}

template <class Invoke>
long fib_by(int n, const Invoke& invoke) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  invoke([&] { a = fib_by(n - 1, invoke); }, [&] { b = fib_by(n - 2, invoke); });
  return a + b;
}

template <class Invoke>
void sort_by(std::vector<int>::iterator first, std::vector<int>::iterator last, const Invoke& invoke) {
  if (last - first < 1000) return std::sort(first, last);
  const int pivot = first[(last - first) / 2];
  const auto low = std::partition(first, last, [pivot](int x) { return x < pivot; });
  const auto high = std::partition(low, last, [pivot](int x) { return x == pivot; });
  invoke([&] { sort_by(first, low, invoke); }, [&] { sort_by(high, last, invoke); });
}

void require(bool right, const char* what) {
  if (right) return;
  fmt::print(stderr, "wrong result: {}\n", what);
  std::exit(1);
}

std::vector<std::string> row(const std::string& name, std::vector<variant> variants, double scale, const char* unit) {
  compare(variants, {.rounds = 7});
  std::vector<std::string> cells{name, fmt::format("{:.1f} {}", variants.front().median() * scale, unit)};
  cells.push_back(variants.size() > 1 ? fmt::format("{:.2f}", ratio(variants[1], variants.front())) : "-");
  return cells;
}

}  // namespace

int main() {
  const auto invoke = [](auto&& f, auto&& g) { parallel_invoke(f, g); };
  std::vector<std::vector<std::string>> table{{"program", "Callisto", "oneTBB by Callisto"}};
  const auto timed = [](auto f) { return [f] { return seconds_of([&] { require(f() == 196'418, "fib"); }); }; };
  {
    std::vector<variant> v{{"callisto", timed([] { return fib<task_group>(fib_of); })}};
#ifdef CALLISTO_BENCH_TBB
    v.push_back({"oneTBB", timed([] { return fib<tbb::task_group>(fib_of); })});
#endif
    table.push_back(row("fib(27) by task groups, a task", std::move(v), 1e9 / double(calls), "ns"));
  }
  {
    std::vector<variant> v{{"callisto", timed([&] { return fib_by(fib_of, invoke); })}};
#ifdef CALLISTO_BENCH_TBB
    v.push_back(
        {"oneTBB", timed([] { return fib_by(fib_of, [](auto&& f, auto&& g) { tbb::parallel_invoke(f, g); }); })});
#endif
    table.push_back(row("fib(27) by parallel_invoke, a task", std::move(v), 1e9 / double(calls), "ns"));
  }
  std::vector<int> input(2'000'000);
  std::mt19937 random(1);
  for (int& x : input) x = static_cast<int>(random());
  std::vector<int> expected = input;
  std::sort(expected.begin(), expected.end());
  const auto sorting = [&](auto by) {
    return [&, by] {
      std::vector<int> mine = input;
      const double seconds = seconds_of([&] { sort_by(mine.begin(), mine.end(), by); });
      require(mine == expected, "sort");
      return seconds;
    };
  };
  {
    std::vector<variant> v{{"callisto", sorting(invoke)}};
#ifdef CALLISTO_BENCH_TBB
    v.push_back({"oneTBB", sorting([](auto&& f, auto&& g) { tbb::parallel_invoke(f, g); })});
#endif
    table.push_back(row("quicksort of 2 million, by halves", std::move(v), 1e3, "ms"));
  }
  for (const auto& cells : table) fmt::print("| {} | {} | {} |\n", cells[0], cells[1], cells[2]);
}
