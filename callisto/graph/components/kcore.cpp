// Peeling, with parallel loops.
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Values of k that have a bucket.
constexpr std::uint32_t core_window = 64;
/// Vertices that one thread peels alone: fewer than other threads could come to share.
constexpr std::size_t few_in_round = 256;

/// The buckets of one thread. A vertex waits in bucket (neighbours left - first k of the window).
template <class Vertex>
struct waiting_lists {
  std::array<std::vector<Vertex>, core_window> lists;
  std::uint64_t unreported = 0;
};

template <class Vertex>
class core_peeling {
 public:
  using list = std::vector<Vertex>;

  core_peeling(const csr_graph<Vertex>& graph, machine::page_array<std::uint32_t>& left, const run_control& control)
      : graph_(graph), left_(left), control_(control), waiting_(threads()) {}

  void run() {
    if (control_.report != nullptr) control_.report->begin("peeling cores", graph_.vertices(), "vertices");
    count_neighbours();
    rest_ = list(graph_.vertices());
    parallel_for(std::uint64_t{0}, graph_.vertices(), [&](std::uint64_t v) { rest_[v] = static_cast<Vertex>(v); });
    while (open_window()) {
      for (std::uint32_t slot = 0; slot < core_window; ++slot) peel(slot);
    }
  }

 private:
  struct nothing {};

  /// The loop of one round, over vertices that have first_ + slot neighbours left.
  struct round {
    core_peeling& owner;
    const Vertex* vertices;
    std::uint32_t slot;

    void fork(nothing&) noexcept {}
    void work(nothing&, std::uint64_t first, std::uint64_t last) {
      owner.peel(vertices + first, vertices + last, slot);
    }
    void join(nothing&) { owner.fuse(slot); }
  };

  void count_neighbours() {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() - core_window;
    const std::uint64_t largest = parallel_reduce(
        std::uint64_t{0}, graph_.vertices(), std::uint64_t{0},
        [&](std::uint64_t first, std::uint64_t last, std::uint64_t found) {
          for (std::uint64_t v = first; v < last; ++v) {
            std::uint64_t count = 0;
            for_each_simple_neighbour(graph_, v, [&](Vertex) { ++count; });
            left_[v] = static_cast<std::uint32_t>(std::min(count, most));
            found = std::max(found, count);
          }
          return found;
        },
        [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); }, loop_options{.stop = control_.stop});
    check();
    if (largest >= most) throw usage_error("a vertex has too many neighbours for coreness in 32 bits");
  }

  // relaxed, here and below: a vertex's number falls to a given value once, by one thread, which lists the vertex; the
  // loop's end orders the lists.
  std::uint32_t left(std::uint64_t v) const noexcept {
    return std::atomic_ref(left_[v]).load(std::memory_order_relaxed);
  }

  /// Drops peeled vertices from rest_ and moves the window to the least number left. Returns false if none is left.
  bool open_window() {
    std::erase_if(rest_, [&](Vertex v) { return left_[v] < next_; });
    if (rest_.empty()) return false;
    first_ = std::numeric_limits<std::uint32_t>::max();
    for (const Vertex v : rest_) first_ = std::min(first_, left_[v]);
    for (const Vertex v : rest_) {
      if (left_[v] - first_ < core_window) waiting_.front().lists[left_[v] - first_].push_back(v);
    }
    next_ = first_ + core_window;
    return true;
  }

  void peel(std::uint32_t slot) {
    for (;;) {
      check();
      round_.clear();
      for (waiting_lists<Vertex>& w : waiting_) {
        round_.insert(round_.end(), w.lists[slot].begin(), w.lists[slot].end());
        w.lists[slot].clear();
      }
      if (round_.empty()) return;
      if (round_.size() <= few_in_round || waiting_.size() == 1) {
        peel(round_.data(), round_.data() + round_.size(), slot);
        fuse(slot);
      } else {
        round loop{*this, round_.data(), slot};
        parallel_for<round, nothing, std::uint64_t>(loop, 0, round_.size(), {.stop = control_.stop});
      }
    }
  }

  void peel(const Vertex* first, const Vertex* last, std::uint32_t slot) {
    const std::uint32_t k = first_ + slot;
    auto& mine = waiting_[this_thread()].lists;
    std::uint64_t& peeled = waiting_[this_thread()].unreported;
    for (const Vertex* v = first; v != last; ++v) {
      if (left(*v) != k) continue;  // peeled, or fallen further: it waits in another bucket
      ++peeled;
      for_each_simple_neighbour(graph_, *v, [&](Vertex w) {
        const std::atomic_ref<std::uint32_t> count(left_[w]);
        std::uint32_t now = count.load(std::memory_order_relaxed);
        while (now > k && !count.compare_exchange_weak(now, now - 1, std::memory_order_relaxed)) {
        }
        if (now > k && now - 1 - first_ < core_window) mine[now - 1 - first_].push_back(w);
      });
    }
    if (control_.report != nullptr && peeled > graph_.vertices() / 256)
      control_.report->advance(std::exchange(peeled, 0));
  }

  /// Peels what this thread has brought down to k, while it is too little to share.
  void fuse(std::uint32_t slot) {
    list& mine = waiting_[this_thread()].lists[slot];
    list now;
    while (!mine.empty() && (mine.size() <= few_in_round || waiting_.size() == 1)) {
      now.clear();
      now.swap(mine);
      peel(now.data(), now.data() + now.size(), slot);
    }
  }

  void check() const { control_.check(); }

  const csr_graph<Vertex>& graph_;
  machine::page_array<std::uint32_t>& left_;  ///< neighbours not yet peeled; of a peeled vertex, its coreness
  const run_control& control_;
  std::vector<waiting_lists<Vertex>> waiting_;  ///< by thread
  list rest_;
  list round_;
  std::uint32_t first_ = 0;  ///< k of the window's first bucket
  std::uint32_t next_ = 0;   ///< vertices with fewer neighbours left are peeled or wait in the window
};

}  // namespace

template <class Vertex>
kcore_result kcore(const csr_graph<Vertex>& graph, const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which cores need");
  kcore_result result;
  result.coreness = machine::page_array<std::uint32_t>(graph.vertices());
  core_peeling<Vertex>(graph, result.coreness, control).run();
  for (const std::uint32_t k : result.coreness) {
    if (k > result.degeneracy) {
      result.degeneracy = k;
      result.innermost = 0;
    }
    if (k == result.degeneracy) ++result.innermost;
  }
  return result;
}

template CALLISTO_API kcore_result kcore(const csr_graph<std::uint32_t>&, const run_control&);
template CALLISTO_API kcore_result kcore(const csr_graph<std::uint64_t>&, const run_control&);

std::uint64_t needs::kcore(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return (4 + 5 * s.v) * s.n;
}

}  // namespace callisto::graph
