// Measures threads of a region that block for each other in the system: what one hand-over costs on Callisto's
// libgomp.so.1, and on the one that this program was linked with.
//
//   openmp_blocking [--quick]
//
// Runs itself in turns with and without Callisto's library preloaded: each way to block with 2, 4 and 8 threads, and
// with 2 threads in each of two processes at once. Each run checks its result and prints its seconds. Exit code 1 if a
// result is wrong or a limit is missed.
#include <lab/costs/compare.hpp>
#include <lab/costs/preload.hpp>

#include <callisto/machine/system/scratch_folder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace callisto;

[[noreturn]] void fail(std::string_view what) {
  fmt::print(stderr, "openmp_blocking: {}\n", what);
  std::exit(1);
}

// Batons: a thread passes one to its neighbour, which awaits it. All operations are seq_cst, like those of the programs
// that this one imitates.

struct semaphore {
  sem_t on;
  semaphore() { sem_init(&on, 0, 0); }
  void pass() { sem_post(&on); }
  void await() {
    while (sem_wait(&on) != 0) {
    }
  }
};

struct condition {
  std::mutex mutex;
  std::condition_variable changed;
  bool there = false;
  void pass() {
    const std::scoped_lock held(mutex);
    there = true;
    changed.notify_one();
  }
  void await() {
    std::unique_lock held(mutex);
    changed.wait(held, [this] { return there; });
    there = false;
  }
};

struct atomic_wait {
  std::atomic<int> there{0};
  void pass() {
    there = 1;
    there.notify_one();
  }
  void await() {
    there.wait(0);
    there = 0;
  }
};

struct futex {
  std::atomic<std::uint32_t> there{0};
  void pass() {
    there = 1;
    syscall(SYS_futex, &there, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void await() {
    while (there.exchange(0) == 0) syscall(SYS_futex, &there, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
};

struct files {
  std::array<int, 2> ends{};
  ~files() {
    close(ends[0]);
    close(ends[1]);
  }
  void pass() {
    if (write(ends[1], "", 1) != 1) fail("write");
  }
  void await() {
    char got = 0;
    if (read(ends[0], &got, 1) != 1) fail("read");
  }
};
struct pipes : files {
  pipes() {
    if (pipe(ends.data()) != 0) fail("pipe");
  }
};
struct sockets : files {
  sockets() {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) fail("socketpair");
  }
};

/// A baton goes round the threads.
template <class Baton>
void ring(int threads, int rounds) {
  std::vector<std::unique_ptr<Baton>> to;
  for (int n = 0; n < threads; ++n) to.push_back(std::make_unique<Baton>());
  long passed = 0;
#pragma omp parallel num_threads(threads)
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    for (int round = 0; round < rounds; ++round) {
      if (me != 0) to[me]->await();
      ++passed;  // one thread at a time has the baton
      to[(me + 1) % to.size()]->pass();
      if (me == 0) to[me]->await();
    }
  }
  if (passed != static_cast<long>(rounds) * threads) fail("a baton was lost");
}

void barrier(int threads, int rounds) {
  pthread_barrier_t all;
  pthread_barrier_init(&all, nullptr, static_cast<unsigned>(threads));
  std::atomic<int> last{0};
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < rounds; ++round)
    if (pthread_barrier_wait(&all) == PTHREAD_BARRIER_SERIAL_THREAD) ++last;
  if (last != rounds) fail("a barrier let threads through");
  pthread_barrier_destroy(&all);
}

void latch(int threads, int rounds) {
  std::vector<std::unique_ptr<std::latch>> all;
  for (int round = 0; round < rounds; ++round) all.push_back(std::make_unique<std::latch>(threads));
#pragma omp parallel num_threads(threads)
  for (auto& l : all) l->arrive_and_wait();
}

/// Threads want one mutex, and hold it for 20 us.
void mutex(int threads, int rounds) {
  std::mutex one;
  long entered = 0;
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < rounds / 4; ++round) {
    const std::scoped_lock held(one);
    ++entered;
    for (int i = 0; i < 50'000; ++i) asm volatile("");
  }
  if (entered != static_cast<long>(rounds / 4) * threads) fail("a mutex let two in");
}

struct way {
  const char* name;
  void (*run)(int threads, int rounds);
};
constexpr way ways[] = {
    {"pthread_barrier_wait", barrier},
    {"std::condition_variable", ring<condition>},
    {"sem_wait", ring<semaphore>},
    {"std::mutex", mutex},
    {"std::latch", latch},
    {"std::atomic::wait", ring<atomic_wait>},
    {"futex", ring<futex>},
    {"pipe", ring<pipes>},
    {"socket", ring<sockets>},
};

struct setting {
  int threads;
  int processes;
};
constexpr setting settings[] = {{2, 1}, {4, 1}, {8, 1}, {2, 2}};
constexpr double most_ratio = 1.5;

/// Returns the seconds of the slowest of the processes, with the library preloaded unless it is null.
double run_apart(const way& w, const setting& s, int rounds, const char* library) {
  lab::preload(library);
  const auto which = &w - ways;
  const std::string command = fmt::format("exec /proc/{}/exe --run {} {} {}", getpid(), which, s.threads, rounds);
  std::vector<std::FILE*> all;
  for (int n = 0; n < s.processes; ++n) all.push_back(popen(command.c_str(), "r"));
  double longest = 0;
  for (std::FILE* from : all) {
    double seconds = 0;
    const bool got = from != nullptr && std::fscanf(from, "%lf", &seconds) == 1;
    if (from == nullptr || pclose(from) != 0 || !got) fail(fmt::format("'{}' failed", w.name));
    longest = std::max(longest, seconds);
  }
  return longest;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == "--run") {
    const way& w = ways[std::atoi(argv[2])];
    fmt::print("{}\n", lab::seconds_of([&] { w.run(std::atoi(argv[3]), std::atoi(argv[4])); }));
    return 0;
  }
  const bool quick = argc == 2 && std::string_view(argv[1]) == "--quick";
  if (argc > 1 && !quick) fail("usage: openmp_blocking [--quick]");
  static const machine::scratch_folder table;  // a table without other jobs; static, so that exit() removes it too
  setenv("CALLISTO_COSCHED_DIR", table.path().c_str(), 1);
  const int rounds = quick ? 1000 : 4000;
  std::vector<std::vector<std::string>> rows{{"microseconds a round", "threads", "libgomp", "Callisto", "ratio"}};
  lab::limits limits;
  double worst = 0;
  for (const way& w : ways) {
    for (const setting& s : settings) {
      std::vector<lab::variant> both{{"libgomp", [&] { return run_apart(w, s, rounds, nullptr); }},
                                     {"Callisto", [&] { return run_apart(w, s, rounds, CALLISTO_LIBGOMP); }}};
      lab::compare(both, {.rounds = quick ? 5U : 11U});
      const double ratio = both[1].median() / both[0].median();
      const std::string threads =
          s.processes == 1 ? fmt::format("{}", s.threads) : fmt::format("{} x {}", s.processes, s.threads);
      rows.push_back({w.name, threads, fmt::format("{:.1f}", 1e6 * both[0].median() / rounds),
                      fmt::format("{:.1f}", 1e6 * both[1].median() / rounds), fmt::format("{:.2f}", ratio)});
      worst = std::max(worst, ratio);
    }
  }
  lab::print_table(rows);
  limits.at_most("Callisto by libgomp, the worst", worst, most_ratio);
  return limits.exit_code();
}
