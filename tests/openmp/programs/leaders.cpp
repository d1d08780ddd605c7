// Several threads of the application that lead regions at once and depend on each other in between. The ranks of
// GROMACS' thread-MPI wait for each other. Callers of OpenBLAS share a lock, and within a region their threads wait for
// each other by sched_yield().
#include "check.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <omp.h>
#include <sched.h>

namespace {

int threads = 4;

/// The threads of a region, leader included, meet a number of times, and yield until all have come.
struct meeting {
  std::atomic<int> come{0};

  void all(int times) {
    const int size = omp_get_num_threads();
    for (int meets = 1; meets <= times; ++meets) {
      ++come;
      while (come < meets * size) sched_yield();
    }
  }
};

void meet_by_yields() {
  meeting at;
  int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    at.all(200);
    if (at.come < 200 * omp_get_num_threads()) ++wrong;
  }
  check(wrong == 0 && at.come == 200 * threads, "threads that meet by sched_yield()");
}

/// If members have no context, some of them run before the leader, which may wait for them by means that the runtime
/// does not see. The system mostly does so; Callisto does so if a region's members have waited before.
void members_first() {
  const int rounds = 50;
  int after_members = 0;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> begun{0};
#pragma omp parallel num_threads(4 * omp_get_num_procs())
    if (omp_get_thread_num() != 0) {
      ++begun;
    } else if (begun != 0) {
      ++after_members;
    }
  }
  check(after_members >= rounds / 2 || !is_on_callisto(), "members first");
}

/// Each waits for its neighbour outside of regions; `yields`: by sched_yield().
void ring(bool yields) {
  constexpr int ranks = 3;
  constexpr int rounds = 30;
  std::atomic<int> at[ranks] = {};
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int rank = 0; rank < ranks; ++rank) {
    all.emplace_back([&, rank] {
      for (int round = 1; round <= rounds; ++round) {
        int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += omp_get_thread_num() + 1;
        if (sum != threads * (threads + 1) / 2) ++wrong;
        at[rank] = round;
        while (at[(rank + 1) % ranks] < round) {
          if (yields) sched_yield();
        }
        if (at[(rank + 1) % ranks] > round + ranks) ++wrong;
      }
    });
  }
  for (std::thread& rank : all) rank.join();
  check(wrong == 0, "leaders that wait for each other");
}

/// They wait for a lock without a call; the holder of the lock leads a region.
void one_at_a_time() {
  std::atomic<bool> held{false};
  std::vector<std::thread> all;
  int regions = 0;
  int sum = 0;
  for (int caller = 0; caller < 3; ++caller) {
    all.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        while (held.exchange(true)) {
        }
        ++regions;
        meeting at;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        {
          at.all(5);
          sum += at.come == 5 * omp_get_num_threads() ? 1 : 0;
        }
        held = false;
      }
    });
  }
  for (std::thread& caller : all) caller.join();
  check(regions == 30 && sum == 30 * threads, "leaders that wait for a lock");
}

/// The leader of a region is in a critical section. Others wait for it outside of their regions, where workers or
/// another leader may have taken their contexts.
void critical_leaders() {
  std::vector<std::thread> all;
  int sum = 0;
  for (int caller = 0; caller < 4; ++caller) {
    all.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
#pragma omp critical(leaders)
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        ++sum;
      }
    });
  }
  for (std::thread& caller : all) caller.join();
  check(sum == 400 * threads, "leaders that wait for a critical section");
}

/// The holder of a lock creates threads for nested regions, while the threads of another leader end. All of that takes
/// locks of the C library, and is preempted.
void crews_come_and_go() {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_max_active_levels(2);
  std::vector<std::thread> all;
  int sum = 0;
  for (int caller = 0; caller < 5; ++caller) {
    all.emplace_back([&] {
      omp_set_max_active_levels(2);
      while (!omp_test_lock(&lock)) {
      }
#pragma omp parallel num_threads(4 * threads) reduction(+ : sum)
#pragma omp parallel num_threads(4) reduction(+ : sum)
      ++sum;
      omp_unset_lock(&lock);
    });
  }
  for (std::thread& caller : all) caller.join();
  omp_destroy_lock(&lock);
  check(sum == 5 * 4 * threads * 4, "threads that are made and end while others do");
}

/// A leader waits outside of its regions for a task that another thread ends.
void fulfilled_elsewhere() {
  int sum = 0;
  for (int round = 0; round < 40; ++round) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    ++sum;
    omp_event_handle_t event;
    std::thread other;
#pragma omp task detach(event) shared(other)
    other = std::thread([event] { omp_fulfill_event(event); });
#pragma omp taskwait
    other.join();
  }
  check(sum == 40 * threads, "a detached task that another thread ends");
}

/// Threads that lead one region each, one after the other, and end.
void short_lived() {
  int sum = 0;
  for (int n = 0; n < 50; ++n) {
    std::thread([&] {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
      ++sum;
    }).join();
  }
  check(sum == 50 * threads, "threads that lead one region and end");
}

}  // namespace

int main(int, char** arguments) {
  threads = std::atoi(arguments[1]);
  meet_by_yields();
  members_first();
  ring(false);
  ring(true);
  one_at_a_time();
  critical_leaders();
  crews_come_and_go();
  fulfilled_elsewhere();
  short_lived();
  return verdict();
}
