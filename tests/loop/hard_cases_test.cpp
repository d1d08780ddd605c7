// What loops, algorithms and task groups do in hard cases: values that share words, callables that throw, initial
// values that are not neutral, types that are too narrow or too large, waits that would never end.
#include <callisto/algorithms.hpp>

#include "../refusal.hpp"
#include "../sanitizers.hpp"
#include "../with_threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace callisto {
namespace {

using tests::refusal;
using tests::with_threads;

// Values that share words.

TEST(HardCases, ReductionsOfBoolKeepEveryBit) {
  const with_threads eight(8);
  for (int round = 0; round < 300; ++round) {
    ASSERT_FALSE(deterministic_reduce(0, 2048, false, [](int i) { return i % 1024 == 77; }, std::not_equal_to<>{}));
    ASSERT_TRUE(deterministic_reduce(0, 2000, true, [](int i) { return i % 1024 == 77; }, std::not_equal_to<>{}));
    ASSERT_FALSE(parallel_reduce(0, 2000, false, [](int i) { return i % 1024 == 77; }, std::not_equal_to<>{}));
  }
}

static_assert(loop::shares_words<std::vector<bool>::reference>);
static_assert(loop::shares_words<std::tuple<int&, std::vector<bool>::reference>>);
static_assert(!loop::shares_words<std::vector<bool>::const_reference>);
static_assert(!loop::shares_words<char&>);

TEST(HardCases, SortsBitsOfOneWord) {
  const with_threads four(4);
  std::vector<bool> bits(100'000);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i * i % 7 == 1;
  const auto ones = std::count(bits.begin(), bits.end(), true);
  sort(bits);
  EXPECT_TRUE(std::is_sorted(bits.begin(), bits.end()));
  EXPECT_EQ(std::count(bits.begin(), bits.end(), true), ones);
  int seen = 0;
  EXPECT_EQ(parallel_reduce(std::as_const(bits), 0), ones);
  parallel_for(std::as_const(bits), [&](bool) { std::atomic_ref(seen)++; });
  EXPECT_EQ(seen, 100'000);
}

// Callables that throw.

template <class T, class Make>
void sorts_keep_all(Make make, std::size_t n, std::uint64_t comparisons) {
  std::mt19937_64 random(n);
  const int rounds = n > 1000 ? 6 : 40;
  for (int round = 0; round < rounds; ++round) {
    std::vector<T> mine;
    for (std::size_t i = 0; i < n; ++i) mine.push_back(make(random()));
    auto expected = mine;
    std::sort(expected.begin(), expected.end());
    const std::uint64_t last = random() % comparisons;
    std::atomic<std::uint64_t> calls{0};
    const auto less = [&](const T& a, const T& b) {
      if (calls.fetch_add(1) == last) {
        if (round % 3 == 0) throw cancelled();
        if (round % 3 == 1) throw std::bad_alloc();
        throw std::runtime_error("compared enough");
      }
      return a < b;
    };
    EXPECT_ANY_THROW(round % 2 == 0 ? sort(mine, less) : stable_sort(mine, less)) << n;
    std::sort(mine.begin(), mine.end());
    ASSERT_EQ(mine, expected) << n << " elements, at comparison " << last;
  }
}

TEST(HardCases, SortsThatThrowLoseNothing) {
  for (const unsigned on : {4u, 1u}) {
    if (tests::sanitized && on == 1) break;
    const with_threads some(on);
    sorts_keep_all<int>([](std::uint64_t x) { return static_cast<int>(x); }, 1000, 7000);
    sorts_keep_all<std::string>([](std::uint64_t x) { return "beyond the small strings " + std::to_string(x); }, 1000,
                                7000);
    sorts_keep_all<int>([](std::uint64_t x) { return static_cast<int>(x); }, 40'000, 300'000);
    sorts_keep_all<std::string>([](std::uint64_t x) { return "beyond the small strings " + std::to_string(x); }, 17'000,
                                100'000);
  }
}

TEST(HardCases, SortsByWhatIsNoOrderStayInTheirRange) {
  for (const unsigned on : {4u, 1u}) {
    if (tests::sanitized && on == 1) break;
    const with_threads some(on);
    for (const std::size_t n : {std::size_t{100}, std::size_t{20'000}, std::size_t{60'000}}) {
      std::mt19937_64 random(n);
      std::vector<std::string> in;
      for (std::size_t i = 0; i < n; ++i) in.push_back(std::to_string(random() % 100));
      auto sorted = in;
      std::sort(sorted.begin(), sorted.end());
      std::atomic<std::uint64_t> answers{0};
      const auto any = [&](const std::string&, const std::string&) {
        return (answers.fetch_add(0x9e3779b97f4a7c15) >> 63) != 0;
      };
      const auto always = [](const std::string&, const std::string&) { return true; };
      for (const bool stable : {false, true}) {
        const auto sorts = [&](auto less) {
          auto mine = in;
          stable ? stable_sort(mine, less) : sort(mine, less);
          return mine;
        };
        EXPECT_EQ(sorts(std::less_equal<>{}), sorted) << n;
        for (auto mine : {sorts(any), sorts(always)}) {
          std::sort(mine.begin(), mine.end());
          EXPECT_EQ(mine, sorted) << n;
        }
      }
    }
  }
}

TEST(HardCases, SortsTakeElementsThatCannotBeCopiedOrWhoseMoveMayThrow) {
  struct unsure {
    explicit unsure(std::uint64_t k) : key(k) {}
    unsure(const unsure& of) : key(of.key) {}
    unsure& operator=(const unsure& of) {
      key = of.key;
      return *this;
    }
    std::uint64_t key;
    std::uint64_t place = 0;
  };
  const with_threads two(2);
  std::mt19937_64 random(5);
  std::vector<unsure> mine;
  std::vector<std::unique_ptr<std::uint64_t>> owned;
  for (int i = 0; i < 20'000; ++i) {
    mine.emplace_back(random() % 500);
    owned.push_back(std::make_unique<std::uint64_t>(random()));
  }
  const auto by_key = [](const unsure& a, const unsure& b) { return a.key < b.key; };
  stable_sort(mine, by_key);
  EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end(), by_key));
  const auto by_value = [](const auto& a, const auto& b) { return *a < *b; };
  sort(owned, by_value);
  EXPECT_TRUE(std::is_sorted(owned.begin(), owned.end(), by_value));
}

// Initial values.

TEST(HardCases, InitialValuesCountOnce) {
  for (const unsigned on : {1u, 2u, 4u, 7u}) {
    const with_threads some(on);
    for (const std::size_t n : {0, 1, 1000, 10'000, 100'000, 300'000}) {
      const std::vector<long> in(n, 3);
      const long sum = 100 + 3 * static_cast<long>(n);
      const auto at = [&](std::size_t i) { return in[i]; };
      EXPECT_EQ(parallel_reduce(in, 100L), sum);
      EXPECT_EQ(parallel_reduce(std::size_t{0}, n, 100L, at), sum);
      EXPECT_EQ(deterministic_reduce(std::size_t{0}, n, 100L, at), sum);
      std::vector<long> out(n);
      std::vector<long> expected(n);
      EXPECT_EQ(exclusive_scan(in, out.begin(), 100L), sum);
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), 100L);
      ASSERT_EQ(out, expected);
      EXPECT_EQ(inclusive_scan(in, out.begin(), 100L), sum);
      std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::plus<>{}, 100L);
      ASSERT_EQ(out, expected);
      const auto either = [](int a, int b) { return std::max(a, b); };
      EXPECT_EQ(parallel_reduce(std::size_t{0}, n, 5, [](std::size_t) { return 3; }, either), 5);
    }
  }
}

