// Workers, tickets and activations on real threads: bounds and states, many more activations than workers, suspension
// and resumption in storms, stacks, exceptions in flight, yielding to another job.
#include "../sanitizers.hpp"

#include <callisto/machine/native.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

namespace callisto::workers {
namespace {

using machine::native;
using namespace std::chrono_literals;
using act = native_activation;

/// Calls a function object `times` times, in as many activations, at most `bound` of them begun and not ended.
template <class F>
class many {
 public:
  many(worker_threads& on, unsigned times, F what) : on_(on), left_(static_cast<int>(times)), what_(std::move(what)) {}

  void run(unsigned bound) {
    const native_ticket t = on_->create_ticket(&call, this, bound);
    wait_complete(on_, t);
  }

 private:
  static void call(act& self, void* data, native_ticket of) {
    auto& me = *static_cast<many*>(data);
    const int mine = me.left_.fetch_sub(1);
    if (mine <= 1) me.on_->set_drained(of);
    if (mine >= 1) me.what_(self, static_cast<unsigned>(mine - 1));
  }

  worker_threads& on_;
  std::atomic<int> left_;
  F what_;
};

template <class F>
void run_many(worker_threads& on, unsigned times, unsigned bound, F what) {
  many<F>(on, times, std::move(what)).run(bound);
}

/// A barrier of OpenMP threads, as the paper has it in section 2.4.
class barrier {
 public:
  explicit barrier(unsigned members) : members_(members) {}
  void arrive_and_wait() {
    const std::uint64_t before = generation_.read();
    if (arrived_.fetch_add(1) + 1 == members_) {
      arrived_ = 0;
      const std::scoped_lock held(latch_);
      generation_.write(before + 1);
    } else {
      sync_wait_value(generation_, [before](std::uint64_t now) { return now != before; });
    }
  }

