// Code of GCC's and of clang's compilers in one process, on one library: one pool of threads, levels that add up, one
// number for a thread, locks and settings of both. Compiled twice: as a library (by clang, which defines LIBRARY) and
// as the program.
#include <omp.h>

/// What the leader of a region of the library's sees.
struct seen {
  int level, active_level, number, threads, ancestor, team_size;
};

#ifdef LIBRARY

extern "C" void regions_of_library(int threads, void (*in_each)(void*), void* data, seen* first) {
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == 0)
      *first = {omp_get_level(),
                omp_get_active_level(),
                omp_get_thread_num(),
                omp_get_num_threads(),
                omp_get_ancestor_thread_num(omp_get_level() - 1),
                omp_get_team_size(omp_get_level())};
    in_each(data);
  }
}
extern "C" long tasks_of_library(int tasks) {
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < tasks; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  return sum;
}
extern "C" long loop_of_library(long n) {
  long sum = 0;
#pragma omp for schedule(dynamic, 3)
  for (long i = 0; i < n; ++i) {
#pragma omp atomic
    sum += i;
  }
  return sum;
}
extern "C" void barrier_of_library() {
#pragma omp barrier
}

#else

#include <dirent.h>

#include <atomic>
#include <cstdlib>

#include "check.hpp"

extern "C" void regions_of_library(int threads, void (*in_each)(void*), void* data, seen* first);
extern "C" long tasks_of_library(int tasks);
extern "C" long loop_of_library(long n);
extern "C" void barrier_of_library();

namespace {

int threads_of_process() {
  int n = 0;
  DIR* const all = opendir("/proc/self/task");
  while (const dirent* const e = readdir(all)) n += e->d_name[0] != '.';
  closedir(all);
  return n;
}

thread_local int times_here = 0;
std::atomic<int> calls{0};

void in_each(void*) {
  ++times_here;
  ++calls;
}

}  // namespace

int main(int, char** arguments) {
  const int threads = std::atoi(arguments[1]);
  seen s{};
  // One pool: what the program's region leaves in its members, the library's finds.
#pragma omp parallel num_threads(threads)
  times_here = 100 * (omp_get_thread_num() + 1);
  std::atomic<int> as_left{0};
  regions_of_library(
      threads,
      [](void* data) {
        if (times_here == 100 * (omp_get_thread_num() + 1)) ++*static_cast<std::atomic<int>*>(data);
      },
      &as_left, &s);
  check(as_left == threads, "the library's region has the program's threads");
  check(s.level == 1 && s.threads == threads && s.number == 0, "a region of the library's");
  // As many threads in the process however often they alternate.
  for (int round = 0; round < 3; ++round) regions_of_library(threads, in_each, nullptr, &s);
  const int before = threads_of_process();
  calls = 0;
  for (int round = 0; round < 200; ++round) {
    regions_of_library(threads, in_each, nullptr, &s);
#pragma omp parallel num_threads(threads)
    in_each(nullptr);
  }
  check(calls == 400 * threads, "each thread, each round");
  check(threads_of_process() <= before + 1, "no more threads than one team has");
  // Levels of both add up.
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    seen inner{};
    regions_of_library(2, [](void*) {}, nullptr, &inner);
    check(inner.level == 2 && inner.ancestor == me && inner.team_size == inner.threads, "a region in a region");
    check(inner.active_level == (threads > 1 ? 1 : 0) + (inner.threads > 1 ? 1 : 0), "active levels");
    check(omp_get_level() == 1 && omp_get_thread_num() == me, "the program's region again");
    // Constructs of the library's in a region of the program's: its team is theirs.
    long sum = loop_of_library(1'000);
    static long all;
#pragma omp single
    all = 0;
#pragma omp atomic
    all += sum;
    barrier_of_library();
    check(all == 499'500, "a loop of the library's, over the program's team");
    check(tasks_of_library(50) == 1'225, "tasks");
    barrier_of_library();
  }
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(threads)
  {
    seen inner{};
    regions_of_library(2, [](void*) {}, nullptr, &inner);
    check(threads == 1 || inner.threads == 1, "the program's limit of levels holds for the library");
  }
  omp_set_num_threads(threads);
  std::atomic<int> by_default{0};
  regions_of_library(omp_get_max_threads(), [](void* n) { ++*static_cast<std::atomic<int>*>(n); }, &by_default, &s);
  check(by_default == threads, "omp_set_num_threads() for both");
  return verdict();
}

#endif
