// The distributors: every iteration is handed out once, whichever threads claim.
#include <callisto/distributor/combiner.hpp>
#include <callisto/distributor/compose.hpp>
#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/machine/native.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::distributor {
namespace {

using machine::native;
using counters = distributed_counters<native>;
static_assert(work_distributor<counters>);
static_assert(work_distributor<combiner<native, counters>>);
static_assert(work_distributor<combiner<native, combiner<native, counters>>>);

schedule of(const std::string& words) { return schedule::parse(words, "the test"); }

/// Every kind of stage at several levels, and every composition of them.
const std::vector<std::string>& schedules() {
  static const std::vector<std::string> all{
      "counter",
      "counter(thread)",
      "counter(core)",
      "counter(core-pair)",
      "counter(socket)",
      "combine(thread)/counter",
      "combine(core)/counter(core)",
      "combine(core)/counter(machine)",
      "combine(socket)/counter(socket)",
      "combine(machine)/counter",
      "combine(thread,async)/counter(thread)",
      "combine(core,async)/counter(core)",
      "combine(core,async)/counter",
      "combine(machine,async)/counter",
      "combine(thread)/combine(core)/counter(socket)",
      "combine(core)/combine(socket)/counter",
      "combine(core,async)/combine(socket)/counter(socket)",
      "combine(core,async)/combine(machine)/counter(machine)",
  };
  return all;
}

/// Sockets of 2 caches of 3 cores of 4 threads; the threads are in an unrelated order.
layout machine_of(unsigned threads) {
  std::vector<seat> seats;
  for (unsigned t = 0; t < threads; ++t) {
    const unsigned core = t / 4;
    seats.push_back({core, core / 3, core / 3, core / 6, core / 6});
  }
  std::mt19937 random(threads);
  std::shuffle(seats.begin(), seats.end(), random);
  return layout(seats);
}

/// Calls f(distributor) with a distributor that is made from words.
template <class F>
void with(const std::string& words, std::uint64_t n, const layout& where, F f) {
  SCOPED_TRACE(words + ", " + std::to_string(n) + " iterations, " + std::to_string(where.threads()) + " threads");
  const schedule s = of(words);
  with_distributor<native>(s.stages(), [&]<class D>() {
    D d(n, where, s.stages());
    f(d);
  });
}

/// Counts how often each iteration was handed out.
class tally {
 public:
  explicit tally(std::uint64_t n) : seen_(n) {}
  void add(const range& r) {
    ASSERT_LE(r.last, seen_.size());
    for (auto i = r.first; i < r.last; ++i) ++seen_[i];
  }
  bool each_once() const {
    return std::all_of(seen_.begin(), seen_.end(), [](int times) { return times == 1; });
  }
  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const int times : seen_) sum += static_cast<std::uint64_t>(times);
    return sum;
  }
  bool none_twice() const {
    return std::all_of(seen_.begin(), seen_.end(), [](int times) { return times <= 1; });
  }

 private:
  std::vector<int> seen_;
};

TEST(SharedCounter, HandsOutInOrder) {
  shared_counter<native> counter(3, 10);
  EXPECT_EQ(counter.left(), 7u);
  std::uint64_t left = 0;
  const range a = counter.claim(4, left);
  EXPECT_EQ(a.first, 3u);
  EXPECT_EQ(a.last, 7u);
  EXPECT_EQ(left, 3u);
  EXPECT_EQ(counter.claim(4, left).last, 10u);
  EXPECT_EQ(left, 0u);
  EXPECT_TRUE(counter.claim(4, left).empty());
  EXPECT_FALSE(counter.exhaust());
}

TEST(SharedCounter, RequestsBeyondTheEndNeverWrapAround) {
  const std::uint64_t n = std::uint64_t{1} << 62;
  shared_counter<native> counter(n - 5, n);
  std::uint64_t left = 0;
  EXPECT_EQ(counter.claim(~std::uint64_t{0}, left).size(), 5u);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(counter.claim(~std::uint64_t{0}, left).empty());
}

TEST(SharedCounter, ExhaustTellsWhetherItDroppedAnything) {
  shared_counter<native> counter(0, 10);
  EXPECT_TRUE(counter.exhaust());
  EXPECT_FALSE(counter.exhaust());
  std::uint64_t left = 0;
  EXPECT_TRUE(counter.claim(1, left).empty());
}

