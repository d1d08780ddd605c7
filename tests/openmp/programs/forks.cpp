// fork() before the first region, after regions, within one, and in a child; each child has regions of its own.
#include "check.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int threads = 4;

bool regions_work() {
  for (int round = 0; round < 5; ++round) {
    int sum = 0;
    int seen = 0;
#pragma omp parallel reduction(+ : sum) num_threads(threads + round % 2)
    {
#pragma omp master
      seen = omp_get_num_threads();
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp barrier
    }
    if (sum != 499'500 || seen != threads + round % 2) return false;
  }
  return true;
}

/// True if a child that calls f() ends, and f() returned true there.
bool child_does(const std::function<bool()>& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(f() ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

/// True if programs with tasks that call exit() end, even if the tasks take each other's contexts at that moment: the
/// runtime's work at exit must not be left half done.
bool tasks_end_programs() {
  for (int round = 0; round < 50; ++round) {
    std::array<pid_t, 4> children{};
    for (pid_t& child : children) {
      child = fork();
      if (child != 0) continue;
      alarm(20);
#pragma omp parallel num_threads(2)
      {
#pragma omp single
#pragma omp task
        {
          usleep(2000);
          std::exit(0);
        }
      }
      _exit(1);
    }
    for (const pid_t child : children) {
      int status = -1;
      if (waitpid(child, &status, 0) != child || status != 0) return false;
    }
  }
  return true;
}

/// At its very end a process flushes its files, while its other threads may still be in regions. The settings must
/// exist until then.
bool settings_stay() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    omp_set_affinity_format("a text too long to stand in an object, of thread %n");
    cookie_io_functions_t functions{};
    functions.write = [](void*, const char*, std::size_t) -> ssize_t {
      char text[128] = "";
      omp_capture_affinity(text, sizeof text, nullptr);
      _exit(std::strcmp(text, "a text too long to stand in an object, of thread 0") == 0 ? 0 : 1);
    };
    std::fputc('x', fopencookie(nullptr, "w", functions));
    std::exit(1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) threads = std::atoi(arguments[1]);
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  cpu_set_t usual;
  const int all = sched_getaffinity(0, sizeof usual, &usual) == 0 ? CPU_COUNT(&usual) : -1;
  check(tasks_end_programs(), "programs that end in a task");
  check(settings_stay(), "settings at a program's end");
  check(child_does(regions_work), "a child before the first region");
  check(regions_work(), "regions after a fork");
  check(child_does(regions_work), "a child after regions");
  check(child_does([] { return regions_work() && child_does(regions_work) && regions_work(); }), "a child of a child");
  check(regions_work(), "regions after children had theirs");
  for (int round = 0; round < 3; ++round) {
    bool good = false;
#pragma omp parallel num_threads(threads)
    {
#pragma omp master
      good = child_does([] { return true; });
#pragma omp barrier
    }
    check(good, "a child of a region, which ends at once");
    const pid_t parent = getpid();
    pid_t child = -1;
#pragma omp parallel num_threads(threads)
    {
#pragma omp master
      child = fork();
    }
    if (getpid() != parent) {
      alarm(20);
      _exit(regions_work() ? 0 : 1);
    }
    int status = -1;
    check(waitpid(child, &status, 0) == child && status == 0, "a child that goes on after its parent's region");
    // The child of each member may run where the program may.
    int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    {
      const pid_t own = fork();
      if (own == 0) {
        cpu_set_t now;
        _exit(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_COUNT(&now) == all ? 0 : 1);
      }
      int ended = -1;
      if (own < 0 || waitpid(own, &ended, 0) != own || ended != 0) ++wrong;
    }
    check(wrong == 0, "where members' children may run");
  }
  return verdict();
}
