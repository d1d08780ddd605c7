// Two programs on one machine: each is a job, each gets half of the contexts, and a third process looks at the table.
//
// A program that runs a loop is a job from then on; it needs no call. Class table_reader is what `callisto status`
// uses. It is for processes that are no jobs, so this program starts its two jobs as children and runs no loop itself.
#include <callisto/callisto.hpp>
#include <callisto/jobs.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

namespace {

// A job: loops for half a second, then reports by its exit status whether every sum was right.
int work() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  bool right = true;
  while (std::chrono::steady_clock::now() < end)
    right &= callisto::parallel_reduce(0, 100'000, 0L, [](long i) { return i; }) == 4'999'950'000;
  return right ? 0 : 1;
}

}  // namespace

int main() {
  pid_t jobs[2];
  for (pid_t& job : jobs) {
    job = fork();
    if (job == 0) _exit(work());
  }

  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  std::string refusal;
  if (auto table = callisto::cosched::table_reader::visit(callisto::machine::shared_folders(), refusal)) {
    for (const auto& job : table->jobs())
      std::fprintf(stderr, "process %llu has high priority on %.2f contexts\n",
                   static_cast<unsigned long long>(job.pid), job.share);
  } else {
    std::fprintf(stderr, "the programs do not share: %s\n", refusal.c_str());
  }

  int right = 0;
  for (const pid_t job : jobs) {
    int status = 1;
    if (waitpid(job, &status, 0) == job && status == 0) ++right;
  }
  std::printf("programs with right results: %d\n", right);
  return right == 2 ? 0 : 1;
}