 private:
  const unsigned members_;
  std::atomic<unsigned> arrived_{0};
  native_latch latch_;
  native_svar generation_{latch_, 0};
};

set_options<native> with_workers(unsigned count) {
  set_options<native> how;
  how.workers = count;
  return how;
}

TEST(Workers, WorkOnTicketsInTurn) {
  auto workers = create_workers(with_workers(2));
  for (unsigned round = 0; round < 300; ++round) {
    std::vector<int> done(round % 17 + 1);
    run_many(*workers, round % 17 + 1, round % 3 + 1, [&](act&, unsigned i) { ++done[i]; });
    for (const int d : done) ASSERT_EQ(d, 1);
  }
}

TEST(Workers, SleepAndWakeUp) {
  auto workers = create_workers(with_workers(2));
  for (int round = 0; round < 10; ++round) {
    std::this_thread::sleep_for(2ms);  // longer than idle workers spin
    std::atomic<int> done{0};
    run_many(*workers, 20, 2, [&](act&, unsigned) { done.fetch_add(1); });
    ASSERT_EQ(done, 20);
  }
}

TEST(Workers, ArePinnedToContextsOfTheirOwn) {
  auto workers = create_workers();
  worker_local<std::set<int>> seen(*workers);
  run_many(*workers, 200, 2, [&](act& self, unsigned) { seen.at(self.host()).insert(sched_getcpu()); });
  std::set<int> all;
  for (const auto& one : seen) {
    EXPECT_LE(one.value.size(), 1U);
    for (const int cpu : one.value) EXPECT_TRUE(all.insert(cpu).second) << cpu;
  }
}

TEST(Tickets, GoThroughTheirStates) {
  auto workers = create_workers(with_workers(1));
  struct gate {
    std::atomic<bool> begun{false};
    std::atomic<bool> may_end{false};
  } g;
  const native_ticket t = (*workers)->create_ticket(
      [](act&, void* data, native_ticket) {
        auto& at = *static_cast<gate*>(data);
        at.begun = true;
        while (!at.may_end) std::this_thread::yield();
      },
      &g, 1);
  while (!g.begun) std::this_thread::yield();
  EXPECT_EQ((*workers)->state_of(t), ticket_state::active);
  (*workers)->set_drained(t);
  EXPECT_EQ((*workers)->state_of(t), ticket_state::drained);
  wait_drained(*workers, t);  // returns at once
  g.may_end = true;
  wait_complete(*workers, t);
  EXPECT_EQ((*workers)->state_of(t), ticket_state::complete);
  // Its record serves another ticket by now; the old name still means a complete ticket.
  run_many(*workers, 3, 1, [](act&, unsigned) {});
  (*workers)->set_drained(t);
  EXPECT_EQ((*workers)->state_of(t), ticket_state::complete);
  wait_complete(*workers, t);
}

TEST(Tickets, AreCalledAgainUntilTheyAreDrained) {
  auto workers = create_workers(with_workers(2));
  std::atomic<int> calls{0};
  const native_ticket t = (*workers)->create_ticket(
      [](act&, void* data, native_ticket) { static_cast<std::atomic<int>*>(data)->fetch_add(1); }, &calls, 2);
  while (calls < 100) std::this_thread::yield();
  (*workers)->set_drained(t);
  wait_complete(*workers, t);
  const int at_the_end = calls;
  std::this_thread::sleep_for(2ms);
  EXPECT_EQ(calls, at_the_end);
}

TEST(Tickets, NeverHaveMoreActivationsThanTheirBound) {
  auto workers = create_workers(with_workers(3));
  std::atomic<unsigned> inside{0};
  std::atomic<unsigned> most{0};
  run_many(*workers, 500, 2, [&](act& self, unsigned) {
    const unsigned now = inside.fetch_add(1) + 1;
    for (unsigned before = most; before < now && !most.compare_exchange_weak(before, now);) {
    }
    self.step_aside();  // suspended ones count
    inside.fetch_sub(1);
  });
  EXPECT_LE(most, 2U);
}

TEST(Tickets, OfSeveralOwnersShareTheWorkers) {
  auto workers = create_workers(with_workers(2));
  std::atomic<int> wrong{0};
  std::vector<std::jthread> owners;
  for (int o = 0; o < 6; ++o) {
    owners.emplace_back([&] {
      for (int round = 0; round < 30; ++round) {
        std::atomic<int> done{0};
        run_many(*workers, 10, 3, [&](act&, unsigned) { done.fetch_add(1); });
        if (done != 10) wrong.fetch_add(1);
      }
    });
  }
  owners.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(Tickets, MayBeMadeAndAwaitedByActivations) {
  auto workers = create_workers(with_workers(2));
  std::atomic<int> done{0};
  run_many(*workers, 8, 8, [&](act&, unsigned) {
    run_many(*workers, 8, 2,
             [&](act&, unsigned) { run_many(*workers, 2, 2, [&](act&, unsigned) { done.fetch_add(1); }); });
  });
  EXPECT_EQ(done, 8 * 8 * 2);
}

TEST(Tickets, RefuseABoundOfZeroAndMoreStacksThanThereCanBe) {
  auto workers = create_workers(with_workers(1));
  const auto nothing = [](act&, void*, native_ticket) {};
  try {
    static_cast<void>((*workers)->create_ticket(nothing, nullptr, 0));
    FAIL() << "a bound of 0 was accepted";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "create_work_ticket: a ticket with at most 0 concurrent activations would never be worked on");
  }
#if !defined(CALLISTO_UNDER_ASAN)  // which would write its shadow of all these bytes
  set_options<native> huge = with_workers(1);
  huge.stack_bytes = std::size_t{1} << 46;  // of 47 bits of address space
  auto few = create_workers(huge);
  EXPECT_THROW(static_cast<void>((*few)->create_ticket(nothing, nullptr, 8)), std::bad_alloc);
  (*few)->trim();
#endif
}

TEST(Activations, ManyMoreThanWorkersMeetAtBarriers) {
  auto workers = create_workers(with_workers(2));
  constexpr unsigned members = tests::sanitized ? 60 : 2000;
  constexpr unsigned rounds = 5;
  barrier all(members);
  std::vector<unsigned> at(members);
  std::atomic<int> wrong{0};
  run_many(*workers, members, members, [&](act&, unsigned i) {
    for (unsigned round = 0; round < rounds; ++round) {
      at[i] = round + 1;
      all.arrive_and_wait();
      if (at[(i + 1) % members] != round + 1) wrong.fetch_add(1);
      all.arrive_and_wait();
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GE((*workers)->stacks(), members);
  // The last activations may still be on their way home.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while ((*workers)->trim(), (*workers)->stacks() > 3 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_LE((*workers)->stacks(), 3U);
}

TEST(Activations, GoOnUponOtherWorkersAsTheyWere) {
  auto workers = create_workers(with_workers(3));
  constexpr unsigned members = 16;
  std::atomic<unsigned> moves{0};
  std::atomic<int> wrong{0};
  run_many(*workers, members, members, [&](act& self, unsigned i) {
    std::vector<unsigned> mine(100, i);
    double sum = i;
    self.local(1) = &mine;
    // Until some have moved, which takes a while if one processor runs all workers.
    for (unsigned turn = 0; turn < 300 || (moves == 0 && turn < 1'000'000); ++turn) {
      const unsigned before = self.host().number();
      const pid_t thread = gettid();  // not pthread_self(), which compilers call once
      self.step_aside();
      if (self.host().number() != before) {
        moves.fetch_add(1);
        if (gettid() == thread) wrong.fetch_add(1);
      }
      sum += 0.5;
      if (this_activation() != &self || &this_suspendable() != &self) wrong.fetch_add(1);
      if (self.local(1) != &mine || mine.front() != i || mine.back() != i || sum != i + 0.5 * (turn + 1))
        wrong.fetch_add(1);
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(moves, 0U);
}

TEST(Activations, StartWithoutStateOfTheirOwn) {
  auto workers = create_workers(with_workers(1));
  std::atomic<int> wrong{0};
  run_many(*workers, 50, 1, [&](act& self, unsigned) {
    for (std::size_t s = 0; s < local_slots; ++s) {
      if (self.local(s) != nullptr) wrong.fetch_add(1);
      self.local(s) = &wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(this_activation(), nullptr);
  EXPECT_FALSE(should_yield());
  yield_point();  // does nothing for a thread of the application
}

TEST(Activations, SuspendAndResumeInAStorm) {
  auto workers = create_workers(with_workers(3));
  constexpr unsigned members = 24;
  constexpr unsigned turns = tests::sanitized ? 200 : 3000;
  // A ring: each activation takes the handle of the next one, once that has left it there, and resumes the next one,
  // often before that has stopped. Then it stops until the activation before it does the same.
  std::vector<std::atomic<suspendable<native>*>> ring(members);
  // Two words for each, used by turns: the writer may be a turn ahead of the reader.
  std::vector<std::array<unsigned, 2>> turn_of(members);
  std::atomic<int> wrong{0};
  run_many(*workers, members, members, [&](act& self, unsigned i) {
    for (unsigned t = 1; t <= turns; ++t) {
      turn_of[i][t % 2] = t;  // read by the next one only, after the resumption
      ring[i] = &self;
      suspendable<native>* next = nullptr;
      while ((next = ring[(i + 1) % members].exchange(nullptr)) == nullptr) self.step_aside();
      next->resume();
      self.suspend();
      if (turn_of[(i + members - 1) % members][t % 2] != t) wrong.fetch_add(1);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Activations, ThatStepAsideLetOthersBegin) {
  // More activations than workers, each of which steps aside until all have begun: orphans come first, but not for
  // ever.
  auto workers = create_workers(with_workers(2));
  constexpr unsigned members = 10;
  std::atomic<unsigned> begun{0};
  run_many(*workers, members, members, [&](act& self, unsigned) {
    begun.fetch_add(1);
    while (begun != members) self.step_aside();
  });
  EXPECT_EQ(begun, members);
}

TEST(Activations, KeepTheirExceptionsWhileOthersThrow) {
  auto workers = create_workers(with_workers(2));
  std::atomic<int> wrong{0};
  run_many(*workers, 40, 10, [&](act& self, unsigned i) {
    const std::string name = "activation " + std::to_string(i);
    try {
      throw std::runtime_error(name);
    } catch (const std::runtime_error&) {
      self.step_aside();
      try {
        try {
          throw std::logic_error(name + " again");
        } catch (const std::logic_error& e) {
          self.step_aside();
          if (e.what() != name + " again") wrong.fetch_add(1);
        }
        self.step_aside();
        throw;  // the exception that this activation has in flight, wherever it runs
      } catch (const std::exception& e) {
        if (e.what() != name) wrong.fetch_add(1);
      }
    }
    if (std::current_exception() != nullptr || std::uncaught_exceptions() != 0) wrong.fetch_add(1);
  });
  EXPECT_EQ(wrong, 0);
}

/// Steps aside while an exception passes, which must still be in flight afterwards, on any worker.
struct looker {
  act& self;
  std::atomic<int>& wrong;
  ~looker() {
    self.step_aside();
    if (std::uncaught_exceptions() != 1) wrong.fetch_add(1);
  }
};

TEST(Activations, AreSuspendedWhileTheirStackIsUnwound) {
  auto workers = create_workers(with_workers(2));
  std::atomic<int> wrong{0};
  run_many(*workers, 40, 8, [&](act& self, unsigned i) {
    try {
      const looker one{self, wrong};
      throw static_cast<int>(i);
    } catch (int caught) {
      if (caught != static_cast<int>(i)) wrong.fetch_add(1);
    }
    if (std::uncaught_exceptions() != 0) wrong.fetch_add(1);
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Activations, KeepTheirRoundingMode) {
  auto workers = create_workers(with_workers(1));
  std::atomic<int> wrong{0};
  run_many(*workers, 4, 4, [&](act& self, unsigned i) {
    const int mode = i % 2 == 0 ? FE_TONEAREST : FE_UPWARD;
    if (std::fegetround() != FE_TONEAREST) wrong.fetch_add(1);
    std::fesetround(mode);
    for (int turn = 0; turn < 5; ++turn) {
      self.step_aside();
      if (std::fegetround() != mode) wrong.fetch_add(1);
    }
    std::fesetround(FE_TONEAREST);
  });
  EXPECT_EQ(wrong, 0);
}

/// Recurses until `bytes` of stack are in use; returns how deep.
[[gnu::noinline]] std::size_t descend(std::size_t bytes, act& self) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(bytes);
  frame[1023] = frame[0];
  if (bytes <= sizeof frame) {
    self.step_aside();
    return 1;
  }
  const std::size_t depth = descend(bytes - sizeof frame, self) + 1;
  return frame[0] == frame[1023] ? depth : 0;
}

TEST(Stacks, AreAsDeepAsAskedFor) {
  set_options<native> how = with_workers(1);
  how.stack_bytes = std::size_t{8} << 20;
  auto workers = create_workers(how);
  std::size_t depth = 0;
  run_many(*workers, 1, 1, [&](act& self, unsigned) { depth = descend(std::size_t{4} << 20, self); });
  EXPECT_EQ(depth, std::size_t{4} << 10);
}

#if !defined(CALLISTO_UNDER_SANITIZER)
TEST(StacksDeathTest, EndInAFaultAtTheGuardPage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto workers = create_workers(with_workers(1));
        run_many(*workers, 1, 1, [&](act& self, unsigned) { descend(std::size_t{1} << 20, self); });
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(StacksDeathTest, AnExceptionThatLeavesAnUpCallEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto workers = create_workers(with_workers(1));
        run_many(*workers, 1, 1, [&](act&, unsigned) { throw std::runtime_error("no handler catches this"); });
      },
      ::testing::KilledBySignal(SIGABRT), "no handler catches this");
}

/// Returns how many bytes the kernel may take when memory gets short.
std::size_t lazily_free() {
  std::ifstream smaps("/proc/self/smaps_rollup");
  for (std::string word; smaps >> word;) {
    if (word != "LazyFree:") continue;
    std::size_t kib = 0;
    smaps >> kib;
    return kib << 10;
  }
  return 0;
}

TEST(Stacks, LeaveTheirMemoryToTheSystemWhenManyAreIdle) {
  if (lazily_free() != 0) GTEST_SKIP() << "other code frees lazily, too";
  set_options<native> how = with_workers(1);
  how.warm_stacks = 4;
  auto workers = create_workers(how);
  constexpr unsigned members = 64;
  constexpr std::size_t deep = std::size_t{100} << 10;
  for (int round = 0; round < 2; ++round) {  // reused afterwards
    barrier all(members);
    std::atomic<unsigned> right{0};
    run_many(*workers, members, members, [&](act& self, unsigned) {
      if (descend(deep, self) == deep / 1024) right.fetch_add(1);
      all.arrive_and_wait();
    });
    EXPECT_EQ(right, members);
    EXPECT_GE(lazily_free(), (members - 8) * deep / 2);
  }
}
#endif

TEST(Stacks, AreEnoughWhileTicketsComeAndGo) {
  // Owners that make tickets again and again, each with as many activations as it may. No stack stays warm. A stack
  // that is on its way back when its promise ends would be missing at some start.
  set_options<native> how = with_workers(3);
  how.warm_stacks = 0;
  auto workers = create_workers(how);
  std::vector<std::jthread> owners;
  std::atomic<int> wrong{0};
  for (int o = 0; o < 3; ++o) {
    owners.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        std::atomic<int> done{0};
        run_many(*workers, 4, 4, [&](act& self, unsigned) {
          self.step_aside();
          done.fetch_add(1);
        });
        if (done != 4) wrong.fetch_add(1);
        if (round % 10 == 0) (*workers)->trim();
      }
    });
  }
  owners.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(Stacks, AreReused) {
  auto workers = create_workers(with_workers(2));
  run_many(*workers, 1000, 4, [](act& self, unsigned) { self.step_aside(); });
  EXPECT_LE((*workers)->stacks(), 4U + 2U);
}

/// Another job that asks for a worker's context now and then, and keeps it for a while.
class neighbour final : public context_provider<native> {
 public:
  /// Workers are idle before they first come.
  explicit neighbour(int workers) : idle(workers) {}
  const context_watch<native>& watch(unsigned worker) noexcept override { return watch_[worker % 2]; }
  bool hand_over(unsigned worker) noexcept override {
    handed_over.fetch_add(1);
    watch_[worker % 2].request.store(0, machine::order::relaxed);
    return true;
  }
  bool fall_idle(unsigned) noexcept override {
    idle.fetch_add(1);
    return true;
  }
  bool come_back(unsigned) noexcept override {
    idle.fetch_sub(1);
    return true;
  }
  void ask(unsigned worker) { watch_[worker % 2].request.store(1, machine::order::relaxed); }

  std::atomic<int> handed_over{0};
  std::atomic<int> idle;

 private:
  context_watch<native> watch_[2];
};

TEST(Sharing, WorkersHandTheirContextsOverWhenTheyAreAskedTo) {
  neighbour other(2);
  set_options<native> how = with_workers(2);
  how.with = &other;
  auto workers = create_workers(how);
  std::atomic<bool> stop{false};
  std::atomic<int> turns{0};
  // Half of the activations are asked at yield points, half return from the up-call.
  std::atomic<int> done{0};
  struct job {
    worker_threads& on;
    std::atomic<bool>& stop;
    std::atomic<int>& turns;
    std::atomic<int>& done;
  } j{*workers, stop, turns, done};
  const native_ticket t = (*workers)->create_ticket(
      [](act& self, void* data, native_ticket of) {
        job& mine = *static_cast<job*>(data);
        while (!mine.stop) {
          mine.turns.fetch_add(1);
          if (mine.turns % 2 == 0 && self.should_yield()) return;
          self.yield_point();
        }
        mine.on->set_drained(of);
        mine.done.fetch_add(1);
      },
      &j, 2);
  for (int round = 0; round < 50; ++round) {
    const int before = other.handed_over;
    other.ask(static_cast<unsigned>(round) % 2);
    while (other.handed_over == before) std::this_thread::yield();
  }
  stop = true;
  wait_complete(*workers, t);
  EXPECT_GE(other.handed_over, 50);
  EXPECT_GE(done, 1);
  while (other.idle != 2) std::this_thread::yield();  // both workers say so
  workers.reset();
  EXPECT_EQ(other.idle, 2);
}

/// Returns options with which activations spin so long that a test which waits for the end of that fails.
set_options<native> patient_workers(unsigned count, context_provider<native>* with = nullptr) {
  set_options<native> how = with_workers(count);
  how.spin_ticks = 600 * native::ticks_per_second();
  how.with = with;
  return how;
}

/// An activation that waits for an SVar to become 1.
struct patient {
  explicit patient(worker_threads& workers) : on(workers) {}
  worker_threads& on;
  native_latch latch;
  native_svar go{latch, 0};
  std::atomic<int> ended{0};

  void let_go() {
    const std::scoped_lock held(latch);
    go.write(1);
  }
  native_ticket start() {
    const native_ticket t = on->create_ticket(
        [](act&, void* data, native_ticket of) {
          patient& me = *static_cast<patient*>(data);
          me.on->set_drained(of);
          sync_wait_value(me.go, [](std::uint64_t v) { return v == 1; });
          me.ended.fetch_add(1);
        },
        this, 1);
    wait_drained(on, t);
    return t;
  }
};

TEST(Sharing, ASpinnerStopsWhenAskedToYield) {
  neighbour other(1);
  auto workers = create_workers(patient_workers(1, &other));
  patient p{*workers};
  const native_ticket t = p.start();
  std::this_thread::sleep_for(2ms);
  EXPECT_EQ(other.idle, 0);  // it spins
  other.ask(0);
  while (other.handed_over == 0) std::this_thread::yield();
  while (other.idle == 0) std::this_thread::yield();  // it stopped for good, and its worker says that it is idle
  p.let_go();
  wait_complete(*workers, t);
  EXPECT_EQ(p.ended, 1);
}

TEST(Sharing, ASpinnerStopsWhenThereIsAnOrphan) {
  auto workers = create_workers(patient_workers(1));
  // One activation is suspended; the next one spins on the only worker, until the first one is resumed.
  std::atomic<suspendable<native>*> first{nullptr};
  std::atomic<bool> done{false};
  struct both {
    worker_threads& on;
    std::atomic<suspendable<native>*>& first;
    std::atomic<bool>& done;
  } b{*workers, first, done};
  const native_ticket t = (*workers)->create_ticket(
      [](act& self, void* data, native_ticket of) {
        const auto& mine = *static_cast<both*>(data);
        mine.on->set_drained(of);
        mine.first = &self;
        self.suspend();
        mine.done = true;
      },
      &b, 1);
  while (first == nullptr) std::this_thread::yield();
  patient p{*workers};
  const native_ticket spinning = p.start();
  EXPECT_FALSE(done);
  first.load()->resume();
  while (!done) std::this_thread::yield();
  EXPECT_EQ(p.ended, 0);
  p.let_go();
  wait_complete(*workers, t);
  wait_complete(*workers, spinning);
}

TEST(Latch, ConditionsOnSeveralSVarsForThreadsAndActivations) {
  auto workers = create_workers(with_workers(2));
  // A bounded buffer: producers and consumers, on workers and on threads of the application.
  constexpr unsigned room = 3;
  constexpr unsigned each = tests::sanitized ? 100 : 1000;
  native_latch latch;
  native_svar made(latch, 0);
  native_svar taken(latch, 0);
  const auto produce = [&] {
    for (unsigned n = 0; n < each; ++n) {
      const std::scoped_lock held(latch);
      sync_wait_until_true(latch, [&] { return made.read() - taken.read() < room; });
      made.write(made.read() + 1);
    }
  };
  std::atomic<int> wrong{0};
  const auto consume = [&] {
    for (unsigned n = 0; n < each; ++n) {
      const std::scoped_lock held(latch);
      if (made.read() == taken.read())
        sync_wait_known_false(latch, [&] { return made.read() != taken.read(); }, this_suspendable());
      if (made.read() - taken.read() > room || made.read() <= taken.read()) wrong.fetch_add(1);
      taken.write(taken.read() + 1);
    }
  };
  {
    std::jthread producer(produce);
    std::jthread consumer(consume);
    run_many(*workers, 8, 8, [&](act&, unsigned i) { i % 2 == 0 ? produce() : consume(); });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(made.read(), 5 * each);
  EXPECT_EQ(taken.read(), 5 * each);
}

TEST(Latch, WaitersReturnAtOnceIfTheConditionHolds) {
  native_latch latch;
  native_svar value(latch, 4);
  EXPECT_EQ(sync_wait_value(value, [](std::uint64_t v) { return v == 4; }), 4U);
  const std::scoped_lock held(latch);
  int asked = 0;
  sync_wait_until_true(latch, [&] { return ++asked == 1; });
  EXPECT_EQ(asked, 1);
}

// What counts for a job that mostly sleeps is how much it works.
TEST(Latch, AWaiterThatSpinsInVainDoesNotWork) {
  native_latch latch;
  native_svar value(latch, 0);
  const auto spun = [] {
    // First: then what is used meanwhile counts as spun, not as work.
    const std::int64_t worked = native::working_time();
    return static_cast<std::int64_t>(machine::processor_time_of(getpid())) - worked;
  };
  const std::int64_t before = spun();
  std::jthread waiter([&] {
    waiting::plain_thread<native> self(native::ticks_per_second() / 5);
    sync_wait_value(value, [](std::uint64_t v) { return v == 1; }, self);
  });
  const auto patience = std::chrono::steady_clock::now() + 60s;
  while (spun() - before < 190'000'000 && std::chrono::steady_clock::now() < patience) std::this_thread::sleep_for(5ms);
  EXPECT_GE(spun() - before, 190'000'000) << "a spin of 200 ms";
  const std::scoped_lock held(latch);
  value.write(1);
}

TEST(Latch, LongWaitsSleep) {
  native_latch latch;
  native_svar value(latch, 0);
  timespec before{};
  timespec after{};
  std::thread waiter([&] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    sync_wait_value(value, [](std::uint64_t v) { return v == 1; });
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  });
  std::this_thread::sleep_for(100ms);
  {
    const std::scoped_lock held(latch);
    value.write(1);
  }
  waiter.join();
  const double used = double(after.tv_sec - before.tv_sec) + double(after.tv_nsec - before.tv_nsec) / 1e9;
  EXPECT_LT(used, 0.05);
}

}  // namespace
}  // namespace callisto::workers
