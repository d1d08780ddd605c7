// Algorithms over loops, against the standard library's, with 1, 2 and 4 threads.
#include <callisto/algorithms.hpp>

#include "../sanitizers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace callisto {
namespace {

class Algorithms : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { set_threads(GetParam()); }

  std::vector<std::uint32_t> numbers(std::size_t n, std::uint32_t below) {
    std::vector<std::uint32_t> all(n);
    for (std::uint32_t& x : all) x = static_cast<std::uint32_t>(random_() % below);
    return all;
  }
  std::mt19937_64 random_{1};
};
INSTANTIATE_TEST_SUITE_P(Threads, Algorithms, ::testing::Values(1u, 2u, 4u));

// Up to 16,384 elements one thread sorts.
constexpr std::size_t large = tests::sanitized ? 40'000 : 100'000;
constexpr std::size_t sizes[] = {0, 1, 2, 63, 1000, 16384, 16385, large, 4 * large + 1};

TEST_P(Algorithms, SortSortsWhateverTheKeys) {
  for (const std::size_t n : sizes) {
    for (const std::uint32_t below : {1u, 2u, 10u, 1000u, ~0u}) {
      std::vector<std::uint32_t> mine = numbers(n, below);
      std::vector<std::uint32_t> expected = mine;
      std::sort(expected.begin(), expected.end());
      sort(mine);
      ASSERT_EQ(mine, expected) << n << " numbers below " << below;
      sort(mine, std::greater<>{});
      std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(mine, expected) << n << " numbers below " << below;
    }
  }
}

TEST_P(Algorithms, StableSortKeepsTheOrderOfEqualElements) {
  for (const std::size_t n : sizes) {
    std::vector<std::pair<std::uint32_t, std::size_t>> mine(n);
    for (std::size_t i = 0; i < n; ++i) mine[i] = {static_cast<std::uint32_t>(random_() % 100), i};
    auto expected = mine;
    const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(expected.begin(), expected.end(), by_key);
    stable_sort(mine, by_key);
    ASSERT_EQ(mine, expected) << n;
  }
}

TEST_P(Algorithms, SortsOfOrderedInputKeepTheOrderOfEqualElements) {
  using pair = std::pair<std::uint32_t, std::size_t>;
  const auto by_key = [](const pair& a, const pair& b) { return a.first < b.first; };
  for (const std::uint32_t equal : {1u, 3u}) {
    std::vector<pair> rising(60'000);
    for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = {static_cast<std::uint32_t>(i / equal), i};
    auto falling = rising;
    for (pair& p : falling) p.first = ~p.first;
    for (std::vector<pair> mine : {rising, falling}) {
      auto expected = mine;
      std::stable_sort(expected.begin(), expected.end(), by_key);
      stable_sort(mine, by_key);
      EXPECT_EQ(mine, expected) << equal << " equal";
      // One element out of place, far from the beginning.
      std::swap(mine[40'000], mine[50'000]);
      stable_sort(mine, by_key);
      EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end(), by_key));
    }
  }
}

TEST_P(Algorithms, SortMovesStrings) {
  std::vector<std::string> mine;
  for (int i = 0; i < 50'000; ++i) mine.push_back("a string beyond the small ones " + std::to_string(random_() % 5000));
  auto expected = mine;
  std::sort(expected.begin(), expected.end());
  sort(mine);
  EXPECT_EQ(mine, expected);
}

TEST_P(Algorithms, ASortThatThrowsLosesNothing) {
  std::vector<std::string> mine;
  for (int i = 0; i < 50'000; ++i) mine.push_back("a string beyond the small ones " + std::to_string(i));
  std::shuffle(mine.begin(), mine.end(), random_);
  // Throws at different steps: while the sample is sorted, while elements are told apart, while buckets are sorted.
  for (const int after : {100, 100'000, 500'000}) {
    std::atomic<int> calls{0};
    EXPECT_THROW(sort(mine,
                      [&](const std::string& a, const std::string& b) {
                        if (calls.fetch_add(1) == after) throw std::runtime_error("compared enough");
                        return a < b;
                      }),
                 std::runtime_error);
    auto left = mine;
    std::sort(left.begin(), left.end());
    EXPECT_EQ(std::unique(left.begin(), left.end()), left.end());
    EXPECT_EQ(left.size(), 50'000u);
    EXPECT_TRUE(std::none_of(left.begin(), left.end(), [](const std::string& s) { return s.empty(); }));
  }
}

TEST_P(Algorithms, ScansCombineWhatStandsBefore) {
  for (const std::size_t n : sizes) {
    const std::vector<std::uint32_t> in = numbers(n, 1000);
    std::vector<std::uint64_t> expected(n);
    std::vector<std::uint64_t> mine(n);
    std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::plus<>{}, std::uint64_t{0});
    EXPECT_EQ(inclusive_scan(in, mine.begin(), std::uint64_t{0}), n == 0 ? 0 : expected.back());
    ASSERT_EQ(mine, expected) << n;
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), std::uint64_t{7});
    const std::uint64_t total = std::accumulate(in.begin(), in.end(), std::uint64_t{0});
    EXPECT_EQ(exclusive_scan(in, mine.begin(), std::uint64_t{0}), total);
    for (std::uint64_t& x : mine) x += 7;
    ASSERT_EQ(mine, expected) << n;
    // In place, with an operation that does not commute: the last element that is not 0.
    std::vector<std::uint32_t> place = in;
    const auto last = [](std::uint32_t a, std::uint32_t b) { return b != 0 ? b : a; };
    inclusive_scan(place, place.begin(), 0u, last);
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(place[i], before = last(before, in[i])) << i;
  }
}

