// Users and groups of the process, changed by members of regions or by a thread beside regions. All threads have the
// new ids afterwards, as they do without lent identities.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <grp.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

namespace {

int threads = 4;
const bool is_root = geteuid() == 0;

/// True if the kernel reports the ids for every thread. A thread that has ended meanwhile does not count.
bool all_threads_have(gid_t effective) {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    std::string word;
    gid_t real = 0, now = effective;
    while (status >> word && word != "Gid:") {
    }
    if (word == "Gid:" && status >> real >> now && now != effective) return false;
  }
  return true;
}

/// Changes to another group and back if the system permits it, else to the present one.
bool changes_group() {
  const gid_t mine = getegid();
  const gid_t other = is_root ? mine + 1 : mine;
  const bool changed = setegid(other) == 0 && getegid() == other && all_threads_have(other);
  return setegid(mine) == 0 && all_threads_have(mine) && changed;
}

void compute(double seconds) {
  const double begin = omp_get_wtime();
  while (omp_get_wtime() < begin + seconds) {
  }
}

/// One member at a time, each in turn; the others compute.
void by_members() {
  for (int round = 0; round < 4; ++round) {
    bool good = false;
#pragma omp parallel num_threads(threads)
    {
      if (omp_get_thread_num() == round % threads) good = changes_group();
      compute(0.001);
#pragma omp barrier
#pragma omp single
      if (setuid(getuid()) != 0 || setgid(getgid()) != 0) good = false;
    }
    check(good, "a group that a member changes");
  }
}

/// While all members compute, for longer than the change can take.
void beside_a_region() {
  std::atomic<bool> over{false};
  bool good = true;
  std::thread beside([&] {
    for (int round = 0; round < 2; ++round) good = changes_group() && good;
    over = true;
  });
#pragma omp parallel num_threads(threads)
  while (!over) {
  }
  beside.join();
  check(good, "a group changed beside a region");
}

void each_call() {
  const uid_t user = getuid(), effective = geteuid();
  const gid_t group = getgid(), effective_group = getegid();
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
#pragma omp critical
  {
    wrong += seteuid(effective) != 0;
    wrong += setreuid(user, effective) != 0 || setregid(group, effective_group) != 0;
    wrong += setresuid(user, effective, effective) != 0 || setresgid(group, effective_group, effective_group) != 0;
    gid_t groups[64];
    const int count = getgroups(64, groups);
    wrong += is_root && (count < 0 || setgroups(static_cast<std::size_t>(count), groups) != 0);
    wrong += is_root && (initgroups("root", group) != 0 || setgroups(static_cast<std::size_t>(count), groups) != 0);
    wrong += !is_root && setresuid(user, effective + 12345, effective) == 0;
    // A child that shares the memory changes only its own ids.
    const pid_t child = vfork();
    if (child == 0)
      _exit(setegid(is_root ? effective_group + 1 : effective_group) == 0 &&
                    getegid() == (is_root ? effective_group + 1 : effective_group)
                ? 0
                : 1);
    int status = -1;
    wrong += waitpid(child, &status, 0) != child || status != 0 || !all_threads_have(effective_group);
  }
  check(wrong == 0, "each of the calls");
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) threads = std::atoi(arguments[1]);
  alarm(60);
  by_members();
  beside_a_region();
  each_call();
  return verdict();
}
