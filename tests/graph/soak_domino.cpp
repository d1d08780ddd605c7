// Random computations and random streams of edges, each compared with a computation of all from nothing.
//
// Usage: soak [--seconds S] [--seed X] [--rounds N]. Prints the seed of a round that failed, and exits with status 1.
#include <callisto/domino.hpp>
#include <callisto/graph/changing/changing_components.hpp>
#include <callisto/graph/changing/changing_distances.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/changing/changing_pagerank.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <queue>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace callisto;
using random_numbers = std::mt19937_64;

struct difference : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void require(bool holds, const char* what) {
  if (!holds) throw difference(what);
}

std::uint64_t below(random_numbers& random, std::uint64_t n) { return random() % n; }

/// Distances over random arcs, by tasks that writes trigger, under random rules; stopped now and then.
class distances {
 public:
  explicit distances(random_numbers& random)
      : random_(random), n_(1 + below(random, below(random, 4) == 0 ? 20'000 : 300)), arcs_(n_) {
    for (std::uint64_t i = 0; i < 3 * n_; ++i) add_arc();
  }

  template <class T>
  void run() {
    constexpr T far = std::numeric_limits<T>::max();
    domino::options how{.contexts = static_cast<unsigned>(1 + below(random_, 4))};
    if (below(random_, 4) == 0 && n_ < 1000) how.order_seed = 1 + random_();
    domino::computation c(how);
    const std::uint64_t rule = below(random_, 4);
    domino::task_group& g = rule == 2   ? c.group(domino::strict)
                            : rule == 3 ? c.group(domino::loose(below(random_, 9)))
                                        : c.group();
    domino::task_group& after = c.group();
    after.after(g);
    domino::cells<T> distance(c, n_, far);
    std::stop_source stop;
    std::atomic<std::uint64_t> left{0};
    std::vector<std::uint64_t> seen(n_, 0);  // plain data: of the last time that the second group looked
    auto& look = c.task(after, n_, [&](domino::here&, std::uint64_t v) { seen[v] = distance.get(v); });
    auto& relax = c.task(g, n_, [&](domino::here& at, std::uint64_t v) {
      if (left.load(std::memory_order_relaxed) != 0 && left.fetch_sub(1) == 1) stop.request_stop();
      const T d = distance.get(v);
      for (const arc& a : arcs_[v]) distance.improve(at, a.to, static_cast<T>(d + a.weight));
      look.spawn(at, v);
    });
    if (below(random_, 3) == 0) {
      const std::uint64_t keys = 1 + below(random_, 8);
      relax.exclusive(keys, [keys](std::uint64_t v) { return v % keys; });
    }
    const T width = static_cast<T>(1 + below(random_, 40));
    if (rule == 0) distance.on_change(relax, domino::now);
    if (rule == 1) distance.on_change(relax, domino::later);
    if (rule >= 2) distance.on_change(relax, domino::rank_of([width](T d) { return d / width; }));
    for (int change = 0; change < 4; ++change) {
      sources_.push_back(below(random_, n_));
      distance.improve(c.outside(), sources_.back(), 0);
      for (std::uint64_t i = 0; change != 0 && i < 5; ++i) {
        const std::uint64_t from = add_arc();
        if (distance.get(from) == far) continue;
        const arc a = arcs_[from].back();
        distance.improve(c.outside(), a.to, static_cast<T>(distance.get(from) + a.weight));
      }
      if (below(random_, 3) == 0) {
        stop = std::stop_source();
        left = 1 + below(random_, n_);
        c.run(stop.get_token());
        left = 0;
      }
      require(c.run(), "a run without a request to stop ends");
      compare<T>(distance, seen);
    }
  }

 private:
  struct arc {
    std::uint64_t to;
    std::uint32_t weight;
  };
  std::uint64_t add_arc() {
    const std::uint64_t from = below(random_, n_);
    arcs_[from].push_back({below(random_, n_), static_cast<std::uint32_t>(1 + below(random_, 100))});
    return from;
  }
  template <class T>
  void compare(const domino::cells<T>& found, const std::vector<std::uint64_t>& seen) {
    constexpr auto far = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> expected(n_, far);
    using entry = std::pair<std::uint64_t, std::uint64_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
    for (const std::uint64_t s : sources_) queue.emplace(0, s);
    while (!queue.empty()) {
      const auto [d, v] = queue.top();
      queue.pop();
      if (d >= expected[v]) continue;
      expected[v] = d;
      for (const arc& a : arcs_[v]) queue.emplace(d + a.weight, a.to);
    }
    for (std::uint64_t v = 0; v < n_; ++v) {
      const std::uint64_t now = found.get(v);
      require(now == expected[v] || (expected[v] == far && now == std::numeric_limits<T>::max()), "a distance");
      require(expected[v] == far || seen[v] == expected[v], "what a group after it has seen");
    }
  }

  random_numbers& random_;
  const std::uint64_t n_;
  std::vector<std::vector<arc>> arcs_;
  std::vector<std::uint64_t> sources_;
};

/// Phases of whole numbers, a pure function of the phase before; and counted tasks, some later.
void run_phases(random_numbers& random) {
  const std::uint64_t n = 1 + below(random, 9'000);
  const std::uint64_t rounds = 1 + below(random, 12);
  domino::options how{.contexts = static_cast<unsigned>(1 + below(random, 4))};
  if (below(random, 4) == 0 && n < 1000) how.order_seed = 1 + random();
  domino::computation c(how);
  domino::task_group& g = c.group();
  domino::cells<std::uint64_t> x(c, n, 0);
  x.keep_as_of_phase(g);
  std::atomic<std::uint64_t> counted{0};
  const std::uint64_t share = 1 + below(random, 50);
  auto& count = c.counted<std::uint64_t>(g, [&](domino::here&, std::uint64_t more) { counted += more; });
  domino::merged_task* self = nullptr;
  auto& step = c.task(g, n, [&](domino::here& at, std::uint64_t i) {
    x.set(at, i, x.as_of_phase((i + 1) % n) * 5 + x.as_of_phase(i * 7 % n) + i);
    if (g.phases() + 1 < rounds) self->spawn_later(at, i);
    if (i % share == 0) count.spawn(at, i);
    if (i % share == 1) count.spawn_later(at, i);
  });
  self = &step;
  std::vector<std::uint64_t> expected(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    expected[i] = random();
    x.set(c.outside(), i, expected[i]);
    step.spawn(c.outside(), i);
  }
  require(c.run(), "a run ends");
  std::uint64_t sum = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::uint64_t> next(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      next[i] = expected[(i + 1) % n] * 5 + expected[i * 7 % n] + i;
      if (i % share <= 1) sum += i;
    }
    expected = next;
  }
  if (share == 1) sum = rounds * (n * (n - 1) / 2);
  for (std::uint64_t i = 0; i < n; ++i) require(x.get(i) == expected[i], "a value of a phase");
  require(counted == sum, "every counted task runs once");
}

/// Edges that come and go.
void run_stream(random_numbers& random) {
  const bool directed = below(random, 2) == 0;
  const std::uint64_t n = 2 + below(random, below(random, 5) == 0 ? 5'000 : 200);
  graph::changing_graph g(directed);
  const auto change = [&] {
    const std::uint32_t u = g.vertex(below(random, n));
    const std::uint32_t v = g.vertex(below(random, n));
    if (below(random, 3) == 0) return g.set(u, v, std::nullopt);
    return g.set(u, v, static_cast<double>(1 + below(random, 50)));
  };
  g.vertex(0);
  for (std::uint64_t i = 0; i < 2 * n; ++i) change();
  graph::changing_distances near(g, 0, true);
  graph::changing_distances levels(g, 0, false);
  graph::changing_components parts(g);
  const graph::changing_pagerank::options exact{.damping = 0.85, .tolerance = 1e-6};
  graph::changing_pagerank ranks(g, exact);
  for (int turn = 0; turn < 6; ++turn) {
    std::vector<graph::changing_graph::change> changes;
    const std::uint64_t some = 1 + below(random, below(random, 3) == 0 ? n : 6);
    for (std::uint64_t i = 0; i < some; ++i) changes.push_back(change());
    near.update(changes);
    levels.update(changes);
    parts.update(changes);
    ranks.update(changes);
    const graph::changing_distances near_anew(g, 0, true);
    const graph::changing_distances levels_anew(g, 0, false);
    const graph::changing_components parts_anew(g);
    const graph::changing_pagerank ranks_anew(g, exact);
    double off = 0;
    for (std::uint32_t v = 0; v < g.vertices(); ++v) {
      require(near[v] == near_anew[v], "a distance of a stream");
      require(levels[v] == levels_anew[v], "a level of a stream");
      require(parts[v] == parts_anew[v] && parts.size(v) == parts_anew.size(v), "a component of a stream");
      off += std::abs(ranks[v] - ranks_anew[v]);
    }
    require(parts.count() == parts_anew.count(), "the number of components of a stream");
    require(off < 1e-5, "the PageRank of a stream");
  }
}

void run_round(std::uint64_t seed) {
  random_numbers random(seed);
  switch (below(random, 4)) {
    case 0:
      return distances(random).run<std::uint32_t>();
    case 1:
      return distances(random).run<std::uint64_t>();
    case 2:
      return run_phases(random);
    default:
      return run_stream(random);
  }
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    std::fprintf(stderr, "soak: expected a number, found '%s'\n", std::string(text).c_str());
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int count, char** arguments) {
  std::uint64_t seconds = 10;
  std::uint64_t seed = 1;
  std::uint64_t rounds = std::numeric_limits<std::uint64_t>::max();
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    (name == "--seconds" ? seconds : name == "--seed" ? seed : rounds) = number_of(arguments[i + 1]);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::uint64_t done = 0;
  for (; done < rounds && std::chrono::steady_clock::now() < end; ++done, ++seed) {
    try {
      run_round(seed);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "soak: --seed %llu --rounds 1: differs: %s\n", static_cast<unsigned long long>(seed),
                   e.what());
      return 1;
    }
  }
  std::printf("%llu computations and streams without a difference\n", static_cast<unsigned long long>(done));
}
