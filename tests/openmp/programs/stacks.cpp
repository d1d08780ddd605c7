// Address space that threads take, and alternate signal stacks, which language runtimes set for their main thread. Such
// a stack stays with its thread, wherever threads run. A handler on it ends on the thread on which it began.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <omp.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.hpp"

namespace {

char alternate[64 * 1024];
std::atomic<int> signals{0};

void compute(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

void handler(int) {
  ++signals;
  compute(std::chrono::microseconds(300));
}

bool has_it() {
  stack_t now{};
  sigaltstack(nullptr, &now);
  return (now.ss_flags & SS_DISABLE) == 0 && now.ss_sp == alternate;
}

/// Runs regions of preempted threads. Returns how often another thread than the main thread had its alternate stack, or
/// the main thread had none.
int misplaced(int rounds) {
  const long main = syscall(SYS_gettid);
  std::atomic<int> wrong{0};
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel
    {
      compute(std::chrono::microseconds(3000));
      // A turn may end between the three calls.
      const long before = syscall(SYS_gettid);
      const bool has = has_it();
      const long after = syscall(SYS_gettid);
      if (before == after && has && before != main) ++wrong;
    }
    if (!has_it()) ++wrong;
  }
  return wrong;
}

/// Returns how many threads have an arena: the first allocation on a thread reserves 64 MiB in glibc.
int heaps_of_threads() {
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  int found = 0;
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    char may[5] = {};
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, may) != 3) continue;
    constexpr unsigned long mib = 1UL << 20;
    if (std::strcmp(may, "---p") == 0 && end - begin > 60 * mib && end % (64 * mib) == 0) ++found;
  }
  if (maps != nullptr) std::fclose(maps);
  return found;
}

}  // namespace

int main(int count, char** arguments) {
  omp_set_num_threads(count > 1 ? std::atoi(arguments[1]) : 4);
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += omp_get_thread_num();
  check(sum == omp_get_max_threads() * (omp_get_max_threads() - 1) / 2, "a region");
  // While there are other jobs, the thread of Callisto that watches them has one.
  check(heaps_of_threads() <= 1, "no heap for threads that allocate nothing");
  stack_t mine{};
  mine.ss_sp = alternate;
  mine.ss_size = sizeof alternate;
  check(sigaltstack(&mine, nullptr) == 0, "sigaltstack()");
  check(misplaced(20) == 0, "without signals");

  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  check(sigaction(SIGALRM, &action, nullptr) == 0 && sigaction(SIGPROF, &action, nullptr) == 0, "sigaction()");
  const itimerval often{{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  setitimer(ITIMER_PROF, &often, nullptr);
  check(misplaced(20) == 0, "under signals");
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  setitimer(ITIMER_PROF, &never, nullptr);
  check(signals > 5, "there were signals");
  return verdict();
}
