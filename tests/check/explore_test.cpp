// The checker itself, apart from its memory model: what it reports, reductions compared with none, bounds, replay,
// lower orders, suspended threads, waiting, lifetime.
#include "../sanitizers.hpp"

#include <callisto/machine/checked/machine.hpp>
#include <callisto/waiting/entry_gate.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using namespace callisto::machine;
using checking::explore;
using checking::kind;
using checking::options;
using checking::require;
using checking::strategy;

constexpr order relaxed = order::relaxed;
constexpr order acquire = order::acquire;
constexpr order release = order::release;

template <class T>
using atomic = checked::atomic<T>;
template <class T>
using plain = checked::plain<T>;

constexpr int drawn_programs = callisto::tests::sanitized ? 5 : 400;

options limited() {
  options o;
  o.max_steps = 300;
  o.max_seconds = 200;  // so that the test ends; 20 were not enough on a busy machine under AddressSanitizer
  return o;
}

/// A program that passes a value on; sound.
struct handover {
  static constexpr unsigned threads = 2;
  plain<int> data{0};
  atomic<int> flag{0};
  void run(unsigned t) {
    if (t == 0) {
      data = 1;
      flag.store(1, release);
    } else {
      while (checked::wait_while(flag, [](int f) { return f == 0; }, patience::brief) == 0) {
      }
      require(data == 1, "the datum has arrived");
    }
  }
};

TEST(Explore, FindsNothingInSoundCode) {
  const auto r = explore<handover>(limited());
  EXPECT_FALSE(r.failure);
  EXPECT_TRUE(r.exhausted);
  EXPECT_GT(r.completed, 1u);
  EXPECT_GE(r.executions, r.completed);
  EXPECT_GT(r.states, 1u);
  EXPECT_EQ(r.bounded, 0u);
}

TEST(Explore, ListsPlacesWithOperationAndOrder) {
  const auto r = explore<handover>(limited());
  ASSERT_EQ(r.sites.size(), 2u);
  EXPECT_EQ(r.sites[0].file, "tests/check/explore_test.cpp");
  EXPECT_EQ(r.sites[0].operation, "store");
  EXPECT_EQ(r.sites[0].stated, release);
  EXPECT_EQ(r.sites[1].operation, "wait_while");
  EXPECT_EQ(r.sites[1].stated, acquire);
  EXPECT_LT(r.sites[0].line, r.sites[1].line);
  EXPECT_GT(r.sites[0].column, 0u);
  EXPECT_GE(r.sites[0].count, r.completed);
}

TEST(Explore, LowersAnOrder) {
  for (const auto& s : explore<handover>(limited()).sites) {
    options o = limited();
    o.weaken = checking::site_weakening{s.file, s.line, s.column, s.operation, relaxed};
    const auto r = explore<handover>(o);
    ASSERT_TRUE(r.failure) << s.operation;
    EXPECT_EQ(r.failure->what, kind::data_race);
    EXPECT_NE(r.failure->trace.find(s.operation + " relaxed (weakened)"), std::string::npos) << r.failure->trace;
    o.how = strategy::replay;
    o.replay = r.failure->replay;
    EXPECT_TRUE(explore<handover>(o).failure);
    o.weaken.reset();
    o.weaken = checking::site_weakening{s.file, s.line + 1, s.column, s.operation, relaxed};
    o.how = strategy::exhaustive;
    EXPECT_FALSE(explore<handover>(o).failure);
  }
}

struct fenced {
  static constexpr unsigned threads = 2;
  std::array<atomic<int>, 2> wants{};
  std::array<int, 2> seen{};
  void run(unsigned t) {
    wants[t].store(1, relaxed);
    if (t == 0) {
      checked::light_fence();
    } else {
      checked::heavy_fence();
    }
    seen[t] = wants[1 - t].load(relaxed);
  }
  void finish() { checking::require(seen[0] + seen[1] > 0, "one sees the other"); }
};

