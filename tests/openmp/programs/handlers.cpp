// Handlers of the program's that wait for members, under three masks: full, empty, and with SA_NODEFER. A tick leaves
// such a handler, which may end on another thread of the kernel. One that comes while the library works on the thread,
// or changes what runs there, must not keep the member back that it waits for. It comes later, with all that the signal
// brings. A member's mask stays with the member.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <omp.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

#include "check.hpp"

namespace {

std::atomic<unsigned> turn{0};
std::atomic<unsigned> turns{0};
std::atomic<long> handled{0};
thread_local int me = -1;
thread_local int depth = 0;

/// Waits until the thread that has the turn passes it on, if that is another one.
void wait_for_turn(int) {
  const unsigned now = turn;
  const auto members = static_cast<unsigned>(omp_get_max_threads());
  ++handled;
  // Nested handlers need room on the stack for each.
  if (me < 0 || depth > 3 || now % members == static_cast<unsigned>(me)) return;
  ++depth;
  while (turn == now && now < turns) {
  }
  --depth;
}

/// `Yields`: members call the library while they wait, which changes what runs on their threads.
template <bool Yields>
void pass_round(bool blocks_all, int flags) {
  struct sigaction action{};
  action.sa_handler = wait_for_turn;
  action.sa_flags = SA_RESTART | flags;
  if (blocks_all) sigfillset(&action.sa_mask);
  check(sigaction(SIGALRM, &action, nullptr) == 0, "sigaction()");
  struct sigaction now{};
  check(sigaction(SIGALRM, nullptr, &now) == 0 && now.sa_handler == wait_for_turn && (now.sa_flags & SA_SIGINFO) == 0 &&
            (sigismember(&now.sa_mask, SIGURG) == 1) == blocks_all,
        "the program's own action");
  const auto members = static_cast<unsigned>(omp_get_max_threads());
  const unsigned rounds = members > 4 ? 4 : 30;
  turn = 0;
  turns = rounds * members;
  handled = 0;
  const itimerval often{{0, 2'000}, {0, 2'000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int region = 0; region < 100'000 && (region == 0 || handled == 0); ++region) {
    turn = 0;
#pragma omp parallel
    {
      const int number = omp_get_thread_num();
      me = number;
      for (unsigned round = 0; round < rounds; ++round) {
        const unsigned mine = round * members + static_cast<unsigned>(number);
        while (turn != mine) {
          if (Yields) {
#pragma omp taskyield
          }
        }
        turn = mine + 1;
      }
      me = -1;
    }
    check(turn == turns, "every turn");
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  check(handled > 0, "a signal");
}

std::atomic<int> raised{0};
std::atomic<bool> may_return{false};

/// A member sends itself a signal. Its handler waits for the others, of which each waits for it.
void raise_and_wait() {
  struct sigaction action{};
  action.sa_handler = [](int) {
    ++raised;
    while (!may_return) {
    }
  };
  action.sa_flags = SA_RESETHAND;
  for (const int signal : {SIGUSR1, SIGPROF, SIGRTMIN}) {
    check(sigaction(signal, &action, nullptr) == 0, "sigaction()");
    raised = 0;
    may_return = omp_get_max_threads() == 1;
    const int sender = omp_get_max_threads() - 1;
    int early = 0;
#pragma omp parallel reduction(+ : early)
    if (omp_get_thread_num() == sender) {
      raise(signal);
      if (raised != 1) ++early;
    } else {
      while (raised == 0) {
      }
      if (omp_get_thread_num() == 0) may_return = true;
    }
    check(early == 0, "raise() returns after the handler");
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    check(now.sa_handler == SIG_DFL, "a handler that is used once");
  }
}

std::atomic<long> values{0};
std::atomic<long> wrong_values{0};

/// A timer's signal brings a value, wherever it comes.
void bring_values() {
  struct sigaction action{};
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    ++values;
    if (info->si_code != SI_TIMER || info->si_value.sival_int != 4711) ++wrong_values;
  };
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  check(sigaction(SIGRTMIN + 1, &action, nullptr) == 0, "sigaction()");
  sigevent how{};
  how.sigev_notify = SIGEV_SIGNAL;
  how.sigev_signo = SIGRTMIN + 1;
  how.sigev_value.sival_int = 4711;
  timer_t timer{};
  check(timer_create(CLOCK_MONOTONIC, &how, &timer) == 0, "timer_create()");
  const itimerspec often{{0, 500'000}, {0, 500'000}};
  timer_settime(timer, 0, &often, nullptr);
#pragma omp parallel
  while (values < 20) {
#pragma omp taskyield
  }
  timer_delete(timer);
  check(values >= 20 && wrong_values == 0, "the value of a signal");
}

/// A mask that one member sets, and others do not, across barriers at which members change their threads.
void keep_masks() {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    sigset_t one, before, now;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    const bool blocks = omp_get_thread_num() % 2 != 0;
    pthread_sigmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &one, &before);
    for (int round = 0; round < 200; ++round) {
#pragma omp barrier
      pthread_sigmask(SIG_SETMASK, nullptr, &now);
      if ((sigismember(&now, SIGUSR2) == 1) != blocks) ++wrong;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  check(wrong == 0, "a member's mask stays with it");
}

}  // namespace

int main(int count, char** arguments) {
  omp_set_num_threads(count > 1 ? std::atoi(arguments[1]) : 4);
#pragma omp parallel
  {
  }
  keep_masks();
  pass_round<false>(true, 0);
  pass_round<false>(false, 0);
  pass_round<false>(false, SA_NODEFER);
  pass_round<true>(true, 0);
  pass_round<true>(false, SA_NODEFER);
  raise_and_wait();
  bring_values();
  return verdict();
}
