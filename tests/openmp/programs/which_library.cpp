// Prints which OpenMP library the program runs on; with arguments, its own name and the others.
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <omp.h>

int main(int count, char** arguments) {
  if (count > 2) return std::printf("%s %s %s\n", arguments[0], arguments[2], count > 3 ? arguments[3] : "") < 0;
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += omp_get_thread_num();
  Dl_info from{};
  if (sum != 1 || dladdr(reinterpret_cast<const void*>(&omp_get_thread_num), &from) == 0) return 1;
  std::puts(std::strstr(from.dli_fname, "callisto") != nullptr ? "callisto" : "stock");
  return 0;
}
