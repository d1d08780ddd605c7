// What each runtime's actor does, and the values that its work must have.
#include <lab/experiments/runtime_actors.hpp>

#include <callisto/algorithms.hpp>
#include <callisto/callisto.hpp>
#include <callisto/domino.hpp>
#include <callisto/global.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <time.h>

#ifdef CALLISTO_WITH_OPENMP
#include <callisto/app/demo/openmp_kernels.hpp>
#endif

namespace callisto::lab {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/// Does one unit of work, and says whether the result is right.
using work_unit = std::function<bool()>;

/// Returns the processor time of this process, in seconds.
double processor_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

work_unit loops() {
  constexpr std::uint64_t n = 100'000;
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < n; ++i) expected += mixed(i);
  return [expected] {
    return parallel_reduce(std::uint64_t{0}, n, std::uint64_t{0}, [](std::uint64_t i) { return mixed(i); }) == expected;
  };
}

long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  parallel_invoke([&] { a = fibonacci(n - 1); }, [&] { b = fibonacci(n - 2); });
  return a + b;
}

/// A sort, a sum of neighbours and a recursion of tasks.
work_unit algorithms() {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> keys(20'000);
  for (std::uint64_t& k : keys) k = random();
  return [keys = std::move(keys), mine = std::vector<std::uint64_t>(), sums = std::vector<std::uint64_t>()]() mutable {
    mine = keys;
    sums.resize(mine.size());
    callisto::sort(mine);
    inclusive_scan(mine, sums.begin(), std::uint64_t{0});
    return std::is_sorted(mine.begin(), mine.end()) && fibonacci(16) == 987;
  };
}

#ifdef CALLISTO_WITH_OPENMP
work_unit openmp(long iterations) {
  double expected = 0;
  for (long i = 0; i < iterations; ++i) expected += 1.0 / static_cast<double>(1 + (i & 15));
  return [=] { return std::abs(app::sum_openmp(iterations) - expected) < 1e-6 * expected; };
}
#endif

/// A tree of tasks, each of which mixes for some hundred nanoseconds.
struct tree_of_tasks {
  static constexpr std::uint64_t nodes = 2000;
  domino::computation all;
  domino::reducer<std::uint64_t> sum{all};
  domino::counted_task<std::uint64_t>* task = nullptr;
  std::uint64_t expected = 0;

  tree_of_tasks() {
    task = &all.counted<std::uint64_t>([this](domino::here& at, std::uint64_t i) {
      for (const std::uint64_t child : {2 * i + 1, 2 * i + 2}) {
        if (child < nodes) task->spawn(at, child);
      }
      sum.at(at) += value(i);
    });
    for (std::uint64_t i = 0; i < nodes; ++i) expected += value(i);
  }
  static std::uint64_t value(std::uint64_t i) {
    for (int k = 0; k < 50; ++k) i = mixed(i + 1);
    return i;
  }
  bool run() {
    task->spawn(all.outside(), 0);
    return all.run() && sum.sum() == expected;
  }
};

work_unit tasks_of_domino() {
  return [one = std::make_shared<tree_of_tasks>()] { return one->run(); };
}

/// Increments of a distributed array by all ranks.
work_unit global_increments(std::uint64_t iterations) {
  constexpr std::uint64_t cells = 4096;
  const auto counts = global::make_array<std::uint64_t>(cells, global::cyclic(1));
  return [=, before = std::uint64_t{0}]() mutable {
    global::parallel_for(std::uint64_t{0}, iterations,
                         [&](std::uint64_t i) { global::post_increment(counts[mixed(i) % cells]); });
    std::uint64_t sum = 0;
    for (const std::uint64_t c : counts.local()) sum += c;
    before += iterations;
    return global::reduce_all(sum) == before;
  };
}

}  // namespace

