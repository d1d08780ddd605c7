// Classical concurrent algorithms with a classical mistake each, which the checker must reject. Beside each stands the
// right version, in which the checker must find nothing. x86 hides most of these mistakes.
#include <callisto/machine/checked/machine.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>

namespace {

using namespace callisto::machine;
using checking::explore;
using checking::fence;
using checking::fence_order;
using checking::kind;
using checking::options;
using checking::require;
using checking::strategy;

constexpr order relaxed = order::relaxed;
constexpr order acquire = order::acquire;
constexpr order release = order::release;
constexpr order acq_rel = order::acq_rel;

template <class T>
using atomic = checked::atomic<T>;
template <class T>
using plain = checked::plain<T>;

options limited() {
  options o;
  o.max_steps = 200;
  o.max_seconds = 20;
  return o;
}

/// Requires that the broken version fails in one of these ways, whether explored exhaustively, with few preemptions, or
/// at random, and that the failure replays. The right version must have no failing execution.
template <template <bool> class Algorithm>
void rejects_the_broken(const std::set<kind>& ways) {
  for (const auto how : {strategy::exhaustive, strategy::preemptions, strategy::pct, strategy::random}) {
    options o = limited();
    o.how = how;
    o.bound = 3;
    o.max_executions = 200'000;
    const auto broken = explore<Algorithm<false>>(o);
    ASSERT_TRUE(broken.failure) << "strategy " << static_cast<int>(how) << ", " << broken.executions;
    EXPECT_TRUE(ways.contains(broken.failure->what)) << broken.failure->trace;
    o.how = strategy::replay;
    o.replay = broken.failure->replay;
    const auto again = explore<Algorithm<false>>(o);
    ASSERT_TRUE(again.failure);
    EXPECT_EQ(again.failure->message, broken.failure->message);
    EXPECT_EQ(again.failure->trace, broken.failure->trace);
  }
  const auto right = explore<Algorithm<true>>(limited());
  EXPECT_FALSE(right.failure) << right.failure->trace;
  EXPECT_TRUE(right.exhausted);
}

// --- mutual exclusion

/// Dekker's entry: each thread announces itself and looks for the other. Without a sequentially consistent fence both
/// may miss the other's announcement.
template <bool Right>
struct dekker {
  static constexpr unsigned threads = 2;
  std::array<atomic<int>, 2> wants{};
  plain<int> inside{0};
  void run(unsigned t) {
    wants[t].store(1, release);
    if (Right) fence(fence_order::seq_cst);
    if (wants[1 - t].load(acquire) == 0) inside += 1;
  }
};

/// Peterson's entry without waiting: a thread that would have to wait gives up. Right with an exchange in the place of
/// the store to `turn`: the later of the two sees the other's `wants`.
template <bool Right>
struct peterson {
  static constexpr unsigned threads = 2;
  std::array<atomic<int>, 2> wants{};
  atomic<unsigned> turn{0};
  plain<int> inside{0};
  void run(unsigned t) {
    wants[t].store(1, relaxed);
    if (Right) {
      turn.exchange(1 - t, acq_rel);
    } else {
      fence(fence_order::acq_rel);
      turn.store(1 - t, release);
      fence(fence_order::acq_rel);
    }
    if (wants[1 - t].load(acquire) == 0 || turn.load(acquire) == t) inside += 1;
    wants[t].store(0, release);
  }
};

TEST(Classic, Dekker) { rejects_the_broken<dekker>({kind::data_race}); }

TEST(Classic, Peterson) { rejects_the_broken<peterson>({kind::data_race, kind::racing_stores}); }

TEST(Classic, PetersonsRaceIsFoundBehindItsRacingStores) {
  options o = limited();
  o.allow_racing_stores = true;
  const auto found = explore<peterson<false>>(o);
  ASSERT_TRUE(found.failure);
  EXPECT_EQ(found.failure->what, kind::data_race);
}

/// A lock that is taken by a load and a store.
template <bool Right>
struct naive_lock {
  static constexpr unsigned threads = 2;
  atomic<int> held{0};
  plain<int> inside{0};
  void run(unsigned) {
    for (;;) {
      while (checked::wait_while(held, [](int h) { return h != 0; }, patience::brief) != 0) {
      }
      if (!Right) {
        held.store(1, relaxed);
        break;
      }
      if (held.exchange(1, acquire) == 0) break;
    }
    inside += 1;
    held.store(0, release);
  }
};

TEST(Classic, NaiveSpinLock) { rejects_the_broken<naive_lock>({kind::data_race, kind::racing_stores}); }

/// A ticket lock with a holder that does not release.
template <bool Right>
struct ticket_lock {
  static constexpr unsigned threads = 3;
  static constexpr unsigned first_alike = 0;
  atomic<unsigned> next{0};
  atomic<unsigned> served{0};
  plain<int> inside{0};
  void run(unsigned) {
    const unsigned mine = next.fetch_add(1, relaxed);
    while (checked::wait_while(served, [mine](unsigned s) { return s != mine; }, patience::brief) != mine) {
    }
    inside += 1;
    served.store(mine + 1, Right ? release : relaxed);
  }
};

TEST(Classic, TicketLock) { rejects_the_broken<ticket_lock>({kind::data_race}); }

/// Two locks, taken in opposite orders.
template <bool Right>
struct two_locks {
  static constexpr unsigned threads = 2;
  callisto::waiting::spin_lock<checked> a, b;
  plain<int> inside{0};
  void run(unsigned t) {
    auto& first = Right || t == 0 ? a : b;
    auto& second = Right || t == 0 ? b : a;
    const std::scoped_lock one(first);
    const std::scoped_lock two(second);
    inside += 1;
  }
};

TEST(Classic, LocksInOppositeOrders) { rejects_the_broken<two_locks>({kind::deadlock}); }

/// An MCS lock with a holder that leaves without waiting for a successor that has queued but not yet linked itself.
template <bool Right>
struct queue_lock {
  static constexpr unsigned threads = 2;
  struct node {
    atomic<unsigned> next{0};  // number of the successor + 1
    atomic<int> waits{1};
  };
  std::array<node, 2> nodes;
  atomic<unsigned> tail{0};
  plain<int> inside{0};
  void run(unsigned t) {
    node& mine = nodes[t];
    const unsigned before = tail.exchange(t + 1, acq_rel);
    if (before != 0) {
      nodes[before - 1].next.store(t + 1, release);
      while (checked::wait_while(mine.waits, [](int w) { return w != 0; }, patience::brief) != 0) {
      }
    }
    inside += 1;
    unsigned successor = mine.next.load(acquire);
    if (successor == 0) {
      unsigned expected = t + 1;
      bool was_last = tail.compare_exchange(expected, 0, release);
      while (!was_last && expected == t + 1) was_last = tail.compare_exchange(expected, 0, release);
      if (was_last) return;
      if (!Right) return;
      while (successor == 0) {
        successor = checked::wait_while(mine.next, [](unsigned n) { return n == 0; }, patience::brief);
      }
    }
    nodes[successor - 1].waits.store(0, release);
  }
};

TEST(Classic, QueueLock) { rejects_the_broken<queue_lock>({kind::deadlock}); }

// --- publication

/// Double-checked locking: a thread that sees the pointer must see what it points to.
template <bool Right>
struct double_checked {
  static constexpr unsigned threads = 2;
  callisto::waiting::spin_lock<checked> lock;
  atomic<plain<int>*> instance{nullptr};
  plain<int> room{0};
  void run(unsigned) {
    plain<int>* p = instance.load(Right ? acquire : relaxed);
    if (p == nullptr) {
      const std::scoped_lock held(lock);
      p = instance.load(relaxed);
      if (p == nullptr) {
        room = 42;
        p = &room;
        instance.store(p, Right ? release : relaxed);
      }
    }
    require(*p == 42, "the instance is complete");
  }
};

TEST(Classic, DoubleCheckedLocking) { rejects_the_broken<double_checked>({kind::data_race}); }

/// Boehm, "Can seqlocks get along with programming language memory models?", MSPC'12: the reader needs an acquire fence
/// before its second look, the writer a release fence after its first step.
template <bool Right>
struct sequence_lock {
  static constexpr unsigned threads = 2;
  atomic<unsigned> sequence{0};
  atomic<int> a{0}, b{0};
  void run(unsigned t) {
    if (t == 0) {
      sequence.store(1, relaxed);
      fence(fence_order::release);
      a.store(1, relaxed);
      b.store(1, relaxed);
      sequence.store(2, release);
    } else {
      const unsigned before = sequence.load(acquire);
      const int x = a.load(relaxed);
      const int y = b.load(relaxed);
      if (Right) fence(fence_order::acquire);
      if (sequence.load(relaxed) == before && before % 2 == 0) require(x == y, "a reader sees a consistent pair");
    }
  }
};

TEST(Classic, SequenceLock) { rejects_the_broken<sequence_lock>({kind::assertion}); }

/// A ring for one producer and one consumer. The consumer must release what it has read before the producer writes it
/// again; on x86 that comes for free.
template <bool Right>
struct ring {
  static constexpr unsigned threads = 2;
  static constexpr unsigned items = 3;
  std::array<plain<unsigned>, 2> slots{};
  atomic<unsigned> head{0}, tail{0};
  void run(unsigned t) {
    for (unsigned i = 0; i < items; ++i) {
      if (t == 0) {
        while (i - checked::wait_while(head, [i](unsigned h) { return i - h == 2; }, patience::brief) == 2) {
        }
        slots[i % 2] = i + 1;
        tail.store(i + 1, release);
      } else {
        while (checked::wait_while(tail, [i](unsigned e) { return e == i; }, patience::brief) == i) {
        }
        require(slots[i % 2] == i + 1, "items come in order");
        head.store(i + 1, Right ? release : relaxed);
      }
    }
  }
};

TEST(Classic, Ring) { rejects_the_broken<ring>({kind::data_race}); }

// --- lifetime

/// A shared object that its last user destroys; the decrement must acquire and release.
template <bool Right>
struct reference_count {
  static constexpr unsigned threads = 2;
  atomic<int> users{2};
  alignas(plain<int>) std::array<std::byte, sizeof(plain<int>)> room;
  plain<int>* object = ::new (static_cast<void*>(room.data())) plain<int>(1);
  void run(unsigned) {
    require(*object == 1, "the object lives while it is used");
    if (users.fetch_sub(1, Right ? acq_rel : relaxed) == 1) std::destroy_at(object);
  }
};

TEST(Classic, ReferenceCount) { rejects_the_broken<reference_count>({kind::use_after_lifetime, kind::data_race}); }

/// A thread hands a variable of its own to another, and must not end the variable before the other has used it.
template <bool Right>
struct lent_variable {
  static constexpr unsigned threads = 2;
  std::optional<atomic<int>> variable;
  atomic<atomic<int>*> lent{nullptr};
  void run(unsigned t) {
    if (t == 0) {
      variable.emplace(0);
      lent.store(&*variable, release);
      while (Right && checked::wait_while(*variable, [](int v) { return v == 0; }, patience::brief) == 0) {
      }
      variable.reset();
    } else {
      const auto nothing = [](const atomic<int>* p) { return p == nullptr; };
      atomic<int>* theirs = nullptr;
      while (theirs == nullptr) theirs = checked::wait_while(lent, nothing, patience::brief);
      theirs->store(1, release);
    }
  }
};

TEST(Classic, LentVariable) { rejects_the_broken<lent_variable>({kind::use_after_lifetime}); }

/// Treiber's stack of numbered nodes. Without a counter at its head, a node that was taken off and put back in between
/// lets a stale exchange succeed (ABA).
template <bool Right>
struct treiber {
  static constexpr unsigned threads = 2;
  static constexpr std::uint64_t count_one = 1 << 8;
  atomic<std::uint64_t> head{1};
  std::array<atomic<std::uint64_t>, 3> next;  // of nodes 1 and 2
  std::array<plain<int>, 3> owned{};
  treiber() { next[1].store(2, relaxed); }

