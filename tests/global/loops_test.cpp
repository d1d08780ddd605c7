// Loops: collective, in tasks, over arrays; exceptions, stops, reductions.
#include "../sanitizers.hpp"
#include "on_ranks.hpp"

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/loops/parallel_for.hpp>
#include <callisto/global/loops/spawn_loop.hpp>
#include <callisto/global/loops/spawn_where.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/synchronization/full_empty.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace callisto::global {
namespace {

using test::on_ranks;

class Loops : public testing::TestWithParam<int> {
 protected:
  /// Runs the body with one core a rank, then with two.
  template <class Body>
  void on_all_kinds(Body body) {
    on_ranks(GetParam(), body);
    if (GetParam() <= 7) on_ranks(GetParam(), body, {.threads = 2, .most_delay = std::chrono::microseconds(50)});
  }
};
INSTANTIATE_TEST_SUITE_P(Ranks, Loops, testing::Values(1, 2, 4, 7, tests::sanitized ? 16 : 64));

TEST_P(Loops, EachIterationRunsOnce) {
  on_all_kinds([] {
    for (const std::int64_t n : {0, 1, 5, 100, 30'000}) {
      auto seen = make_array<std::uint32_t>(static_cast<std::uint64_t>(n));
      EXPECT_TRUE(parallel_for(-n, std::int64_t{0},
                               [&](std::int64_t i) { post_increment(seen[static_cast<std::uint64_t>(i + n)]); }));
      EXPECT_TRUE(parallel_for(0, n, [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i != e; ++i) post_add(seen[static_cast<std::uint64_t>(i)], 2U);
      }));
      for (const std::uint32_t s : seen.local()) ASSERT_EQ(s, 3U);
      barrier();
      free(seen);
    }
  });
}

TEST_P(Loops, ReadsOfOtherRanksOverlap) {
  on_all_kinds([] {
    const std::uint64_t n = tests::sanitized ? 500 : 5000;
    auto a = make_array<std::uint64_t>(n, cyclic(1));
    auto b = make_array<std::uint64_t>(n);
    parallel_for(a, [](std::uint64_t i, std::uint64_t& x) { x = i * 3; });
    parallel_for(b, [&](std::uint64_t i, std::uint64_t& x) { x = read(a[(i * 7919) % n]); });
    parallel_for(0, n, [&](std::uint64_t i) { ASSERT_EQ(read(b[i]), (i * 7919) % n * 3); });
  });
}

TEST_P(Loops, ALoopOfOneRankInATask) {
  on_all_kinds([] {
    auto sums = make_array<std::uint64_t>(20);
    const loop_options with_workers{.workers = true};
    parallel_for(
        0, 20,
        [&](int i) {
          std::atomic<std::uint64_t> sum{0};  // of this task: the inner loop has ended when it returns
          parallel_for(0, 500, [&](std::uint64_t k) { sum += k + read(sums[static_cast<std::uint64_t>(i)]); });
          EXPECT_EQ(sum.load(), 500U * 499U / 2);
          write(sums[static_cast<std::uint64_t>(i)], sum.load());
        },
        with_workers);
    for (const std::uint64_t s : sums.local()) EXPECT_EQ(s, 500U * 499U / 2);
  });
}

TEST_P(Loops, Reductions) {
  on_all_kinds([] {
    const std::uint64_t n = 10'000;
    EXPECT_EQ(parallel_reduce(0, n, std::uint64_t{0}, [](std::uint64_t i) { return i; }), n * (n - 1) / 2);
    EXPECT_EQ(parallel_reduce(
                  0, 1000, 0, [](int i) { return i * 7 % 1000; }, [](int a, int b) { return std::max(a, b); }),
              999);
  });
}

TEST_P(Loops, AnExceptionReachesAllRanks) {
  on_all_kinds([] {
    std::string text;
    try {
      parallel_for(0, 100'000, [](int i) {
        if (i == 77'777) throw std::runtime_error("iteration 77777");
      });
    } catch (const std::exception& e) {
      text = e.what();
    }
    EXPECT_NE(text.find("iteration 77777"), std::string::npos) << text;
    EXPECT_EQ(parallel_reduce(0, 10, 0, [](int) { return 1; }), 10) << "loops go on afterwards";
  });
}

TEST_P(Loops, AnExceptionOfAnInnerLoopReachesItsTask) {
  on_all_kinds([] {
    std::atomic<int> caught{0};
    const loop_options with_workers{.workers = true};
    parallel_for(
        0, here().ranks,
        [&](int) {
          try {
            parallel_for(0, 100, [](int i) {
              if (i == 50) throw std::runtime_error("inner");
            });
          } catch (const std::runtime_error&) {
            ++caught;
          }
        },
        with_workers);
    EXPECT_EQ(caught.load(), 1);
  });
}

TEST_P(Loops, AStopDropsWhatHasNotBegun) {
  on_all_kinds([] {
    std::stop_source source;
    std::atomic<std::uint64_t> ran{0};
    const bool whole = parallel_for(0, 1'000'000 * here().ranks,
                                    [&](int) {
                                      if (++ran == 100) source.request_stop();
                                    },
                                    {.stop = source.get_token()});
    EXPECT_FALSE(whole);
    EXPECT_LT(ran.load(), 1'000'000U);
  });
}

TEST_P(Loops, OnAllRunsAtEveryRank) {
  on_all_kinds([] {
    auto count = make_array<int>(1, symmetric);
    session::here().run_phase([&] {
      if (here().rank != here().ranks - 1) return;
      spawn([count] {
        on_all([count] { post_increment(count[0]); });
        EXPECT_EQ(call_at(0, [count] { return count.local()[0]; }), 1) << "it has ended everywhere";
      });
    });
    EXPECT_EQ(count.local()[0], 1);
  });
}

TEST_P(Loops, WorkersWaitForOtherIterations) {
  on_all_kinds([] {
    auto cells = make_array<full_empty<int>>(300);
    parallel_for(0, 300,
                 [&](int i) {
                   // A chain against the order of the loop: each iteration needs the one after it.
                   const auto at = static_cast<std::uint64_t>(i);
                   const int next = i == 299 ? 0 : read_when_full(cells[at + 1]);
                   post_fill(cells[at], next + 1);
                 },
                 {.batch = 1, .workers = true});
    EXPECT_EQ(read_when_full(cells[0]), 300);
    barrier();
  });
}

TEST_P(Loops, IterationsThatMayMove) {
  on_all_kinds([] {
    constexpr int n = tests::sanitized ? 100 : 1000;
    auto seen = make_array<std::uint32_t>(3 * n);
    auto ran = make_array<std::uint32_t>(1, symmetric);
    session::here().run_phase([&] {
      if (here().rank != 0) return;
      spawn([=] {
        parallel_for(stealable, 0, n, [=](int i) {
          const auto at = static_cast<std::uint64_t>(i);
          post_increment(ran[0]);
          write(seen[at], 1U);
          parallel_for(stealable, 1, 3, [=](int k) { write(seen[static_cast<std::uint64_t>(k * n) + at], 1U); });
        });
        for (std::uint64_t i = 0; i < 3 * n; ++i) ASSERT_EQ(read(seen[i]), 1U) << "inner loops have ended, too";
        spawn_loop(
            0, 3 * n,
            [=](int b, int e) {
              for (int i = b; i != e; ++i) post_increment(seen[static_cast<std::uint64_t>(i)]);
            },
            64);
      });
    });
    for (const std::uint32_t x : seen.local()) ASSERT_EQ(x, 2U);
    EXPECT_EQ(reduce_all(ran.local()[0]), static_cast<std::uint32_t>(n));
  });
}

TEST_P(Loops, VisitsRunWhereTheElementsAre) {
  on_all_kinds([] {
    for (const distribution how : {by_block, cyclic(8), cyclic(3), symmetric}) {
      auto seen = make_array<std::uint32_t>(3000, how);
      auto wrong = make_array<std::uint32_t>(1, symmetric);
      // Several cores visit at once, so each pass over the elements is a phase.
      const auto pass = [](auto spawn_visits) {
        session::here().run_phase([&] {
          if (here().rank == 0) spawn_visits();
        });
      };
      pass([&] {  // ranges that begin and end anywhere, each element in one of them
        for (std::uint64_t first = 0, n = 0; first < 3000; first += n) {
          n = std::min<std::uint64_t>(std::max<std::uint64_t>(first % 97, 1), 3000 - first);
          spawn_where(seen, first, first + n, [](std::uint32_t& element) { element += 1; }, 5);
        }
        spawn_where(seen, 7, 7, [](std::uint32_t& element) { element = 0; });
      });
      pass([&] {
        spawn_where(seen, 0, 3000, [=](std::span<std::uint32_t> some) {
          const std::span<std::uint32_t> own = seen.local();
          if (some.size() > 64 || some.data() < own.data() || some.data() + some.size() > own.data() + own.size()) {
            post_increment(wrong[0]);
          }
          for (std::uint32_t& element : some) element += 10;
        });
      });
      pass([&] {
        spawn_where(seen, 0, 3000, [](std::uint64_t i, std::uint32_t& element) {
          element += 100 * (static_cast<std::uint32_t>(i) + 1);
        });
      });
      EXPECT_EQ(wrong.local()[0], 0U);
      const bool has_all = how.kind != distribution::kinds::symmetric || here().rank == 0;
      for (std::uint64_t i = 0; i < seen.local().size(); ++i) {
        ASSERT_EQ(seen.local()[i], has_all ? 11 + 100 * (seen.index_of(i) + 1) : 0) << i;
      }
      barrier();
      free(seen);
      free(wrong);
    }
  });
}

TEST_P(Loops, VisitsSpawnVisits) {
  on_all_kinds([] {
    // A binary tree in an array: vertex i has the children 2 i + 1 and 2 i + 2.
    constexpr std::uint64_t vertices = 4095;
    auto seen = make_array<std::uint32_t>(vertices, cyclic(8));
    struct visitor {
      array<std::uint32_t> seen;
      void operator()(std::uint64_t i, std::uint32_t& here) const {
        ++here;
        if (2 * i + 2 < vertices) spawn_where(seen, 2 * i + 1, 2 * i + 3, *this);
      }
    };
    session::here().run_phase([&] {
      if (here().rank == 0) spawn_where(seen, 0, 1, visitor{seen});
    });
    for (const std::uint32_t x : seen.local()) ASSERT_EQ(x, 1U);
    barrier();
  });
}

// Visits that arrive together wait for each other: those behind one that waits run on other workers.
TEST_P(Loops, VisitsThatWaitLetOthersGoOn) {
  on_all_kinds([] {
    constexpr std::uint64_t n = tests::sanitized ? 100 : 500;
    auto cells = make_array<full_empty<int>>(n, cyclic(1));
    auto sum = make_array<std::uint64_t>(1);
    session::here().run_phase([&] {
      if (here().rank != 0) return;
      for (std::uint64_t i = 0; i < n; ++i) {
        spawn_where(cells, i, i + 1, [=](std::uint64_t at, full_empty<int>&) {
          // Each waits for the one behind it; the last one begins.
          const int got = at + 1 < n ? read_when_full(cells[at + 1]) : 0;
          post_fill(cells[at], got + 1);
          post_add(sum[0], std::uint64_t{1});
        });
      }
    });
    EXPECT_EQ(read(sum[0]), n);
    EXPECT_EQ(read_when_full(cells[0]), static_cast<int>(n));
    barrier();
  });
}

TEST_P(Loops, AnExceptionOfAStolenIterationEndsThePhase) {
  on_all_kinds([] {
    std::string text;
    try {
      session::here().run_phase([&] {
        if (here().rank == 0) {
          spawn_loop(0, 10'000, [](int i) {
            if (i == 5000) throw std::runtime_error("iteration 5000");
          });
        }
      });
    } catch (const std::exception& e) {
      text = e.what();
    }
    EXPECT_NE(text.find("iteration 5000"), std::string::npos) << text;
  });
}

TEST(PlainLoops, HaveAsManyThreadsAsTheRankHasCores) {
  if (test::rank_of_launcher != nullptr) GTEST_SKIP() << "the launcher has set the number of cores";
  const unsigned before = threads();
  set_threads(8);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  on_ranks(1,
           [&] {
             parallel_for(0, 200,
                          [&](int) {
                            const int now = ++inside;
                            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                            }
                            std::this_thread::sleep_for(std::chrono::microseconds(200));
                            --inside;
                          },
                          {.batch = 1});
           },
           {.threads = 2});
  set_threads(before);
  EXPECT_LE(most, 2);
}

TEST(LoopErrors, WaitingWithoutWorkersNamesThePlace) {
  on_ranks(1, [] {
    auto cells = make_array<full_empty<int>>(1);
    std::string text;
    try {
      parallel_for(0, 1, [&](int) { read_when_full(cells[0]); });
    } catch (const usage_error& e) {
      text = e.what();
    }
    EXPECT_NE(text.find("loops_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("loop_options::workers"), std::string::npos) << text;
  });
}

}  // namespace
}  // namespace callisto::global
