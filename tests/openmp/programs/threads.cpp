// Nested regions, cancellation, exceptions in regions, several threads of the application with regions of their own, a
// thousand OpenMP threads, destructors at the end of threads, and what members start. Needs OMP_CANCELLATION=true.
#include "check.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int threads = 4;

void nested() {
  omp_set_max_active_levels(3);
  std::atomic<int> inner{0};
  std::atomic<int> wrong{0};
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(threads)
    {
      const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(3)
      {
        ++inner;
        if (omp_get_ancestor_thread_num(1) != outer || omp_get_team_size(1) != threads || omp_get_team_size(2) != 3 ||
            omp_get_level() != 2 || omp_get_thread_num() > 2)
          ++wrong;
        int sum = 0;
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 10; ++i) sum += i;
#pragma omp parallel num_threads(2)
        {
          // The level of a team of one is not active.
          if (omp_get_level() != 3) ++wrong;
#pragma omp parallel num_threads(2)
          if (omp_get_level() != 4 || omp_get_active_level() > 3) ++wrong;
        }
      }
      if (omp_get_thread_num() != outer || omp_get_num_threads() != threads) ++wrong;
#pragma omp barrier
    }
  }
  check(inner == 20 * 3 * threads && wrong == 0, "nested regions");
  omp_set_max_active_levels(1);
}

void cancelled() {
  check(omp_get_cancellation() != 0, "OMP_CANCELLATION=true is wanted");
  std::atomic<int> beyond{0};
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == threads - 1) {
#pragma omp cancel parallel
      ++beyond;
    }
#pragma omp barrier
    ++beyond;
  }
  check(beyond == 0, "cancel parallel");
  std::atomic<int> done{0};
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100'000; ++i) {
#pragma omp cancellation point for
        ++done;
        if (i == 50) {
#pragma omp cancel for
        }
      }
#pragma omp for
      for (int i = 0; i < 100'000; ++i) {
        if (i == 0) {
#pragma omp cancel for
        }
#pragma omp cancellation point for
      }
    }
    int after = 0;
#pragma omp parallel for reduction(+ : after) num_threads(threads)
    for (int i = 0; i < 100; ++i) after += i;
    check(after == 4950, "a loop after one that was cancelled");
  }
  check(done < 2'000'000, "cancel for");
}

void exceptions() {
  std::atomic<int> caught{0};
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < 50; ++i) {
    const std::string expected = std::to_string(omp_get_thread_num() * 1000 + i);
    try {
      try {
        throw std::runtime_error(expected);
      } catch (const std::exception&) {
#pragma omp barrier
        throw;  // other threads have thrown and caught meanwhile
      }
    } catch (const std::exception& e) {
      if (e.what() == expected && std::uncaught_exceptions() == 0) ++caught;
    }
  }
  check(caught == 50 * threads, "exceptions");
}

void many_leaders() {
  std::atomic<int> wrong{0};
  std::vector<std::thread> leaders;
  for (int leader = 0; leader < 6; ++leader) {
    leaders.emplace_back([&, leader] {
      omp_set_num_threads(leader % 3 + 1);
      for (int round = 0; round < 100; ++round) {
        int sum = 0;
        int seen = 0;
#pragma omp parallel reduction(+ : sum)
        {
#pragma omp master
          seen = omp_get_num_threads();
#pragma omp for schedule(dynamic)
          for (int i = 0; i < 100; ++i) sum += i;
        }
        if (sum != 4950 || seen != leader % 3 + 1) ++wrong;
      }
    });
  }
  for (std::thread& leader : leaders) leader.join();
  check(wrong == 0, "regions of several threads of the application");
}

