// The memory model of the checked machine: litmus tests with the exact sets of outcomes of C++20.
//
// If a set is not C++20's, the test says so. There are two such places:
//   LB     C++20 allows loads that read later stores; here no value comes from the future.
//   2+2W   C++20 allows modification orders that contradict every order of execution; here they are the order of
//          execution. Instead, unordered stores of different values are failures unless a test allows them.
//
// Nothing is over-approximated: each outcome that the checker shows is one of C++20.
//
// Every test runs twice: with partial-order reduction, and without it as an exploration of unboundedly many
// preemptions.
#include "../sanitizers.hpp"

#include <callisto/machine/checked/machine.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace callisto::machine;
using checking::explore;
using checking::fence_order;
using checking::options;
using checking::strategy;

constexpr order relaxed = order::relaxed;
constexpr order acquire = order::acquire;
constexpr order release = order::release;
constexpr order acq_rel = order::acq_rel;

using word = checked::atomic<int>;
using outcomes = std::set<std::vector<int>>;

outcomes* seen = nullptr;

/// Collects what the threads of a test read, and the end of each execution.
struct litmus {
  int r1 = 0, r2 = 0, r3 = 0, r4 = 0;
  static void outcome(std::vector<int> values) { seen->insert(std::move(values)); }
};

template <class Test>
outcomes outcomes_of(options how = {}) {
  outcomes reduced;
  seen = &reduced;
  how.how = strategy::exhaustive;
  const auto first = explore<Test>(how);
  EXPECT_TRUE(first.exhausted) << (first.failure ? first.failure->trace : "");
  outcomes whole;
  seen = &whole;
  how.how = strategy::preemptions;
  how.bound = 1000;
  const auto second = explore<Test>(how);
  EXPECT_TRUE(second.exhausted) << (second.failure ? second.failure->trace : "");
  EXPECT_EQ(reduced, whole);
  EXPECT_LE(first.executions, second.executions);
  // Random draws find the same outcomes; sanitizers make that many executions slow.
#if !defined(CALLISTO_UNDER_SANITIZER)
  outcomes drawn;
  seen = &drawn;
  how.how = strategy::random;
  how.max_executions = 3000;
  explore<Test>(how);
  EXPECT_EQ(reduced, drawn);
#endif
  seen = nullptr;
  return reduced;
}

outcomes all_pairs() { return {{0, 0}, {0, 1}, {1, 0}, {1, 1}}; }
outcomes without(outcomes set, const std::vector<int>& one) {
  set.erase(one);
  return set;
}

// --- store buffering: may both threads miss the other's store?

enum class between { nothing, acq_rel_fence, sc_fence, light, heavy };

void put(between b) {
  if (b == between::acq_rel_fence) checking::fence(fence_order::acq_rel);
  if (b == between::sc_fence) checking::fence(fence_order::seq_cst);
  if (b == between::light) checked::light_fence();
  if (b == between::heavy) checked::heavy_fence();
}

template <order Store, order Load, between First, between Second>
struct store_buffering : litmus {
  static constexpr unsigned threads = 2;
  word x{0}, y{0};
  void run(unsigned t) {
    if (t == 0) {
      x.store(1, Store);
      put(First);
      r1 = y.load(Load);
    } else {
      y.store(1, Store);
      put(Second);
      r2 = x.load(Load);
    }
  }
  void finish() { outcome({r1, r2}); }
};

TEST(Litmus, StoreBuffering) {
  constexpr auto none = between::nothing;
  constexpr auto sc = between::sc_fence;
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, none, none>>()), all_pairs());
  EXPECT_EQ((outcomes_of<store_buffering<release, acquire, none, none>>()), all_pairs());
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, sc, none>>()), all_pairs());
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, between::acq_rel_fence, between::acq_rel_fence>>()),
            all_pairs());
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, sc, sc>>()), without(all_pairs(), {0, 0}));
}

TEST(Litmus, SequentialConsistencyIsAnOption) {
  options how;
  how.stale = 0;
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, between::nothing, between::nothing>>(how)),
            without(all_pairs(), {0, 0}));
}

