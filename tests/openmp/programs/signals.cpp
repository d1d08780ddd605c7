// The program's own signals in a region. Members get the signals that they send to themselves, as threads of the
// program do. Processes that they start have the program's mask.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

namespace {

std::atomic<int> raised{0};
std::atomic<int> killed{0};
std::atomic<int> elsewhere{0};
thread_local int mine = 0;

void on_raised(int) {
  ++raised;
  ++mine;
}
void on_killed(int) { ++killed; }

/// Returns the line of the mask of a process that a member starts, as the kernel writes it.
bool starts_with_open_mask() {
  std::FILE* const from = popen("exec grep SigBlk /proc/self/status", "r");
  if (from == nullptr) return false;
  char line[64] = "";
  const bool read = std::fgets(line, sizeof line, from) != nullptr;
  return pclose(from) == 0 && read && std::strcmp(line, "SigBlk:\t0000000000000000\n") == 0;
}

/// A child that is to die from a signal that it sends to itself.
bool child_dies() {
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
}

char* area = nullptr;
constexpr long page_bytes = 4096;
constexpr int pages = 500;

void make_accessible(int, siginfo_t* info, void*) {
  mprotect(area + ((static_cast<char*>(info->si_addr) - area) & -page_bytes), page_bytes, PROT_READ | PROT_WRITE);
}

/// Members handle the signals that they cause, even on the thread of a leader that blocks all signals.
void beside_a_leader_with_nothing_open() {
  area = static_cast<char*>(mmap(nullptr, pages * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction action{};
  action.sa_sigaction = make_accessible;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  std::atomic<bool> over{false};
  bool believes = true;
  std::thread other([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    while (!over) {
#pragma omp parallel num_threads(2)
      usleep(0);
      usleep(1000);
      sigset_t now;
      pthread_sigmask(SIG_BLOCK, nullptr, &now);
      if (sigismember(&now, SIGSEGV) == 0) believes = false;
    }
  });
  int sum = 0;
#pragma omp parallel for num_threads(5) schedule(dynamic) reduction(+ : sum)
  for (int n = 0; n < pages; ++n) {
    area[n * page_bytes] = 1;
    sum += area[n * page_bytes];
    if (n % 50 == 0) usleep(1000);
  }
  over = true;
  other.join();
  std::signal(SIGSEGV, SIG_DFL);
  munmap(area, pages * page_bytes);
  check(sum == pages, "faults of members");
  check(believes, "what a leader blocks, as it is told");
}

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 4;
  omp_set_num_threads(threads);
  std::signal(SIGUSR1, on_raised);
  std::signal(SIGUSR2, on_killed);
  constexpr int rounds = 50;
  std::atomic<int> open{0};
  std::atomic<int> died{0};
#pragma omp parallel
  {
    const int at_first = mine;
    for (int round = 0; round < rounds; ++round) {
      raise(SIGUSR1);
      pthread_kill(pthread_self(), SIGUSR2);
    }
    if (mine != at_first + rounds) ++elsewhere;
    if (starts_with_open_mask()) ++open;
    if (child_dies()) ++died;
  }
  check(raised == threads * rounds, "raise()");
  check(elsewhere == 0, "handlers run under who has raised the signal");
  check(killed == threads * rounds, "pthread_kill() to oneself");
  check(open == threads, "a program that a member starts has no signals blocked");
  check(died == threads, "a child dies from its own signal");

  sigset_t user;
  sigemptyset(&user);
  sigaddset(&user, SIGUSR1);
  raised = 0;
  std::atomic<int> early{0};
#pragma omp parallel
  {
    const int at_first = mine;
    pthread_sigmask(SIG_BLOCK, &user, nullptr);
    raise(SIGUSR1);
    if (mine != at_first) ++early;
    pthread_sigmask(SIG_UNBLOCK, &user, nullptr);
  }
  check(raised == threads && early == 0, "blocked for a while");
  beside_a_leader_with_nothing_open();
  return verdict();
}
