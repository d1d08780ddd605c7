// A member of a region is a thread to the program's own view of threads: where its stack is.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>

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

}  // namespace

int main(int count, char** arguments) {
  omp_set_num_threads(count > 1 ? std::atoi(arguments[1]) : 4);
  stacks();
  return verdict();
}