TEST(Explore, LeavesAFenceOut) {
  const auto whole = explore<fenced>(limited());
  EXPECT_FALSE(whole.failure) << whole.failure->trace;
  unsigned fences = 0;
  for (const auto& s : whole.sites) {
    if (!s.operation.ends_with("_fence")) continue;
    ++fences;
    EXPECT_GE(s.count, whole.completed);
    for (const auto how : {checking::fence_weakening::left_out, checking::fence_weakening::light}) {
      options o = limited();
      o.weaken = checking::site_weakening{s.file, s.line, s.column, s.operation, relaxed, how};
      const auto r = explore<fenced>(o);
      ASSERT_TRUE(r.failure) << s.operation;
      EXPECT_EQ(r.failure->what, kind::assertion);
      const bool light = s.operation == "heavy_fence" && how == checking::fence_weakening::light;
      EXPECT_NE(r.failure->trace.find(light ? "(only a light one)" : "(left out)"), std::string::npos)
          << r.failure->trace;
      o.how = strategy::replay;
      o.replay = r.failure->replay;
      EXPECT_TRUE(explore<fenced>(o).failure);
    }
  }
  EXPECT_EQ(fences, 2u);
}

struct racing {
  static constexpr unsigned threads = 2;
  atomic<int> flag{0};
  plain<int> data{0};
  void run(unsigned t) {
    if (t == 1 && flag.load(relaxed) == 0) return;
    data = 7;
    flag.store(1, release);
  }
};

TEST(Explore, TellsAFailureStepByStep) {
  const auto r = explore<racing>(limited());
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->what, kind::data_race);
  const std::string& trace = r.failure->trace;
  EXPECT_NE(trace.find("thread 0  writes                   plain 2 (tests/check/explore_test.cpp:"), std::string::npos)
      << trace;
  EXPECT_NE(trace.find("thread 0  store release            atomic 1 (tests/check/explore_test.cpp:"), std::string::npos)
      << trace;
  EXPECT_NE(trace.find("0 -> 1"), std::string::npos) << trace;
  EXPECT_NE(trace.find("thread 1  load relaxed"), std::string::npos) << trace;
  EXPECT_NE(trace.find("reads 1"), std::string::npos) << trace;
  EXPECT_NE(trace.find("data race: thread 1 at tests/check/explore_test.cpp:"), std::string::npos) << trace;
}

TEST(Explore, RejectsWhatIsNoReplayString) {
  options o = limited();
  o.how = strategy::replay;
  for (const char* text : {"", "nonsense", "1,2,3", "15.x;0", "15.0;7x,"}) {
    o.replay = text;
    const auto r = explore<handover>(o);
    ASSERT_TRUE(r.failure) << text;
    EXPECT_EQ(r.failure->what, kind::misuse) << text;
  }
  o.replay = "15.1;9";  // no thread 9
  EXPECT_EQ(explore<handover>(o).failure->what, kind::misuse);
}

TEST(Explore, DoesTheSameEveryTime) {
  for (const auto how : {strategy::exhaustive, strategy::preemptions, strategy::pct, strategy::random}) {
    options o = limited();
    o.how = how;
    o.max_executions = 500;
    const auto a = explore<handover>(o);
    const auto b = explore<handover>(o);
    EXPECT_EQ(a.executions, b.executions);
    EXPECT_EQ(a.states, b.states);
    EXPECT_EQ(a.steps, b.steps);
  }
}

/// A lost update that needs one preemption.
struct lost_update {
  static constexpr unsigned threads = 2;
  atomic<int> value{0};
  void run(unsigned) {
    const int v = value.load(acquire);
    int expected = v;
    if (!value.compare_exchange(expected, v + 1, release)) return;
    if (v == 0) value.exchange(value.load(relaxed) + 1, relaxed);
  }
  void finish() { require(value.load(relaxed) != 2, "two"); }
};

TEST(Explore, BoundsPreemptions) {
  options o = limited();
  o.how = strategy::preemptions;
  o.spurious_failures = 0;
  o.stale = 0;
  o.bound = 0;
  const auto none = explore<lost_update>(o);
  EXPECT_FALSE(none.failure) << none.failure->trace;
  EXPECT_TRUE(none.exhausted);
  o.bound = 1;
  const auto one = explore<lost_update>(o);
  ASSERT_TRUE(one.failure);
  EXPECT_EQ(one.failure->what, kind::assertion);
}

