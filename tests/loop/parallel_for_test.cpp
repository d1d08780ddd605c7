// parallel_for: every form, every kind of bounds, exceptions, cancellation, nesting, several leaders at once.
#include "../sanitizers.hpp"

#include <callisto/callisto.hpp>
#include <callisto/loop/record/site.hpp>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace callisto {
namespace {

/// Runs each test with 1, 2 and 4 threads, however many contexts the machine has.
class ParallelFor : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { set_threads(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, ::testing::Values(1u, 2u, 4u));

TEST_P(ParallelFor, RunsEveryIndexOnceWhateverTheBatch) {
  for (const std::uint64_t batch : {0u, 1u, 3u, 64u, 1000u, 100000u}) {
    for (const std::size_t n : {0u, 1u, 2u, 3u, 7u, 64u, 1000u, 4099u}) {
      std::vector<std::atomic<int>> seen(n);
      EXPECT_TRUE(parallel_for(std::size_t{0}, n, [&](std::size_t i) { seen[i].fetch_add(1); }, {.batch = batch}));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(seen[i], 1) << "index " << i << " of " << n << ", batch " << batch;
    }
  }
}

TEST_P(ParallelFor, ManyShortLoops) {
  std::atomic<int> total{0};
  for (int round = 0; round < 2000; ++round) parallel_for(0, 5, [&](int i) { total.fetch_add(i); });
  EXPECT_EQ(total, 2000 * 10);
}

TEST_P(ParallelFor, PlainWritesAreVisibleAfterwards) {
  // Unsynchronized on purpose: ThreadSanitizer checks that the loop's beginning and end order these accesses.
  std::vector<int> values(1000, 1);
  for (int round = 0; round < 50; ++round) {
    parallel_for(0, 1000, [&](int i) { values[static_cast<std::size_t>(i)] += 1; });
  }
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 51 * 1000);
}

TEST_P(ParallelFor, EmptyAndReversedRangesRunNothing) {
  int calls = 0;
  EXPECT_TRUE(parallel_for(0, 0, [&](int) { ++calls; }));
  EXPECT_TRUE(parallel_for(5, -5, [&](int) { ++calls; }));
  EXPECT_TRUE(parallel_for(std::vector<int>{}, [&](int) { ++calls; }));
  EXPECT_EQ(calls, 0);
}

TEST_P(ParallelFor, FullRangeOfASmallType) {
  std::array<std::atomic<int>, 256> seen{};
  constexpr auto lowest = std::numeric_limits<std::int8_t>::min();
  constexpr auto highest = std::numeric_limits<std::int8_t>::max();
  parallel_for(lowest, highest, [&](std::int8_t i) { seen[static_cast<std::size_t>(i + 128)].fetch_add(1); });
  for (std::size_t i = 0; i < 255; ++i) ASSERT_EQ(seen[i], 1);
  EXPECT_EQ(seen[255], 0);  // half-open
}

TEST_P(ParallelFor, FullRangeOf64BitsIsHandedOutInDisjointBatches) {
  // There is no time to run it all. Batches must be disjoint and inside the range, and the stop must end the loop.
  using limits = std::numeric_limits<std::int64_t>;
  std::stop_source stop;
  std::mutex lock;
  std::vector<std::pair<std::int64_t, std::int64_t>> batches;
  const bool completed = parallel_for(limits::min(), limits::max(),
                                      [&](std::int64_t first, std::int64_t last) {
                                        const std::scoped_lock held(lock);
                                        batches.emplace_back(first, last);
                                        if (batches.size() == 100) stop.request_stop();
                                      },
                                      {.batch = 1, .stop = stop.get_token()});
  EXPECT_FALSE(completed);
  std::sort(batches.begin(), batches.end());
  // The order is open: each thread begins in a stripe of its own.
  ASSERT_GE(batches.size(), 100U);
  for (const auto& [first, last] : batches) ASSERT_LT(first, last);
  for (std::size_t i = 1; i < batches.size(); ++i) ASSERT_LE(batches[i - 1].second, batches[i].first);
}

TEST_P(ParallelFor, AHugeLoopStopsSoonWhateverAClaimIs) {
  std::stop_source stop;
  std::atomic<std::uint64_t> later{0};
  const bool completed = parallel_for(std::uint64_t{0}, std::uint64_t{1} << 62,
                                      [&](std::uint64_t i) {
                                        // Threads begin elsewhere, too: each requests a stop in what it began.
                                        if (i % 1024 == 1023) stop.request_stop();
                                        if (stop.stop_requested()) later.fetch_add(1, std::memory_order_relaxed);
                                      },
                                      {.stop = stop.get_token()});
  EXPECT_FALSE(completed);
  // What a thread may have reserved takes a hundred microseconds. A unit has 2^31 iterations and more.
  EXPECT_LT(later, std::uint64_t{1} << 27);
}

TEST_P(ParallelFor, HugeBatchesReachTheEndOf64Bits) {
  using limits = std::numeric_limits<std::uint64_t>;
  std::atomic<std::uint64_t> total{0};
  const std::uint64_t batch = std::uint64_t{1} << 58;
  parallel_for(limits::min(), limits::max(),
               [&](std::uint64_t first, std::uint64_t last) { total.fetch_add(last - first); }, {.batch = batch});
  EXPECT_EQ(total, limits::max());
}

TEST_P(ParallelFor, BatchFormCoversTheRangeWithBatchesOfAtMostTheSizeAskedFor) {
  std::vector<std::atomic<int>> seen(1000);
  std::atomic<int> too_large{0};
  parallel_for(0, 1000,
               [&](int first, int last) {
                 if (last - first > 7 || last <= first) too_large.fetch_add(1);
                 for (int i = first; i < last; ++i) seen[static_cast<std::size_t>(i)].fetch_add(1);
               },
               {.batch = 7});
  EXPECT_EQ(too_large, 0);
  for (auto& s : seen) ASSERT_EQ(s, 1);
}

TEST_P(ParallelFor, MixedBoundTypesMeetInTheCommonType) {
  const std::vector<int> v(100, 1);
  std::atomic<int> total{0};
  parallel_for(0, v.size(), [&](std::size_t i) { total += v[i]; });
  EXPECT_EQ(total, 100);
  EXPECT_THROW(parallel_for(-1, v.size(), [&](std::size_t) {}), usage_error);
}

TEST_P(ParallelFor, IteratorsAndRanges) {
  std::deque<int> values(500);
  parallel_for(values, [](int& v) { v = 3; });
  parallel_for(values.begin(), values.end(), [](int& v) { v += 1; });
  parallel_for(values.begin(), values.end(), [](auto first, auto last) {
    for (; first != last; ++first) *first += 1;
  });
  EXPECT_EQ(values, std::deque<int>(500, 5));
}

struct batch_struct {
  std::atomic<int> forks{0};
  std::atomic<int> joins{0};
  std::atomic<int> most_at_once{0};
  std::atomic<long> total{0};
  void fork(long& mine) {
    mine = 0;
    // Others may join between the two: then the difference is too small, never too large.
    const int now = forks.fetch_add(1) + 1 - joins.load();
    int most = most_at_once.load();
    while (most < now && !most_at_once.compare_exchange_weak(most, now)) {
    }
  }
  void work(long& mine, int first, int last) {
    for (int i = first; i < last; ++i) mine += i;
  }
  void join(long& mine) {
    joins.fetch_add(1);
    total.fetch_add(mine);
  }
};

// A thread that left for another job and came back takes part a second time.
TEST_P(ParallelFor, ForksAndJoinsOncePerThreadThatTakesPart) {
  for (int round = 0; round < 200; ++round) {
    batch_struct body;
    parallel_for<batch_struct, long, int>(body, 0, 1000);
    ASSERT_EQ(body.total, 499500);
    ASSERT_EQ(body.forks, body.joins);
    ASSERT_GE(body.forks, 1);
    ASSERT_LE(body.most_at_once, static_cast<int>(GetParam()));
  }
}

TEST_P(ParallelFor, NoThreadForksAnEmptyLoop) {
  batch_struct body;
  parallel_for<batch_struct, long, int>(body, 3, 3);
  EXPECT_EQ(body.forks, 0);
}

TEST_P(ParallelFor, ThreadNumbersAreDistinctAndSmall) {
  std::vector<std::atomic<std::thread::id>> owner(GetParam());
  std::atomic<int> clashes{0};
  for (int round = 0; round < 50; ++round) {
    for (auto& o : owner) o = std::thread::id{};
    parallel_for(0, 2000, [&](int) {
      const unsigned me = this_thread();
      if (me >= GetParam()) {
        clashes.fetch_add(1);
        return;
      }
      std::thread::id nobody{};
      if (!owner[me].compare_exchange_strong(nobody, std::this_thread::get_id()) &&
          owner[me].load() != std::this_thread::get_id()) {
        clashes.fetch_add(1);
      }
    });
  }
  EXPECT_EQ(clashes, 0);
}

TEST_P(ParallelFor, AllThreadsTakePartInALongLoop) {
  std::mutex lock;
  std::condition_variable came;
  std::set<unsigned> seen;
  parallel_for(0, 4 * static_cast<int>(GetParam()),
               [&](int) {
                 std::unique_lock held(lock);
                 seen.insert(this_thread());
                 came.notify_all();
                 came.wait_for(held, std::chrono::seconds(60), [&] { return seen.size() == GetParam(); });
               },
               {.batch = 1});
  EXPECT_EQ(seen.size(), GetParam());
}

TEST_P(ParallelFor, FirstExceptionIsRethrownAndTheRestIsDropped) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> ran{0};
    try {
      parallel_for(0, 1'000'000,
                   [&](int i) {
                     ran.fetch_add(1);
                     if (i % 1000 == 10) throw std::runtime_error("iteration");
                   },
                   {.batch = 1});
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "iteration");
    }
    EXPECT_LT(ran, 1'000'000);
    // The runtime works as before.
    std::atomic<int> after{0};
    parallel_for(0, 100, [&](int) { after.fetch_add(1); });
    ASSERT_EQ(after, 100);
  }
}

