// Sorting, scanning, reducing and filtering, beside the standard library on one thread and, if they are installed,
// oneTBB and ParlayLib.
#include "compare.hpp"

#include <callisto/algorithms.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef CALLISTO_BENCH_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#endif
#ifdef CALLISTO_BENCH_PARLAY
#include <parlay/primitives.h>
#endif

namespace {

using namespace callisto;
using namespace callisto::lab;

void require(bool right, const char* what) {
  if (right) return;
  fmt::print(stderr, "wrong result: {}\n", what);
  std::exit(1);
}

/// Runs the variants in turns and prints one row: each one's time, and its ratio to Callisto's, the first.
void row(const std::string& name, std::vector<variant> variants, std::vector<std::vector<std::string>>& table) {
  compare(variants, {.rounds = 7});
  std::vector<std::string> cells{name, fmt::format("{:.1f} ms", variants.front().median() * 1e3)};
  for (std::size_t i = 1; i < variants.size(); ++i) {
    cells.push_back(fmt::format("{} {:.2f}", variants[i].name, ratio(variants[i], variants.front())));
  }
  while (cells.size() < 6) cells.emplace_back("-");
  table.push_back(std::move(cells));
}

/// A record that is sorted by its key.
struct keyed {
  std::uint64_t key;
  std::uint64_t place;
  bool operator==(const keyed& to) const { return key == to.key; }
  bool operator<(const keyed& than) const { return key < than.key; }
};

/// Sorts by `mine`, and by the peers' default order.
template <class T, class Sort>
void sorting(const std::string& name, const std::vector<T>& input, std::vector<std::vector<std::string>>& table,
             Sort mine_by) {
  std::vector<T> expected = input;
  std::sort(expected.begin(), expected.end());
  const auto timed = [&](auto f) {
    return [&, f] {
      std::vector<T> mine = input;
      const double seconds = seconds_of([&] { f(mine); });
      require(mine == expected, "sort");
      return seconds;
    };
  };
  std::vector<variant> variants;
  variants.push_back({"callisto", timed(mine_by)});
  variants.push_back({"std::sort", timed([](auto& v) { std::sort(v.begin(), v.end()); })});
#ifdef CALLISTO_BENCH_TBB
  variants.push_back({"oneTBB", timed([](auto& v) { tbb::parallel_sort(v.begin(), v.end()); })});
#endif
#ifdef CALLISTO_BENCH_PARLAY
  variants.push_back({"ParlayLib", timed([](auto& v) { parlay::sort_inplace(v); })});
  if constexpr (std::is_unsigned_v<T>)
    variants.push_back({"its integer sort", timed([](auto& v) { parlay::integer_sort_inplace(v); })});
#endif
  row(name, std::move(variants), table);
}
template <class T>
void sorting(const std::string& name, const std::vector<T>& input, std::vector<std::vector<std::string>>& table) {
  sorting(name, input, table, [](auto& v) { callisto::sort(v); });
}

/// Words of random letters; `beginning` stands before each.
std::vector<std::string> words(std::size_t n, std::mt19937_64& random, const std::string& beginning, std::size_t least,
                               std::size_t most) {
  std::vector<std::string> all(n, beginning);
  for (std::string& word : all) {
    for (std::size_t i = least + random() % (most - least + 1); i > 0; --i)
      word += static_cast<char>('a' + random() % 26);
  }
  return all;
}

/// A record that is sorted by its name.
struct named {
  std::string name;
  std::uint64_t place;
  bool operator==(const named& to) const { return name == to.name; }
  bool operator<(const named& than) const { return name < than.name; }
};

void sorting_texts(std::mt19937_64& random, std::vector<std::vector<std::string>>& table) {
  constexpr std::size_t n = 300'000;
  sorting("sort 300,000 words of 5 to 14 letters", words(n, random, "", 5, 14), table);
  sorting("sort 300,000 words of 20 to 49 letters", words(n, random, "", 20, 49), table);
  sorting("sort 300,000 web addresses", words(n, random, "https://www.example.org/pages/", 5, 14), table);
  const std::vector<std::string> few = words(1000, random, "", 5, 14);
  std::vector<std::string> repeated(n);
  for (std::string& word : repeated) word = few[random() % few.size()];
  sorting("sort 300,000 of 1,000 words", repeated, table);
  std::vector<named> records(n);
  const std::vector<std::string> names = words(n, random, "", 5, 14);
  for (std::size_t i = 0; i < n; ++i) records[i] = {names[i], i};
  sorting("sort 300,000 records by a string", records, table, [](auto& v) { callisto::sort(v, {}, &named::name); });
  sorting("the same by calls of a comparison", records, table,
          [](auto& v) { callisto::sort(v, [](const named& a, const named& b) { return a.name < b.name; }); });
}

void scanning(std::size_t n, std::vector<std::vector<std::string>>& table) {
  std::vector<std::uint64_t> in(n);
  std::iota(in.begin(), in.end(), std::uint64_t{0});
  std::vector<std::uint64_t> out(n);
  const auto timed = [&](auto f) {
    return [&, f] {
      const double seconds = seconds_of(f);
      require(out.back() == std::uint64_t{n} * (n - 1) / 2, "scan");
      out.back() = 0;
      return seconds;
    };
  };
  std::vector<variant> variants;
  variants.push_back({"callisto", timed([&] { callisto::inclusive_scan(in, out.begin(), std::uint64_t{0}); })});
  variants.push_back({"std", timed([&] { std::inclusive_scan(in.begin(), in.end(), out.begin()); })});
#ifdef CALLISTO_BENCH_TBB
  variants.push_back({"oneTBB", timed([&] {
                        tbb::parallel_scan(
                            tbb::blocked_range<std::size_t>(0, n), std::uint64_t{0},
                            [&](const auto& r, std::uint64_t sum, bool final_pass) {
                              for (std::size_t i = r.begin(); i != r.end(); ++i) {
                                sum += in[i];
                                if (final_pass) out[i] = sum;
                              }
                              return sum;
                            },
                            std::plus<>{});
                      })});
#endif
#ifdef CALLISTO_BENCH_PARLAY
  variants.push_back({"ParlayLib", timed([&] {
                        std::copy(in.begin(), in.end(), out.begin());
                        parlay::scan_inclusive_inplace(out);
                      })});
#endif
  row(fmt::format("scan of {} numbers", n), std::move(variants), table);
}

void reducing(std::size_t n, std::vector<std::vector<std::string>>& table) {
  std::vector<double> in(n, 0.5);
  double sum = 0;
  const auto timed = [&](auto f) {
    return [&, f] {
      const double seconds = seconds_of([&] { sum = f(); });
      require(sum == static_cast<double>(n) / 2, "reduce");
      return seconds;
    };
  };
  const auto fold = [&](std::size_t b, std::size_t e, double running) {
    return std::accumulate(in.begin() + static_cast<std::ptrdiff_t>(b), in.begin() + static_cast<std::ptrdiff_t>(e),
                           running);
  };
  std::vector<variant> variants;
  variants.push_back({"callisto", timed([&] { return deterministic_reduce(std::size_t{0}, n, 0.0, fold); })});
  variants.push_back({"std", timed([&] { return std::accumulate(in.begin(), in.end(), 0.0); })});
#ifdef CALLISTO_BENCH_TBB
  variants.push_back({"oneTBB", timed([&] {
                        return tbb::parallel_deterministic_reduce(
                            tbb::blocked_range<std::size_t>(0, n, 1024), 0.0,
                            [&](const auto& r, double running) { return fold(r.begin(), r.end(), running); },
                            std::plus<>{});
                      })});
#endif
#ifdef CALLISTO_BENCH_PARLAY
  variants.push_back({"ParlayLib", timed([&] { return parlay::reduce(in); })});
#endif
  row(fmt::format("deterministic sum of {}", n), std::move(variants), table);
}

void filtering(std::size_t n, std::vector<std::vector<std::string>>& table) {
  std::vector<std::uint64_t> in(n);
  std::iota(in.begin(), in.end(), std::uint64_t{0});
  std::vector<std::uint64_t> out(n);
  const auto odd = [](std::uint64_t x) { return (x * 0x9e3779b97f4a7c15u >> 40) % 2 != 0; };
  const auto wanted = static_cast<std::size_t>(std::count_if(in.begin(), in.end(), odd));
  const auto timed = [&](auto f) {
    return [&, f] {
      std::size_t found = 0;
      const double seconds = seconds_of([&] { found = f(); });
      require(found == wanted, "copy_if");
      return seconds;
    };
  };
  const auto size = [&](auto end) { return static_cast<std::size_t>(end - out.begin()); };
  std::vector<variant> variants;
  variants.push_back({"callisto", timed([&] { return size(callisto::copy_if(in, out.begin(), odd)); })});
  variants.push_back({"std", timed([&] { return size(std::copy_if(in.begin(), in.end(), out.begin(), odd)); })});
#ifdef CALLISTO_BENCH_PARLAY
  // Into memory that the program has, as the others do.
  variants.push_back({"ParlayLib", timed([&] { return parlay::filter_into_uninitialized(in, out, odd); })});
#endif
  row(fmt::format("copy_if of {}", n), std::move(variants), table);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) {
    const bool asks = arguments[1] == std::string("--help") || arguments[1] == std::string("-h");
    if (!asks) fmt::print(stderr, "algorithms: expected no arguments, found '{}'\n", arguments[1]);
    fmt::print(
        asks ? stdout : stderr,
        "Usage: algorithms\nSorts, scans, reduces and filters 10 M values, and sorts texts, beside its peers.\n");
    return asks ? 0 : 2;
  }
  constexpr std::size_t n = 10'000'000;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> keys(n);
  std::vector<double> reals(n);
  std::vector<std::uint32_t> few(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = random();
    reals[i] = static_cast<double>(random());
    few[i] = static_cast<std::uint32_t>(random() % 100);
  }
  fmt::print("{} threads; times of Callisto, and the others' times by Callisto's\n\n", threads());
  std::vector<std::vector<std::string>> table{{"", "callisto", "", "", "", ""}};
  sorting("sort 10 M random 64-bit keys", keys, table);
  sorting("the same by calls of a comparison", keys, table,
          [](auto& v) { callisto::sort(v, [](std::uint64_t a, std::uint64_t b) { return a < b; }); });
  sorting("sort 10 M random 32-bit keys", std::vector<std::uint32_t>(keys.begin(), keys.end()), table);
  sorting("sort 10 M doubles", reals, table);
  std::vector<keyed> records(n);
  for (std::size_t i = 0; i < n; ++i) records[i] = {keys[i], i};
  sorting("sort 10 M records by a member", records, table, [](auto& v) { callisto::sort(v, {}, &keyed::key); });
  records = {};
  sorting("sort 10 M of 100 values", few, table);
  for (const std::size_t some : {std::size_t{10'000}, std::size_t{100'000}}) {
    sorting(fmt::format("sort {} random 64-bit keys", some),
            std::vector<std::uint64_t>(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(some)), table);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint64_t> nearly = keys;
  for (std::size_t i = 0; i < n / 100; ++i) std::swap(nearly[random() % n], nearly[random() % n]);
  sorting("sort 10 M nearly sorted keys", nearly, table);
  sorting("sort 10 M sorted keys", keys, table);
  std::reverse(keys.begin(), keys.end());
  sorting("sort 10 M falling keys", keys, table);
  sorting_texts(random, table);
  scanning(n, table);
  scanning(100'000, table);
  reducing(n, table);
  reducing(100'000, table);
  filtering(n, table);
  filtering(100'000, table);
  print_table(table);
}
