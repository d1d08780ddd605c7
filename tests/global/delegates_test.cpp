// Delegates, completion events and promises on 1, 2, 7 and 64 ranks.
#include "../sanitizers.hpp"
#include "on_ranks.hpp"

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/completion_event.hpp>

#include <callisto/global/session/failure.hpp>
#include <callisto/global/session/session.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>

namespace callisto::global {
namespace {

using test::on_ranks;

class OnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, OnRanks, testing::Values(1, 2, 4, 7, tests::sanitized ? 16 : 64));

struct wide {
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
};

TEST_P(OnRanks, CollectivesCombineAllRanks) {
  on_ranks(GetParam(), [] {
    const int ranks = here().ranks;
    EXPECT_EQ(reduce_all(here().rank), ranks * (ranks - 1) / 2);
    EXPECT_EQ(reduce_all(here().rank, [](int a, int b) { return std::max(a, b); }), ranks - 1);
    const std::vector<int> all = gather_all(here().rank * 3);
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(all[static_cast<std::size_t>(rank)], rank * 3);
    EXPECT_EQ(broadcast(here().rank + 5, ranks - 1), ranks + 4);
    std::vector<std::uint64_t> many(10'000, static_cast<std::uint64_t>(here().rank + 1));
    reduce_all(std::span(many), std::plus<>());
    for (const std::uint64_t m : many) ASSERT_EQ(m, static_cast<std::uint64_t>(ranks * (ranks + 1) / 2));
    for (int i = 0; i < 20; ++i) barrier();
  });
}

TEST_P(OnRanks, WordsOfAnyRank) {
  on_ranks(GetParam(), [] {
    auto a = make_array<std::uint64_t>(1000);
    const auto me = static_cast<std::uint64_t>(here().rank);
    const auto ranks = static_cast<std::uint64_t>(here().ranks);
    for (std::uint64_t i = me; i < 1000; i += ranks) write(a[i], i * i);
    barrier();
    for (std::uint64_t i = me; i < 1000; i += 13) ASSERT_EQ(read(a[i]), i * i);
    barrier();
    for (std::uint64_t i = 0; i < 1000; i += 29) fetch_add(a[i], 2U);
    for (std::uint64_t i = 0; i < 1000; i += 29) increment(a[i]);
    barrier();
    for (std::uint64_t i = 0; i < 1000; i += 29) ASSERT_EQ(read(a[i]), i * i + 3 * ranks);
    barrier();
    bool mine = compare_and_swap(a[999], 999U * 999U, me);
    EXPECT_EQ(reduce_all(mine ? 1 : 0), 1) << "one rank wins";
    if (mine) {
      EXPECT_EQ(read(a[999]), me);
    }
    barrier();
    EXPECT_LT(exchange(a[998], me + 2'000'000), 2'000'000U + ranks);
    free(a);
  });
}

TEST_P(OnRanks, ObjectsAndFunctions) {
  on_ranks(GetParam(), [] {
    auto a = make_array<wide>(100, cyclic(3));
    if (here().rank == 0) {
      for (std::uint64_t i = 0; i < 100; ++i) write(a[i], {i, i + 1, i + 2});
    }
    barrier();
    for (std::uint64_t i = 0; i < 100; i += 7) {
      const wide w = read(a[i]);
      ASSERT_EQ(w.a + 2, w.c);
      ASSERT_EQ(read(a[i].member(&wide::b)), w.b);
    }
    barrier();
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::uint64_t b = call(a[i], [i](wide& w) {
        w.a += 1000;
        return w.b * 2 + i;
      });
      ASSERT_EQ(b, 2 * (i + 1) + i);
    }
    barrier();
    for (std::uint64_t i = 0; i < 100; i += 7) ASSERT_EQ(read(a[i]).a, i + 1000U * static_cast<unsigned>(here().ranks));
    EXPECT_EQ(call_at(here().ranks - 1, [] { return here().rank; }), here().ranks - 1);
    barrier();
  });
}

TEST_P(OnRanks, PromisesOverlap) {
  on_ranks(GetParam(), [] {
    auto a = make_array<std::uint32_t>(500);
    for (std::uint32_t& x : a.local()) x = static_cast<std::uint32_t>(here().rank);
    barrier();
    std::array<promise<std::uint32_t>, 32> window;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 500 + window.size(); ++i) {
      auto& p = window[i % window.size()];
      if (i >= window.size()) sum += p.get();
      if (i < 500) read_async(p, a[i]);
    }
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < 500; ++i) expected += static_cast<std::uint64_t>(a.owner(i));
    EXPECT_EQ(sum, expected);
    barrier();
    {
      auto added = fetch_add_async(a[0], 7U);
      auto swapped = compare_and_swap_async(a[499], 0xffffffffU, 1U);
      auto written = write_async(a[250], 9U);
      auto called = call_async(a[1], [](std::uint32_t& x) { return x == 0; });
      EXPECT_TRUE(called.get());
      EXPECT_FALSE(swapped.get());
      EXPECT_EQ(added.get() % 7, 0U);
    }
    EXPECT_EQ(read(a[250]), 9U);
    barrier();
  });
}