std::span<const runtime_actor> runtime_actors() {
  static constexpr runtime_actor all[] = {
      {"loops", "a sum of 100,000 iterations"},
      {"algorithms", "a sort, a scan, and a recursion of tasks"},
#ifdef CALLISTO_WITH_OPENMP
      {"openmp", "a region of some 200 us"},
      {"openmp-short", "a region of some 10 us"},
#endif
      {"domino", "a tree of 2,000 tasks"},
      {"global", "20,000 increments of a distributed array, in one process"},
      {"ranks", "2,000 increments of a distributed array, on two ranks"},
      {"python", "PageRank of a small graph, from Python"},
  };
  return all;
}

actor_line run_runtime_actor(std::string_view name, std::uint64_t milliseconds, std::uint64_t begin) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::string_view kind = name.substr(0, colon);
  const std::string_view how = name.substr(std::min(colon + 1, name.size()));
  std::optional<global::session> session;
  const bool collective = kind == "ranks";
  if (how == actor_is_nice) ::setpriority(PRIO_PROCESS, 0, 19);
  if (kind == "global" || collective) session.emplace(0, nullptr);
  work_unit work;
  if (kind == "loops") work = loops();
  if (kind == "algorithms") work = algorithms();
#ifdef CALLISTO_WITH_OPENMP
  if (kind == "openmp") work = openmp(200'000);
  if (kind == "openmp-short") work = openmp(10'000);
#endif
  if (kind == "domino") work = tasks_of_domino();
  if (kind == "global") work = global_increments(20'000);
  if (kind == "ranks") work = global_increments(2'000);
  if (!work) return {false, {}};
  if (kind == "loops" || kind == "algorithms") static_cast<void>(threads());  // a job from the beginning on
  std::this_thread::sleep_until(steady::time_point(std::chrono::nanoseconds(begin)));
  const auto end = steady::now() + std::chrono::milliseconds(milliseconds);
  // Ranks stop together.
  const auto goes_on = [&] {
    const int mine = steady::now() < end ? 1 : 0;
    return (collective ? global::reduce_all(mine, [](int a, int b) { return std::min(a, b); }) : mine) != 0;
  };
  std::vector<double> times;
  const double used_before = processor_seconds();
  while (goes_on()) {
    if (how == actor_sleeps) std::this_thread::sleep_for(5ms);
    const auto began = steady::now();
    if (!work()) throw error(fmt::format("bench manners: '{}' has not done what it should", name));
    times.push_back(std::chrono::duration<double, std::milli>(steady::now() - began).count());
  }
  double used = processor_seconds() - used_before;
  if (collective) used = global::reduce_all(used);
  if (session && session->rank() != 0) return {true, {}};
  if (times.empty()) times.push_back(static_cast<double>(milliseconds));
  std::sort(times.begin(), times.end());
  return {true, fmt::format("{} {} {} {} {}", times.size(), times[times.size() / 2], times[times.size() * 99 / 100],
                            times.back(), used)};
}

std::string_view python_actor() {
  return R"(
import os, sys, time
import callisto_graph as cl
how, milliseconds, begin = sys.argv[1].partition(":")[2], int(sys.argv[2]), int(sys.argv[3])
if how == "nice":
    os.setpriority(os.PRIO_PROCESS, 0, 19)
graph = cl.kronecker(12)
expected = graph.pagerank(iterations=20).iterations
time.sleep(max(0, begin - time.monotonic_ns()) / 1e9)
end = time.monotonic_ns() + milliseconds * 1_000_000
times = []
used = time.process_time()
while time.monotonic_ns() < end:
    if how == "asleep":
        time.sleep(0.005)
    began = time.monotonic_ns()
    if graph.pagerank(iterations=20).iterations != expected:
        sys.exit("bench manners: 'python' has not done what it should")
    times.append((time.monotonic_ns() - began) / 1e6)
used = time.process_time() - used
times = sorted(times) or [float(milliseconds)]
print(len(times), times[len(times) // 2], times[len(times) * 99 // 100], times[-1], used)
)";
}

}  // namespace callisto::lab