// Read-modify-writes are no fences, but a chain of them on each side is enough.
template <bool ReadByModify>
struct store_buffering_by_exchange : litmus {
  static constexpr unsigned threads = 2;
  word x{0}, y{0};
  static int look(word& w) { return ReadByModify ? w.fetch_add(0, acq_rel) : w.load(acquire); }
  void run(unsigned t) {
    if (t == 0) {
      x.exchange(1, acq_rel);
      r1 = look(y);
    } else {
      y.exchange(1, acq_rel);
      r2 = look(x);
    }
  }
  void finish() { outcome({r1, r2}); }
};

TEST(Litmus, StoreBufferingByExchange) {
  EXPECT_EQ(outcomes_of<store_buffering_by_exchange<false>>(), all_pairs());
  EXPECT_EQ(outcomes_of<store_buffering_by_exchange<true>>(), without(all_pairs(), {0, 0}));
}

// --- asymmetric fences (P1202): light ones count where they meet a heavy one

TEST(Litmus, StoreBufferingWithAsymmetricFences) {
  const outcomes ordered = without(all_pairs(), {0, 0});
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, between::light, between::heavy>>()), ordered);
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, between::heavy, between::heavy>>()), ordered);
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, between::sc_fence, between::heavy>>()), ordered);
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, between::light, between::light>>()), all_pairs());
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, between::light, between::sc_fence>>()), all_pairs());
  // On a real machine membarrier alone is enough; but without a light fence the compiler may put the load first.
  EXPECT_EQ((outcomes_of<store_buffering<relaxed, relaxed, between::nothing, between::heavy>>()), all_pairs());
}

/// Each round of one thread counts for itself, whichever round the heavy fence falls into.
struct rounds_of_light_fences : litmus {
  static constexpr unsigned threads = 2;
  word x{0}, y{0};
  void run(unsigned t) {
    if (t == 0) {
      x.store(1, relaxed);
      checked::light_fence();
      r1 = y.load(relaxed);
      x.store(2, relaxed);
      checked::light_fence();
      r2 = y.load(relaxed);
    } else {
      y.store(1, relaxed);
      checked::heavy_fence();
      r3 = x.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2, r3}); }
};

TEST(Litmus, RoundsOfLightFences) {
  // r1 = 0 needs x >= 1, r2 = 0 needs x = 2; a value that was read once is not missed later.
  EXPECT_EQ((outcomes_of<rounds_of_light_fences>()),
            (outcomes{{0, 0, 2}, {0, 1, 1}, {0, 1, 2}, {1, 1, 0}, {1, 1, 1}, {1, 1, 2}}));
}

/// Two stores before one light fence have no order by it: a relaxed flag says nothing of the datum.
struct before_one_light_fence : litmus {
  static constexpr unsigned threads = 2;
  word data{0}, flag{0};
  void run(unsigned t) {
    if (t == 0) {
      data.store(1, relaxed);
      flag.store(1, relaxed);
      checked::light_fence();
    } else {
      r1 = flag.load(relaxed);
      checked::heavy_fence();
      r2 = data.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2}); }
};

/// One store before the light fence and the flag after it.
struct after_one_light_fence : litmus {
  static constexpr unsigned threads = 2;
  word data{0}, flag{0};
  void run(unsigned t) {
    if (t == 0) {
      data.store(1, relaxed);
      checked::light_fence();
      flag.store(1, relaxed);
    } else {
      r1 = flag.load(relaxed);
      checked::heavy_fence();
      r2 = data.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2}); }
};

TEST(Litmus, MessagePassingWithAsymmetricFences) {
  EXPECT_EQ(outcomes_of<before_one_light_fence>(), all_pairs());
  EXPECT_EQ(outcomes_of<after_one_light_fence>(), without(all_pairs(), {1, 0}));
}

/// The heavy fence reaches the two other threads at different moments: thread 1, late, is still before it when it reads
/// x; thread 0, early, is behind it when it stores y.
struct moments_of_a_heavy_fence : litmus {
  static constexpr unsigned threads = 3;
  word x{0}, y{0}, z{0};
  void run(unsigned t) {
    if (t == 0) {
      y.store(1, relaxed);
      checked::light_fence();
      r1 = z.load(relaxed);
    } else if (t == 1) {
      z.store(1, relaxed);
      checked::light_fence();
      r2 = x.load(relaxed);
    } else {
      x.store(1, relaxed);
      checked::heavy_fence();
      r3 = y.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2, r3}); }
};