/// What comes after a release is not released by it.
struct written_after_release {
  static constexpr unsigned threads = 2;
  plain<int> data{0};
  atomic<int> flag{0};
  void run(unsigned t) {
    if (t == 0) {
      flag.store(1, release);
      data = 1;
    } else if (flag.load(acquire) == 1) {
      data = 2;
    }
  }
};

TEST(Explore, FindsARaceBehindARelease) {
  const auto r = explore<written_after_release>(limited());
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->what, kind::data_race);
}

// --- reductions

/// Three threads of up to four operations each on two atomics, drawn at random; what they read is the outcome.
struct drawn_program {
  static constexpr unsigned threads = 3;
  static inline std::mt19937 random;
  static inline std::array<std::array<unsigned, 4>, threads> operations;
  static inline std::set<std::string> outcomes;

  static void draw() {
    for (auto& thread : operations) {
      for (auto& o : thread) o = static_cast<unsigned>(random() % 24);
    }
    outcomes.clear();
  }

  std::array<atomic<std::uint64_t>, 2> words{};
  std::array<std::string, threads> reads;

  void run(unsigned t) {
    for (const unsigned o : operations[t]) {
      auto& word = words[o % 2];
      std::uint64_t value = 0;
      switch (o / 2) {
        case 0:
          value = word.load(acquire);
          break;
        case 1:
          value = word.load(relaxed);
          break;
        case 2:
          word.store(t + 1, release);
          break;
        case 3:
          word.store(t + 1, relaxed);
          break;
        case 4:
          value = word.fetch_add(4, relaxed);
          break;
        case 5:
          word.compare_exchange(value, 16, acquire);
          break;
        case 6:
          checking::fence(checking::fence_order::seq_cst);
          break;
        case 7:
          value = checked::wait_while(word, [](std::uint64_t w) { return w == 0; }, patience::brief);
          break;
        case 8:
          checked::park(word, 0);
          break;
        case 9:
          checked::unpark(word, 1);
          break;
        default:
          break;
      }
      reads[t] += std::to_string(value) + ' ';
    }
  }
  void finish() {
    std::string outcome;
    for (const auto& r : reads) outcome += r + "| ";
    for (const auto& w : words) outcome += std::to_string(w.load(relaxed)) + ' ';
    outcomes.insert(outcome);
  }
};

TEST(Explore, ReductionsLoseNoOutcomeOfDrawnPrograms) {
  drawn_program::random.seed(1);
  unsigned complete = 0;
  unsigned stuck = 0;
  for (int i = 0; i < drawn_programs; ++i) {
    drawn_program::draw();
    // A program that needs early returns: a parked thread may return early also when no other can run.
    if (i == 1) drawn_program::operations = {{{16, 2, 9, 6}, {20, 14, 13, 13}, {15, 10, 6, 18}}};
    options o = limited();
    o.allow_racing_stores = true;
    o.early_returns = static_cast<unsigned>(i % 2);
    o.spurious_failures = static_cast<unsigned>((i + 1) / 2 % 2);
    o.early_returns_in_all = i % 3 == 0 ? 1 : ~0u;
    const auto reduced = explore<drawn_program>(o);
    const auto some = std::exchange(drawn_program::outcomes, {});
    o.how = strategy::preemptions;
    o.bound = 1000;
    const auto whole = explore<drawn_program>(o);
    // A deadlock ends the exploration.
    ASSERT_EQ(reduced.failure.has_value(), whole.failure.has_value()) << i;
    if (whole.failure) {
      ++stuck;
      EXPECT_EQ(whole.failure->what, kind::deadlock);
      continue;
    }
    ++complete;
    ASSERT_EQ(some, drawn_program::outcomes) << i;
    // Explorations that ended for lack of executions would compare nothing.
    ASSERT_TRUE(reduced.exhausted && whole.exhausted);
  }
  EXPECT_GT(complete, stuck / 4);
  EXPECT_GT(stuck, 0u);
}

