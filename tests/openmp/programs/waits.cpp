// Threads of a region that wait for each other without the runtime: at flags that they spin at, at the C library's
// barriers, mutexes and condition variables, in the kernel. More of them than contexts.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>

#include <omp.h>
#include <pthread.h>
#include <unistd.h>

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 4;
  int failures = 0;

  // A wavefront, as in NAS LU: each waits for its left neighbour, the first for the last one's turn before.
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

  // Nobody sleeps for less time than it said, whatever interrupts it while others could go on.
  int early = 0;
#pragma omp parallel num_threads(threads) reduction(+ : early)
  {
    const int me = omp_get_thread_num();
    const double begin = omp_get_wtime();
    const timespec time{0, 30'000'000};
    int failed = 0;
    if (me % 4 == 0) {
      while (omp_get_wtime() < begin + 0.03) {
      }
    } else if (me % 4 == 1) {
      failed = nanosleep(&time, nullptr);
    } else if (me % 4 == 2) {
      failed = usleep(30'000);
    } else {
      failed = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
    }
    early += failed != 0 || omp_get_wtime() < begin + 0.03;
  }
  failures += early;
  std::printf(failures == 0 ? "good\n" : "wrong: %d\n", failures);
  return failures == 0 ? 0 : 1;
}
