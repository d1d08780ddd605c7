// Preemption by the runaway timer: activations that spin at flags, block in the C library, or just compute, on fewer
// workers than they are.
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/workers/activations/attached_thread.hpp>
#include <callisto/workers/activations/context_owners.hpp>
#include <callisto/workers/activations/create_workers.hpp>
#include <callisto/workers/preemption/program_loops.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pthread.h>

namespace callisto::workers {
namespace {

using machine::native;
using machine::thread_identity;
using act = native_activation;

class Preemption : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!thread_identity::can_be_carried()) GTEST_SKIP() << "identities cannot be carried here";
  }
};

/// Runs `body(activation, number)`, preemptible, in so many activations, each under an identity of its own.
class crowd {
 public:
  crowd(unsigned workers, unsigned members) : members_(members) {
    set_options<native> how;
    how.is_wait = waits_of_program();
    how.workers = workers;
    how.turn_ns = 100'000;
    workers_ = create_workers(how);
    for (unsigned i = 0; i < members; ++i) identities_.push_back(std::make_unique<thread_identity>());
  }

  void run(std::function<void(act&, unsigned)> body) {
    body_ = std::move(body);
    begun_ = 0;
    wait_complete(*workers_, (*workers_)->create_ticket(&crowd::call, this, members_));
  }

  worker_threads& workers() { return *workers_; }

 private:
  static void call(act& self, void* data, native_ticket of) {
    crowd& me = *static_cast<crowd*>(data);
    const unsigned mine = me.begun_.fetch_add(1);
    if (mine + 1 >= me.members_) (*me.workers_)->set_drained(of);
    if (mine >= me.members_) return;
    run_as(self, *me.identities_[mine], [&] { self.preemptible([&] { me.body_(self, mine); }); });
  }

  const unsigned members_;
  std::vector<std::unique_ptr<thread_identity>> identities_;
  std::unique_ptr<worker_threads> workers_;
  std::function<void(act&, unsigned)> body_;
  std::atomic<unsigned> begun_{0};
};

#if defined(__x86_64__)

extern "C" const volatile unsigned char callisto_test_wait[];
extern "C" const volatile unsigned char callisto_test_wait_end[];

/// Returns the code of wait_for()'s loop.
std::vector<unsigned char> code_of_wait() { return {callisto_test_wait, callisto_test_wait_end}; }

/// The only loop of this kind in the program.
[[gnu::noinline]] void wait_for(const std::atomic<unsigned>& flag, unsigned value) {
  asm volatile(
      "callisto_test_wait: movl (%0), %%eax\n"
      "lock orq $0, (%%rsp)\n"
      "cmpl %1, %%eax\n"
      "jne callisto_test_wait\n"
      "callisto_test_wait_end:\n"
      :
      : "r"(&flag), "r"(value)
      : "eax", "cc", "memory");
}

/// Threads that pass a turn around, rounds many, by wait_for().
void pass_around(crowd& all, unsigned members, unsigned rounds, const std::function<void()>& each_round) {
  std::atomic<unsigned> turn{0};
  all.run([&](act&, unsigned i) {
    for (unsigned round = 0; round < rounds; ++round) {
      wait_for(turn, round * members + i);
      if (i == 0) each_round();
      turn = round * members + i + 1;
    }
  });
  EXPECT_EQ(turn, rounds * members);
}

TEST_F(Preemption, TheProgramsCodeStaysAsItIs) {
  crowd all(2, 6);
  const auto original = code_of_wait();
  bool changed = false;
  pass_around(all, 6, 100, [&] { changed = changed || code_of_wait() != original; });
  EXPECT_FALSE(changed);
}

#endif

TEST_F(Preemption, SpinningAtFlagsEnds) {
  constexpr unsigned members = 6;
  constexpr unsigned rounds = 40;
  crowd all(2, members);
  // Like NAS LU's pipeline: each activation goes on when its predecessor has, without any call.
  std::atomic<unsigned> turn{0};
  all.run([&](act&, unsigned i) {
    for (unsigned r = 0; r < rounds; ++r) {
      while (turn.load() != r * members + i) {
      }
      turn.fetch_add(1);
    }
  });
  EXPECT_EQ(turn, members * rounds);
}