TEST(DistributedCounters, ThreadsStartAtHomeAndStripesGoByTheThreadsOfAGroup) {
  const layout where = layout::flat(4);
  const schedule by_thread = of("counter(thread)");
  counters d(1000, where, by_thread.stages());
  EXPECT_EQ(d.stripes(), 4u);
  for (unsigned t = 0; t < 4; ++t) {
    auto c = d.cursor_of(t);
    EXPECT_EQ(d.near(c), 250u);
    EXPECT_EQ(d.claim(c, 1).first, t * 250);
  }
  EXPECT_EQ(counters(3, where, by_thread.stages()).stripes(), 1u);
  EXPECT_EQ(counters(1000, where, of("counter").stages()).stripes(), 1u);
  // Five threads on two cores: the second stripe begins after four fifths.
  std::vector<seat> seats(5);
  seats[4].core = 1;
  const layout uneven(seats);
  counters by_core(1000, uneven, of("counter(core)").stages());
  auto c = by_core.cursor_of(4);
  EXPECT_EQ(by_core.claim(c, 1).first, 800u);
  EXPECT_EQ(by_core.near(c), 199u);
}

TEST(Distributors, OneThreadUsesUpWhatOthersNeverComeFor) {
  for (const std::string& words : schedules()) {
    for (const unsigned threads : {1u, 2u, 5u, 64u, 300u}) {
      const layout where = machine_of(threads);
      for (const std::uint64_t n : {1u, 2u, 5u, 63u, 1000u}) {
        with(words, n, where, [&](auto& d) {
          auto c = d.cursor_of(threads / 2);
          tally seen(n);
          for (range r = d.claim(c, 3); !r.empty(); r = d.claim(c, 3)) {
            seen.add(r);
            ASSERT_LE(r.size(), 3u);
          }
          EXPECT_TRUE(seen.each_once());
          EXPECT_TRUE(d.claim(c, 1).empty());
          d.exhaust();
          EXPECT_FALSE(d.dropped());
        });
      }
    }
  }
}

TEST(Distributors, TakeTheLargestLoopAndTheLargestRequest) {
  const layout where = machine_of(20);
  for (const std::string& words : schedules()) {
    with(words, std::uint64_t{1} << 62, where, [&](auto& d) {
      std::vector<decltype(d.cursor_of(0))> at;
      for (unsigned t = 0; t < 20; ++t) at.push_back(d.cursor_of(t));
      std::vector<range> got;
      for (unsigned round = 0; round < 3; ++round) {
        for (auto& c : at) {
          got.push_back(d.claim(c, ~std::uint64_t{0}));
          EXPECT_GE(got.back().size(), std::uint64_t{1} << 40);
          EXPECT_LE(d.near(c), std::uint64_t{1} << 63);
        }
      }
      std::sort(got.begin(), got.end(), [](const range& a, const range& b) { return a.first < b.first; });
      for (std::size_t i = 1; i < got.size(); ++i) ASSERT_LE(got[i - 1].last, got[i].first);
      for (auto& c : at) d.leave(c);
    });
  }
}

TEST(Distributors, GiveNoMoreThanTheLastClaimAskedFor) {
  const layout where = machine_of(8);
  for (const std::string& words : schedules()) {
    constexpr std::uint64_t n = 5000;
    with(words, n, where, [&](auto& d) {
      std::mt19937 random(7);
      std::vector<decltype(d.cursor_of(0))> at;
      for (unsigned t = 0; t < 8; ++t) at.push_back(d.cursor_of(t));
      tally seen(n);
      std::vector<bool> out(8);
      while (std::count(out.begin(), out.end(), true) < 8) {
        const unsigned t = random() % 8;
        const std::uint64_t k = 1 + random() % (random() % 4 == 0 ? 100 : 5);
        const range r = d.claim(at[t], k);
        ASSERT_LE(r.size(), k);
        if (r.empty()) out[t] = true;
        ASSERT_FALSE(out[t] && !r.empty());
        seen.add(r);
      }
      EXPECT_TRUE(seen.each_once());
    });
  }
}

TEST(Distributors, SayAboutHowMuchIsLeftNearby) {
  const layout where = machine_of(48);
  for (const std::string& words : schedules()) {
    constexpr std::uint64_t n = 48'000;
    with(words, n, where, [&](auto& d) {
      auto c = d.cursor_of(3);
      EXPECT_GE(d.near(c), 1000u);
      EXPECT_LE(d.near(c), 2 * 1000u);
      std::uint64_t done = 0;
      for (range r = d.claim(c, 10); !r.empty(); r = d.claim(c, 10)) {
        done += r.size();
        // At most what is left in the stripe that it has come to.
        EXPECT_LE(d.near(c), 2 * (n - done) + 10);
      }
    });
  }
}

