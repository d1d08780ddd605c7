// Threads that block signals, perhaps all, while they spin. Callisto preempts by SIGURG and marks loops by SIGTRAP. A
// thread must not keep a context by its mask. It must see the mask that it set, and its handler as the only one.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <omp.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.hpp"

namespace {

std::atomic<int> urgent{0};
std::atomic<int> trapped{0};
std::atomic<int> in_urgent{0};
std::atomic<bool> nested{false};
void on_urgent(int) { ++urgent; }
void on_trapped(int) { ++trapped; }
/// Blocks SIGUSR1, by its action's mask.
void on_urgent_alone(int, siginfo_t* info, void*) {
  ++in_urgent;
  raise(SIGUSR1);
  --in_urgent;
  if (info->si_signo == SIGURG) ++urgent;
}
void on_user(int) { nested = nested || in_urgent != 0; }

/// Does more than wait in its loop, so only ticks end the turn of a thread that waits here.
[[gnu::noinline]] unsigned long wait_until(const std::atomic<unsigned>& turn, unsigned value) {
  unsigned long passes = 0;
  while (turn.load(std::memory_order_acquire) != value) ++passes;
  return passes;
}

/// Each round takes a turn of each thread at least, and each turn ends by a tick.
bool passes_around() {
  const unsigned rounds = omp_get_max_threads() > 4 ? 1 : 10;
  std::atomic<unsigned> turn{0};
  std::atomic<unsigned long> passes{0};
  const auto members = static_cast<unsigned>(omp_get_max_threads());
#pragma omp parallel
  {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const auto me = static_cast<unsigned>(omp_get_thread_num());
    for (unsigned round = 0; round < rounds; ++round) {
      passes += wait_until(turn, round * members + me);
      turn.store(round * members + me + 1, std::memory_order_release);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  return turn == rounds * members;
}

bool blocks(int signal) {
  sigset_t now;
  return pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0 && sigismember(&now, signal) == 1;
}

/// True if a signal that is blocked and raised twice on the calling thread is held, then comes once.
bool is_held_back(int signal, const std::atomic<int>& count) {
  sigset_t just, before, after;
  sigemptyset(&just);
  sigaddset(&just, signal);
  const int at_first = count;
  if (blocks(signal) || sigprocmask(SIG_BLOCK, &just, &before) != 0 || !blocks(signal)) return false;
  raise(signal);
  raise(signal);
  if (count != at_first || sigprocmask(SIG_BLOCK, nullptr, &after) != 0 || sigismember(&after, signal) != 1)
    return false;
  return sigprocmask(SIG_SETMASK, &before, nullptr) == 0 && count == at_first + 1 && !blocks(signal);
}

// They are obsolete, but programs call them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// True if the signal ends read(), as siginterrupt() has set.
bool interrupts(int signal) {
  int ends[2];
  if (siginterrupt(signal, 1) != 0 || std::signal(signal, on_user) == SIG_ERR || pipe(ends) != 0) return false;
  const itimerval often{{0, 5'000}, {0, 5'000}};
  const itimerval never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  char byte;
  const bool ended = read(ends[0], &byte, 1) == -1 && errno == EINTR;
  setitimer(ITIMER_REAL, &never, nullptr);
  struct sigaction action{};
  const bool restarts = siginterrupt(signal, 0) == 0 && std::signal(signal, SIG_DFL) == on_user &&
                        sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_RESTART) != 0;
  close(ends[0]);
  close(ends[1]);
  return ended && restarts && siginterrupt(0, 1) == -1 && errno == EINVAL;
}

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 4;
  omp_set_num_threads(threads);
  check(interrupts(SIGALRM), "siginterrupt()");
  // Before the first region.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::signal(SIGURG, on_urgent);
  raise(SIGURG);
  check(passes_around(), "turns");
  check(blocks(SIGURG) && urgent == 0, "blocked all the time");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  check(!blocks(SIGURG) && urgent == 1, "not any more");
  urgent = 0;
  check(std::signal(SIGURG, SIG_DFL) == on_urgent, "signal() takes it away");

  struct sigaction action{};
  check(sigaction(SIGURG, nullptr, &action) == 0 && action.sa_handler == SIG_DFL, "no handler");
  check(std::signal(SIGURG, on_urgent) == SIG_DFL && std::signal(SIGTRAP, on_trapped) == SIG_DFL, "signal()");
  check(passes_around() && urgent == 0 && trapped == 0, "turns with handlers");
#pragma omp parallel
  {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    raise(SIGURG);
  }
  check(urgent == threads, "own signals");
  // Ticks use the same signal, of which one can be pending at a time.
  constexpr int many = 500;
  urgent = 0;
#pragma omp parallel
  for (int i = 0; i < many; ++i) raise(SIGURG);
  check(urgent == threads * many, "many own signals");
  check(is_held_back(SIGURG, urgent), "SIGURG held back");
  check(is_held_back(SIGTRAP, trapped), "SIGTRAP held back");

  action.sa_sigaction = on_urgent_alone;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR1);
  std::signal(SIGUSR1, on_user);
  urgent = 0;
  check(sigaction(SIGURG, &action, nullptr) == 0, "sigaction()");
  raise(SIGURG);
  raise(SIGURG);
  check(urgent == 1 && !nested, "an action's mask, and its end");
  check(sigaction(SIGURG, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) != 0 &&
            sigismember(&action.sa_mask, SIGUSR1) == 1,
        "an action's flags");
  std::signal(SIGURG, SIG_IGN);
  raise(SIGURG);
  check(passes_around() && urgent == 1, "ignored");
  return verdict();
}