TEST(HardCases, BatchesBeginWithANeutralElement) {
  const auto sum = [](int b, int e, long running) { return running + (e - b); };
  EXPECT_EQ(parallel_reduce(0, 1000, 0L, sum), 1000);
  EXPECT_EQ(deterministic_reduce(0, 1000, 0L, sum), 1000);
  const auto refused = [&](auto reduce) { return refusal([&] { static_cast<void>(reduce()); }); };
  EXPECT_NE(refused([&] { return parallel_reduce(0, 1000, 100L, sum); }).find("not neutral"), std::string::npos);
  EXPECT_NE(refused([&] { return deterministic_reduce(0, 1000, 100L, sum); }).find("not neutral"), std::string::npos);
  EXPECT_NE(refused([&] {
              return parallel_reduce(0, 1000, 100L, [](int b, int e, long& running) { running += e - b; });
            }).find("not neutral"),
            std::string::npos);
  // What may count any number of times is neutral enough.
  const auto most = [](int, int e, int running) { return std::max(running, e); };
  EXPECT_EQ(parallel_reduce(0, 1000, 2000, most, [](int a, int b) { return std::max(a, b); }), 2000);
}

// Types that are too narrow: the rest does not compile (tests/loop/refused_at_compile_time.sh).

TEST(HardCases, IndicesThatABodyWouldCutAreRefused) {
  constexpr std::uint64_t large = std::uint64_t{1} << 33;
  const auto refused = [](auto run) { return refusal(run).find("do not fit") != std::string::npos; };
  const auto narrow = [](int) {};
  const auto inexact = [](float) {};
  const auto batches = [](std::uint64_t, unsigned) {};
  EXPECT_TRUE(refused([&] { parallel_for(large, large + 10, narrow); }));
  EXPECT_TRUE(refused([&] { parallel_for(large + 1, large + 10, inexact); }));
  EXPECT_TRUE(refused([&] { parallel_for(large - 10, large, batches); }));
  EXPECT_TRUE(refused([&] { parallel_for(-1, 10, [](unsigned char) {}); }));
  EXPECT_TRUE(refused([&] { static_cast<void>(parallel_reduce(large, large + 10, 0, [](int) { return 1; })); }));
  EXPECT_TRUE(refused([&] { static_cast<void>(deterministic_reduce(large, large + 10, 0, [](int) { return 1; })); }));
  EXPECT_TRUE(refused([&] {
    parallel_for(rectangle{large, large, large, large}, [](std::size_t, unsigned, std::size_t, std::size_t) {});
  }));
  std::atomic<int> ran{0};
  parallel_for(std::size_t{0}, std::size_t{10}, [&](int) { ++ran; });
  parallel_for(-5, 5, [&](double) { ++ran; });
  parallel_for(large, large + 10, [&](auto) { ++ran; });
  EXPECT_EQ(ran, 30);
  struct counting {
    std::atomic<int> ran{0};
    void work(int) { ++ran; }
  } body;
  parallel_for<counting, int>(body, 0, std::uint64_t{10});
  EXPECT_EQ(body.ran, 10);
  EXPECT_TRUE(refused([&] { parallel_for<counting, int>(body, 0, large); }));
}

