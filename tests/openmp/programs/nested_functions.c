/* GCC's nested functions: if their address is taken, trampolines stand on the stacks of a region's threads. Built as a
 * program by itself (ALONE), and as a library (CALLED) that another program (CALLS) loads after its first region, when
 * the stacks exist. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef int summing(int threads, int count);

#ifdef CALLED
__attribute__((noipa)) static int apply(int (*f)(int), int to) { return f(to); }

/* Adds to its own local variable by a nested function. */
__attribute__((noipa)) static int sum_of(int begin, int end) {
  int own = 0;
  int add(int i) { return own += i; }
  for (int i = begin; i < end; ++i) apply(add, i);
  return own;
}

int sum_by_nested(int threads, int count) {
  int all = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : all) schedule(static, 1)
  for (int i = 0; i < count; i += 10) all += sum_of(i, i + 10);
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < 10; ++i)
#pragma omp task shared(all)
  {
    const int more = sum_of(i, i + 1);
#pragma omp atomic
    all += more;
  }
  return all;
}
#endif

#ifdef CALLS
#include <dlfcn.h>
#include <string.h>

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const int threads = atoi(arguments[1]);
  int begun = 0;
#pragma omp parallel num_threads(threads) reduction(+ : begun)
  ++begun;
  char path[4096];
  snprintf(path, sizeof path, "%.*slibnested.so", (int)(strrchr(arguments[2], '/') + 1 - arguments[2]), arguments[2]);
  void* const library = dlopen(path, RTLD_NOW);
  if (library == NULL) {
    /* glibc 2.41 and later do not load libraries that need executable stacks. */
    if (strstr(dlerror(), "executable stack") != NULL) return puts("good"), 0;
    return printf("wrong: no %s\n", path), 1;
  }
  summing* const sum = (summing*)dlsym(library, "sum_by_nested");
  const int got = sum(threads, 1000);
  if (begun != threads || got != 499545) return printf("wrong: %d, %d\n", begun, got), 1;
  puts("good");
  return 0;
}
#endif

#ifdef ALONE
int sum_by_nested(int threads, int count);
int main(int count, char** arguments) {
  if (count < 2) return 2;
  const int got = sum_by_nested(atoi(arguments[1]), 1000);
  if (got != 499545) return printf("wrong: %d\n", got), 1;
  puts("good");
  return 0;
}
#endif
