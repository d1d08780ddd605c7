// A thread of a region is a thread to all that asks about threads: where its stack is, what small stacks of its own it
// runs on, its alternate stack, its processor time.
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.hpp"

namespace {

/// True if the C library says that the calling thread's stack is where this call stands, with room below.
bool knows_its_stack() {
  pthread_attr_t how;
  if (pthread_getattr_np(pthread_self(), &how) != 0) return false;
  void* bottom = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&how, &bottom, &bytes);
  pthread_attr_destroy(&how);
  const char here = 0;
  const char* const begin = static_cast<const char*>(bottom);
  return &here - begin > 16384 && &here < begin + bytes;
}

void stacks() {
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel reduction(+ : wrong)
    {
      if (!knows_its_stack()) ++wrong;
#pragma omp barrier
      if (!knows_its_stack()) ++wrong;
#pragma omp single
      for (int i = 0; i < 10; ++i)
#pragma omp task shared(wrong)
        if (!knows_its_stack())
#pragma omp atomic
          ++wrong;
    }
  }
  check(wrong == 0, "pthread_getattr_np() tells of the stack that a member runs on");
}

// Coroutines on small stacks: no signal of the library may need room there.

constexpr std::size_t small_stack = 4096;

struct coroutine {
  ucontext_t here{}, back{};
  char* stack = nullptr;
  std::atomic<int>* turn = nullptr;
  int begun = 0, number = 0, threads = 0;
};
thread_local coroutine* running = nullptr;

/// Waits for the thread's turns at a flag, as spinning threads do, on the small stack.
void take_turns() {
  coroutine& c = *running;
  for (int round = 0; round < 20; ++round) {
    while (c.turn->load() != round * c.threads + c.number) {
    }
    c.turn->store(round * c.threads + c.number + 1);
  }
  ++c.begun;
}

void small_stacks() {
  std::atomic<int> turn{0};
  int ended = 0;
#pragma omp parallel reduction(+ : ended)
  {
    // A page that must stay as it is stands below the stack.
    auto* const memory =
        static_cast<char*>(mmap(nullptr, 2 * small_stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory, small_stack, PROT_NONE);
    coroutine c;
    c.turn = &turn;
    c.number = omp_get_thread_num();
    c.threads = omp_get_num_threads();
    getcontext(&c.here);
    c.here.uc_stack.ss_sp = memory + small_stack;
    c.here.uc_stack.ss_size = small_stack;
    c.here.uc_link = &c.back;
    running = &c;
    makecontext(&c.here, take_turns, 0);
    swapcontext(&c.back, &c.here);
    ended += c.begun;
    munmap(memory, 2 * small_stack);
  }
  check(ended == omp_get_max_threads(), "coroutines on stacks of 4 KiB");
}

// Alternate stacks.

struct sigaction action_of(int signal) {
  struct sigaction action{};
  sigaction(signal, nullptr, &action);
  return action;
}

/// The flags that the kernel has, whatever the library tells.
unsigned long kernel_flags(int signal) {
  unsigned long action[4] = {};
  syscall(SYS_rt_sigaction, signal, nullptr, action, 8);
  return action[1];
}

void alternate_stacks() {
  // Go's runtime ends the process at a handler without the flag.
  const unsigned long handler = reinterpret_cast<unsigned long>(action_of(SIGURG).sa_handler);
  check(handler == 0, "the program has no handler of SIGURG");
  check(!is_on_callisto() || omp_get_max_threads() == 1 || (kernel_flags(SIGURG) & SA_ONSTACK) != 0,
        "SIGURG is handled on alternate stacks");
  int wrong = 0;
  std::atomic<int> turn{0};
#pragma omp parallel reduction(+ : wrong)
  {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || now.ss_flags != SS_DISABLE) ++wrong;
    std::vector<char> memory(32768);
    stack_t mine{};
    mine.ss_sp = memory.data();
    mine.ss_size = memory.size();
    if (sigaltstack(&mine, nullptr) != 0) ++wrong;
    // Turns that spin, so that threads leave each other's contexts.
    const int number = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int round = 0; round < 10; ++round) {
      while (turn.load() != round * threads + number) {
      }
      if (sigaltstack(nullptr, &now) != 0 || now.ss_sp != memory.data()) ++wrong;
      turn.store(round * threads + number + 1);
#pragma omp barrier
    }
    mine.ss_flags = SS_DISABLE;
    if (sigaltstack(&mine, nullptr) != 0) ++wrong;
  }
  check(wrong == 0, "a thread's alternate stack is its own");
}

// Clocks of a thread's processor time.

std::uint64_t read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t used() {
  rusage own{};
  getrusage(RUSAGE_THREAD, &own);
  return static_cast<std::uint64_t>(own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(own.ru_utime.tv_usec + own.ru_stime.tv_usec);
}

void clocks() {
  int backwards = 0, other = 0;
  std::uint64_t sum = 0;
  const std::uint64_t before = read(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel reduction(+ : backwards, other, sum)
  {
    clockid_t mine = 0;
    pthread_getcpuclockid(pthread_self(), &mine);
    const std::uint64_t first = read(CLOCK_THREAD_CPUTIME_ID);
    std::uint64_t last = first, last_used = used();
    for (int step = 0; step < 2000; ++step) {
      for (int i = 0; i < 1000; ++i) asm volatile("" : : "r"(i));
      const std::uint64_t now = read(CLOCK_THREAD_CPUTIME_ID), now_used = used();
      if (now < last || now_used < last_used) ++backwards;
      if (read(mine) < now) ++other;
      last = now;
      last_used = now_used;
    }
    sum += last - first;
  }
  check(backwards == 0, "the processor time of a thread never goes backwards");
  check(other == 0, "pthread_getcpuclockid() tells of the same clock");
  check(sum > 0 && sum <= read(CLOCK_PROCESS_CPUTIME_ID) - before, "threads' times are within the process's");
}

}  // namespace

int main(int count, char** arguments) {
  omp_set_num_threads(count > 1 ? std::atoi(arguments[1]) : 4);
  stacks();
  small_stacks();
  alternate_stacks();
  clocks();
  return verdict();
}