struct throwing_struct {
  std::string where;
  void fork(int& mine) {
    mine = 0;
    if (where == "fork") throw std::logic_error(where);
  }
  void work(int&, int) {
    if (where == "work") throw std::logic_error(where);
  }
  void join(int&) {
    if (where == "join") throw std::logic_error(where);
  }
};

TEST_P(ParallelFor, ExceptionsFromForkWorkAndJoin) {
  for (const char* where : {"fork", "work", "join"}) {
    throwing_struct body{where};
    EXPECT_THROW((parallel_for<throwing_struct, int, int>(body, 0, 100)), std::logic_error) << where;
  }
}

TEST_P(ParallelFor, AStopTokenDropsWhatIsNotBegun) {
  std::stop_source stop;
  std::atomic<int> ran{0};
  const bool completed = parallel_for(0, 1'000'000,
                                      [&](int) {
                                        const int before = ran.fetch_add(1);
                                        if (before == 50) stop.request_stop();
                                        // The thread that stops may be taken off its processor before it does.
                                        while (before > 50 && !stop.stop_requested()) std::this_thread::yield();
                                      },
                                      {.batch = 1, .stop = stop.get_token()});
  EXPECT_FALSE(completed);
  EXPECT_LE(ran, 51 + static_cast<int>(GetParam()));
  EXPECT_FALSE(parallel_for(0, 10, [&](int) {}, {.stop = stop.get_token()}));
}