/// A program that ends in as many ways as there are orders.
template <unsigned Threads, bool Alike>
struct additions {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned first_alike = Alike ? 0 : Threads;
  static inline std::set<std::string>* ends = nullptr;
  atomic<std::uint64_t> shared{1};
  std::array<std::uint64_t, Threads> seen{};
  void run(unsigned t) { seen[t] = shared.fetch_add(shared.load(relaxed), relaxed); }
  void finish() {
    std::array<std::uint64_t, Threads> values = seen;
    if (Alike) std::sort(values.begin(), values.end());
    std::string end;
    for (const auto v : values) end += std::to_string(v) + ' ';
    ends->insert(end + std::to_string(shared.load(relaxed)));
  }
};

template <class Subject>
std::pair<std::set<std::string>, checking::result> ends_of(const options& o) {
  std::set<std::string> ends;
  Subject::ends = &ends;
  auto r = explore<Subject>(o);
  EXPECT_TRUE(r.exhausted);
  return {ends, r};
}

TEST(Explore, ReductionsLoseNoEnd) {
  options all = limited();
  all.how = strategy::preemptions;
  all.bound = 1000;
  const auto whole = ends_of<additions<3, false>>(all);
  const auto reduced = ends_of<additions<3, false>>(limited());
  EXPECT_EQ(whole.first, reduced.first);
  EXPECT_LT(reduced.second.executions, whole.second.executions);
  // Equal threads: the ends are compared up to an exchange of threads.
  const auto distinct = ends_of<additions<3, true>>(all);
  const auto alike = ends_of<additions<3, true>>(limited());
  EXPECT_EQ(distinct.first, alike.first);
  EXPECT_LT(4 * alike.second.states, 3 * reduced.second.states);
}

struct apart {
  static constexpr unsigned threads = 3;
  std::array<atomic<unsigned>, 3> own{};
  atomic<unsigned> constant{5};
  void run(unsigned t) {
    for (int i = 0; i < 4; ++i) own[t].fetch_add(constant.load(relaxed), relaxed);
  }
};

TEST(Explore, PrivateAtomicsAreNoForks) { EXPECT_EQ(explore<apart>(limited()).executions, 1u); }

// --- waiting

/// A thread that sleeps without a limit once its patience is used up.
struct patient {
  static constexpr unsigned threads = 2;
  static inline std::set<int> ways;
  atomic<std::uint64_t> word{0};
  void run(unsigned t) {
    if (t == 0) {
      word.store(1, release);
      checked::unpark(word, 1);
      return;
    }
    int way = 0;
    while (checked::wait_while(word, [](std::uint64_t w) { return w == 0; }, patience::lasting) == 0) {
      checked::park(word, 0);
      ++way;
    }
    ways.insert(way);
  }
};

TEST(Explore, WaitsEndEarlyABoundedNumberOfTimes) {
  options o = limited();
  for (const unsigned early : {0u, 1u, 2u}) {
    o.early_returns = early;
    patient::ways.clear();
    const auto r = explore<patient>(o);
    EXPECT_TRUE(r.exhausted) << (r.failure ? r.failure->trace : "");
    EXPECT_EQ(patient::ways.count(1), early > 0 ? 1u : 0u);
    EXPECT_EQ(patient::ways.count(2), early > 1 ? 1u : 0u);
  }
  o.early_returns_in_all = 0;
  patient::ways.clear();
  explore<patient>(o);
  EXPECT_EQ(patient::ways, std::set<int>{0});
}

/// Both must run out of patience for either to go on.
struct after_patience {
  static constexpr unsigned threads = 2;
  std::array<atomic<int>, 2> words{};
  void run(unsigned t) {
    if (checked::wait_while(words[t], [](int w) { return w == 0; }, patience::brief) == 0) {
      words[1 - t].store(1, release);
    }
  }
};

TEST(Explore, PatienceRunsOutWhenNothingElseCanRun) {
  options o = limited();
  o.early_returns = 0;
  const auto r = explore<after_patience>(o);
  EXPECT_TRUE(r.exhausted) << (r.failure ? r.failure->trace : "");
}

