// Measures what Domino's tasks cost beside tasks of OpenMP and oneTBB: a binary tree of empty tasks, a write that
// triggers a task, a phase of one task, and updates of a graph that changes beside full computations.
//
//   domino_cost [SCALE]      SCALE of the Kronecker graph [16]
//
// Prints the median of nine runs, the programs in turns.
#include <callisto/domino.hpp>
#include <callisto/graph/changing/changing_components.hpp>
#include <callisto/graph/changing/changing_distances.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/changing/changing_pagerank.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/triggered/triggered.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#if defined(CALLISTO_BENCH_TBB)
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace {

using namespace callisto;

constexpr unsigned runs = 9;
constexpr unsigned tree_height = 16;
constexpr double tree_tasks = 2 * (1U << tree_height) - 1;

double seconds_of(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct program {
  std::string name;
  std::function<void()> run;
  double units;
  std::vector<double> seconds = {};
};

void measure(const char* unit, double scale, std::vector<program> all) {
  for (unsigned i = 0; i < runs; ++i) {
    for (program& p : all) p.seconds.push_back(seconds_of(p.run));
  }
  for (program& p : all) {
    std::sort(p.seconds.begin(), p.seconds.end());
    std::printf("%-44s %10.2f %s (least %.2f)\n", p.name.c_str(), p.seconds[runs / 2] / p.units * scale, unit,
                p.seconds[0] / p.units * scale);
  }
}

/// A binary tree of empty tasks, on a computation that is kept from run to run.
class tree {
 public:
  explicit tree(unsigned contexts) : c_({.contexts = contexts}) {}
  void run() {
    step_.spawn(c_.outside(), tree_height);
    c_.run();
  }

 private:
  domino::computation c_;
  domino::counted_task<std::uint32_t>& step_ =
      c_.counted<std::uint32_t>([this](domino::here& at, std::uint32_t height) {
        if (height == 0) return;
        step_.spawn(at, height - 1);
        step_.spawn(at, height - 1);
      });
};

/// A chain of writes, each of which triggers the next.
class chain {
 public:
  static constexpr std::uint64_t length = 1 << 16;
  chain() { x_.on_change(step_, domino::now); }
  void run() {
    ++round_;
    x_.set(c_.outside(), 0, round_);
    c_.run();
  }

 private:
  std::uint32_t round_ = 0;
  domino::computation c_{{.contexts = 1}};
  domino::cells<std::uint32_t> x_{c_, length, 0};
  domino::merged_task& step_ = c_.task(length, [this](domino::here& at, std::uint64_t i) {
    if (i + 1 < length) x_.set(at, i + 1, round_);
  });
};

/// Phases of one task each.
class phases {
 public:
  static constexpr std::uint32_t count = 10'000;
  explicit phases(unsigned contexts) : c_({.contexts = contexts}) {}
  void run() {
    step_.spawn(c_.outside(), count);
    c_.run();
  }

 private:
  domino::computation c_;
  domino::counted_task<std::uint32_t>& step_ = c_.counted<std::uint32_t>([this](domino::here& at, std::uint32_t left) {
    if (left != 0) step_.spawn_later(at, left - 1);
  });
};

#if defined(_OPENMP)
void openmp_tree(std::uint32_t height) {
  if (height == 0) return;
#pragma omp task
  openmp_tree(height - 1);
#pragma omp task
  openmp_tree(height - 1);
}
void openmp_run(int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp single
  openmp_tree(tree_height);
}
#endif

#if defined(CALLISTO_BENCH_TBB)
void tbb_tree(tbb::task_group& group, std::uint32_t height) {
  if (height == 0) return;
  group.run([&group, height] { tbb_tree(group, height - 1); });
  group.run([&group, height] { tbb_tree(group, height - 1); });
}
void tbb_run(std::size_t threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_group group;
  tbb_tree(group, tree_height);
  group.wait();
}
#endif

void changing(unsigned scale) {
  graph::kronecker_options shape;
  shape.scale = scale;
  graph::changing_graph now(graph::build_graph(graph::generate_kronecker(shape), {.undirected = true}));
  std::printf("Kronecker %u: %u vertices, %llu edges\n", scale, now.vertices(),
              static_cast<unsigned long long>(now.edges()));
  std::vector<graph::changing_pagerank> ranks;
  std::printf("%-44s %10.2f ms\n", "PageRank from nothing, by sweeps",
              seconds_of([&] { ranks.emplace_back(now); }) * 1e3);
  graph::changing_components parts(now);
  graph::changing_distances levels(now, 0, false);
  std::mt19937_64 random(1);
  for (const unsigned edges : {1U, 10U, 100U, 1'000U, 10'000U}) {
    std::array<std::vector<double>, 3> times;
    for (unsigned i = 0; i < runs; ++i) {
      std::vector<graph::changing_graph::change> changes;
      for (unsigned e = 0; e < edges; ++e) {
        const auto any = [&] { return static_cast<std::uint32_t>(random() % now.vertices()); };
        changes.push_back(now.set(any(), any(), 1));
      }
      times[0].push_back(seconds_of([&] { ranks.front().update(changes); }));
      times[1].push_back(seconds_of([&] { parts.update(changes); }));
      times[2].push_back(seconds_of([&] { levels.update(changes); }));
    }
    for (auto& t : times) std::sort(t.begin(), t.end());
    std::printf("%6u edges: PageRank %10.3f ms, components %10.3f ms, levels %10.3f ms\n", edges,
                times[0][runs / 2] * 1e3, times[1][runs / 2] * 1e3, times[2][runs / 2] * 1e3);
  }
}

}  // namespace

int main(int count, char** arguments) {
  tree one(1);
  tree two(2);
  std::vector<program> trees{{"tree of tasks, Domino, 1 context", [&] { one.run(); }, tree_tasks},
                             {"tree of tasks, Domino, 2 contexts", [&] { two.run(); }, tree_tasks}};
#if defined(_OPENMP)
  trees.push_back({"tree of tasks, OpenMP, 1 thread", [] { openmp_run(1); }, tree_tasks});
  trees.push_back({"tree of tasks, OpenMP, 2 threads", [] { openmp_run(2); }, tree_tasks});
#endif
#if defined(CALLISTO_BENCH_TBB)
  trees.push_back({"tree of tasks, oneTBB, 1 thread", [] { tbb_run(1); }, tree_tasks});
  trees.push_back({"tree of tasks, oneTBB, 2 threads", [] { tbb_run(2); }, tree_tasks});
#endif
  measure("ns a task", 1e9, std::move(trees));
  chain links;
  measure("ns a write", 1e9, {{"write, trigger, run", [&] { links.run(); }, chain::length}});
  phases alone(1);
  phases both(2);
  measure("us a phase", 1e6,
          {{"phase of one task, 1 context", [&] { alone.run(); }, phases::count},
           {"phase of one task, 2 contexts", [&] { both.run(); }, phases::count}});
  changing(count > 1 ? static_cast<unsigned>(std::strtoul(arguments[1], nullptr, 10)) : 16);
}