TEST(HardCases, RectanglesOfAnySize) {
  std::atomic<std::uint64_t> places{0};
  constexpr std::size_t side = std::size_t{1} << 33;  // 2^66 places
  const auto count = [&](std::size_t r, std::size_t re, std::size_t c, std::size_t ce) {
    places += (re - r) / 4096 * ((ce - c) / 4096);
  };
  parallel_for(rectangle{side, side, side / 8, side / 16}, count);
  EXPECT_EQ(places, side / 4096 * (side / 4096));
  EXPECT_NE(refusal([&] { parallel_for(rectangle{side, side, 1, 1}, count); }).find("2^64"), std::string::npos);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  std::atomic<std::uint64_t> rows{0};
  parallel_for(rectangle{most, 1, most / 3, 1},
               [&](std::size_t r, std::size_t re, std::size_t, std::size_t) { rows += re - r; });
  EXPECT_EQ(rows, most);
  // Until it is stopped.
  std::stop_source stop;
  parallel_for(rectangle{most, most}, [&](std::size_t, std::size_t, std::size_t, std::size_t) { stop.request_stop(); },
               {.stop = stop.get_token()});
  EXPECT_TRUE(stop.stop_requested());
}

TEST(HardCases, RangesOfAllNumbers) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const auto length = [](std::uint64_t b, std::uint64_t e, std::uint64_t running) { return running + (e - b); };
  EXPECT_EQ(parallel_reduce(std::uint64_t{0}, most, std::uint64_t{0}, length), most);
  EXPECT_EQ(deterministic_reduce(std::uint64_t{0}, most, std::uint64_t{0}, length), most);
  std::size_t count = 0;
  for (const auto i : stepped(0, std::size_t{1} << 40, std::int64_t{1} << 38)) count += i >> 38;
  EXPECT_EQ(count, 0u + 1 + 2 + 3);
  // More elements than 64 bits count, in what has a size type of 128 bits.
  const auto all = std::views::iota(std::int64_t{-10}, std::int64_t{10});
  EXPECT_EQ(parallel_reduce(all, std::int64_t{0}), -10);
  EXPECT_EQ(parallel_reduce(stepped(0, 100, 9), 1000L), 1000 + 9 * (11 * 12 / 2));
}

