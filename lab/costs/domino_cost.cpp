// Measures what Domino's tasks cost beside tasks of OpenMP and oneTBB: a binary tree of empty tasks, a write that
// triggers a task, one by one and in a tree, a phase of one task, shortest paths by ranks beside sssp, and updates of a
// graph that changes beside full computations, and beside PageRank's power iteration from the last scores.
//
//   domino_cost [SCALE]          SCALE of the Kronecker graph [16]
//   domino_cost GRAPH WIDTH      shortest paths alone: in a weighted undirected graph, by ranks of that width
//
// Prints the median of nine runs, the programs in turns, and its ratio to the first program's.
#include <callisto/domino.hpp>
#include <callisto/graph/changing/changing_components.hpp>
#include <callisto/graph/changing/changing_cores.hpp>
#include <callisto/graph/changing/changing_distances.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/changing/changing_pagerank.hpp>
#include <callisto/graph/communities/changing_communities.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/triggered/triggered.hpp>
#include <callisto/loop/loop_options.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <lab/costs/compare.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#if defined(CALLISTO_BENCH_TBB)
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace {

using namespace callisto;
using lab::seconds_of;

constexpr unsigned runs = 9;
constexpr unsigned tree_height = 16;
constexpr double tree_tasks = 2 * (1U << tree_height) - 1;

/// Runs the programs in turns, and prints what each takes for one of `units`.
void measure(const std::string& title, const char* unit, double per_second, double units,
             std::vector<lab::variant> all) {
  lab::compare(all, {.rounds = runs});
  std::vector<std::vector<std::string>> table{{title, "median", "least", "of the first"}};
  for (const lab::variant& v : all) {
    const auto each = [&](double seconds) { return fmt::format("{:.2f} {}", seconds / units * per_second, unit); };
    table.push_back({v.name, each(v.median()), each(*std::min_element(v.seconds.begin(), v.seconds.end())),
                     fmt::format("{:.2f}", lab::ratio(v, all[0]))});
  }
  lab::print_table(table);
}

template <class Function>
lab::variant program(std::string name, Function f) {
  return {std::move(name), [f] { return seconds_of(f); }};
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

/// Writes that trigger writes: each the next `Fan`, so one makes a chain, and two a binary tree.
template <std::uint64_t Fan>
class writes {
 public:
  static constexpr std::uint64_t length = (1 << 16) - (Fan == 1 ? 0 : 1);
  explicit writes(unsigned contexts) : c_({.contexts = contexts}) { x_.on_change(step_, domino::now); }
  void run() {
    ++round_;
    x_.set(c_.outside(), 0, round_);
    c_.run();
  }

 private:
  std::uint32_t round_ = 0;
  domino::computation c_;
  domino::cells<std::uint32_t> x_{c_, length, 0};
  domino::merged_task& step_ = c_.task(length, [this](domino::here& at, std::uint64_t i) {
    if (Fan * i + Fan >= length) return;
    for (std::uint64_t k = 1; k <= Fan; ++k) x_.set(at, Fan * i + k, round_);
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

/// Ends the program if the two ways find other distances.
void shortest_paths(const std::string& name, const graph::any_graph& any, double width) {
  const auto& g = std::get<graph::csr_graph<std::uint32_t>>(any);
  std::uint64_t source = 0;
  while (g.out().degree(source) < 2) ++source;
  graph::triggered::statistics did;
  const auto by_ranks = [&](unsigned contexts) {
    return graph::triggered::sssp(g, source, width, {.contexts = contexts}, &did);
  };
  const graph::distance_map found = by_ranks(2);
  const graph::sssp_result expected = graph::sssp(g, source);
  for (std::uint64_t v = 0; v < g.vertices(); ++v) {
    if (found[v] == expected.distances[v]) continue;
    std::fprintf(stderr, "domino_cost: shortest paths: vertex %llu differs\n", static_cast<unsigned long long>(v));
    std::exit(1);
  }
  std::printf("shortest paths by ranks of width %g: %.3f tasks a vertex\n", width,
              static_cast<double>(did.tasks) / static_cast<double>(expected.reached));
  const std::string title = name + ", shortest paths";
  for (const unsigned contexts : {1U, 2U}) {
    const std::string on = contexts == 1 ? "1 context" : "2 contexts";
    measure(title, "ms", 1e3, 1,
            {program("sssp, " + on,
                     [&] {
                       const thread_limit limit(contexts);
                       static_cast<void>(graph::sssp(g, source));
                     }),
             program("by ranks, " + on, [&] { static_cast<void>(by_ranks(contexts)); })});
  }
}

graph::any_graph weighted_kronecker(unsigned scale) {
  graph::kronecker_options shape;
  shape.scale = scale;
  return graph::with_random_weights(graph::build_graph(graph::generate_kronecker(shape), {.undirected = true}), 1);
}

/// PageRank by the power iteration from given scores, to the tolerance of changing_pagerank. Returns the steps.
unsigned warm_pagerank(const graph::changing_graph& g, std::vector<double>& score) {
  const graph::changing_pagerank::options how;
  const std::uint32_t n = g.vertices();
  std::vector<double> out(n);
  for (unsigned steps = 1;; ++steps) {
    const double lost = parallel_reduce(
        std::uint32_t{0}, n, 0.0,
        [&](std::uint32_t v) {
          const auto& row = g.out(v);
          out[v] = row.empty() ? 0 : how.damping * score[v] / static_cast<double>(row.size());
          return row.empty() ? how.damping * score[v] : 0;
        },
        std::plus<>());
    const double change = parallel_reduce(
        std::uint32_t{0}, n, 0.0,
        [&](std::uint32_t v) {
          double now = (1 - how.damping + lost) / n;
          for (const auto& a : g.in(v)) now += out[a.to];
          return std::abs(now - std::exchange(score[v], now));
        },
        std::plus<>());
    if (change * how.damping <= how.tolerance * (1 - how.damping)) return steps;
  }
}

void changing(unsigned scale) {
  graph::kronecker_options shape;
  shape.scale = scale;
  graph::changing_graph now(graph::build_graph(graph::generate_kronecker(shape), {.undirected = true}));
  std::printf("Kronecker %u: %u vertices, %llu edges\n", scale, now.vertices(),
              static_cast<unsigned long long>(now.edges()));
  std::optional<graph::changing_pagerank> ranks;
  std::optional<graph::changing_components> parts;
  std::optional<graph::changing_distances> levels;
  std::optional<graph::changing_cores> cores;
  std::optional<graph::changing_communities> groups;
  const std::array from_nothing{seconds_of([&] { ranks.emplace(now); }), seconds_of([&] { parts.emplace(now); }),
                                seconds_of([&] { levels.emplace(now, 0, false); }),
                                seconds_of([&] { cores.emplace(now); }), seconds_of([&] { groups.emplace(now); })};
  std::vector<std::vector<std::string>> table{
      {"edges", "PageRank", "components", "levels", "cores", "communities", "PageRank, warm steps"}};
  const auto add_row = [&](const std::string& name, const std::array<double, 5>& seconds) {
    table.push_back({name});
    for (std::size_t k = 0; k < seconds.size(); ++k)
      table.back().push_back(fmt::format("{:.3f} ms, 1/{:.3g}", seconds[k] * 1e3, from_nothing[k] / seconds[k]));
  };
  add_row("from nothing", from_nothing);
  table.back().emplace_back();
  std::mt19937_64 random(1);
  for (const unsigned edges : {1U, 10U, 100U, 1'000U, 10'000U}) {
    std::array<std::vector<double>, 5> times;
    std::vector<double> warm;
    unsigned steps = 0;
    const std::uint64_t sweeps = ranks->sweeps();
    const std::uint64_t tasks = ranks->tasks();
    for (unsigned i = 0; i < runs; ++i) {
      std::vector<graph::changing_graph::change> changes;
      for (unsigned e = 0; e < edges; ++e) {
        const auto any = [&] { return static_cast<std::uint32_t>(random() % now.vertices()); };
        changes.push_back(now.set(any(), any(), 1));
      }
      std::vector<double> scores(now.vertices());
      for (std::uint32_t v = 0; v < now.vertices(); ++v) scores[v] = (*ranks)[v];
      warm.push_back(seconds_of([&] { steps = warm_pagerank(now, scores); }));
      times[0].push_back(seconds_of([&] { ranks->update(changes); }));
      times[1].push_back(seconds_of([&] { parts->update(changes); }));
      times[2].push_back(seconds_of([&] { levels->update(changes); }));
      times[3].push_back(seconds_of([&] { cores->update(changes); }));
      times[4].push_back(seconds_of([&] { groups->update(changes); }));
    }
    add_row(std::to_string(edges), {app::median_of(times[0]), app::median_of(times[1]), app::median_of(times[2]),
                                    app::median_of(times[3]), app::median_of(times[4])});
    table.back().push_back(fmt::format("{:.3f} ms, {} steps, {:.3g} times the update ({} sweeps, {} tasks)",
                                       app::median_of(warm) * 1e3, steps,
                                       app::median_of(warm) / app::median_of(times[0]),
                                       (ranks->sweeps() - sweeps) / runs, (ranks->tasks() - tasks) / runs));
  }
  lab::print_table(table);
  const double followed = groups->quality();
  groups.emplace(now);
  std::printf("modularity %.4f; found anew %.4f\n", followed, groups->quality());
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3) {
    shortest_paths(arguments[1], graph::load_graph(arguments[1], {.build = {.undirected = true}}),
                   std::strtod(arguments[2], nullptr));
    return 0;
  }
  unsigned scale = 16;
  if (count > 1) {
    const char* const end = arguments[1] + std::strlen(arguments[1]);
    const auto [parsed, failure] = std::from_chars(arguments[1], end, scale);
    if (count > 2 || failure != std::errc() || parsed != end || scale < 4 || scale > 26) {
      std::fprintf(stderr, "domino_cost: SCALE: expected one number from 4 to 26, found '%s'\n", arguments[1]);
      return 2;
    }
  }
  tree one(1);
  tree two(2);
  std::vector<lab::variant> trees{program("Domino, 1 context", [&] { one.run(); }),
                                  program("Domino, 2 contexts", [&] { two.run(); })};
#if defined(_OPENMP)
  trees.push_back(program("OpenMP, 1 thread", [] { openmp_run(1); }));
  trees.push_back(program("OpenMP, 2 threads", [] { openmp_run(2); }));
#endif
#if defined(CALLISTO_BENCH_TBB)
  trees.push_back(program("oneTBB, 1 thread", [] { tbb_run(1); }));
  trees.push_back(program("oneTBB, 2 threads", [] { tbb_run(2); }));
#endif
  measure("tree of tasks, one task", "ns", 1e9, tree_tasks, std::move(trees));
  writes<1> chain(1);
  measure("chain of writes, one", "ns", 1e9, writes<1>::length, {program("write, trigger, run", [&] { chain.run(); })});
  writes<2> one_writes(1);
  writes<2> both_write(2);
  measure("tree of writes, one", "ns", 1e9, writes<2>::length,
          {program("1 context", [&] { one_writes.run(); }), program("2 contexts", [&] { both_write.run(); })});
  phases alone(1);
  phases both(2);
  measure("phase of one task", "us", 1e6, phases::count,
          {program("1 context", [&] { alone.run(); }), program("2 contexts", [&] { both.run(); })});
  shortest_paths(fmt::format("Kronecker {}", scale), weighted_kronecker(scale), 8);
  changing(scale);
}