TEST_F(Preemption, BlockingInTheCLibraryEnds) {
  constexpr unsigned members = 5;
  crowd all(2, members);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, members);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  unsigned counted = 0;
  all.run([&](act&, unsigned) {
    for (int r = 0; r < 5; ++r) {
      pthread_barrier_wait(&barrier);
      pthread_mutex_lock(&mutex);
      ++counted;
      pthread_mutex_unlock(&mutex);
    }
  });
  EXPECT_EQ(counted, members * 5);
  pthread_barrier_destroy(&barrier);
}

thread_local unsigned own_number = 0;
thread_local std::string own_name;

TEST_F(Preemption, KeepsWhatAThreadHas) {
  constexpr unsigned members = 16;
  crowd all(3, members);
  std::atomic<unsigned> wrong{0};
  std::atomic<unsigned> moves{0};
  const auto check = [&](bool good) {
    if (!good) wrong.fetch_add(1);
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  all.run([&](act& self, unsigned i) {
    own_number = i;
    own_name = "number " + std::to_string(i);
    const pthread_t me = pthread_self();
    errno = static_cast<int>(i) + 1;
    unsigned before = self.host().number();
    double sum = 0;
    unsigned n = 0;
    std::vector<std::string> kept;
    while (std::chrono::steady_clock::now() < until && (moves < 200 || n < 2000)) {
      ++n;
      // Floating point in registers, an allocation, an exception, formatted text, all to be interrupted anywhere.
      for (unsigned k = 1; k < 100; ++k) sum += 1.0 / static_cast<double>(k + i);
      kept.push_back(std::string(16 + (n * 37 + i) % 3000, static_cast<char>('a' + i)));
      if (kept.size() > 20) kept.erase(kept.begin(), kept.begin() + 10);
      try {
        if (n % 4 == 0) throw std::runtime_error(own_name);
      } catch (const std::runtime_error& e) {
        check(e.what() == own_name);
      }
      char text[64];
      std::snprintf(text, sizeof text, "%u %.3f", i, 0.5 * i);
      check(std::strtoul(text, nullptr, 10) == i);
      check(errno == static_cast<int>(i) + 1);
      check(own_number == i && pthread_equal(pthread_self(), me) != 0);
      for (const std::string& s : kept) check(s.front() == static_cast<char>('a' + i) && s.back() == s.front());
      const unsigned now = self.host().number();
      if (now != before) moves.fetch_add(1);
      before = now;
    }
    double again = 0;
    for (unsigned k = 1; k < 100; ++k) again += 1.0 / static_cast<double>(k + i);
    check(std::abs(sum / n - again) < 1e-9);
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(moves, 0u);
}

TEST_F(Preemption, NotWhereItIsShielded) {
  crowd all(1, 2);
  std::atomic<unsigned> inside{0};
  std::atomic<unsigned> met{0};
  std::atomic<unsigned> rounds{0};
  std::atomic<bool> seen[2]{false, false};
  all.run([&](act& self, unsigned i) {
    // Both have begun: only preemption makes that so.
    seen[i] = true;
    while (!seen[1 - i]) {
    }
    for (int r = 0; r < 20; ++r) {
      {
        const act::shielded from_ticks(self);
        const act::shielded nested(self);
        if (inside.fetch_add(1) != 0) met.fetch_add(1);
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(400);
        while (std::chrono::steady_clock::now() < end) {
        }
        if (inside.fetch_sub(1) != 1) met.fetch_add(1);
      }
      rounds.fetch_add(1);
    }
  });
  EXPECT_EQ(met, 0u);
  EXPECT_EQ(rounds, 40u);
}

TEST_F(Preemption, StepsAsideAtTheEndOfTheShield) {
  // Processor time, since a thread without it gets no ticks.
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
  };
  bool stepped_aside = false;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  // A try shows nothing where the other activation begins before the shield, by a tick between two shields. Nor does a
  // round in which the host of a virtual machine took the processor away, so that no tick came.
  while (!stepped_aside && std::chrono::steady_clock::now() < limit) {
    crowd all(1, 2);
    std::atomic<int> begun{0};
    all.run([&](act& self, unsigned) {
      if (begun.fetch_add(1) != 0) return;
      while (begun == 1 && std::chrono::steady_clock::now() < limit) {
        bool alone = false;  // the other had not begun when the shield ended
        {
          const act::shielded from_ticks(self);
          const int before = begun;
          for (const auto end = used() + 5'000'000; used() < end;) {
          }
          EXPECT_EQ(begun, before);
          alone = begun == 1;
        }
        if (alone && begun == 2) stepped_aside = true;
      }
    });
  }
  EXPECT_TRUE(stepped_aside);
}

TEST_F(Preemption, LeavesAloneWhatIsNotPreemptible) {
  set_options<native> how;
  how.workers = 1;
  how.turn_ns = 100'000;
  auto workers = create_workers(how);
  struct shared {
    worker_threads& on;
    std::atomic<unsigned> begun{0};
    std::atomic<unsigned> together{0};
  } s{*workers};
  wait_complete(*workers, (*workers)->create_ticket(
                              [](act&, void* data, native_ticket of) {
                                shared& mine = *static_cast<shared*>(data);
                                const unsigned number = mine.begun.fetch_add(1);
                                if (number == 1) mine.on->set_drained(of);
                                const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
                                while (std::chrono::steady_clock::now() < end) {
                                }
                                if (number == 0 && mine.begun != 1) mine.together.fetch_add(1);
                              },
                              &s, 2));
  EXPECT_EQ(s.together, 0u);
}

/// An attached thread and activations, which spin at flags, on one context.
TEST_F(Preemption, AnAttachedThreadSharesItsContextByTurns) {
  for (const unsigned workers : {1U, 2U}) {
    set_options<native> how;
    how.workers = workers;
    how.turn_ns = 100'000;
    how.attached = 1;
    const auto set = create_workers(how);
    constexpr unsigned members = 3;
    constexpr unsigned rounds = 30;
    std::vector<std::unique_ptr<thread_identity>> identities;
    for (unsigned i = 0; i < members; ++i) identities.push_back(std::make_unique<thread_identity>());
    struct shared {
      worker_threads& on;
      std::vector<std::unique_ptr<thread_identity>>& lenders;
      std::atomic<unsigned> begun{0};
      std::atomic<unsigned> turn{0};
      void spin(unsigned i) {
        for (unsigned r = 0; r < rounds; ++r) {
          while (turn.load() != r * (members + 1) + i) {
          }
          turn.fetch_add(1);
        }
      }
    } s{*set, identities};
    {
      const attached_here here(*set);
      const native_ticket t = (*set)->create_ticket(
          [](act& self, void* data, native_ticket of) {
            shared& mine = *static_cast<shared*>(data);
            const unsigned i = mine.begun.fetch_add(1);
            if (i + 1 >= members) mine.on->set_drained(of);
            if (i < members) run_as(self, *mine.lenders[i], [&] { self.preemptible([&] { mine.spin(i); }); });
          },
          &s, members);
      this_suspendable().preemptible([&] { s.spin(members); });
      wait_complete(*set, t);
    }
    EXPECT_EQ(s.turn, rounds * (members + 1));
  }
}

TEST_F(Preemption, MoreAttachedThreadsThanContexts) {
  set_options<native> how;
  how.workers = 1;
  how.turn_ns = 100'000;
  how.attached = 2;
  const auto set = create_workers(how);
  std::atomic<unsigned> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int r = 0; r < 50; ++r) {
        const attached_here here(*set);
        std::pair<worker_threads*, std::atomic<unsigned>*> mine{set.get(), &done};
        const native_ticket t = (*set)->create_ticket(
            [](act&, void* data, native_ticket of) {
              auto& both = *static_cast<std::pair<worker_threads*, std::atomic<unsigned>*>*>(data);
              (*both.first)->set_drained(of);
              both.second->fetch_add(1);
            },
            &mine, 1);
        wait_complete(*set, t);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(done, 200u);
}

std::atomic<int> urgent{0};

TEST_F(Preemption, HandsOnWhatIsNoTick) {
  struct sigaction action{};
  action.sa_handler = [](int) { urgent.fetch_add(1); };
  sigaction(SIGURG, &action, nullptr);
  crowd all(1, 2);
  std::raise(SIGURG);
  std::atomic<unsigned> turn{0};
  all.run([&](act&, unsigned i) {
    while (turn.load() != i) {
    }
    turn.fetch_add(1);
  });
  EXPECT_EQ(urgent, 1);
}

/// Timers that only say whether they tick.
class watched_timers final : public runaway_timer {
 public:
  void set_rate(unsigned n, tick_rate rate) noexcept override { rates_[n] = rate; }
  void unblock() noexcept override {}
  void block() noexcept override {}
  bool ticks(unsigned n) const noexcept { return rates_[n] != tick_rate::none; }
  bool ticks_rarely(unsigned n) const noexcept { return rates_[n] == tick_rate::rare; }

 private:
  std::array<tick_rate, 2> rates_{};
};

/// A context that another job asks for once.
class asked_source final : public context_source<native> {
 public:
  explicit asked_source(const watched_timers& timers) : timers_(timers) {}

  unsigned asked = 0;            ///< how often an attached thread has waited for the other job
  bool ticked_meanwhile = true;  ///< whether there were ticks the last time

  bool acquire(unsigned, context_watch<native>& watch, bool attached) noexcept override {
    constexpr std::uint32_t look = context_watch<native>::look_request;
    if (attached && (watch.request.fetch_and(~look, machine::order::relaxed) & look) != 0) {
      ++asked;
      ticked_meanwhile = timers_.ticks(1);
    }
    return true;
  }

 private:
  const watched_timers& timers_;
};

// A tick wakes a thread that sleeps, and would take the processor from the job that has the context.
TEST(AttachedThreadWithoutContext, HasNoTicks) {
  watched_timers timers;
  asked_source source(timers);
  context_owners<native> owners(1, &source);
  worker_set<native> set(
      {.workers = 1, .spin_ticks = 0, .attached = 1, .owners = &owners, .turn_ns = 1'000'000, .timer = &timers});
  {
    attached_thread<native> self(set, 0);
    set.has_timer(self.number());
    unsigned turns = 0;
    const auto name = set.create_ticket(
        [](native_activation&, void* of, native_ticket) { ++*static_cast<unsigned*>(of); }, &turns, 1);
    ASSERT_TRUE(timers.ticks(self.number())) << "the context is wanted";
    owners.request_look(0);
    self.step_aside();
    EXPECT_EQ(source.asked, 1u);
    EXPECT_FALSE(source.ticked_meanwhile);
    EXPECT_EQ(turns, 1u);
    EXPECT_TRUE(timers.ticks(self.number())) << "the ticket may start more";
    set.set_drained(name);
    set.wait_complete(name, self);
  }
  set.finish();
}

// A tick may take 30 us from the program, so ticks that find no waiting thread had better be few.
TEST(Ticks, AreRareWhereTheyFindNothing) {
  watched_timers timers;
  const unsigned n = 1;  // after the one worker, which has no thread here
  worker_set<native> set(
      {.workers = 1, .spin_ticks = 0, .attached = 1, .turn_ns = 100'000'000'000, .wait_ns = 20'000, .timer = &timers});
  {
    attached_thread<native> self(set, 0);
    ASSERT_EQ(self.number(), n);
    set.has_timer(n);
    const auto name = set.create_ticket([](native_activation&, void*, native_ticket) {}, nullptr, 1);
    std::uintptr_t where = 0x10000;
    // A thread that computes: at each tick it is elsewhere.
    const auto tick = [&] {
      where += 0x1000;
      EXPECT_FALSE(set.tick(n, {.instruction = where, .period = 1'000'000, .registers = where}));
    };
    // On a busy machine its time may be another program's, so it computes for as long as it takes.
    const auto compute_until_ticks_are_rare = [&] {
      const std::uint64_t end = native::ticks() + 60 * native::ticks_per_second();
      while (!timers.ticks_rarely(n) && native::ticks() < end) tick();
    };
    tick();
    EXPECT_TRUE(timers.ticks(n));
    EXPECT_FALSE(timers.ticks_rarely(n)) << "it has just begun";
    compute_until_ticks_are_rare();
    EXPECT_TRUE(timers.ticks_rarely(n));
    set.look_for_others();
    EXPECT_TRUE(timers.ticks(n));
    EXPECT_FALSE(timers.ticks_rarely(n)) << "a thread that comes is not to wait";
    compute_until_ticks_are_rare();
    EXPECT_TRUE(timers.ticks_rarely(n));
    set.set_drained(name);
    set.wait_complete(name, self);
  }
  set.finish();
}

}  // namespace
}  // namespace callisto::workers
