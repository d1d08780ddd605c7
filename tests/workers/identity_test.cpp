// Activations that run under a thread's identity: thread-local data, errno, malloc, exceptions, wherever they go on;
// carried and in the compatible way.
#include "../sanitizers.hpp"

#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pthread.h>
#include <sched.h>

namespace callisto::workers {
namespace {

using machine::native;
using machine::thread_identity;
using act = native_activation;

/// Has a name, and counts the ends of the threads that it belongs to.
struct belonging {
  std::string name;
  static inline std::atomic<int> destroyed{0};
  ~belonging() {
    if (!name.empty()) destroyed.fetch_add(1);
  }
};

thread_local int number = -1;
thread_local belonging belongs;

class Identity : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && !thread_identity::can_be_carried()) GTEST_SKIP() << "cannot be carried here";
  }
};

/// What each activation does under its identity, which it has for good.
struct task {
  worker_threads& on;
  std::vector<std::unique_ptr<thread_identity>>& identities;
  std::atomic<unsigned> begun{0};
  std::atomic<int> wrong{0};
  std::atomic<int> moves{0};
  unsigned round = 0;
  unsigned turns = 0;

  void check(bool good) {
    if (!good) wrong.fetch_add(1);
  }

  void live(act& self, unsigned i) {
    const std::string name = "identity number " + std::to_string(i);
    check(number == (round == 0 ? -1 : static_cast<int>(i)));  // as the last round left it
    if (round == 0) belongs.name = name;
    number = static_cast<int>(i);
    int* const address = &number;
    const pthread_t me = pthread_self();
    void* kept = nullptr;
    for (unsigned t = 0; t < turns; ++t) {
      errno = static_cast<int>(i) + 1;
      const unsigned before = self.host().number();
      try {
        throw std::runtime_error(name);
      } catch (const std::runtime_error& e) {
        self.step_aside();
        check(e.what() == name);
        try {
          throw;
        } catch (const std::runtime_error& again) {
          check(again.what() == name);
        }
      }
      if (self.host().number() != before) moves.fetch_add(1);
      check(errno == static_cast<int>(i) + 1);
      check(&number == address && number == static_cast<int>(i) && belongs.name == name);
      check(pthread_equal(pthread_self(), me) != 0);
      check(this_activation() == &self && &this_suspendable() == &self);
      // malloc's caches are the identity's: memory of one turn is freed in the next, maybe upon another worker.
      std::free(kept);
      kept = std::malloc(16 + (t * 37 + i) % 2000);
      std::memset(kept, static_cast<int>(i), 16);
    }
    std::free(kept);
  }

  static void call(act& self, void* data, native_ticket of) {
    task& me = *static_cast<task*>(data);
    const unsigned mine = me.begun.fetch_add(1);
    if (mine + 1 >= me.identities.size()) me.on->set_drained(of);
    if (mine >= me.identities.size()) return;
    const int of_worker = number;
    try {
      throw std::logic_error("of the activation itself");
    } catch (const std::logic_error&) {
      run_as(self, *me.identities[mine], [&] { me.live(self, mine); });
      me.check(number == of_worker);
      me.check(this_activation() == &self);
      try {
        throw;
      } catch (const std::logic_error& e) {
        me.check(std::strcmp(e.what(), "of the activation itself") == 0);
      }
    }
  }
};

TEST_P(Identity, GoesWithItsActivation) {
  constexpr unsigned members = 12;
  belonging::destroyed = 0;
  {
    auto workers = create_workers([] {
      set_options<native> how;
      how.workers = 3;
      return how;
    }());
    std::vector<std::unique_ptr<thread_identity>> identities;
    for (unsigned i = 0; i < members; ++i) identities.push_back(std::make_unique<thread_identity>(GetParam()));
    task t{*workers, identities};
    t.turns = GetParam() ? 400 : 8;
    for (t.round = 0; t.round < 3; ++t.round) {
      t.begun = 0;
      wait_complete(*workers, (*workers)->create_ticket(&task::call, &t, members));
    }
    for (int more = 0; more < 1000 && t.moves == 0; ++more, ++t.round) {
      t.begun = 0;
      wait_complete(*workers, (*workers)->create_ticket(&task::call, &t, members));
    }
    EXPECT_EQ(t.wrong, 0);
    EXPECT_GT(t.moves, 0);
    EXPECT_EQ(belonging::destroyed, 0);
  }
  EXPECT_EQ(belonging::destroyed, static_cast<int>(members));  // by the lenders' ends
}

TEST_P(Identity, WaitsLikeAnyActivation) {
  set_options<native> how;
  how.workers = 1;
  auto workers = create_workers(how);
  thread_identity one(GetParam());
  native_latch latch;
  native_svar go(latch, 0);
  struct both {
    worker_threads& on;
    thread_identity& who;
    native_svar& go;
    int processor = -1;
  } b{*workers, one, go};
  const native_ticket t = (*workers)->create_ticket(
      [](act& self, void* data, native_ticket of) {
        both& mine = *static_cast<both*>(data);
        mine.on->set_drained(of);
        run_as(self, mine.who, [&] {
          sync_wait_value(mine.go, [](std::uint64_t v) { return v == 1; });
          mine.processor = sched_getcpu();
        });
      },
      &b, 1);
  wait_drained(*workers, t);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  {
    const std::scoped_lock held(latch);
    go.write(1);
  }
  wait_complete(*workers, t);
  EXPECT_GE(b.processor, 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, Identity, ::testing::Values(true, false),
                         [](const auto& way) { return way.param ? "Carried" : "Compatible"; });

}  // namespace
}  // namespace callisto::workers
