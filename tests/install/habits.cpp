// A program outside of the repository that uses loops, algorithms and tasks as programs do: for builds with sanitizers
// of its own (of a Callisto without), static ones, with other standard libraries, without exceptions. A report of a
// sanitizer is false.
#include <callisto/algorithms.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

namespace {

int wrong = 0;

void check(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

void loops_and_algorithms(std::uint64_t round) {
  std::vector<std::uint64_t> all(20'000);
  for (std::uint64_t& x : all) x = round;
  callisto::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) { all[i] += i * 7919 % 10'007; });
  const std::uint64_t sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  const auto one = [&](std::size_t i) { return all[i]; };
  check(callisto::parallel_reduce(std::size_t{0}, all.size(), std::uint64_t{0}, one) == sum, "parallel_reduce");
  check(callisto::deterministic_reduce(std::size_t{0}, all.size(), std::uint64_t{0}, one) == sum,
        "deterministic_reduce");
  std::vector<std::uint64_t> sums(all.size());
  check(callisto::inclusive_scan(all, sums.begin(), std::uint64_t{0}) == sum && sums.back() == sum, "inclusive_scan");
  callisto::sort(all);
  check(std::is_sorted(all.begin(), all.end()), "sort");
  callisto::stable_sort(all, std::greater<>());
  check(std::is_sorted(all.begin(), all.end(), std::greater<>()), "stable_sort");
  std::vector<std::string> texts(500);
  callisto::transform(all, sums.begin(), [](std::uint64_t x) { return x + 1; });
  callisto::parallel_for(texts, [](std::string& text) { text = "so long that it needs memory of its own"; });
  check(std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return text.size() == 39; }), "texts");
  std::list<std::string> forward(300, "begin ");
  callisto::parallel_for(forward, [](std::string& text) { text += "so long that it needs memory of its own"; });
  check(std::all_of(forward.begin(), forward.end(), [](const std::string& text) { return text.size() == 45; }),
        "lists");
  const auto first = callisto::find_if(sums, [&](std::uint64_t x) { return x == all[777] + 1; });
  check(first != sums.end() && *first == all[777] + 1, "find_if");
}

long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  callisto::parallel_invoke([&] { a = fibonacci(n - 1); }, [&] { b = fibonacci(n - 2); });
  return a + b;
}

void tasks_and_nesting() {
  check(fibonacci(15) == 610, "parallel_invoke");
  std::vector<std::string> texts(100);
  callisto::task_group group;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    group.run([&texts, i] { texts[i] = "task with a number: " + std::to_string(i); });
  }
  group.wait();
  for (std::size_t i = 0; i < texts.size(); ++i) check(texts[i].ends_with(' ' + std::to_string(i)), "task_group");
  std::vector<long> products(64 * 64);
  callisto::parallel_for(0L, 64L, [&](long y) {
    callisto::parallel_for(0L, 64L, [&, y](long x) { products[static_cast<std::size_t>(y * 64 + x)] = x * y; });
  });
  check(std::accumulate(products.begin(), products.end(), 0L) == 2016L * 2016, "nested loops");
}

void two_leaders() {
  const auto sum = [] { return callisto::parallel_reduce(0, 10'000, 0L, [](int i) { return long{i}; }); };
  long others = 0;
  std::thread other([&] { others = sum(); });
  const long mine = sum();
  other.join();
  check(mine == 49'995'000 && others == mine, "two leaders");
}

void ends() {
  std::stop_source stop;
  const bool whole = callisto::parallel_for(0, 100'000'000,
                                            [&](int i) {
                                              if (i == 1000) stop.request_stop();
                                            },
                                            {.stop = stop.get_token()});
  check(!whole, "a stop");
#ifdef __cpp_exceptions
  std::string what;
  try {
    callisto::parallel_for(0, 1000, [](int i) {
      if (i == 500) throw std::runtime_error("five hundred");
    });
  } catch (const std::runtime_error& e) {
    what = e.what();
  }
  check(what == "five hundred", "an exception");
#endif
}

}  // namespace

int main() {
  for (std::uint64_t round = 0; round < 10; ++round) loops_and_algorithms(round);
  tasks_and_nesting();
  two_leaders();
  ends();
  std::puts(wrong == 0 ? "good" : "bad");
  return wrong;
}
