// Handlers of the program's that wait for members, under three masks: full, empty, and with SA_NODEFER. A tick leaves
// such a handler, which may end on another thread of the kernel. One that comes while the library works on the thread
// must not keep the member back that it waits for. A member's mask stays with the member.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <omp.h>
#include <pthread.h>
#include <sys/time.h>

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
  const unsigned rounds = members > 4 ? 10 : 100;
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
  pass_round(true, 0);
  pass_round(false, 0);
  pass_round(false, SA_NODEFER);
  return verdict();
}
