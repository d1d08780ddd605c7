// Mutexes, condition variables and full-empty variables among workers of several ranks.
#include "../sanitizers.hpp"
#include "on_ranks.hpp"

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/synchronization/completion_event.hpp>
#include <callisto/global/synchronization/full_empty.hpp>
#include <callisto/global/synchronization/mutex.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <vector>

namespace callisto::global {
namespace {

using test::on_ranks;

class Synchronization : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Synchronization, testing::Values(1, 2, 4, 7, tests::sanitized ? 16 : 64));

struct guarded {
  mutex lock;
  condition_variable changed;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
};

TEST_P(Synchronization, AMutexProtectsPlainOperations) {
  on_ranks(GetParam(), [] {
    auto g = make_array<guarded>(1);
    auto values = make_array<std::uint64_t>(2, cyclic(1));  // at other ranks than the mutex, if there are some
    const auto m = g[0].member(&guarded::lock);
    completion_event e;
    // Critical sections come one after the other, so 64 ranks have few each.
    const int rounds = here().ranks > 8 ? 1 : 15;
    for (int worker = 0; worker < 2; ++worker) {
      spawn(e, [=] {
        for (int i = 0; i < rounds; ++i) {
          const scoped_lock held(m);
          const std::uint64_t a = read(values[0]);
          const std::uint64_t b = read(values[1]);
          EXPECT_EQ(a, b);
          write(values[0], a + 1);
          write(values[1], b + 1);
        }
      });
    }
    e.wait();
    barrier();
    EXPECT_EQ(read(values[0]), static_cast<std::uint64_t>(2 * rounds * here().ranks));
    while (here().rank == 0 && !try_lock(m)) yield();  // the last unlock() may still be under way
    barrier();
    EXPECT_FALSE(try_lock(m));
    barrier();
    if (here().rank == 0) unlock(m);
    barrier();
  });
}

class Conditions : public Synchronization {};
INSTANTIATE_TEST_SUITE_P(Ranks, Conditions, testing::Values(1, 2, 4, 7));  // quadratic

TEST_P(Conditions, WakeAllThatWait) {
  on_ranks(GetParam(), [] {
    auto g = make_array<guarded>(1);
    const auto m = g[0].member(&guarded::lock);
    const auto c = g[0].member(&guarded::changed);
    const auto tokens = g[0].member(&guarded::a);
    const auto is_open = g[0].member(&guarded::b);
    completion_event e;
    for (int worker = 0; worker < 5; ++worker) {
      spawn(e, [=] {
        const scoped_lock held(m);
        while (read(tokens) == 0) wait(c, m);
        fetch_add(tokens, ~std::uint64_t{0});
        while (read(is_open) == 0) wait(c, m);
      });
    }
    if (here().rank == here().ranks - 1) {
      for (int token = 0; token < 5 * here().ranks; ++token) {
        {
          const scoped_lock held(m);
          increment(tokens);
        }
        notify_all(c);
      }
      const scoped_lock held(m);
      write(is_open, 1U);
      notify_all(c);
    }
    e.wait();
    barrier();
    EXPECT_EQ(read(tokens), 0U);
    barrier();
  });
}

TEST_P(Synchronization, NotifyOneEndsOneWait) {
  on_ranks(GetParam(), [] {
    auto g = make_array<guarded>(1);
    const auto m = g[0].member(&guarded::lock);
    const auto c = g[0].member(&guarded::changed);
    const auto waiting = g[0].member(&guarded::a);
    const auto ended = g[0].member(&guarded::b);
    const int each = here().ranks > 8 ? 1 : 5;
    const auto all = static_cast<std::uint64_t>(each * here().ranks);
    completion_event e;
    for (int worker = 0; worker < each; ++worker) {
      spawn(e, [=] {
        const scoped_lock held(m);
        increment(waiting);
        wait(c, m);
        increment(ended);
      });
    }
    if (here().rank == 0) {
      for (std::uint64_t seen = 0; seen != all;) {  // waits until all stand in the line
        yield();
        const scoped_lock held(m);
        seen = read(waiting);
      }
      for (std::uint64_t n = 1; n <= all; ++n) {
        notify_one(c);
        while (read(ended) < n) yield();
      }
    }
    e.wait();
    barrier();
    EXPECT_EQ(read(ended), all);
    barrier();
  });
}

TEST_P(Synchronization, FullEmptyPassesEachValueOnce) {
  on_ranks(GetParam(), [] {
    auto v = make_array<full_empty<std::uint64_t>>(1);
    const auto variable = v[0];
    const auto me = static_cast<std::uint64_t>(here().rank);
    const auto ranks = static_cast<std::uint64_t>(here().ranks);
    std::uint64_t sum = 0;
    completion_event e;
    const std::uint64_t each = ranks > 8 ? 3 : 20;
    for (std::uint64_t i = 0; i < each; ++i) {
      spawn(e, [=] { write_when_empty(variable, me * each + i); });
      spawn(e, [=, &sum] { sum += take_when_full(variable); });
    }
    e.wait();
    EXPECT_EQ(reduce_all(sum), each * ranks * (each * ranks - 1) / 2);
    barrier();
  });
}

TEST_P(Synchronization, FullEmptyReadersLeaveTheValue) {
  on_ranks(GetParam(), [] {
    auto v = make_array<full_empty<std::uint32_t>>(1);
    const auto variable = v[0];
    completion_event e;
    std::uint32_t sum = 0;
    for (int i = 0; i < 10; ++i) spawn(e, [=, &sum] { sum += read_when_full(variable); });
    if (here().rank == here().ranks - 1) post_fill(variable, 3U);
    e.wait();
    EXPECT_EQ(sum, 30U);
    barrier();
    EXPECT_EQ(read_when_full(variable), 3U);
    barrier();
    if (here().rank == 0) {
      post_fill(variable, 4U);
      EXPECT_EQ(take_when_full(variable), 4U);
      post_fill(variable, 5U);
      post_empty(variable);
      write_when_empty(variable, 6U);
      EXPECT_EQ(take_when_full(variable), 6U);
    }
    barrier();
  });
}

TEST(SynchronizationErrors, ATaskThatThrowsHasEnded) {
  std::atomic<int> went_on{0};
  on_ranks(2, [&] {
    try {
      session::here().run_phase([&] {
        spawn([&] {
          completion_event e;
          spawn(e, [] { throw std::range_error("no more beans"); });
          spawn(e.ticket(), [] { throw std::range_error("no more beans"); });
          e.wait();
          ++went_on;
        });
      });
      ADD_FAILURE();
    } catch (const std::range_error&) {
      ++went_on;
    }
  });
  EXPECT_EQ(went_on, 4);
}

TEST(SynchronizationErrors, CollectivesOfTasksAreRefused) {
  on_ranks(2, [] {
    completion_event e;
    std::string text;
    spawn(e, [&] {
      try {
        barrier();
      } catch (const usage_error& error) {
        text = error.what();
      }
    });
    e.wait();
    EXPECT_NE(text.find("synchronization_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("collective operation in a task"), std::string::npos) << text;
    barrier();
  });
}

}  // namespace
}  // namespace callisto::global
