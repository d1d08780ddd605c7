// If the system refuses threads, regions have fewer, down to one, as long as there can be one worker; libgomp ends the
// program. Runs as root only: the limit does not apply to root, which can become a user to which it applies.
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <grp.h>
#include <omp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

namespace {

/// Runs the program as a user without other processes and with a limit on threads. Returns its exit status.
int of_child(rlim_t threads, int wanted) {
  const pid_t child = fork();
  if (child == 0) {
    const auto user =
        static_cast<uid_t>(64321 + wanted);  // such programs run at once, each with another number of threads
    const rlimit most{threads, threads};
    if (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0 ||
        setrlimit(RLIMIT_NPROC, &most) != 0)
      _exit(3);
    if (freopen("/dev/null", "w", stderr) == nullptr) _exit(3);  // the library prints that it has fewer threads
    int sum = 0;
    int team = 0;
#pragma omp parallel for num_threads(wanted) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp parallel num_threads(wanted)
#pragma omp single
    team = omp_get_num_threads();
    _exit(sum == 499500 && team >= 1 && team <= wanted ? 0 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

int main(int, char** arguments) {
  const int wanted = std::atoi(arguments[1]);
  if (geteuid() == 0) {
    for (const rlim_t threads : {2u, 3u, 4u, 5u, 30u}) check(of_child(threads, wanted) == 0, "a limit of threads");
    if (wanted > 1) check(of_child(1, wanted) == 1, "no thread at all: the program ends, with an error's status");
  }
  return verdict();
}
