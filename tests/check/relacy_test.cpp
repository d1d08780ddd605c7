// Relacy Race Detector (Dmitry Vyukov; Debian: relacy-dev) as a second opinion, if it is installed: equal programs,
// over a machine policy of either, must come to equal outcomes and equal verdicts.
#include "../sanitizers.hpp"

#include <callisto/machine/checked/machine.hpp>
#include <callisto/waiting/entry_gate.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <gtest/gtest.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <ostream>

// Relacy defines macros for the memory orders, new, delete, malloc and more: it comes last. Sanitizers do not follow
// its way of switching stacks.
#if __has_include(<relacy/relacy.hpp>) && !defined(CALLISTO_UNDER_SANITIZER)
#define CALLISTO_HAS_RELACY 1
#endif

#if !defined(CALLISTO_HAS_RELACY)

TEST(Relacy, Agrees) { GTEST_SKIP() << "relacy is not installed, or this build has a sanitizer"; }

#else

#include <relacy/relacy.hpp>
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

namespace {

using callisto::machine::order;
using callisto::machine::patience;
namespace checking = callisto::machine::checking;

constexpr order relaxed = order::relaxed;
constexpr order acquire = order::acquire;
constexpr order release = order::release;

/// The policy of machine/policy.hpp on relacy.
struct relacy {
  static constexpr std::size_t line_size = 16;

  static rl::memory_order to_relacy(order o) {
    switch (o) {
      case order::relaxed:
        return rl::mo_relaxed;
      case order::acquire:
        return rl::mo_acquire;
      case order::release:
        return rl::mo_release;
      case order::acq_rel:
        return rl::mo_acq_rel;
    }
    __builtin_unreachable();
  }

  template <class T>
  class atomic {
   public:
    explicit atomic(T value) { value_.store(value, rl::mo_relaxed, $); }
    T load(order o) const { return value_.load(to_relacy(o), $); }
    void store(T v, order o) { value_.store(v, to_relacy(o), $); }
    T exchange(T v, order o) { return value_.rmw(rl::rmw_type_t<rl::rmw_type_swap>(), v, to_relacy(o), $); }
    T fetch_add(T v, order o) { return value_.rmw(rl::rmw_type_t<rl::rmw_type_add>(), v, to_relacy(o), $); }
    T fetch_sub(T v, order o) { return value_.rmw(rl::rmw_type_t<rl::rmw_type_sub>(), v, to_relacy(o), $); }
    T fetch_and(T v, order o) { return value_.rmw(rl::rmw_type_t<rl::rmw_type_and>(), v, to_relacy(o), $); }
    T fetch_or(T v, order o) { return value_.rmw(rl::rmw_type_t<rl::rmw_type_or>(), v, to_relacy(o), $); }
    bool compare_exchange(T& expected, T desired, order o) {
      return value_.compare_exchange_weak(expected, desired, to_relacy(o), $, rl::mo_relaxed, $);
    }

   private:
    rl::atomic<T> value_;
  };

  template <class T>
  class plain {
   public:
    explicit plain(T value) { value_($).store(value); }
    operator T() const { return value_($).load(); }
    plain& operator=(T value) {
      value_($).store(value);
      return *this;
    }

   private:
    rl::var<T> value_;
  };