void a_thousand() {
  std::atomic<int> here{0};
  std::atomic<int> sum{0};
#pragma omp parallel num_threads(1000)
  {
    ++here;
#pragma omp barrier
    if (here == 1000) sum += omp_get_thread_num();
  }
  check(sum == 499'500, "a thousand threads");
}

std::atomic<int> ended{0};
struct counts_its_end {
  bool used = false;
  ~counts_its_end() {
    if (used) ++ended;
  }
};
thread_local counts_its_end counter;

void destructors() {
  std::thread([] {
#pragma omp parallel num_threads(5)
    counter.used = true;
  }).join();
  check(ended == 5, "destructors of thread_local objects");
}

unsigned processors() {
  cpu_set_t now;
  return sched_getaffinity(0, sizeof now, &now) == 0 ? static_cast<unsigned>(CPU_COUNT(&now)) : 0;
}

/// Threads that members create may run where the program may, wherever the members' threads are pinned.
void made_by_members() {
  const unsigned all = processors();
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
  {
    std::thread([&] {
      if (processors() != all) ++wrong;
    }).join();
    pthread_attr_t how;
    pthread_attr_init(&how);
    pthread_attr_setstacksize(&how, 1 << 20);
    pthread_t made;
    void* result = nullptr;
    const auto passes_on = [](void* argument) -> void* { return argument; };
    if (pthread_create(&made, &how, passes_on, &how) != 0 || pthread_join(made, &result) != 0 || result != &how)
      ++wrong;
    // Unless the attributes specify where.
    cpu_set_t first;
    CPU_ZERO(&first);
    cpu_set_t now;
    sched_getaffinity(0, sizeof now, &now);
    for (int cpu = 0; CPU_COUNT(&first) == 0; ++cpu)
      if (CPU_ISSET(cpu, &now)) CPU_SET(cpu, &first);
    pthread_attr_setaffinity_np(&how, sizeof first, &first);
    const auto count = [](void* of) -> void* { return processors() == 1 ? of : nullptr; };
    if (pthread_create(&made, &how, count, &how) != 0 || pthread_join(made, &result) != 0 || result != &how) ++wrong;
    pthread_attr_destroy(&how);
  }
  check(wrong == 0, "threads that members make");
}

/// Checks the same for processes. `nproc` prints how many processors it may run on.
void started_by_members() {
  const int all = static_cast<int>(processors());
  const std::string asks = "unset OMP_NUM_THREADS OMP_THREAD_LIMIT; test $(nproc) = " + std::to_string(all);
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
  {
    if (std::system(asks.c_str()) != 0) ++wrong;
    if (std::system("exit 3") != 3 << 8 || std::system(nullptr) == 0) ++wrong;
    FILE* const from = popen(("(" + asks + ") && echo right").c_str(), "r");
    char line[16] = "";
    if (from == nullptr || std::fgets(line, sizeof line, from) == nullptr || std::string(line) != "right\n") ++wrong;
    if (from == nullptr || pclose(from) != 0) ++wrong;
    errno = 0;
    if (popen("true", "?") != nullptr || errno != EINVAL) ++wrong;
    for (const bool by_path : {false, true}) {
      std::string command = asks;
      char* words[] = {const_cast<char*>("sh"), const_cast<char*>("-c"), command.data(), nullptr};
      pid_t child = 0;
      int status = -1;
      const int failed = by_path ? posix_spawn(&child, "/bin/sh", nullptr, nullptr, words, environ)
                                 : posix_spawnp(&child, "sh", nullptr, nullptr, words, environ);
      if (failed != 0 || waitpid(child, &status, 0) != child || status != 0) ++wrong;
      if (posix_spawn(&child, "/nowhere/at all", nullptr, nullptr, words, environ) != ENOENT) ++wrong;
    }
  }
  check(wrong == 0, "processes that members start");
}

/// The kernel knows the worker, the C library the member.
void inheriting_mutexes() {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  check(pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT) == 0, "a protocol of mutexes");
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &how);
  std::atomic<int> wrong{0};
  int held = 0;
#pragma omp parallel num_threads(threads)
  for (int n = 0; n < 100; ++n) {
    if (pthread_mutex_lock(&mutex) != 0) ++wrong;
    ++held;
    if (n % 10 == 0) sched_yield();
    if (pthread_mutex_unlock(&mutex) != 0) ++wrong;
  }
  check(wrong == 0 && held == 100 * threads, "mutexes with priority inheritance");
  pthread_mutex_destroy(&mutex);
  pthread_mutexattr_destroy(&how);
}

/// Each member keeps the name that it was given, wherever it runs.
void names() {
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
  {
    const std::string name = "member " + std::to_string(omp_get_thread_num());
    char found[16] = "";
    if (pthread_setname_np(pthread_self(), name.c_str()) != 0) ++wrong;
#pragma omp barrier
    if (pthread_getname_np(pthread_self(), found, sizeof found) != 0 || name != found) ++wrong;
    if (pthread_setname_np(pthread_self(), "more than a name has room for") != ERANGE) ++wrong;
  }
  check(wrong == 0, "names of members");
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) threads = std::atoi(arguments[1]);
  nested();
  cancelled();
  exceptions();
  many_leaders();
  a_thousand();
  destructors();
  made_by_members();
  started_by_members();
  inheriting_mutexes();
  names();
  return verdict();
}
