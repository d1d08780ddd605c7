// Threads that other threads stop by signals, as conservative collectors, profilers and checkpointers do: a member gets
// a signal that is sent to its thread, on its own stack and with its own data, whether it runs, waits for the runtime,
// blocks in the system, or has no context. It waits in the handler until another signal lets it go on.
#include "check.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

sem_t answered;
std::atomic<unsigned> world{0};  ///< odd: stopped
std::atomic<int> strangers{0};   ///< handlers that ran elsewhere than on the stack, or with the data, of their thread
thread_local unsigned answers = 0;
thread_local int mine = -1;

struct bounds {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
};
bounds stack_of(pthread_t thread) {
  pthread_attr_t how;
  void* low = nullptr;
  std::size_t bytes = 0;
  check(pthread_getattr_np(thread, &how) == 0, "pthread_getattr_np");
  pthread_attr_getstack(&how, &low, &bytes);
  pthread_attr_destroy(&how);
  const auto begin = reinterpret_cast<std::uintptr_t>(low);
  return {begin, begin + bytes};
}
thread_local bounds own_stack;

void on_stop(int) {
  const int saved = errno;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (mine < 0 || here < own_stack.low || here >= own_stack.high) ++strangers;
  ++answers;
  const unsigned stopped = world;
  sigset_t but_go;
  sigfillset(&but_go);
  sigdelset(&but_go, SIGXCPU);
  sem_post(&answered);
  while (world == stopped) sigsuspend(&but_go);
  sem_post(&answered);
  errno = saved;
}
void on_go(int) {}

void await(int answers_wanted) {
  for (int n = 0; n < answers_wanted; ++n) {
    while (sem_wait(&answered) != 0) check(errno == EINTR, "sem_wait");
  }
}

/// Stops all others and lets them go on, `rounds` times.
void stop_others(const std::vector<pthread_t>& threads, int but, int rounds) {
  const int others = static_cast<int>(threads.size()) - 1;
  for (int r = 0; r < rounds; ++r) {
    ++world;
    for (int n = 0; n <= others; ++n) check(n == but || pthread_kill(threads[n], SIGPWR) == 0, "stopping");
    await(others);
    ++world;
    for (int n = 0; n <= others; ++n) check(n == but || pthread_kill(threads[n], SIGXCPU) == 0, "going on");
    await(others);
  }
}

void spin(int turns) {
  for (int i = 0; i < turns; ++i) asm volatile("" ::: "memory");
}

enum class doing { computes, watches, waits, blocks };

/// One thread of a region stops the others, which do something else meanwhile.
void stops(int count, int by, doing what, int rounds) {
  std::vector<pthread_t> threads(static_cast<std::size_t>(count));
  std::atomic<int> over{0};
  std::atomic<int> ready{0};
  sem_t end;
  sem_init(&end, 0, 0);
  bool every_one_answered = true;
#pragma omp parallel num_threads(count) reduction(&& : every_one_answered)
  {
    mine = omp_get_thread_num();
    own_stack = stack_of(pthread_self());
    threads[static_cast<std::size_t>(mine)] = pthread_self();
    answers = 0;
    ++ready;
#pragma omp barrier
    if (mine == by) {
      stop_others(threads, by, rounds);
      over = 1;
      for (int n = 1; n < count; ++n) sem_post(&end);
    } else if (what == doing::computes) {
      for (volatile double x = 1; over == 0;) x = x * 1.000001 + 1;
    } else if (what == doing::watches) {
      while (over == 0) {
      }
    } else if (what == doing::blocks) {
      while (sem_wait(&end) != 0) check(errno == EINTR, "sem_wait");
    }
#pragma omp barrier
    if (mine != by) every_one_answered = every_one_answered && answers == static_cast<unsigned>(rounds);
  }
  check(every_one_answered, "each thread has answered each time");
  check(strangers == 0, "a handler runs as its thread, on its thread's stack");
}

std::atomic<int> own_timer_came{0};
void on_timer(int) {
  if (mine >= 0) ++own_timer_came;
}

