// Calls the client library: linked with it, or loads it (-DLOADS). With -fopenmp also in and around regions of its own.
// Prints 'right' or 'wrong', and 'ours' if Callisto's library is in the process.
#include <stdio.h>
#include <string.h>
#ifdef LOADS
#include <dlfcn.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

int client_is_right(void);
int helper_number(void);

int main(int count, char** arguments) {
#ifdef LOADS
  void* const library = dlopen(arguments[1], RTLD_NOW | (count > 2 ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library == 0) return puts(dlerror()), 1;
  int (*const is_right)(void) = (int (*)(void))dlsym(library, "client_is_right");
  int (*const number)(void) = (int (*)(void))dlsym(library, "helper_number");
#else
  int (*const is_right)(void) = client_is_right;
  int (*const number)(void) = helper_number;
  (void)count, (void)arguments;
#endif
  int good = is_right() && is_right();
#if defined(_OPENMP) && defined(LOADS)
  // A region of GCC's has GCC's numbers, and each of its threads leads a region of the other runtime.
  int sum = 0, all = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum, all)
  {
    sum += omp_get_thread_num();
    // The helper is in a region of GCC's here.
    all += is_right() && number() == omp_get_thread_num() && omp_get_num_threads() == 4;
  }
  good = good && sum == 6 && all == 4;
#endif
  (void)number;
  char line[512];
  int ours = 0;
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps != 0 && fgets(line, sizeof line, maps) != 0) ours |= strstr(line, "/callisto/libgomp.so.1") != 0;
  printf("%s%s\n", good ? "right" : "wrong", ours ? " ours" : "");
  return 0;
}