  static std::uint64_t after(std::uint64_t old, std::uint64_t node) {
    return Right ? ((old & ~(count_one - 1)) + count_one) | node : node;
  }
  unsigned pop() {
    std::uint64_t old = head.load(acquire);
    for (;;) {
      const auto node = static_cast<unsigned>(old % count_one);
      if (node == 0) return 0;
      const std::uint64_t second = next[node].load(relaxed);
      if (head.compare_exchange(old, after(old, second), acq_rel)) {
        owned[node] += 1;
        require(owned[node] == 1, "a node has one owner");
        return node;
      }
      fence(fence_order::acquire);  // the value that the failed exchange found is used
    }
  }
  void push(unsigned node) {
    owned[node] -= 1;
    std::uint64_t old = head.load(relaxed);
    do {
      next[node].store(old % count_one, relaxed);
    } while (!head.compare_exchange(old, after(old, node), acq_rel));
  }
  void run(unsigned t) {
    const unsigned first = pop();
    pop();
    if (t == 1 && first != 0) push(first);
  }
};

TEST(Classic, TreiberStack) { rejects_the_broken<treiber>({kind::assertion, kind::data_race}); }

// --- waiting

/// A thread that decides to sleep, and sleeps on a word that says nothing about what it waits for.
template <bool Right>
struct sleeper {
  static constexpr unsigned threads = 2;
  atomic<std::uint64_t> ready{0}, bell{0};
  void run(unsigned t) {
    auto& word = Right ? ready : bell;
    if (t == 0) {
      while (ready.load(acquire) == 0) checked::park(word, 0);
    } else {
      ready.fetch_add(1, release);
      checked::unpark(word, 1);
    }
  }
};

/// Two sleepers and one call that wakes one.
template <bool Right>
struct two_sleepers {
  static constexpr unsigned threads = 3;
  static constexpr unsigned first_alike = 1;
  atomic<std::uint64_t> ready{0};
  void run(unsigned t) {
    if (t == 0) {
      ready.fetch_add(1, release);
      checked::unpark(ready, Right ? 2 : 1);
    } else {
      while (ready.load(acquire) == 0) checked::park(ready, 0);
    }
  }
};

TEST(Classic, LostWakeUp) { rejects_the_broken<sleeper>({kind::deadlock}); }

TEST(Classic, OneCallForTwoSleepers) { rejects_the_broken<two_sleepers>({kind::deadlock}); }

/// A barrier used twice. Broken: the last thread to arrive lets the others go before it has reset the count.
template <bool Right>
struct barrier {
  static constexpr unsigned threads = 2;
  atomic<unsigned> arrived{0}, phase{0};
  std::array<plain<int>, 2> cells{};
  void await(unsigned now) {
    if (arrived.fetch_add(1, acq_rel) + 1 == threads) {
      if (Right) arrived.store(0, relaxed);
      phase.store(now + 1, release);
      if (!Right) arrived.store(0, relaxed);
    } else {
      while (checked::wait_while(phase, [now](unsigned p) { return p == now; }, patience::brief) == now) {
      }
    }
  }
  void run(unsigned t) {
    cells[t] = 1;
    await(0);
    require(cells[1 - t] == 1, "what came before the barrier is visible after it");
    await(1);
    cells[1 - t] = 2;
  }
};

TEST(Classic, Barrier) { rejects_the_broken<barrier>({kind::deadlock}); }

/// A counter by load and store.
template <bool Right>
struct counter {
  static constexpr unsigned threads = 2;
  atomic<int> value{0};
  void run(unsigned) {
    if (Right) {
      value.fetch_add(1, relaxed);
    } else {
      value.store(value.load(relaxed) + 1, relaxed);
    }
  }
  void finish() { require(value.load(relaxed) == 2, "every addition counts"); }
};

TEST(Classic, CounterByLoadAndStore) { rejects_the_broken<counter>({kind::assertion}); }

/// Two threads that step aside for each other, for ever if they keep pace.
struct polite {
  static constexpr unsigned threads = 2;
  std::array<atomic<int>, 2> wants{};
  void run(unsigned t) {
    for (;;) {
      wants[t].exchange(1, acq_rel);
      if (wants[1 - t].fetch_add(0, acq_rel) == 0) break;
      wants[t].exchange(0, acq_rel);
    }
    wants[t].exchange(0, acq_rel);
  }
};

TEST(Classic, AfterYou) {
  options o = limited();
  o.how = strategy::random;
  o.max_steps = 12;
  o.max_executions = 10'000;
  const auto found = explore<polite>(o);
  ASSERT_TRUE(found.failure);
  EXPECT_EQ(found.failure->what, kind::livelock);
}

}  // namespace