TEST_P(ParallelFor, ALoopAfterOneThatStoppedIsNotTakenForABriefOne) {
  if (GetParam() == 1) GTEST_SKIP() << "one thread runs every loop";
  std::stop_source stop;
  std::atomic<bool> others{false};
  const auto here = std::this_thread::get_id();
  // One place in the source, since loops are told apart by their places. The first loop stops at once, far from its
  // end; in the second one, the leader waits for a follower.
  for (const std::uint64_t n : {std::uint64_t{1} << 40, std::uint64_t{1} << 10}) {
    const bool first = n > 1024;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    parallel_for(std::uint64_t{0}, n,
                 [&](std::uint64_t) {
                   if (first) {
                     stop.request_stop();
                   } else if (std::this_thread::get_id() != here) {
                     others = true;
                   } else {
                     while (!others && std::chrono::steady_clock::now() < until) std::this_thread::yield();
                   }
                 },
                 {.stop = first ? stop.get_token() : std::stop_token{}});
  }
  EXPECT_TRUE(others);
}

TEST_P(ParallelFor, AStoppedReductionSaysSo) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(static_cast<void>(parallel_reduce(0, 1'000'000, 0L, [](int i) { return long{i}; }, std::plus<>{},
                                                 {.stop = stop.get_token()})),
               cancelled);
}

// The type of the identity is the type of the sum.
static_assert(loop::narrows<double, int> && loop::narrows<double, float> && loop::narrows<long, int>);
static_assert(!loop::narrows<int, double> && !loop::narrows<float, double> && !loop::narrows<unsigned long, long>);

