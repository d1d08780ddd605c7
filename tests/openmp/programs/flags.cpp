// Threads that pass turns by flags of their own, without a call, as in NAS LU: the runtime finds their loops in the
// program's code, which stays as it is. The program must not notice anything: its own SIGTRAP, masks, handlers,
// children and threads behave as usual.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <omp.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

namespace {

using flag = std::atomic<unsigned>;

/// Three loops: plain, with pauses, and with OpenMP's flush.
template <int Form>
[[gnu::noinline]] void wait_until(const flag& turn, unsigned value) {
  if constexpr (Form == 0) {
    while (turn.load(std::memory_order_acquire) != value) {
    }
  } else if constexpr (Form == 1) {
    while (turn.load(std::memory_order_acquire) != value) __builtin_ia32_pause();
  } else {
    while (turn.load(std::memory_order_relaxed) != value) __sync_synchronize();
  }
}

template <int Form>
[[gnu::noinline]] void pass_around(flag& turn, unsigned me, unsigned members, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    wait_until<Form>(turn, round * members + me);
    turn.store(round * members + me + 1, std::memory_order_release);
  }
}

template <int Form>
bool region_passes(unsigned threads, unsigned rounds) {
  flag turn{0};
#pragma omp parallel num_threads(threads)
  pass_around<Form>(turn, static_cast<unsigned>(omp_get_thread_num()), threads, rounds);
  return turn == threads * rounds;
}

/// Passes turns among the program's own threads.
bool threads_pass(unsigned threads, unsigned rounds) {
  flag turn{0};
  std::vector<std::thread> all;
  for (unsigned me = 0; me < threads; ++me) all.emplace_back([&, me] { pass_around<0>(turn, me, threads, rounds); });
  for (auto& t : all) t.join();
  return turn == threads * rounds;
}

#if defined(__x86_64__)
/// Returns the code of wait_until<Form>.
template <int Form>
std::vector<unsigned char> code_of_waits() {
  const auto* const at = reinterpret_cast<const volatile unsigned char*>(&wait_until<Form>);
  return {at, at + 16};
}
#endif

// Handlers of signals that wait in the same loop as the threads of a region. They come to threads of the region also
// while these are inside of the OpenMP library. The third ends the timer: on a loaded machine signals may come more
// often than the helper, and the region would not go on.
flag goes_on{0};
std::atomic<unsigned> handled{0};
std::atomic<bool> ends{false};
void wait_in_handler(int) {
  goes_on = 0;
  wait_until<0>(goes_on, 1);
  const itimerval never{};
  if (++handled == 3) setitimer(ITIMER_REAL, &never, nullptr);
}

/// A thread of the program ends the handlers' waits, which come until three have ended.
bool handlers_wait(unsigned threads, int flags, bool all_blocked) {
  struct sigaction action{};
  action.sa_handler = wait_in_handler;
  action.sa_flags = SA_RESTART | flags;
  all_blocked ? sigfillset(&action.sa_mask) : sigemptyset(&action.sa_mask);
  if (sigaction(SIGALRM, &action, nullptr) != 0) return false;
  sigset_t alarm, before;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, &before);
  ends = false;
  std::thread helper([] {
    while (!ends) {
      usleep(100);
      goes_on = 1;
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  handled = 0;
  const itimerval often{{0, 5'000}, {0, 5'000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  bool good = true;
  while (handled < 3) good = region_passes<0>(threads, 20) && good;
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  ends = true;
  helper.join();
  std::signal(SIGALRM, SIG_IGN);
  return good;
}

bool handlers_wait(unsigned threads) {
  return handlers_wait(threads, 0, false) && handlers_wait(threads, 0, true) &&
         handlers_wait(threads, SA_ONSTACK, false);
}

std::atomic<int> own_traps{0};
void on_own_trap(int) { ++own_traps; }

}  // namespace

int main(int count, char** arguments) {
  const unsigned threads = count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 4;
  const unsigned rounds = threads > 4 ? 16 : 50;
#if defined(__x86_64__)
  const auto written = code_of_waits<0>();
  const auto with_pauses = code_of_waits<1>();
  const auto with_flushes = code_of_waits<2>();
#endif
  check(region_passes<0>(threads, rounds), "turns");
  check(region_passes<1>(threads, rounds), "turns with pauses");
  check(region_passes<2>(threads, rounds), "turns with flushes");
#if defined(__x86_64__)
  check(code_of_waits<0>() == written && code_of_waits<1>() == with_pauses && code_of_waits<2>() == with_flushes,
        "the code stays as it is");
#endif
  check(handlers_wait(threads), "handlers that wait");

  // The program's own SIGTRAP.
  check(std::signal(SIGTRAP, on_own_trap) == SIG_DFL, "signal() before");
  struct sigaction action{};
  check(sigaction(SIGTRAP, nullptr, &action) == 0 && action.sa_handler == on_own_trap, "sigaction() asks");
  check(region_passes<0>(threads, 20), "turns with a handler");
#pragma omp parallel num_threads(threads)
  raise(SIGTRAP);
  check(own_traps == static_cast<int>(threads), "own traps");
#if defined(__x86_64__)
  asm volatile("int3");
  check(own_traps == static_cast<int>(threads) + 1, "an own breakpoint");
#endif

  // Signals that the program blocks are blocked.
#pragma omp parallel num_threads(threads)
  {
    sigset_t all, before, now;
    sigfillset(&all);
    const bool done = pthread_sigmask(SIG_SETMASK, &all, &before) == 0 && sigprocmask(SIG_BLOCK, nullptr, &now) == 0;
#pragma omp critical
    check(done && sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGSEGV) == 1, "masks");
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  check(sigprocmask(-1, &action.sa_mask, nullptr) == -1, "a wrong way");

  check(threads_pass(2, 5), "own threads");
  const pid_t child = fork();
  if (child == 0) _exit(threads_pass(2, 5) && region_passes<0>(threads, 20) ? 0 : 1);
  int status = -1;
  check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child");

  // SIGTRAP without a handler ends the process.
  const pid_t ended = fork();
  if (ended == 0) {
    std::signal(SIGTRAP, SIG_DFL);
    raise(SIGTRAP);
    _exit(0);
  }
  check(ended > 0 && waitpid(ended, &status, 0) == ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP,
        "the default action");
  return verdict();
}
