// The paper's dom_bc (EuroSys 2014, sections 3.2 and 4) on the two runtimes that the paper has for it, and on this
// library's: what blocking and deferred sets that all threads share are worth.
//
//   domino_baselines CORE SOURCES [SCALE]   betweenness from SOURCES vertices of the Kronecker graph of SCALE [14]
//
//   spinning        the original: a fixed number of threads, each with a work queue and a set of deferred tasks. "Only
//                   the thread that added a task is subsequently able to move it to the main work pool", and threads
//                   spin when they have nothing to do.
//   never-blocking  "The Callisto-enabled implementation": an activation claims a DominoRTS, calls should_yield()
//                   between tasks and then releases it; "the job itself will never actually block".
//   domino          callisto/domino
//
// Prints the sum of all scores, which is a whole number that all three agree on. For `callisto-lab bench pairs`:
//
//   callisto-lab bench pairs --programs dynamic,dom_bc 'build/release/bin/domino_baselines spinning 20'
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/triggered/triggered.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/waiting/spin_lock.hpp>
#include <callisto/workers.hpp>

#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace callisto;
using vertex = std::uint32_t;
using spin_lock = waiting::spin_lock<machine::native>;

/// A DominoRTS: the work pool of the thread that has claimed it, and the tasks that only this thread can promote.
struct alignas(128) pool {
  spin_lock lock;
  std::deque<vertex> queue;
  std::map<std::uint64_t, std::vector<vertex>> deferred;  ///< by rank
  std::uint64_t phase = 0;                                ///< the phase that the queue has tasks of
  std::atomic<bool> claimed{false};
};

/// Phases of tasks, as both runtimes have them.
class runtime {
 public:
  using body = std::function<void(pool&, vertex)>;

  explicit runtime(unsigned pools) : pools_(pools) {}

  std::vector<pool>& pools() noexcept { return pools_; }

  /// Puts a task off until the phase of this rank, which is above the present one.
  void defer(pool& mine, std::uint64_t rank, vertex v) {
    mine.deferred[rank].push_back(v);
    ranks_[rank].fetch_add(1, std::memory_order_relaxed);
  }

  /// Prepares a run of tasks that were deferred, with ranks below `ranks`.
  void prepare(std::uint64_t ranks, body does) {
    ranks_ = std::vector<std::atomic<std::uint64_t>>(ranks);
    does_ = std::move(does);
    rank_ = 0;
    done_.store(false);
  }
  void begin() { next_phase(); }
  bool is_done() const noexcept { return done_.load(std::memory_order_acquire); }

  /// Runs a task; false if there is none.
  bool work(pool& mine) {
    const std::uint64_t phase = phase_.load(std::memory_order_acquire);
    if (mine.phase != phase) promote(mine, phase);
    vertex v = 0;
    bool found = take(mine, v);
    for (std::size_t i = 0; i < pools_.size() && !found; ++i) found = take(pools_[i], v);
    if (!found) return false;
    does_(mine, v);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) next_phase();
    return true;
  }

 private:
  static bool take(pool& from, vertex& v) {
    const std::scoped_lock held(from.lock);
    if (from.queue.empty()) return false;
    v = from.queue.front();
    from.queue.pop_front();
    return true;
  }
  void promote(pool& mine, std::uint64_t phase) {
    mine.phase = phase;
    const auto at = mine.deferred.find(rank_.load(std::memory_order_relaxed));
    if (at == mine.deferred.end()) return;
    const std::scoped_lock held(mine.lock);
    mine.queue.insert(mine.queue.end(), at->second.begin(), at->second.end());
    mine.deferred.erase(at);
  }
  void next_phase() {
    std::uint64_t rank = rank_.load(std::memory_order_relaxed);
    while (++rank < ranks_.size() && ranks_[rank].load(std::memory_order_relaxed) == 0) {
    }
    if (rank >= ranks_.size()) return done_.store(true, std::memory_order_release);
    rank_.store(rank, std::memory_order_relaxed);
    left_.store(ranks_[rank].load(std::memory_order_relaxed), std::memory_order_relaxed);
    phase_.fetch_add(1, std::memory_order_release);
  }

  std::vector<pool> pools_;
  std::vector<std::atomic<std::uint64_t>> ranks_;  ///< how many tasks wait for a rank
  body does_;
  std::atomic<std::uint64_t> rank_{0};
  std::atomic<std::uint64_t> phase_{0};
  std::atomic<std::uint64_t> left_{0};
  std::atomic<bool> done_{false};
};

unsigned contexts() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  return static_cast<unsigned>(CPU_COUNT(&mine));
}

/// Threads that live for all runs, and spin between them.
class spinning {
 public:
  explicit spinning(runtime& r) : r_(r) {
    for (std::size_t i = 1; i < r.pools().size(); ++i) threads_.emplace_back([this, i] { follow(r_.pools()[i]); });
  }
  ~spinning() {
    ends_.store(true);
    runs_.fetch_add(1);
    for (std::thread& t : threads_) t.join();
  }
  void run() {
    inside_.store(threads_.size());
    runs_.fetch_add(1, std::memory_order_release);
    r_.begin();
    loop(r_.pools()[0]);
    while (inside_.load(std::memory_order_acquire) != 0) machine::native::relax();
  }