TEST(Distributors, ConcurrentThreadsShareEveryIterationExactlyOnce) {
  constexpr std::uint64_t n = 20'000;
  constexpr unsigned threads = 5;
  // Two cores of two, and one alone.
  std::vector<seat> seats{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 1, 0, 0, 0}, {2, 2, 1, 1, 1}};
  const layout where(seats);
  for (const std::string& words : schedules()) {
    with(words, n, where, [&](auto& d) {
      std::vector<std::vector<range>> got(threads);
      {
        std::vector<std::jthread> team;
        for (unsigned t = 0; t < threads; ++t) {
          team.emplace_back([&, t] {
            // Thread 3 never comes, thread 1 comes and goes.
            if (t == 3) return;
            auto c = d.cursor_of(t);
            for (range r = d.claim(c, 1 + t); !r.empty(); r = d.claim(c, 1 + t)) {
              got[t].push_back(r);
              if (t != 1 || got[t].size() % 50 != 0) continue;
              while (!(r = d.claim(c, 1)).empty()) got[t].push_back(r);
              c = d.cursor_of(t);
            }
          });
        }
      }
      tally seen(n);
      for (const auto& ranges : got) {
        for (const range& r : ranges) seen.add(r);
      }
      EXPECT_TRUE(seen.each_once());
      EXPECT_FALSE(d.dropped());
    });
  }
}

TEST(Distributors, WhatIsHandedOutWhenALoopIsExhaustedIsAllThatIs) {
  constexpr std::uint64_t n = 50'000;
  constexpr unsigned threads = 4;
  const layout where = machine_of(threads);
  for (const std::string& words : schedules()) {
    with(words, n, where, [&](auto& d) {
      std::vector<std::vector<range>> got(threads);
      {
        std::vector<std::jthread> team;
        for (unsigned t = 0; t < threads; ++t) {
          team.emplace_back([&, t] {
            auto c = d.cursor_of(t);
            for (range r = d.claim(c, 2); !r.empty(); r = d.claim(c, 2)) {
              got[t].push_back(r);
              if (t == 0 && got[t].size() == 300) {
                d.exhaust();
                d.leave(c);
                return;
              }
            }
          });
        }
      }
      tally seen(n);
      for (const auto& ranges : got) {
        for (const range& r : ranges) seen.add(r);
      }
      EXPECT_TRUE(seen.none_twice());
      EXPECT_EQ(d.dropped(), seen.size() != n);
    });
  }
}

/// The upstream of the combiner that was made last: hands out at most `most` at a time, and remembers what was
/// requested.
struct upstream_double {
  struct cursor {};
  upstream_double(std::uint64_t, const layout&, std::span<const stage>) { last = this; }
  cursor cursor_of(level, unsigned) const { return {}; }
  std::uint64_t near(const cursor&) const { return 1000; }
  range claim(cursor&, std::uint64_t k) {
    requests.push_back(k);
    const std::uint64_t size = std::min(k, most);
    next += size;
    return {next - size, next};
  }
  void exhaust() {}
  bool dropped() const { return false; }

  std::uint64_t next = 0;
  std::uint64_t most = ~std::uint64_t{0};
  std::vector<std::uint64_t> requests;
  static inline upstream_double* last = nullptr;
};

/// A combiner for four threads of one core.
struct combining {
  explicit combining(const std::string& words) : how(of(words)), combiner(1000, where, how.stages()) {}

  layout where{std::vector<seat>(4)};
  schedule how;
  distributor::combiner<native, upstream_double> combiner;
  upstream_double& upstream = *upstream_double::last;
};

TEST(Combiner, SynchronousRequestsOfOneThreadAreItsOwn) {
  combining it("combine(core)/counter");
  auto a = it.combiner.cursor_of(0);
  auto b = it.combiner.cursor_of(1);
  EXPECT_EQ(it.combiner.claim(a, 4).size(), 4u);
  EXPECT_EQ(it.combiner.claim(b, 5).size(), 5u);
  EXPECT_EQ(it.upstream.requests, (std::vector<std::uint64_t>{4, 5}));
}