/// Returns once `done()` is true; false after a minute, so that a test that fails also ends.
template <class Done>
bool comes_true(Done done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

/// An application's wrapper: all its loops are one site with one type of body.
void wrapped(long n, const std::function<void(long)>& f) { parallel_for(0L, n, f); }

TEST_P(ParallelFor, ASitesLightLoopsDoNotMakeAHeavyOneSerial) {
  if (GetParam() == 1) GTEST_SKIP() << "one thread runs every loop";
  // At the second turn, each iteration waits until another thread has run one, too. A loop that keeps all to its leader
  // never ends; the first iteration is the leader's, and it alone may go by.
  for (int round = 0; round < 3; ++round) {
    std::vector<float> values(1'000'000, 1.0f);
    for (int light = 0; light < 4; ++light) {
      wrapped(1'000'000, [&](long i) { values[static_cast<std::size_t>(i)] *= 1.01f; });
    }
    std::mutex lock;
    std::set<std::thread::id> ran;
    std::atomic<bool> first{true};
    std::atomic<bool> failed{false};
    wrapped(64, [&](long) {
      {
        const std::scoped_lock held(lock);
        ran.insert(std::this_thread::get_id());
      }
      if (first.exchange(false)) return std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (!failed && !comes_true([&] {
            const std::scoped_lock held(lock);
            return ran.size() > 1;
          })) {
        failed = true;
      }
    });
    EXPECT_FALSE(failed) << "one thread ran the whole loop";
  }
}

TEST(LoopSite, ADistrustedSiteBeginsNoLoopAlone) {
  loop::loop_site site;
  loop::loop_site::timing timed(&site, 1'000'000'000, 2);
  timed.alone();
  timed.ended();
  EXPECT_TRUE(site.begins_alone(1, 2));
  site.distrust(2);
  EXPECT_FALSE(site.begins_alone(1, 2));
  EXPECT_FALSE(site.begins_alone(1, 2));
  EXPECT_TRUE(site.begins_alone(1, 2));
}

TEST_P(ParallelFor, AnIterationThatBlocksHoldsUpFewOthers) {
  if (GetParam() == 1) GTEST_SKIP() << "one thread runs every loop";
  // Light iterations make large batches. One that blocks in the middle of a batch until all but a
  // hundredth of the others have run, ends only if the rest of its batch goes to other threads.
  constexpr long n = tests::sanitized ? 10'000'000 : 100'000'000;
  std::atomic<long> ran{0};
  std::atomic<bool> failed{false};
  parallel_for(0L, n, [&](long first, long last) { ran.fetch_add(last - first, std::memory_order_relaxed); });
  ran = 0;
  struct counted {
    std::atomic<long>& total;
    std::atomic<bool>& failed;
    void fork(long& mine) { mine = 0; }
    void work(long& mine, long i) {
      // Counts in batches, so that iterations stay light.
      if (++mine % 4096 == 0) total.fetch_add(4096, std::memory_order_relaxed);
      if (i == n / 5 && !comes_true([&] { return total.load() >= n - n / 100; })) failed = true;
    }
    void join(long& mine) { total.fetch_add(mine % 4096); }
  } loop{ran, failed};
  parallel_for<counted, long, long>(loop, 0, n);
  EXPECT_FALSE(failed) << "iterations waited behind one that blocked";
  EXPECT_EQ(ran, n);
}

TEST_P(ParallelFor, BodiesRunInTheFloatingPointEnvironmentOfTheirLeader) {
  const int before = std::fegetround();
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST}) {
    std::fesetround(rounding);
    std::atomic<int> others{0};
    parallel_for(0, 1000, [&](int) {
      if (std::fegetround() != rounding) ++others;
    });
    EXPECT_EQ(others, 0) << rounding;
  }
  std::fesetround(before);
}

TEST_P(ParallelFor, FollowersLeaveTheSignalsOfProfilersOpen) {
  std::atomic<int> blocked{0};
  std::atomic<int> open{0};
  const auto here = std::this_thread::get_id();
  parallel_for(0, 1000, [&](int) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    for (const int signal : {SIGPROF, SIGVTALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGABRT, SIGTRAP}) {
      if (sigismember(&mask, signal) == 1) ++blocked;
    }
    // Signals to the process go to the program's own threads.
    if (std::this_thread::get_id() != here && sigismember(&mask, SIGTERM) != 1) ++open;
  });
  EXPECT_EQ(blocked, 0);
  EXPECT_EQ(open, 0);
}

TEST_P(ParallelFor, AStopAfterTheLastIterationDropsNothing) {
  std::stop_source stop;
  std::atomic<int> ran{0};
  const bool completed = parallel_for(0, 10,
                                      [&](int) {
                                        if (ran.fetch_add(1) == 9) stop.request_stop();
                                      },
                                      {.batch = 1, .stop = stop.get_token()});
  EXPECT_TRUE(completed);
}

