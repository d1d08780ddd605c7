// Measures threads that wait for each other without the OpenMP library's knowledge, threads of the application that
// lead regions at the same time, and locks. Compares Callisto's libgomp.so.1 with the one that this program was linked
// with.
//
//   openmp_leaders [--quick]
//
// Runs itself in turns with and without Callisto's library preloaded. Each run checks its result and prints the time of
// one unit. Exit code 1 if a result is wrong or a limit is missed.
#include <lab/costs/compare.hpp>
#include <lab/costs/preload.hpp>

#include <callisto/machine/system/scratch_folder.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <omp.h>
#include <sched.h>
#include <unistd.h>

namespace {

using namespace callisto;

// All operations are seq_cst, like those of the programs that this one imitates.

[[noreturn]] void fail(std::string_view what) {
  fmt::print(stderr, "openmp_leaders: {}\n", what);
  std::exit(1);
}

void work(int turns) {
  for (int i = 0; i < turns; ++i) asm volatile("");
}

/// Lets the threads of a region meet `times` times. Each thread does a share of the work, and yields until all have
/// come.
void meet(std::atomic<int>& come, int times, int turns) {
  const int size = omp_get_num_threads();
  for (int meets = 1; meets <= times; ++meets) {
    work(turns / size);
    ++come;
    while (come < meets * size) sched_yield();
  }
}

/// One benchmark. `run` checks its result and returns the number of units.
struct scenario {
  const char* name;
  const char* unit;
  int (*run)(int leaders, int threads);
  int leaders;
  int threads;
  double least_ratio;  ///< libgomp's time divided by Callisto's; 0: no limit
};

/// Waits like OpenBLAS's threads.
int meetings(int, int threads) {
  constexpr int times = 2000;
  std::atomic<int> come{0};
#pragma omp parallel num_threads(threads)
  meet(come, times, 10'000);
  if (come != times * threads) fail("threads did not meet");
  return times;
}

/// Waits like ranks of thread-MPI: each leads some regions, and waits for its neighbour outside of regions.
int ring(int leaders, int threads) {
  constexpr int rounds = 200;
  std::vector<std::atomic<int>> at(static_cast<std::size_t>(leaders));
  std::atomic<int> parts{0};
  std::vector<std::thread> all;
  for (int leader = 0; leader < leaders; ++leader) {
    all.emplace_back([&, leader] {
      for (int round = 1; round <= rounds; ++round) {
        for (int region = 0; region < 5; ++region) {
#pragma omp parallel num_threads(threads)
          {
            work(50'000);
            ++parts;
          }
        }
        at[static_cast<std::size_t>(leader)] = round;
        for (int looks = 1; at[static_cast<std::size_t>((leader + 1) % leaders)] < round; ++looks) {
          if (looks % 1000 == 0) sched_yield();
        }
      }
    });
  }
  for (std::thread& leader : all) leader.join();
  if (parts != 5 * rounds * leaders * threads) fail("a region lacked threads");
  return rounds;
}

/// Waits like callers of OpenBLAS: for a lock without a call. The holder of the lock leads a region in which threads
/// meet.
int one_at_a_time(int leaders, int threads) {
  constexpr int calls = 50;
  std::atomic<bool> held{false};
  int regions = 0;
  std::vector<std::thread> all;
  for (int leader = 0; leader < leaders; ++leader) {
    all.emplace_back([&] {
      for (int call = 0; call < calls; ++call) {
        while (held.exchange(true)) {
        }
        std::atomic<int> come{0};
#pragma omp parallel num_threads(threads)
        meet(come, 4, 500'000);
        if (come == 4 * threads) ++regions;
        held = false;
      }
    });
  }
  for (std::thread& leader : all) leader.join();
  if (regions != calls * leaders) fail("a region lacked threads");
  return regions;
}

/// A thread begins, leads one region, and ends.
int short_lived(int leaders, int threads) {
  std::atomic<int> parts{0};
  for (int leader = 0; leader < leaders; ++leader) {
    std::thread([&] {
#pragma omp parallel num_threads(threads)
      ++parts;
    }).join();
  }
  if (parts != leaders * threads) fail("a region lacked threads");
  return leaders;
}

/// Waits like CP2K's leaders: one that has done its part polls until all have, and calls a library in between.
int polling(int, int threads) {
  constexpr int regions = 300;
  int complete = 0;
  for (int region = 0; region < regions; ++region) {
    std::atomic<int> done{0};
    std::mutex library;
#pragma omp parallel num_threads(threads)
    {
      work(20'000);
      ++done;
      while (omp_get_thread_num() == 0 && done < omp_get_num_threads()) const std::scoped_lock call(library);
    }
    if (done == threads) ++complete;
  }
  if (complete != regions) fail("a region lacked threads");
  return regions;
}

/// Locks like NAS UA's threads: many locks, each free when a thread takes it.
int many_locks(int, int threads) {
  constexpr std::size_t locks = 1024;
  constexpr int thousands = 2000;
  struct guarded {
    omp_lock_t lock;
    long number = 0;
  };
  std::vector<guarded> all(locks);
  for (auto& g : all) omp_init_lock(&g.lock);
#pragma omp parallel num_threads(threads)
  {
    auto random = static_cast<unsigned>(omp_get_thread_num()) * 7919 + 1;
    for (int turn = 0; turn < 1000 * thousands; ++turn) {
      random = random * 1'664'525 + 1'013'904'223;
      guarded& g = all[random / 256 % locks];
      omp_set_lock(&g.lock);
      ++g.number;
      omp_unset_lock(&g.lock);
    }
  }
  long sum = 0;
  for (auto& g : all) sum += g.number;
  if (sum != 1000L * thousands * threads) fail("a lock let two in");
  return thousands;
}

constexpr scenario scenarios[] = {
    {"4 threads meet by sched_yield()", "a meeting", meetings, 1, 4, 1.0},
    {"8 threads meet by sched_yield()", "a meeting", meetings, 1, 8, 1.0},
    {"2 leaders with 2 threads each wait for each other", "a round", ring, 2, 2, 0.9},
    {"4 leaders with 2 threads each wait for each other", "a round", ring, 4, 2, 0.9},
    {"6 leaders wait for a lock, and have 2 threads", "a call", one_at_a_time, 6, 2, 1.0},
    {"6 leaders wait for a lock, and have 8 threads", "a call", one_at_a_time, 6, 8, 1.0},
    {"a thread leads a region of 4, and ends", "a thread", short_lived, 500, 4, 0.0},
    {"a leader polls for its 8 threads", "a region", polling, 1, 8, 0.9},
    {"1 thread, 1,024 locks", "1,000 turns", many_locks, 1, 1, 1.2},
    {"2 threads, 1,024 locks", "1,000 turns", many_locks, 1, 2, 1.0},
};

/// Runs a benchmark in a process of its own, with the library preloaded unless it is null. Returns the seconds of one
/// unit.
double run_apart(std::size_t which, const char* library) {
  lab::preload(library);
  const std::string command = fmt::format("exec /proc/{}/exe --run {}", getpid(), which);
  std::FILE* const from = popen(command.c_str(), "r");
  double seconds = 0;
  const bool got = from != nullptr && std::fscanf(from, "%lf", &seconds) == 1;
  if (from == nullptr || pclose(from) != 0 || !got) fail(fmt::format("'{}' failed", scenarios[which].name));
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--run") {
    const scenario& chosen = scenarios[std::atoi(argv[2])];
    int units = 0;
    const double seconds = lab::seconds_of([&] { units = chosen.run(chosen.leaders, chosen.threads); });
    fmt::print("{}\n", seconds / units);
    return 0;
  }
  const bool quick = argc == 2 && std::string_view(argv[1]) == "--quick";
  if (argc > 1 && !quick) fail("usage: openmp_leaders [--quick]");
  static const machine::scratch_folder table;  // a table without other jobs; static, so that exit() removes it too
  setenv("CALLISTO_COSCHED_DIR", table.path().c_str(), 1);
  std::vector<std::vector<std::string>> rows{{"microseconds", "", "libgomp", "Callisto", "libgomp by Callisto"}};
  lab::limits limits;
  std::vector<std::pair<const scenario*, double>> found;
  for (std::size_t which = 0; which < std::size(scenarios); ++which) {
    std::vector<lab::variant> both{{"libgomp", [which] { return run_apart(which, nullptr); }},
                                   {"Callisto", [which] { return run_apart(which, CALLISTO_LIBGOMP); }}};
    lab::compare(both, {.rounds = quick ? 5U : 11U});
    const scenario& s = scenarios[which];
    const double ratio = lab::ratio(both[0], both[1]);
    rows.push_back({s.name, s.unit, fmt::format("{:.1f}", 1e6 * both[0].median()),
                    fmt::format("{:.1f}", 1e6 * both[1].median()), fmt::format("{:.2f}", ratio)});
    found.emplace_back(&s, ratio);
  }
  lab::print_table(rows);
  for (const auto& [s, ratio] : found) {
    if (s->least_ratio != 0) limits.at_least(std::string("libgomp by Callisto, ") + s->name, ratio, s->least_ratio);
  }
  return limits.exit_code();
}
