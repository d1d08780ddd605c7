// Threads of a region that wait for each other without the runtime: at flags by spinning, at barriers, mutexes and
// condition variables of the C library, in the kernel. There are more of them than contexts.
#include <atomic>
#include <barrier>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>

#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>

/// Waits 20 ms for a semaphore that no thread posts. Returns false if the wait ended otherwise.
bool ends_in_time(clockid_t clock, int (*wait)(sem_t*, const timespec*)) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  timespec end;
  clock_gettime(clock, &end);
  end.tv_nsec += 20'000'000;
  if (end.tv_nsec >= 1'000'000'000) end = {end.tv_sec + 1, end.tv_nsec - 1'000'000'000};
  return wait(&semaphore, &end) == -1 && errno == ETIMEDOUT;
}

/// Waits 20 ms by one of the numbered calls. Returns false if the call ended otherwise.
bool waits_as_said(int way, int epoll) {
  const timespec time{0, 20'000'000};
  timeval old_time{0, 20'000};
  epoll_event event{};
  switch (way) {
    case 0:
      return nanosleep(&time, nullptr) == 0;
    case 1:
      return usleep(20'000) == 0;
    case 2:
      return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr) == 0;
    case 3:
      return poll(nullptr, 0, 20) == 0;
    case 4:
      return ppoll(nullptr, 0, &time, nullptr) == 0;
    case 5:
      return select(0, nullptr, nullptr, nullptr, &old_time) == 0 && old_time.tv_sec == 0 && old_time.tv_usec == 0;
    case 6:
      return pselect(0, nullptr, nullptr, nullptr, &time, nullptr) == 0;
    case 7:
      return epoll_wait(epoll, &event, 1, 20) == 0;
    case 8:
      return epoll_pwait(epoll, &event, 1, 20, nullptr) == 0;
    case 9:
      return thrd_sleep(&time, nullptr) == 0;
    case 10:
      return ends_in_time(CLOCK_REALTIME, sem_timedwait);
    default:
      return ends_in_time(CLOCK_MONOTONIC,
                          [](sem_t* on, const timespec* end) { return sem_clockwait(on, CLOCK_MONOTONIC, end); });
  }
}

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 4;
  int failures = 0;

  // A wavefront, as in NAS LU: each waits for its left neighbour, the first one for the last one's previous turn.
  std::unique_ptr<std::atomic<int>[]> turn(new std::atomic<int>[threads]());
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    for (int round = 1; round <= 20; ++round) {
      if (me > 0) {
        while (turn[me - 1] < round) {
        }
      } else if (round > 1) {
        while (turn[threads - 1] < round - 1) {
        }
      }
      turn[me] = round;
    }
  }
  failures += turn[threads - 1] != 20;

  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(threads));
  std::atomic<int> serial{0};
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < 5; ++round)
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
  failures += serial != 5;
  pthread_barrier_destroy(&barrier);

  std::mutex mutex;
  std::condition_variable changed;
  int next = 0;
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    std::unique_lock held(mutex);
    changed.wait(held, [&] { return next == me; });
    ++next;
    changed.notify_all();
  }
  failures += next != threads;

  int pipes[2];
  if (pipe(pipes) != 0) return 2;
  int bytes = 0;
#pragma omp parallel num_threads(threads) reduction(+ : bytes)
  {
    char byte = 'x';
    if (omp_get_thread_num() == 0) {
      for (int other = 1; other < threads; ++other) bytes += write(pipes[1], &byte, 1) == 1 ? 1 : 0;
    } else {
      bytes += read(pipes[0], &byte, 1) == 1 ? 1 : 0;
    }
  }
  failures += bytes != 2 * (threads - 1);

  // Each wait takes at least its time, although ticks interrupt it while others could run. The others compute.
  constexpr int ways = 12;
  const int epoll = epoll_create1(0);
  int early = 0;
  for (int way = 0; way < ways; ++way) {
#pragma omp parallel num_threads(threads) reduction(+ : early)
    {
      const double begin = omp_get_wtime();
      if (omp_get_thread_num() % 2 == 0) {
        early += !waits_as_said(way, epoll);
        early += omp_get_wtime() < begin + 0.02;
      } else {
        while (omp_get_wtime() < begin + 0.02) {
        }
      }
    }
  }
  close(epoll);
  failures += early;

  // The program's own signal still ends these waits. It is sent repeatedly, in case a tick comes at the same time.
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 5'000}, {0, 5'000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  errno = 0;
  failures += poll(nullptr, 0, 20'000) != -1 || errno != EINTR;
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);

  // Members meet at a barrier of the C++ library's, each as often as the others.
  {
    unsigned met = 0;
    const auto completed = [&met]() noexcept { ++met; };
    const unsigned members = threads > 1 ? static_cast<unsigned>(threads) : 2;
    std::barrier meeting(static_cast<std::ptrdiff_t>(members), completed);
    std::atomic<int> wrong{0};
#pragma omp parallel num_threads(members)
    for (unsigned round = 1; round <= 200; ++round) {
      meeting.arrive_and_wait();
      wrong += met != round;
      meeting.arrive_and_wait();
      if (omp_get_thread_num() == 0) met = round;
    }
    failures += wrong != 0;
  }

  // Ready files are found, and invalid arguments are refused.
  pollfd file{pipes[1], POLLOUT, 0};
  failures += poll(&file, 1, -1) != 1 || file.revents != POLLOUT;
  fd_set files;
  FD_ZERO(&files);
  FD_SET(pipes[1], &files);
  timeval second{1, 0};
  failures += select(pipes[1] + 1, nullptr, &files, nullptr, &second) != 1 || !FD_ISSET(pipes[1], &files);
  failures += second.tv_sec > 1 || (second.tv_sec == 0 && second.tv_usec < 500'000);
  errno = 0;
  failures += epoll_wait(pipes[1], nullptr, 1, 0) != -1 || errno == 0;
  std::printf(failures == 0 ? "good\n" : "wrong: %d\n", failures);
  return failures == 0 ? 0 : 1;
}