TEST_P(Algorithms, ScansOfInexactSumsAreTheSameOnAnyNumberOfThreads) {
  const std::vector<std::uint32_t> in = numbers(200'000, 1000);
  std::vector<double> values(in.size());
  std::transform(in.begin(), in.end(), values.begin(), [](std::uint32_t x) { return 1 / (1.0 + x); });
  const unsigned threads_before = threads();
  set_threads(2);
  std::vector<double> expected(values.size());
  const double sum = inclusive_scan(values, expected.begin(), 0.0);
  set_threads(threads_before);
  std::vector<double> mine(values.size());
  for (int round = 0; round < 20 && threads_before > 1; ++round) {
    EXPECT_EQ(inclusive_scan(values, mine.begin(), 0.0), sum);
    ASSERT_EQ(mine, expected);
  }
}

TEST_P(Algorithms, ScansTakeTypesThatAreNoNumbers) {
  std::vector<std::string> words(60'000);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i % 997 == 0 ? std::to_string(i / 997) : "";
  std::vector<std::string> mine(words.size());
  const std::string all = exclusive_scan(words, mine.begin(), std::string());
  std::string before;
  for (std::size_t i = 0; i < words.size(); before += words[i++]) ASSERT_EQ(mine[i], before) << i;
  EXPECT_EQ(all, before);
  std::vector<char> flags(100'000);
  flags[70'000] = 1;
  const auto either = [](bool a, bool b) { return a || b; };
  EXPECT_TRUE(inclusive_scan(flags, flags.begin(), false, either));
  EXPECT_EQ(std::find(flags.begin(), flags.end(), 1) - flags.begin(), 70'000);
  EXPECT_EQ(std::count(flags.begin(), flags.end(), 1), 30'000);
}

TEST_P(Algorithms, FindsTheFirst) {
  for (const std::size_t n : sizes) {
    std::vector<int> all(n, 0);
    EXPECT_EQ(find_if(all, [](int x) { return x == 1; }), all.end());
    EXPECT_FALSE(any_of(all, [](int x) { return x == 1; }));
    EXPECT_TRUE(all_of(all, [](int x) { return x == 0; }));
    if (n == 0) continue;
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      std::fill(all.begin() + static_cast<std::ptrdiff_t>(at), all.end(), 1);
      EXPECT_EQ(find_if(all, [](int x) { return x == 1; }) - all.begin(), static_cast<std::ptrdiff_t>(at));
      EXPECT_EQ(count_if(all, [](int x) { return x == 1; }), n - at);
      EXPECT_TRUE(any_of(all, [](int x) { return x == 1; }));
      std::fill(all.begin(), all.end(), 0);
    }
  }
}

TEST_P(Algorithms, FiltersAndTransformsInOrder) {
  for (const std::size_t n : sizes) {
    const std::vector<std::uint32_t> in = numbers(n, 1000);
    const auto wanted = [](std::uint32_t x) { return x % 3 == 0; };
    std::vector<std::uint32_t> expected;
    std::copy_if(in.begin(), in.end(), std::back_inserter(expected), wanted);
    std::vector<std::uint32_t> mine(n);
    mine.erase(copy_if(in, mine.begin(), wanted), mine.end());
    ASSERT_EQ(mine, expected) << n;
    std::vector<std::uint64_t> squares(n);
    EXPECT_EQ(transform(in, squares.begin(), [](std::uint32_t x) { return std::uint64_t{x} * x; }), squares.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(squares[i], std::uint64_t{in[i]} * in[i]);
  }
}

TEST_P(Algorithms, ReducesARange) {
  const std::vector<std::uint32_t> in = numbers(100'000, 1000);
  EXPECT_EQ(parallel_reduce(in, std::uint64_t{0}), std::accumulate(in.begin(), in.end(), std::uint64_t{0}));
}

TEST(DeterministicReduce, HasTheSameBitsOnAnyNumberOfThreads) {
  std::vector<double> values(1'000'003);
  std::mt19937_64 random(3);
  for (double& x : values) x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
  const auto sum = [&] {
    return deterministic_reduce(std::size_t{0}, values.size(), 0.0, [&](std::size_t i) { return values[i]; });
  };
  set_threads(1);
  const double one = sum();
  for (const unsigned threads : {2u, 3u, 4u, 7u}) {
    set_threads(threads);
    for (int round = 0; round < 5; ++round) EXPECT_EQ(sum(), one) << threads << " threads";
  }
  EXPECT_EQ(deterministic_reduce(5, 5, 42, [](int i) { return i; }), 42);
}

TEST_P(Algorithms, StepsAndRectangles) {
  std::vector<std::atomic<int>> seen(1000);
  parallel_for(stepped(3, 1000, 7), [&](int i) { ++seen[static_cast<std::size_t>(i)]; });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i >= 3 && (i - 3) % 7 == 0 ? 1 : 0) << i;
  EXPECT_THROW(static_cast<void>(stepped(0, 10, 0)), usage_error);

  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{0, 5}, {1, 1}, {63, 65}, {200, 129}}) {
    std::vector<std::atomic<int>> places(rows * columns);
    parallel_for(rectangle{rows, columns}, [&](std::size_t r, std::size_t c) { ++places[r * columns + c]; });
    parallel_for(rectangle{rows, columns, 7, 16}, [&](std::size_t r, std::size_t re, std::size_t c, std::size_t ce) {
      for (; r < re; ++r) {
        for (std::size_t k = c; k < ce; ++k) ++places[r * columns + k];
      }
    });
    for (const auto& p : places) ASSERT_EQ(p, 2);
  }
}

/// Work that lasts until two threads do it, or half a minute. The first piece, which the caller runs alone, takes 1 ms.
class work_for_two {
 public:
  void operator()() {
    if (!begun_.exchange(true)) {
      for (const auto end = clock::now() + std::chrono::milliseconds(1); clock::now() < end;) {
      }
      return;
    }
    static thread_local const char me = 0;
    const char* first = nullptr;
    if (first_.compare_exchange_strong(first, &me) || first == &me) {
      for (const auto end = clock::now() + std::chrono::seconds(30); !met_ && clock::now() < end;) {
        std::this_thread::yield();
      }
    } else {
      met_ = true;
    }
  }
  bool met() const { return met_; }

 private:
  using clock = std::chrono::steady_clock;
  std::atomic<bool> begun_{false};
  std::atomic<const char*> first_{nullptr};
  std::atomic<bool> met_{false};
};

TEST(FewElements, ThatTakeLongAreShared) {
  set_threads(2);
  std::vector<int> all(50, 1);
  const std::list<int> list(all.begin(), all.end());
  const auto is_shared = [](auto algorithm) {
    work_for_two work;
    algorithm(work);
    return work.met();
  };
  EXPECT_TRUE(is_shared([&](auto& work) { parallel_for(list, [&](int) { work(); }); }));
  EXPECT_TRUE(
      is_shared([&](auto& work) { parallel_for(rectangle{10, 5}, [&](std::size_t, std::size_t) { work(); }); }));
  EXPECT_TRUE(is_shared([&](auto& work) { static_cast<void>(any_of(all, [&](int) { return work(), false; })); }));
  EXPECT_TRUE(is_shared([&](auto& work) {
    std::vector<int> kept(50);
    copy_if(all, kept.begin(), [&](int) { return work(), true; });
  }));
  EXPECT_TRUE(is_shared(
      [&](auto& work) { static_cast<void>(deterministic_reduce(0, 50, 0, [&](int) { return work(), 1; })); }));
  EXPECT_TRUE(is_shared([&](auto& work) {
    std::vector<int> out(50);
    transform(all, out.begin(), [&](int x) { return work(), x; });
  }));
}

TEST_P(Algorithms, ForwardRangesAndInvoke) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{2048}, std::size_t{2049}, std::size_t{300'001}}) {
    std::list<int> all(n, 1);
    parallel_for(all, [](int& x) { x += 1; });
    EXPECT_EQ(static_cast<std::size_t>(std::count(all.begin(), all.end(), 2)), n);
  }
  std::map<int, int> squares;
  for (int i = 0; i < 100; ++i) squares[i] = 0;
  parallel_for(squares, [](auto& entry) { entry.second = entry.first * entry.first; });
  for (const auto& [key, value] : squares) EXPECT_EQ(value, key * key);

  int a = 0, b = 0, c = 0;
  parallel_invoke([&] { a = 1; }, [&] { b = 2; }, [&] { c = 3; });
  EXPECT_EQ(a + 10 * b + 100 * c, 321);
  EXPECT_THROW(parallel_invoke([] { throw std::runtime_error("one"); }, [] {}), std::runtime_error);
}

}  // namespace
}  // namespace callisto