/// A member's number is its own, reaches it, and has timers. tgkill() to a member is pthread_kill().
void has_numbers(int count) {
  std::vector<pid_t> numbers(static_cast<std::size_t>(count));
  bool same = true;
  struct sigaction action{};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
#pragma omp parallel num_threads(count)
  {
    numbers[static_cast<std::size_t>(omp_get_thread_num())] = gettid();
    mine = omp_get_thread_num();
  }
  for (int r = 0; r < 5; ++r) {
#pragma omp parallel num_threads(count) reduction(&& : same)
    {
      spin(10'000);
      same = same && numbers[static_cast<std::size_t>(omp_get_thread_num())] == gettid();
    }
  }
  check(same, "a member's number stays");
  for (int n = 0; n < count; ++n)
    for (int m = 0; m < n; ++m)
      check(numbers[static_cast<std::size_t>(n)] != numbers[static_cast<std::size_t>(m)], "one number each");
  own_timer_came = 0;
#pragma omp parallel num_threads(count)
  {
#pragma omp barrier
    if (omp_get_thread_num() == count - 1) check(tgkill(getpid(), numbers[0], SIGPROF) == 0, "tgkill");
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      check(tgkill(getpid(), numbers[static_cast<std::size_t>(count) - 1], SIGPROF) == 0, "tgkill");
    while (own_timer_came < 2) {
    }
  }
}

/// Each thread has a timer of its processor time, as profilers do.
void has_timers(int count) {
  std::atomic<int> with_ticks{0};
#pragma omp parallel num_threads(count)
  {
    static thread_local int ticks;
    ticks = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { ++ticks; };
    action.sa_flags = SA_RESTART;
#pragma omp single
    sigaction(SIGPROF, &action, nullptr);
    sigevent how{};
    how.sigev_notify = SIGEV_THREAD_ID;
    how.sigev_signo = SIGPROF;
    how._sigev_un._tid = gettid();
    timer_t timer{};
    check(timer_create(CLOCK_THREAD_CPUTIME_ID, &how, &timer) == 0, "timer_create");
    const itimerspec every{{0, 1'000'000}, {0, 1'000'000}};
    timer_settime(timer, 0, &every, nullptr);
    const auto& here = *reinterpret_cast<volatile int*>(&ticks);
    while (here < 3) {
    }
    timer_delete(timer);
    ++with_ticks;
  }
  check(with_ticks == count, "each thread has its own ticks");
}

/// Each thread pins itself, and stays there.
void stays_where_pinned(int count, bool by_pthread) {
  cpu_set_t all;
  check(sched_getaffinity(0, sizeof all, &all) == 0, "sched_getaffinity");
  std::vector<int> processors;
  for (int n = 0; n < CPU_SETSIZE; ++n)
    if (CPU_ISSET(n, &all)) processors.push_back(n);
  int elsewhere = 0, untold = 0, wide = 0;
#pragma omp parallel num_threads(count) reduction(+ : wide)
  {
    cpu_set_t now;
    check(sched_getaffinity(0, sizeof now, &now) == 0 && pthread_getaffinity_np(pthread_self(), sizeof now, &now) == 0,
          "affinity");
    if (CPU_EQUAL(&now, &all) == 0) ++wide;
  }
  check(wide == 0, "a member may run wherever the program may");
#pragma omp parallel num_threads(count)
  {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processors[static_cast<std::size_t>(omp_get_thread_num()) % processors.size()], &one);
    check((by_pthread ? pthread_setaffinity_np(pthread_self(), sizeof one, &one)
                      : sched_setaffinity(0, sizeof one, &one)) == 0,
          "pinning");
  }
  for (int r = 0; r < 5; ++r) {
#pragma omp parallel num_threads(count) reduction(+ : elsewhere, untold)
    {
      const int wanted = processors[static_cast<std::size_t>(omp_get_thread_num()) % processors.size()];
      spin(100'000);
      if (sched_getcpu() != wanted) ++elsewhere;
      cpu_set_t now;
      if (sched_getaffinity(gettid(), sizeof now, &now) != 0 || CPU_COUNT(&now) != 1 || !CPU_ISSET(wanted, &now))
        ++untold;
    }
  }
  check(elsewhere == 0, "a pinned thread stays");
  check(untold == 0, "a pinned thread's affinity is what it set");
#pragma omp parallel num_threads(count)
  check(sched_setaffinity(0, sizeof all, &all) == 0, "unpinning");
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 4;
  sem_init(&answered, 0, 0);
  struct sigaction action{};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);  // SIGXCPU, too: on_stop() takes it while it waits, not just before
  sigaction(SIGPWR, &action, nullptr);
  action.sa_handler = on_go;
  sigaction(SIGXCPU, &action, nullptr);
  if (count > 1) {
    for (const doing what : {doing::computes, doing::watches, doing::waits, doing::blocks}) {
      stops(count, 0, what, 2);
      stops(count, count - 1, what, 2);
    }
    has_numbers(count);
    has_timers(count);
  }
  stays_where_pinned(count, false);
  stays_where_pinned(count, true);
  return verdict();
}