static_assert(!loop::index<__int128>);
static_assert(!loop::index<unsigned __int128>);
static_assert(!loop::index<double>);
static_assert(!loop::index<bool>);

// Types that are too large.

struct counters {
  std::vector<std::uint32_t> guard{1};
  std::array<std::uint32_t, 1 << 19> counts;  // 2 MiB
  friend counters operator+(counters&& a, const counters& b) {
    for (std::size_t i = 0; i < a.counts.size(); ++i) a.counts[i] += b.counts[i];
    return std::move(a);
  }
};

TEST(HardCases, ReductionsOfLargeObjectsNeedNoStack) {
  const with_threads four(4);
  const auto none = std::make_unique<counters>();
  none->counts.fill(0);
  const auto one = [&](int i) {
    counters c = *none;
    c.counts[static_cast<std::size_t>(i)] = 1;
    return c;
  };
  const auto check = [](const counters& all) {
    for (std::size_t i = 0; i < all.counts.size(); ++i) ASSERT_EQ(all.counts[i], i < 64 ? 1u : 0u) << i;
  };
  // A reduction's own values would take four times 2 MiB of the 8 that a thread has. The result is on this stack.
  check(parallel_reduce(0, 64, *none, one));
  check(parallel_reduce(0, 64, *none, [](int b, int e, counters& all) {
    for (; b != e; ++b) ++all.counts[static_cast<std::size_t>(b)];
  }));
  check(deterministic_reduce(0, 64, *none, one));
}

struct large_states {
  std::atomic<int> joined{0};
  using state = std::array<char, 3 << 20>;
  void fork(state& s) { s[0] = 0; }
  void work(state& s, int) { ++s[0]; }
  void join(state& s) { joined += s[0]; }
};

TEST(HardCases, LargeStatesOfThreadsNeedNoStack) {
  const with_threads two(2);
  large_states outer;
  // Nested: three on one stack were too many.
  struct nest {
    large_states& inner;
    using state = large_states::state;
    void fork(state& s) { s[0] = 0; }
    void work(state& s, int) {
      ++s[0];
      parallel_for<large_states, large_states::state, int>(inner, 0, 5);
    }
    void join(state&) {}
  } both{outer};
  struct third {
    nest& inner;
    using state = large_states::state;
    void fork(state&) {}
    void work(state&, int) { parallel_for<nest, nest::state, int>(inner, 0, 2); }
    void join(state&) {}
  } all{both};
  parallel_for<third, third::state, int>(all, 0, 2);
  EXPECT_EQ(outer.joined, 20);
}

// Waits that would never end.

constexpr const char* own_wait = "task_group::wait(): called in a task that the group waits for";