struct forgotten {
  static constexpr unsigned threads = 2;
  callisto::waiting::spin_lock<checked> lock;
  void run(unsigned) { lock.lock(); }
};

TEST(Explore, ReportsThreadsThatWaitForEver) {
  const auto r = explore<forgotten>(limited());
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->what, kind::deadlock);
  EXPECT_NE(r.failure->message.find("stands before wait_while"), std::string::npos) << r.failure->message;
}

struct endless {
  static constexpr unsigned threads = 2;
  atomic<int> flag{0};
  void run(unsigned t) {
    if (t == 0) {
      while (flag.load(relaxed) < 2) {
      }
    } else {
      flag.fetch_add(1, relaxed);
    }
  }
};

TEST(Explore, ReportsALoopThatDoesNotEnd) {
  const auto r = explore<endless>(limited());
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->what, kind::livelock);
}

struct polling {
  static constexpr unsigned threads = 2;
  atomic<int> flag{0};
  void run(unsigned t) {
    if (t == 0) {
      while (flag.load(relaxed) == 0) {
      }
    } else {
      flag.fetch_add(1, relaxed);
    }
  }
};

TEST(Explore, ALoopThatEndsInAFairScheduleIsNoLivelock) {
  options o = limited();
  o.max_steps = 20;
  const auto r = explore<polling>(o);
  EXPECT_FALSE(r.failure) << r.failure->trace;
  EXPECT_GT(r.bounded, 0u);
  EXPECT_FALSE(r.exhausted);
}

// --- suspended threads

/// A lock with a holder that may be suspended.
struct lockers {
  static constexpr unsigned threads = 2;
  callisto::waiting::spin_lock<checked> lock;
  plain<int> total{0};
  void run(unsigned) {
    const std::scoped_lock held(lock);
    total += 1;
  }
  void finish() { require(!checking::has_ended(0) || total >= 1, "a thread that has ended has added"); }
};

TEST(Explore, SuspendsAThreadAfterEachOfItsSteps) {
  options o = limited();
  o.early_returns = 0;
  for (std::uint64_t after = 0;; ++after) {
    o.suspend = checking::suspension{1, after};
    const auto r = explore<lockers>(o);
    EXPECT_TRUE(r.exhausted) << (r.failure ? r.failure->trace : "");
    if (r.suspended == 0) {
      // Lock, perhaps fail and wait before it, unlock; the wait may end twice without the lock being free.
      EXPECT_GE(after, 2u);
      break;
    }
    if (after == 0) {
      EXPECT_TRUE(r.blocked.empty());
    }
    if (after == 1) {
      ASSERT_EQ(r.blocked.size(), 1u);
      EXPECT_EQ(r.blocked[0].thread, 0u);
      EXPECT_EQ(r.blocked[0].operation, "wait_while");
      EXPECT_EQ(r.blocked[0].file, "callisto/waiting/spin_lock.hpp");
      EXPECT_GT(r.blocked[0].executions, 0u);
    }
  }
}

// --- failures of other kinds

struct throws {
  static constexpr unsigned threads = 1;
  void run(unsigned) { throw std::runtime_error("boo"); }
};

struct throws_through_noexcept {
  static constexpr unsigned threads = 1;
  static void loud() { throw std::runtime_error("boo"); }
  static void quiet() noexcept { loud(); }
  void run(unsigned) { quiet(); }
};

TEST(Explore, ReportsExceptions) {
  const auto r = explore<throws>(limited());
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->what, kind::exception);
  EXPECT_NE(r.failure->message.find("boo"), std::string::npos);
  const auto q = explore<throws_through_noexcept>(limited());
  ASSERT_TRUE(q.failure);
  EXPECT_EQ(q.failure->what, kind::exception);
}

struct catches {
  static constexpr unsigned threads = 2;
  atomic<unsigned> turn{0};
  void run(unsigned t) {
    try {
      turn.fetch_add(1, relaxed);
      throw t;
    } catch (const unsigned& mine) {
      turn.fetch_add(1, relaxed);
      require(mine == t, "each thread catches its own");
      turn.fetch_add(1, relaxed);
    }
  }
};