TEST_P(ParallelFor, NestedLoopsOfOneThreadRunOnTheirThread) {
  std::atomic<int> total{0};
  std::atomic<int> moved{0};
  parallel_for(0, 50, [&](int) {
    const unsigned outer = this_thread();
    parallel_for(0, 50,
                 [&](int) {
                   total.fetch_add(1);
                   if (this_thread() != outer) moved.fetch_add(1);
                 },
                 {.threads = 1});
  });
  EXPECT_EQ(total, 2500);
  EXPECT_EQ(moved, 0);
}

TEST_P(ParallelFor, NestedExceptionsPassThroughBothLoops) {
  EXPECT_THROW(parallel_for(0, 10,
                            [](int) {
                              parallel_for(0, 10, [](int j) {
                                if (j == 5) throw 42;
                              });
                            }),
               int);
}

TEST_P(ParallelFor, SetThreadsInsideALoopIsRefused) {
  EXPECT_THROW(parallel_for(0, 100, [](int) { set_threads(2); }), usage_error);
  // Also where no other thread takes part.
  EXPECT_THROW(parallel_for(0, 1, [](int) { set_threads(2); }), usage_error);
  EXPECT_THROW(parallel_for(0, 9, [](int) { set_levels(nesting()); }, {.threads = 1}), usage_error);
  const auto brief = [](bool last) {
    parallel_for(0, 2, [last](int) {
      if (last) set_threads(2);
    });
  };
  for (int i = 0; i < 100; ++i) brief(false);
  EXPECT_THROW(brief(true), usage_error);
  EXPECT_THROW(set_threads(0), usage_error);
  set_threads(GetParam());
}

TEST_P(ParallelFor, SeveralApplicationThreadsLeadLoopsAtOnce) {
  // More leaders than the work signal has slots: the rest run their loops alone.
  constexpr int leaders = 20;
  std::vector<long> sums(leaders);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < leaders; ++t) {
      threads.emplace_back([&sums, t] {
        for (int round = 0; round < 100; ++round) {
          sums[static_cast<std::size_t>(t)] += parallel_reduce(0, 100, 0L, [](int i) { return long{i}; });
        }
      });
    }
  }
  for (const long sum : sums) EXPECT_EQ(sum, 100 * 4950);
}

TEST_P(ParallelFor, LoopsGoOnWhileTheNumberOfThreadsChanges) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  {
    std::jthread leader([&] {
      while (!done) {
        if (parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }) != 499500) wrong.fetch_add(1);
      }
    });
    for (unsigned i = 0; i < 20; ++i) set_threads(1 + i % 3);
    done = true;
  }
  EXPECT_EQ(wrong, 0);
}

TEST_P(ParallelFor, ALeaderSleepsWhileAFollowersBatchIsLong) {
  // Longer than any spinning: exercises parking at the gate.
  std::atomic<int> ran{0};
  parallel_for(0, 2,
               [&](int) {
                 std::this_thread::sleep_for(std::chrono::milliseconds(this_thread() == 0 ? 1 : 60));
                 ran.fetch_add(1);
               },
               {.batch = 1});
  EXPECT_EQ(ran, 2);
}

TEST(ParallelReduce, SumsInBothForms) {
  EXPECT_EQ(parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }), 499500);
  EXPECT_EQ(parallel_reduce(0u, 1000u, 0L,
                            [](unsigned first, unsigned last, long running) {
                              for (unsigned i = first; i < last; ++i) running += i;
                              return running;
                            }),
            499500);
  EXPECT_EQ(parallel_reduce(3, 3, 7, [](int i) { return i; }), 7);
}

TEST(ParallelReduce, FoldsInPlace) {
  struct counts {
    std::array<std::uint64_t, 7> of{};
  };
  const counts found = parallel_reduce(
      0u, 10'000u, counts{},
      [](unsigned first, unsigned last, counts& running) {
        for (unsigned i = first; i < last; ++i) ++running.of[i % 7];
      },
      [](counts a, const counts& b) {
        for (std::size_t i = 0; i < a.of.size(); ++i) a.of[i] += b.of[i];
        return a;
      });
  for (unsigned i = 0; i < 7; ++i) EXPECT_EQ(found.of[i], i < 4 ? 1429u : 1428u);
}

TEST(ParallelReduce, OtherOperatorsAndTypes) {
  const auto maximum = [](int a, int b) { return std::max(a, b); };
  EXPECT_EQ(parallel_reduce(0, 1000, -1, [](int i) { return (i * 7919) % 1000; }, maximum), 999);
  const auto joined = parallel_reduce(
      0, 100, std::vector<int>{}, [](int i) { return std::vector<int>{i}; },
      [](std::vector<int> a, const std::vector<int>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
      });
  EXPECT_EQ(std::set<int>(joined.begin(), joined.end()).size(), 100u);
}

}  // namespace
}  // namespace callisto