TEST(HardCases, ATaskDoesNotWaitForItself) {
  for (const unsigned on : {1u, 3u}) {
    const with_threads some(on);
    const auto refused = [](auto use) {
      task_group g;
      return refusal([&] {
               use(g);
               g.wait();
             })
          .starts_with(own_wait);
    };
    EXPECT_TRUE(refused([](task_group& g) { g.run([&] { g.wait(); }); }));
    EXPECT_TRUE(refused([](task_group& g) { g.run([&] { g.run_and_wait([] {}); }); }));
    // By way of a group inside, a loop, and both.
    EXPECT_TRUE(refused([](task_group& g) {
      g.run([&] {
        task_group inner;
        inner.run([&] { g.wait(); });
        inner.wait();
      });
    }));
    EXPECT_TRUE(refused([](task_group& g) { g.run([&] { parallel_for(0, 100, [&](int) { g.wait(); }); }); }));
    EXPECT_TRUE(refused([](task_group& g) {
      g.run([&] {
        parallel_for(0, 100, [&](int) {
          task_group inner;
          inner.run([&] { g.wait(); });
          inner.wait();
        });
      });
    }));
    EXPECT_TRUE(refused([](task_group& g) { g.run([&] { parallel_invoke([&] { g.wait(); }, [] {}); }); }));
    // Waits that end.
    task_group g;
    std::atomic<int> ran{0};
    for (int i = 0; i < 20; ++i) g.run([&] { ++ran; });
    EXPECT_TRUE(g.run_and_wait([&] { g.wait(); }));
    g.run([&] {
      task_group inner;
      inner.run([&] { ++ran; });
      parallel_for(0, 3, [&](int) {
        task_group here;
        here.run([&] { ++ran; });
        here.wait();
      });
      inner.wait();
    });
    EXPECT_TRUE(g.wait());
    EXPECT_EQ(ran, 24);
  }
}

// Loops that cannot begin: here as a variable of the environment is wrong.
TEST(HardCasesDeathTest, ElementsOnTheirWayComeBackWhereALoopDoesNotBegin) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto keeps_all = [](auto algorithm) {
    setenv("CALLISTO_THREADS", "none", 1);
    std::vector<std::string> all(200'000);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = "an element too long to lie inside " + std::to_string(2 * i % all.size() + 1'000'000);
    // Equal for the same elements in any order. Under ThreadSanitizer sorting them all would take most of a minute.
    const auto sum_of = [](const std::vector<std::string>& texts) {
      std::size_t sum = 0;
      for (const std::string& text : texts) {
        const std::size_t hash = std::hash<std::string>{}(text);
        sum += hash * (hash | 1);
      }
      return sum;
    };
    const std::size_t before = sum_of(all);
    bool refused = false;
    try {
      algorithm(all);
    } catch (const usage_error&) {
      refused = true;
    }
    std::exit(!refused ? 2 : all.size() != 200'000 || sum_of(all) != before ? 1 : 0);
  };
  const auto passed = ::testing::ExitedWithCode(0);
  EXPECT_EXIT(keeps_all([](auto& all) { inplace_merge(all, all.begin() + 100'000); }), passed, "");
  EXPECT_EXIT(keeps_all([](auto& all) { stable_partition(all, [](auto& s) { return s.back() % 2 == 0; }); }), passed,
              "");
  EXPECT_EXIT(keeps_all([](auto& all) { nth_element(all, all.begin() + 70'000); }), passed, "");
  EXPECT_EXIT(keeps_all([](auto& all) { sort(all); }), passed, "");
  EXPECT_EXIT(keeps_all([](auto& all) { rotate(all, all.begin() + 70'000); }), passed, "");
}

TEST(HardCasesDeathTest, AGroupIsNotDestroyedInItsOwnTask) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        auto g = std::make_unique<task_group>();
        task_group& same = *g;
        same.run([&] { g.reset(); });
        same.wait();
      },
      "a task_group was destroyed in a task that it waits for");
}

}  // namespace
}  // namespace callisto