TEST(Explore, ExceptionsMayBeCaughtAcrossSwitches) { EXPECT_TRUE(explore<catches>(limited()).exhausted); }

struct published_too_early {
  static constexpr unsigned threads = 2;
  atomic<atomic<int>*> shared{nullptr};
  alignas(atomic<int>) std::array<std::byte, sizeof(atomic<int>)> room;
  void run(unsigned t) {
    if (t == 0) {
      shared.store(::new (static_cast<void*>(room.data())) atomic<int>(1), relaxed);
    } else if (auto* p = shared.load(acquire); p != nullptr) {
      p->load(relaxed);
    }
  }
};

TEST(Explore, ReportsUnorderedConstruction) {
  const auto r = explore<published_too_early>(limited());
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->what, kind::data_race);
}

struct ends_too_early {
  static constexpr unsigned threads = 2;
  alignas(atomic<int>) std::array<std::byte, sizeof(atomic<int>)> room;
  atomic<int>* object = ::new (static_cast<void*>(room.data())) atomic<int>(1);
  atomic<int> done{0};
  void run(unsigned t) {
    if (t == 0) {
      object->load(relaxed);
      done.store(1, relaxed);  // should be release
    } else if (done.load(acquire) == 1) {
      std::destroy_at(object);
    }
  }
};

TEST(Explore, ReportsAnEndThatIsNotOrderedAfterAnAccess) {
  const auto r = explore<ends_too_early>(limited());
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->what, kind::use_after_lifetime);
}

struct publishes_without_order {
  static constexpr unsigned threads = 2;
  atomic<int> value{1};
  atomic<atomic<int>*> where{nullptr};
  atomic<int> set{0};
  void run(unsigned t) {
    if (t == 0) {
      where.store(&value, relaxed);
      set.store(1, relaxed);  // should be release
    } else if (set.load(acquire) == 1) {
      where.load(relaxed)->load(relaxed);
    }
  }
};

TEST(Explore, ReportsAPointerToNowhere) {
  for (int turn = 0; turn < 2; ++turn) {
    const auto r = explore<publishes_without_order>(limited());
    ASSERT_TRUE(r.failure);
    EXPECT_EQ(r.failure->what, kind::use_after_lifetime);
    EXPECT_NE(r.failure->message.find("memory that does not exist"), std::string::npos) << r.failure->message;
  }
}

// --- outside of explorations

TEST(Explore, ObjectsWorkOutsideOfExecutions) {
  atomic<std::uint64_t> a{1};
  a.store(2, release);
  EXPECT_EQ(a.fetch_add(5, relaxed), 2u);
  EXPECT_EQ(a.fetch_sub(1, relaxed), 7u);
  EXPECT_EQ(a.fetch_and(4, relaxed), 6u);
  EXPECT_EQ(a.fetch_or(1, relaxed), 4u);
  EXPECT_EQ(a.exchange(9, relaxed), 5u);
  std::uint64_t expected = 8;
  EXPECT_FALSE(a.compare_exchange(expected, 1, release));
  EXPECT_EQ(expected, 9u);
  EXPECT_TRUE(a.compare_exchange(expected, 1, release));
  EXPECT_EQ(checked::wait_while(a, [](std::uint64_t) { return true; }, patience::brief), 1u);
  checked::park(a, 1);
  checked::unpark(a, 1);
  const std::uint64_t now = checked::ticks();
  EXPECT_LT(now, checked::ticks());
  plain<int> p{3};
  p += 4;
  ++p;
  EXPECT_EQ(p, 8);
  plain<int*> pointer{nullptr};
  int x = 5;
  pointer = &x;
  EXPECT_EQ(*pointer, 5);
  callisto::waiting::entry_gate<checked> entry_gate;
  entry_gate.open();
  EXPECT_TRUE(entry_gate.try_enter());
  EXPECT_THROW(require(false, "outside"), std::logic_error);
}

}  // namespace