  template <class T, class Keep>
  static T wait_while(const atomic<T>& word, Keep keep, patience) {
    const T value = word.load(order::acquire);
    if (keep(value)) rl::yield(1, $);
    return value;
  }
  static void park(const atomic<std::uint64_t>&, std::uint32_t) { rl::yield(1, $); }
  static void unpark(atomic<std::uint64_t>&, unsigned) {}
};

using callisto::machine::checked;
/// The outcomes of programs, each as a number: relacy replaces operator new, so nothing may be allocated in one of its
/// executions and freed after it.
using outcomes = std::bitset<1 << 16>;
outcomes* seen = nullptr;

/// A hexadecimal digit for each value.
template <class... Values>
unsigned outcome(Values... values) {
  unsigned code = 0;
  ((code = code << 4 | static_cast<unsigned>(values)), ...);
  return code;
}

/// A program in the form that relacy and the checker want. Its end() gives its outcome.
template <template <class> class Program>
struct relacy_suite : rl::test_suite<relacy_suite<Program>, Program<relacy>::threads> {
  Program<relacy> program;
  void thread(unsigned t) { program.run(t); }
  void after() {
    if (seen != nullptr) seen->set(program.end());
  }
};

template <template <class> class Program>
struct checked_subject {
  static constexpr unsigned threads = Program<checked>::threads;
  Program<checked> program;
  void run(unsigned t) { program.run(t); }
  void finish() {
    if (seen != nullptr) seen->set(program.end());
  }
};

/// True if relacy finds nothing in so many random executions.
template <template <class> class Program>
bool relacy_accepts(unsigned executions = 20'000) {
  std::ostream nowhere(nullptr);
  rl::test_params p;
  p.iteration_count = executions;
  p.output_stream = &nowhere;
  p.progress_stream = &nowhere;
  return rl::simulate<relacy_suite<Program>>(p);
}

template <template <class> class Program>
bool checker_accepts() {
  const auto r = checking::explore<checked_subject<Program>>({});
  EXPECT_TRUE(r.failure || r.exhausted);
  return !r.failure;
}

outcomes outcomes_of(bool (*run)()) {
  outcomes all;
  seen = &all;
  EXPECT_TRUE(run());
  seen = nullptr;
  return all;
}

template <template <class> class Program>
void expect_same_outcomes() {
  const auto theirs = outcomes_of([] { return relacy_accepts<Program>(); });
  const auto ours = outcomes_of([] { return checker_accepts<Program>(); });
  EXPECT_EQ(theirs, ours);
  EXPECT_GT(ours.count(), 1u);
}

// --- litmus tests

template <order Store, order Load>
struct litmus {
  template <machine::policy M>
  struct store_buffering {
    static constexpr unsigned threads = 2;
    machine::atomic_of<M, int> x{0}, y{0};
    int r[2] = {};
    void run(unsigned t) {
      auto& mine = t == 0 ? x : y;
      auto& other = t == 0 ? y : x;
      mine.store(1, Store);
      r[t] = other.load(Load);
    }
    unsigned end() { return outcome(r[0], r[1]); }
  };

  template <machine::policy M>
  struct message_passing {
    static constexpr unsigned threads = 2;
    machine::atomic_of<M, int> data{0}, flag{0};
    int r[2] = {};
    void run(unsigned t) {
      if (t == 0) {
        data.store(1, relaxed);
        flag.store(1, Store);
      } else {
        r[0] = flag.load(Load);
        r[1] = data.load(relaxed);
      }
    }
    unsigned end() { return outcome(r[0], r[1]); }
  };

  template <machine::policy M>
  struct release_sequence {
    static constexpr unsigned threads = 3;
    machine::atomic_of<M, int> data{0}, flag{0};
    int r[2] = {};
    void run(unsigned t) {
      if (t == 0) {
        data.store(1, relaxed);
        flag.store(10, Store);
      } else if (t == 1) {
        flag.fetch_add(1, relaxed);
      } else {
        r[0] = flag.load(Load);
        r[1] = data.load(relaxed);
      }
    }
    unsigned end() { return outcome(r[0], r[1]); }
  };

