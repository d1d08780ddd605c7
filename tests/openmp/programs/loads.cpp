// A program without OpenMP that opens a library with OpenMP, calls it from two threads, and closes it, many times.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <dlfcn.h>

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const int threads = std::atoi(arguments[1]);
  for (int round = 0; round < 10; ++round) {
    void* const library = dlopen(arguments[2], RTLD_NOW);
    if (library == nullptr) {
      std::printf("wrong: %s\n", dlerror());
      return 1;
    }
    const auto sum_to = reinterpret_cast<int (*)(int, int)>(dlsym(library, "sum_to"));
    int here = sum_to(100, threads);
    int there = 0;
    std::thread([&] { there = sum_to(1000, threads); }).join();
    if (here != 5050 || there != 500'500) {
      std::printf("wrong: %d %d\n", here, there);
      return 1;
    }
    dlclose(library);
  }
  std::printf("good\n");
  return 0;
}