TEST_P(OnRanks, AnEventCountsWhatWasPosted) {
  on_ranks(GetParam(), [] {
    auto a = make_array<std::uint64_t>(997, cyclic(1));
    completion_event e;
    for (int round = 0; round < 3; ++round) {
      for (std::uint64_t i = 0; i < 2000; ++i) post_add(e, a[i % 997], 1U);
      e.wait();
    }
    barrier();
    std::uint64_t sum = 0;
    for (const std::uint64_t x : a.local()) sum += x;
    EXPECT_EQ(reduce_all(sum), 6000U * static_cast<unsigned>(here().ranks));
    e.wait();
    EXPECT_TRUE(e.is_done());
  });
}

/// Adds one at every rank of a binary tree of `depth`, each function posting two more.
void grow(array<std::uint64_t> a, completion_ticket t, std::uint64_t at, int depth) {
  post_call(t, a[at % a.size()], [a, t, at, depth](std::uint64_t& x) {
    ++x;
    if (depth > 0) {
      grow(a, t, at * 2 + 1, depth - 1);
      grow(a, t, at * 2 + 2, depth - 1);
    }
  });
}

TEST_P(OnRanks, AnEventCountsWhatDelegatesPost) {
  on_ranks(GetParam(), [] {
    auto a = make_array<std::uint64_t>(199, cyclic(1));
    completion_event e;
    for (std::uint64_t i = 0; i < 10; ++i) grow(a, e.ticket(), i, 5);
    e.wait();
    const std::uint64_t mine = e.is_done() ? 10U * 63U : 0U;
    barrier();
    std::uint64_t sum = 0;
    for (const std::uint64_t x : a.local()) sum += x;
    EXPECT_EQ(reduce_all(sum), reduce_all(mine));
  });
}

TEST_P(OnRanks, TheGlobalHeap) {
  on_ranks(GetParam(), [] {
    const auto mine = global_allocate<std::uint64_t>(5000);
    for (std::int64_t i = 0; i < 5000; i += 3) post_write(mine + i, static_cast<std::uint64_t>(i) + 1);
    completion_event e;
    for (std::int64_t i = 0; i < 5000; i += 3) post_write(e, mine + i, static_cast<std::uint64_t>(i * here().rank));
    e.wait();
    for (std::int64_t i = 0; i < 5000; i += 3) {
      ASSERT_EQ(static_cast<unsigned>(owner(mine + i)), (mine + i).offset() / 64 % static_cast<unsigned>(here().ranks));
    }
    for (std::int64_t i = 0; i < 5000; i += 303) {
      const std::uint64_t x = read(mine + i);
      ASSERT_TRUE(x == static_cast<std::uint64_t>(i * here().rank) || x == static_cast<std::uint64_t>(i) + 1);
    }
    barrier();
    global_free(mine);
    barrier();
    if (here().rank == 0) {
      EXPECT_EQ(rank_local<global_heap>().allocated(), 0U);
    }
    EXPECT_THROW(global_free(mine), usage_error);
    EXPECT_THROW(global_allocate<wide>(1), usage_error) << "24 bytes do not divide a block";
    barrier();
  });
}