TEST(Combiner, AnAsynchronousRequestIsAnsweredByTheNextThread) {
  for (const char* words : {"combine(core,async)/counter", "combine(socket,async)/counter"}) {
    combining it(words);
    auto a = it.combiner.cursor_of(0);
    auto b = it.combiner.cursor_of(1);
    auto c = it.combiner.cursor_of(3);
    EXPECT_EQ(it.combiner.claim(a, 4).size(), 4u);
    EXPECT_EQ(it.combiner.claim(b, 5).first, 4u);   // with 4 for thread 0
    EXPECT_EQ(it.combiner.claim(c, 6).first, 13u);  // with 5 for thread 1
    const auto& requests = it.upstream.requests;
    EXPECT_EQ(requests, (std::vector<std::uint64_t>{4, 9, 11}));
    EXPECT_EQ(it.combiner.claim(a, 4).first, 9u);
    EXPECT_EQ(it.combiner.claim(b, 5).first, 19u);
    EXPECT_EQ(requests.size(), 3u);
    EXPECT_EQ(it.combiner.claim(b, 7).size(), 7u);  // with 4 for thread 0 and 6 for thread 3
    EXPECT_EQ(requests.back(), 17u);
  }
}

TEST(Combiner, ClaimsAgainWhereTheSupplyFallsShort) {
  combining it("combine(core,async)/counter");
  auto a = it.combiner.cursor_of(0);
  auto b = it.combiner.cursor_of(1);
  auto c = it.combiner.cursor_of(2);
  static_cast<void>(it.combiner.claim(a, 4));
  static_cast<void>(it.combiner.claim(b, 4));
  it.upstream.requests.clear();
  it.upstream.most = 3;
  // Of 8 requested 3 come, for the thread that claims; then again for thread 1. Thread 0 has its batch from before.
  EXPECT_EQ(it.combiner.claim(c, 4).first, 12u);
  EXPECT_EQ(it.upstream.requests, (std::vector<std::uint64_t>{8, 4}));
  EXPECT_EQ(it.combiner.claim(b, 4).size(), 3u);
  EXPECT_EQ(it.combiner.claim(a, 4).first, 8u);
  EXPECT_EQ(it.upstream.requests.size(), 2u);
}

TEST(Combiner, AMemberThatLeavesIsGivenNothing) {
  combining it("combine(core,async)/counter");
  auto a = it.combiner.cursor_of(0);
  auto b = it.combiner.cursor_of(1);
  static_cast<void>(it.combiner.claim(a, 4));
  it.combiner.leave(a);
  EXPECT_TRUE(it.combiner.claim(a, 4).empty());
  static_cast<void>(it.combiner.claim(b, 4));
  EXPECT_EQ(it.upstream.requests, (std::vector<std::uint64_t>{4, 4}));
  EXPECT_FALSE(it.combiner.dropped());
  // It comes back.
  a = it.combiner.cursor_of(0);
  EXPECT_EQ(it.combiner.claim(a, 3).size(), 3u);
  EXPECT_EQ(it.upstream.requests.back(), 7u);
}

TEST(Combiner, WhatAMemberThatLeavesWasGivenIsDropped) {
  combining it("combine(core,async)/counter");
  auto a = it.combiner.cursor_of(0);
  auto b = it.combiner.cursor_of(1);
  static_cast<void>(it.combiner.claim(a, 4));
  static_cast<void>(it.combiner.claim(b, 4));
  it.combiner.leave(a);
  EXPECT_TRUE(it.combiner.dropped());
}

TEST(Combiner, AnAnswerLargerThanTheNextClaimLastsForSeveral) {
  combining it("combine(core,async)/counter");
  auto a = it.combiner.cursor_of(0);
  auto b = it.combiner.cursor_of(1);
  static_cast<void>(it.combiner.claim(a, 10));
  static_cast<void>(it.combiner.claim(b, 1));  // with 10 for thread 0
  EXPECT_EQ(it.combiner.claim(a, 4).size(), 4u);
  EXPECT_EQ(it.combiner.claim(a, 4).size(), 4u);
  EXPECT_GE(it.combiner.near(a), 1002u);
  EXPECT_EQ(it.combiner.claim(a, 4).size(), 2u);
  auto c = it.combiner.cursor_of(2);
  static_cast<void>(it.combiner.claim(c, 2));
  EXPECT_EQ(it.combiner.claim(a, 3).size(), 3u);
  it.combiner.leave(a);
  EXPECT_TRUE(it.combiner.dropped());
}

}  // namespace
}  // namespace callisto::distributor
