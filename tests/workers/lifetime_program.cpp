// A program that uses loops where programs seldom look: in static constructors and destructors, from exit() in a body
// and in one of a nested loop, while another thread's loop goes on at exit. Prints what it did;
// tests/CMakeLists.txt says what that must be. A hang ends with SIGALRM.
#include <callisto/callisto.hpp>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

long sum(int n) {
  return callisto::parallel_reduce(0, n, 0L, [](int i) { return long{i}; });
}

struct early_and_late {
  early_and_late() { std::printf("constructor %ld\n", sum(1000)); }
  ~early_and_late() {
    std::printf("destructor %ld\n", sum(1000));
    std::fflush(stdout);
  }
} object;

}  // namespace

int main(int argc, char** argv) {
  alarm(20);
  const char* const mode = argc > 1 ? argv[1] : "";
  callisto::set_threads(3);
  std::printf("main %ld\n", sum(1000));
  std::fflush(stdout);
  if (std::strcmp(mode, "exit-in-body") == 0) {
    callisto::parallel_for(0, 1000, [](int i) {
      if (i == 0) std::exit(0);
    });
  }
  if (std::strcmp(mode, "exit-in-nested-body") == 0) {
    callisto::set_threads(16);
    callisto::outer_parallel_for(1, 0, 4, [](int i) {
      callisto::parallel_for(0, 1000, [=](int j) {
        if (i == 1 && j == 1) std::exit(0);
      });
    });
  }
  if (std::strcmp(mode, "exit-beside-a-loop") == 0) {
    std::thread([] {
      callisto::parallel_for(0, 2, [](int) { std::this_thread::sleep_for(std::chrono::hours(1)); }, {.batch = 1});
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return 0;
}