struct own_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST_P(OnRanks, WhatAFunctionThrowsReachesItsCaller) {
  on_ranks(GetParam(), [] {
    auto a = make_array<int>(static_cast<std::uint64_t>(here().ranks));
    const auto told = [](const auto& f) -> std::string {
      try {
        f();
      } catch (const std::out_of_range& e) {
        return std::string("out_of_range: ") + e.what();
      } catch (const remote_error& e) {
        return std::string("remote_error: ") + e.what();
      } catch (...) {
        return "another type";
      }
      return "nothing";
    };
    const auto throws_known = [](int&) -> int { throw std::out_of_range("no bean"); };
    const auto throws_own = [](int&) { throw own_error("no pea"); };
    for (std::uint64_t i = 0; i < a.size(); ++i) {
      const int rank = a.owner(i);
      const std::string own = "remote_error: rank " + std::to_string(rank) + " threw ";
      EXPECT_EQ(told([&] { call(a[i], throws_known); }), "out_of_range: no bean");
      EXPECT_TRUE(told([&] { call(a[i], throws_own); }).starts_with(own));
      EXPECT_TRUE(told([&] { call(a[i], throws_own); }).ends_with("own_error: no pea"));
      EXPECT_EQ(told([&] { call_at(rank, [] { throw std::out_of_range("no bean"); }); }), "out_of_range: no bean");
      EXPECT_TRUE(told([&] { call_at(rank, []() -> int { throw own_error("no pea"); }); }).starts_with(own));
      auto promised = call_async(a[i], throws_known);
      EXPECT_EQ(told([&] { promised.get(); }), "out_of_range: no bean");
    }
    barrier();
    // A posted one has no caller: its phase throws, in all ranks.
    EXPECT_EQ(told([&] {
                session::here().run_phase([&] {
                  if (here().rank == 0) post_call(a[a.size() - 1], [](int&) { throw std::out_of_range("posted"); });
                });
              }),
              "out_of_range: posted");
    EXPECT_EQ(told([&] {
                session::here().run_phase([&] {
                  if (here().rank == 0) post_call_at(here().ranks - 1, [] { throw std::out_of_range("posted there"); });
                });
              }),
              "out_of_range: posted there");
    barrier();
  });
}

TEST(Delegates, LargePartsOfTheHeapGoBack) {
  on_ranks(2, [] {
    if (here().rank == 0) {
      const auto a = global_allocate<std::uint64_t>(1 << 20);
      write(a, 7U);
      write(a + (1 << 20) - 1, 9U);
      global_free(a);
      const auto b = global_allocate<std::uint64_t>(1 << 20);  // its memory may be given back at this moment
      for (int i = 0; i < 1 << 20; i += 4096) write(b + i, 5U);
      for (int i = 0; i < 1 << 20; i += 4096) ASSERT_EQ(read(b + i), 5U);
      global_free(b);
    }
    barrier();
  });
}

TEST(Delegates, AnExportedObjectOfAStack) {
  on_ranks(3, [] {
    std::uint64_t counter = 0;
    const auto counters = gather_all(export_address(&counter));
    for (const auto& c : counters) increment(c);
    barrier();
    EXPECT_EQ(counter, 3U);
    barrier();
  });
}

TEST(Delegates, BlockingInOneNamesThePlace) {
  on_ranks(2, [] {
    auto a = make_array<int>(2);
    const auto remote = a[static_cast<std::uint64_t>(1 - here().rank)];
    const auto own = a[static_cast<std::uint64_t>(here().rank)];
    const std::string text = [&]() -> std::string {
      try {
        call(own, [remote](int&) { return read(remote); });
      } catch (const usage_error& e) {
        return e.what();
      }
      return "";
    }();
    EXPECT_NE(text.find("delegates_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("would block inside a delegate"), std::string::npos) << text;
    barrier();
  });
}

TEST(Delegates, ManyWorkersReadAtOnce) {
  on_ranks(2, [] {
    auto a = make_array<std::uint64_t>(10'000);
    for (std::uint64_t i = 0; i < a.local().size(); ++i) a.local()[i] = a.index_of(i);
    barrier();
    std::uint64_t sum = 0;
    completion_event e;
    for (std::uint64_t i = 0; i < 10'000; ++i) spawn(e, [&, i] { sum += read(a[i]); });
    e.wait();
    EXPECT_EQ(sum, 10'000U * 9'999U / 2);
    barrier();
  });
}

}  // namespace
}  // namespace callisto::global