TEST(Litmus, AHeavyFenceReachesEachThreadAtAMomentOfItsOwn) {
  outcomes all;
  for (int i = 0; i < 8; ++i) all.insert({i & 1, i >> 1 & 1, i >> 2});
  EXPECT_EQ(outcomes_of<moments_of_a_heavy_fence>(), all);
}

// --- message passing: once the flag is seen, is the datum?

template <order Store, order Load, bool ReleaseFence, bool AcquireFence>
struct message_passing : litmus {
  static constexpr unsigned threads = 2;
  word data{0}, flag{0};
  void run(unsigned t) {
    if (t == 0) {
      data.store(1, relaxed);
      if (ReleaseFence) checking::fence(fence_order::release);
      flag.store(1, Store);
    } else {
      r1 = flag.load(Load);
      if (AcquireFence) checking::fence(fence_order::acquire);
      r2 = data.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2}); }
};

TEST(Litmus, MessagePassing) {
  const outcomes ordered = without(all_pairs(), {1, 0});
  EXPECT_EQ((outcomes_of<message_passing<relaxed, relaxed, false, false>>()), all_pairs());
  EXPECT_EQ((outcomes_of<message_passing<release, relaxed, false, false>>()), all_pairs());
  EXPECT_EQ((outcomes_of<message_passing<relaxed, acquire, false, false>>()), all_pairs());
  EXPECT_EQ((outcomes_of<message_passing<release, acquire, false, false>>()), ordered);
  EXPECT_EQ((outcomes_of<message_passing<relaxed, relaxed, true, false>>()), all_pairs());
  EXPECT_EQ((outcomes_of<message_passing<relaxed, relaxed, false, true>>()), all_pairs());
  EXPECT_EQ((outcomes_of<message_passing<relaxed, relaxed, true, true>>()), ordered);
  EXPECT_EQ((outcomes_of<message_passing<release, relaxed, false, true>>()), ordered);
  EXPECT_EQ((outcomes_of<message_passing<relaxed, acquire, true, false>>()), ordered);
}

// --- load buffering

template <order Store, order Load>
struct load_buffering : litmus {
  static constexpr unsigned threads = 2;
  word x{0}, y{0};
  void run(unsigned t) {
    if (t == 0) {
      r1 = y.load(Load);
      x.store(1, Store);
    } else {
      r2 = x.load(Load);
      y.store(1, Store);
    }
  }
  void finish() { outcome({r1, r2}); }
};

TEST(Litmus, LoadBuffering) {
  EXPECT_EQ((outcomes_of<load_buffering<release, acquire>>()), without(all_pairs(), {1, 1}));
  // Under-approximated: C++20 allows {1, 1} here.
  EXPECT_EQ((outcomes_of<load_buffering<relaxed, relaxed>>()), without(all_pairs(), {1, 1}));
}

// --- independent reads of independent writes: do two readers agree on the order of two stores?

template <order Store, order Load, between Reads>
struct independent_reads : litmus {
  static constexpr unsigned threads = 4;
  word x{0}, y{0};
  void run(unsigned t) {
    if (t == 0) {
      x.store(1, Store);
    } else if (t == 1) {
      y.store(1, Store);
    } else if (t == 2) {
      r1 = x.load(Load);
      put(Reads);
      r2 = y.load(Load);
    } else {
      r3 = y.load(Load);
      put(Reads);
      r4 = x.load(Load);
    }
  }
  void finish() { outcome({r1, r2, r3, r4}); }
};

outcomes all_fours() {
  outcomes all;
  for (int i = 0; i < 16; ++i) all.insert({i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3});
  return all;
}

TEST(Litmus, IndependentReadsOfIndependentWrites) {
  EXPECT_EQ((outcomes_of<independent_reads<relaxed, relaxed, between::nothing>>()), all_fours());
  EXPECT_EQ((outcomes_of<independent_reads<release, acquire, between::nothing>>()), all_fours());
  EXPECT_EQ((outcomes_of<independent_reads<relaxed, relaxed, between::sc_fence>>()),
            without(all_fours(), {1, 0, 1, 0}));
}

// --- write to read causality