  template <machine::policy M>
  struct independent_reads {
    static constexpr unsigned threads = 4;
    machine::atomic_of<M, int> x{0}, y{0};
    int r[4] = {};
    void run(unsigned t) {
      if (t < 2) return (t == 0 ? x : y).store(1, Store);
      auto& first = t == 2 ? x : y;
      auto& second = t == 2 ? y : x;
      r[2 * t - 4] = first.load(Load);
      r[2 * t - 3] = second.load(Load);
    }
    unsigned end() { return outcome(r[0], r[1], r[2], r[3]); }
  };
};

template <order Store, order Load>
void expect_same_litmus() {
  expect_same_outcomes<litmus<Store, Load>::template store_buffering>();
  expect_same_outcomes<litmus<Store, Load>::template message_passing>();
  expect_same_outcomes<litmus<Store, Load>::template release_sequence>();
  expect_same_outcomes<litmus<Store, Load>::template independent_reads>();
}

TEST(Relacy, SeesTheSameOutcomes) {
  expect_same_litmus<relaxed, relaxed>();
  expect_same_litmus<release, relaxed>();
  expect_same_litmus<relaxed, acquire>();
  expect_same_litmus<release, acquire>();
}

// --- verdicts

template <order Store, order Load>
struct handover {
  template <machine::policy M>
  struct program {
    static constexpr unsigned threads = 2;
    machine::plain_of<M, int> data{0};
    machine::atomic_of<M, int> flag{0};
    int read = 1;
    void run(unsigned t) {
      if (t == 0) {
        data = 1;
        flag.store(1, Store);
      } else if (flag.load(Load) == 1) {
        read = data;
      }
    }
    unsigned end() { return outcome(read); }
  };
};

TEST(Relacy, SeesTheSameRaces) {
  EXPECT_TRUE((relacy_accepts<handover<release, acquire>::program>()));
  EXPECT_TRUE((checker_accepts<handover<release, acquire>::program>()));
  EXPECT_FALSE((relacy_accepts<handover<relaxed, acquire>::program>()));
  EXPECT_FALSE((checker_accepts<handover<relaxed, acquire>::program>()));
  EXPECT_FALSE((relacy_accepts<handover<release, relaxed>::program>()));
  EXPECT_FALSE((checker_accepts<handover<release, relaxed>::program>()));
}

/// The gate of the loop runtime: what the leader wrote is seen inside, and what was written inside is seen by the
/// leader. `Outside` breaks it: the follower writes once more after it has left.
template <bool Outside>
struct gate_program {
  template <machine::policy M>
  struct program {
    static constexpr unsigned threads = 3;
    callisto::waiting::entry_gate<M> entry_gate;
    machine::plain_of<M, int> item{0};
    machine::plain_of<M, int> written1{0}, written2{0};
    void run(unsigned t) {
      if (t == 0) {
        item = 1;
        entry_gate.open();
        entry_gate.close_and_drain();
        item = 0;
        (void)(written1 + written2);
      } else if (entry_gate.try_enter()) {
        auto& written = t == 1 ? written1 : written2;
        written = static_cast<int>(item);
        entry_gate.leave();
        if (Outside) written = 2;
      }
    }
    unsigned end() { return 0; }
  };
};

template <machine::policy M>
struct lock_program {
  static constexpr unsigned threads = 2;
  callisto::waiting::spin_lock<M> lock;
  machine::plain_of<M, int> total{0};
  void run(unsigned) {
    for (int i = 0; i < 2; ++i) {
      lock.lock();
      total = total + 1;
      lock.unlock();
    }
  }
  unsigned end() { return outcome(static_cast<int>(total)); }
};

TEST(Relacy, AcceptsGateAndLock) {
  EXPECT_TRUE(relacy_accepts<gate_program<false>::program>());
  EXPECT_TRUE(checker_accepts<gate_program<false>::program>());
  EXPECT_FALSE(relacy_accepts<gate_program<true>::program>());
  EXPECT_FALSE(checker_accepts<gate_program<true>::program>());
  outcomes ends;
  seen = &ends;
  EXPECT_TRUE(relacy_accepts<lock_program>());
  EXPECT_TRUE(checker_accepts<lock_program>());
  seen = nullptr;
  EXPECT_EQ(ends, outcomes().set(outcome(4)));
}

}  // namespace

#endif