 private:
  void loop(pool& mine) {
    while (!r_.is_done()) {
      if (!r_.work(mine)) machine::native::relax();
    }
  }
  void follow(pool& mine) {
    for (std::uint64_t seen = 0;;) {
      while (runs_.load(std::memory_order_acquire) == seen) machine::native::relax();
      ++seen;
      if (ends_.load()) return;
      loop(mine);
      inside_.fetch_sub(1, std::memory_order_release);
    }
  }
  runtime& r_;
  std::atomic<std::uint64_t> runs_{0};
  std::atomic<std::size_t> inside_{0};
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

/// A work ticket a run: activations claim pools, and release them when they should yield or find nothing.
class never_blocking {
 public:
  explicit never_blocking(runtime& r)
      : r_(r), workers_(workers::create_workers({.attached = 1, .coscheduled = true})) {}

  void run() {
    r_.begin();
    const auto pools = static_cast<unsigned>(r_.pools().size());
    workers::wait_complete(*workers_, (*workers_)->create_ticket(&call, this, pools));
  }

 private:
  static void call(workers::native_activation& here, void* data, workers::native_ticket of) {
    never_blocking& self = *static_cast<never_blocking*>(data);
    const std::size_t all = self.r_.pools().size();
    for (std::size_t i = self.next_.fetch_add(1);; ++i) {
      if (self.r_.is_done()) return (*self.workers_)->set_drained(of);
      if (here.should_yield()) return;
      pool& mine = self.r_.pools()[i % all];
      if (mine.claimed.exchange(true, std::memory_order_acquire)) continue;
      while (!here.should_yield() && self.r_.work(mine)) {
      }
      mine.claimed.store(false, std::memory_order_release);
    }
  }
  runtime& r_;
  std::unique_ptr<workers::worker_threads> workers_;
  std::atomic<std::size_t> next_{0};
};

/// Betweenness: levels forward, a rank each; then levels backward. Returns the sum of all scores.
template <class Core>
double betweenness(const graph::csr_graph<vertex>& g, const std::vector<std::uint64_t>& sources) {
  const std::uint64_t n = g.vertices();
  constexpr vertex unreached = ~vertex{0};
  runtime r(contexts());
  Core core(r);
  std::vector<std::atomic<vertex>> level(n);
  std::vector<std::atomic<double>> paths(n);
  std::vector<double> share(n);
  double sum = 0;
  for (const std::uint64_t source : sources) {
    for (std::uint64_t v = 0; v < n; ++v) {
      level[v].store(unreached, std::memory_order_relaxed);
      paths[v].store(0, std::memory_order_relaxed);
      share[v] = 0;
    }
    std::vector<std::vector<vertex>> levels(n + 1);
    spin_lock guard;
    level[source] = 0;
    paths[source] = 1;
    r.prepare(n + 2, [&](pool& mine, vertex v) {
      const vertex next = level[v].load(std::memory_order_relaxed) + 1;
      for (const vertex u : g.out().row(v)) {
        vertex found = unreached;
        const bool first = level[u].compare_exchange_strong(found, next, std::memory_order_relaxed);
        if (first || found == next) paths[u].fetch_add(paths[v].load(std::memory_order_relaxed));
        if (first) r.defer(mine, next + 1, u);
      }
      const std::scoped_lock held(guard);
      levels[next - 1].push_back(v);
    });
    r.defer(r.pools()[0], 1, static_cast<vertex>(source));
    core.run();
    r.prepare(n + 2, [&](pool&, vertex v) {
      const vertex below = level[v].load(std::memory_order_relaxed) + 1;
      double all = 0;
      for (const vertex u : g.out().row(v)) {
        if (level[u].load(std::memory_order_relaxed) == below) all += (1 + share[u]) / paths[u].load();
      }
      share[v] = all * paths[v].load();
    });
    for (std::uint64_t d = 0; d < n && !levels[d].empty(); ++d) {
      for (std::size_t i = 0; i < levels[d].size(); ++i)
        r.defer(r.pools()[i % r.pools().size()], n + 1 - d, levels[d][i]);
    }
    core.run();
    for (std::uint64_t v = 0; v < n; ++v) sum += v == source ? 0 : share[v];
  }
  return sum;
}

double betweenness_on(const std::string& core, const graph::csr_graph<vertex>& g,
                      const std::vector<std::uint64_t>& sources) {
  if (core == "spinning") return betweenness<spinning>(g, sources);
  if (core == "never-blocking") return betweenness<never_blocking>(g, sources);
  if (core != "domino") throw usage_error("CORE: expected spinning, never-blocking or domino, found '" + core + "'");
  double sum = 0;
  for (const double one : graph::triggered::dependencies(g, sources)) sum += one;
  return sum;
}

std::uint64_t number_of(const char* name, const std::string& text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value == 0 || value > most)
    throw usage_error(std::string(name) + ": expected a number from 1 to " + std::to_string(most) + ", found '" + text +
                      "'");
  return value;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count < 3 || count > 4) throw usage_error("expected CORE SOURCES [SCALE]");
    const std::uint64_t number = number_of("SOURCES", arguments[2], 1'000'000);
    graph::kronecker_options shape;
    shape.scale = count == 4 ? static_cast<unsigned>(number_of("SCALE", arguments[3], 26)) : 14;
    const graph::any_graph any = graph::build_graph(graph::generate_kronecker(shape), {.undirected = true});
    const auto& g = std::get<graph::csr_graph<vertex>>(any);
    std::vector<std::uint64_t> sources(number);
    for (std::uint64_t i = 0; i < number; ++i) sources[i] = i * 7919 % g.vertices();
    std::printf("%lld\n", std::llround(betweenness_on(arguments[1], g, sources)));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "domino_baselines: %s\n", e.what());
    return 2;
  }
}