template <order Store, order Load>
struct causality : litmus {
  static constexpr unsigned threads = 3;
  word x{0}, y{0};
  void run(unsigned t) {
    if (t == 0) {
      x.store(1, relaxed);
    } else if (t == 1) {
      r1 = x.load(relaxed);
      y.store(1, Store);
    } else {
      r2 = y.load(Load);
      r3 = x.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2, r3}); }
};

TEST(Litmus, WriteToReadCausality) {
  outcomes all;
  for (int i = 0; i < 8; ++i) all.insert({i & 1, i >> 1 & 1, i >> 2});
  EXPECT_EQ((outcomes_of<causality<relaxed, relaxed>>()), all);
  // Coherence travels with happens-before.
  EXPECT_EQ((outcomes_of<causality<release, acquire>>()), without(all, {1, 1, 0}));
}

// --- coherence, with relaxed accesses

struct read_read : litmus {
  static constexpr unsigned threads = 2;
  word x{0};
  void run(unsigned t) {
    if (t == 0) {
      x.store(1, relaxed);
      x.store(2, relaxed);
    } else {
      r1 = x.load(relaxed);
      r2 = x.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2, x.load(relaxed)}); }
};

struct two_readers : litmus {
  static constexpr unsigned threads = 4;
  word x{0};
  void run(unsigned t) {
    if (t < 2) {
      x.store(static_cast<int>(t) + 1, relaxed);
    } else if (t == 2) {
      r1 = x.load(relaxed);
      r2 = x.load(relaxed);
    } else {
      r3 = x.load(relaxed);
      r4 = x.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2, r3, r4}); }
};

struct write_read : litmus {
  static constexpr unsigned threads = 2;
  word x{0};
  void run(unsigned t) {
    x.store(static_cast<int>(t) + 1, relaxed);
    if (t == 0) r1 = x.load(relaxed);
  }
  void finish() { outcome({r1, x.load(relaxed)}); }
};

struct read_write : litmus {
  static constexpr unsigned threads = 2;
  word x{0};
  void run(unsigned t) {
    if (t == 0) r1 = x.load(relaxed);
    x.store(static_cast<int>(t) + 1, relaxed);
  }
  void finish() { outcome({r1, x.load(relaxed)}); }
};

TEST(Litmus, Coherence) {
  EXPECT_EQ(outcomes_of<read_read>(), (outcomes{{0, 0, 2}, {0, 1, 2}, {0, 2, 2}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}}));
  options how;
  how.allow_racing_stores = true;
  // Two readers never see two stores in opposite orders.
  outcomes expected;
  for (const auto& order_of_stores : {std::vector{0, 1, 2}, std::vector{0, 2, 1}}) {
    for (int i = 0; i < 81; ++i) {
      const int a = i % 3, b = i / 3 % 3, c = i / 9 % 3, d = i / 27;
      if (a > b || c > d) continue;
      const auto at = [&](int k) { return order_of_stores[static_cast<unsigned>(k)]; };
      expected.insert({at(a), at(b), at(c), at(d)});
    }
  }
  EXPECT_EQ(outcomes_of<two_readers>(how), expected);
  // A thread never misses its own store, and none that it has read is overtaken by its own.
  EXPECT_EQ(outcomes_of<write_read>(how), (outcomes{{1, 1}, {1, 2}, {2, 2}}));
  EXPECT_EQ(outcomes_of<read_write>(how), (outcomes{{0, 1}, {0, 2}, {2, 1}}));
}

// --- release sequences

struct release_sequence : litmus {
  static constexpr unsigned threads = 3;
  word data{0}, flag{0};
  void run(unsigned t) {
    if (t == 0) {
      data.store(1, relaxed);
      flag.store(10, release);
    } else if (t == 1) {
      flag.fetch_add(1, relaxed);
    } else {
      r1 = flag.load(acquire);
      r2 = data.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2}); }
};

struct same_thread_store : litmus {
  static constexpr unsigned threads = 2;
  word data{0}, flag{0};
  void run(unsigned t) {
    if (t == 0) {
      data.store(1, relaxed);
      flag.store(1, release);
      flag.store(2, relaxed);
    } else {
      r1 = flag.load(acquire);
      r2 = data.load(relaxed);
    }
  }
  void finish() { outcome({r1, r2}); }
};

/// A read-modify-write that releases adds to what the store before it released.
struct two_releases : litmus {
  static constexpr unsigned threads = 3;
  word first{0}, second{0}, flag{0};
  void run(unsigned t) {
    if (t == 0) {
      first.store(1, relaxed);
      flag.fetch_add(1, release);
    } else if (t == 1) {
      second.store(1, relaxed);
      flag.fetch_add(10, release);
    } else {
      r1 = flag.load(acquire);
      r2 = first.load(relaxed);
      r3 = second.load(relaxed);
    }
  }
  void finish() {
    if (r1 == 11) outcome({r2, r3});
  }
};

TEST(Litmus, ReleaseSequence) {
  EXPECT_EQ(outcomes_of<two_releases>(), (outcomes{{1, 1}}));
  EXPECT_EQ(outcomes_of<release_sequence>(), (outcomes{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {10, 1}, {11, 1}}));
  // Since C++20 a later store of the same thread does not continue the sequence.
  EXPECT_EQ(outcomes_of<same_thread_store>(), (outcomes{{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}}));
}

// --- read-modify-writes are atomic, and failed exchanges are reads

struct two_additions : litmus {
  static constexpr unsigned threads = 2;
  word x{0};
  void run(unsigned t) { (t == 0 ? r1 : r2) = x.fetch_add(1, relaxed); }
  void finish() { outcome({r1, r2, x.load(relaxed)}); }
};

template <unsigned Other>
struct exchange_if : litmus {
  static constexpr unsigned threads = 2;
  word x{0};
  void run(unsigned t) {
    if (t == 1) {
      x.store(Other, relaxed);
      return;
    }
    int expected = 0;
    r1 = x.compare_exchange(expected, 5, relaxed) ? 1 : 0;
    r2 = expected;
  }
  void finish() { outcome({r1, r2, x.load(relaxed)}); }
};

/// A failed exchange is a load and may be stale.
struct stale_failure : litmus {
  static constexpr unsigned threads = 2;
  word x{0}, y{0};
  void run(unsigned t) {
    if (t == 1) {
      x.store(7, relaxed);
      y.store(1, relaxed);
      return;
    }
    r1 = y.load(relaxed);
    int expected = 7;
    r2 = x.compare_exchange(expected, 5, relaxed) ? 1 : 0;
    r3 = expected;
  }
  void finish() { outcome({r1, r2, r3}); }
};

TEST(Litmus, ReadModifyWrite) {
  EXPECT_EQ(outcomes_of<two_additions>(), (outcomes{{0, 1, 2}, {1, 0, 2}}));
  options how;
  how.spurious_failures = 0;
  EXPECT_EQ(outcomes_of<exchange_if<7>>(how), (outcomes{{1, 0, 7}, {0, 7, 7}}));
  EXPECT_EQ(outcomes_of<stale_failure>(how), (outcomes{{0, 1, 7}, {0, 0, 0}, {1, 1, 7}, {1, 0, 0}}));
  how.spurious_failures = 1;
  EXPECT_EQ(outcomes_of<exchange_if<7>>(how), (outcomes{{1, 0, 7}, {0, 7, 7}, {0, 0, 7}}));
}

// --- 2+2W

struct two_and_two_writes : litmus {
  static constexpr unsigned threads = 2;
  word x{0}, y{0};
  void run(unsigned t) {
    (t == 0 ? x : y).store(1, relaxed);
    (t == 0 ? y : x).store(2, relaxed);
  }
  void finish() { outcome({x.load(relaxed), y.load(relaxed)}); }
};

TEST(Litmus, TwoAndTwoWrites) {
  options how;
  how.allow_racing_stores = true;
  // Under-approximated: C++20 allows {1, 1} as well.
  EXPECT_EQ(outcomes_of<two_and_two_writes>(how), (outcomes{{2, 2}, {1, 2}, {2, 1}}));
  // That is why such stores are reported.
  outcomes ignored;
  seen = &ignored;
  const auto found = explore<two_and_two_writes>({});
  ASSERT_TRUE(found.failure);
  EXPECT_EQ(found.failure->what, checking::kind::racing_stores);
}

}  // namespace
