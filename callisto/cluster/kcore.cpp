#include <callisto/cluster/hub_arcs.hpp>
#include <callisto/cluster/kcore.hpp>
#include <callisto/cluster/posts.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::cluster {

namespace {

/// Peels the vertices of one process, and tells its partners what their vertices lost.
template <class Vertex>
class dealt_peeling {
 public:
  dealt_peeling(const graph::csr_graph<Vertex>& graph, machine::page_array<std::uint32_t>& coreness,
                const graph::shared_control& control)
      : graph_(graph),
        among_(*control.among),
        control_(control),
        left_(coreness),
        lost_(graph.vertices()),
        first_(among_.first()),
        last_(among_.last()),
        fallen_(threads()) {}

  void run() {
    if (control_.report != nullptr) control_.report->begin("peeling cores", last_ - first_, "vertices");
    count_neighbours();
    find_neighbours_of_hubs();
    for (std::uint64_t v = first_; v != last_; ++v) rest_.push_back(static_cast<Vertex>(v));
    while (open_window()) {
      for (std::uint32_t k = next_level(); k != none; k = next_level()) peel(k);
    }
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  /// Values of k that have a list.
  static constexpr std::uint32_t window = 64;
  /// Vertices that one thread peels alone.
  static constexpr std::uint64_t few = 256;

  struct fallen_vertex {
    Vertex vertex;
    std::uint32_t to;  ///< neighbours left then
  };

  /// Vertices that a thread brought down: own ones near k, and those of other processes at their first loss. Hubs that
  /// it peeled.
  struct fallen {
    std::vector<fallen_vertex> own;
    std::vector<Vertex> far;
    std::vector<Vertex> hubs;
  };

  bool is_own(std::uint64_t v) const noexcept { return v >= first_ && v < last_; }

  std::uint32_t least_of_all(std::uint32_t mine) {
    const std::vector<std::uint32_t> all = among_.all_of(mine);
    return *std::min_element(all.begin(), all.end());
  }

  void count_neighbours() {
    constexpr std::uint64_t most = none - window;
    std::atomic<bool> too_many{false};
    const auto count = [&](std::uint64_t v) {
      std::uint64_t neighbours = 0;
      graph::for_each_simple_neighbour(graph_, v, [&](Vertex) { ++neighbours; });
      left_[v] = static_cast<std::uint32_t>(std::min(neighbours, most));
      // relaxed: read behind the loop, which orders it.
      if (neighbours >= most) too_many.store(true, std::memory_order_relaxed);
    };
    if (!parallel_for(first_, last_, count, {.stop = control_.stop})) throw graph::cancelled();
    if (too_many.load(std::memory_order_relaxed)) {
      throw usage_error("a vertex has too many neighbours for coreness in 32 bits");
    }
  }

  void find_neighbours_of_hubs() {
    hubs_ = find_hubs(graph_, among_);
    of_hubs_.resize(hubs_.size());
    if (hubs_.empty()) return;
    for (std::uint64_t v = first_; v != last_; ++v) {
      add_to_hubs(graph_.out().row(v), v, hubs_, of_hubs_);
      if (graph_.directed()) add_to_hubs(graph_.in().row(v), v, hubs_, of_hubs_);
    }
  }

  /// Drops peeled vertices from rest_, and moves the window of all processes to the least number left. False if no
  /// process has vertices left.
  bool open_window() {
    std::erase_if(rest_, [&](Vertex v) { return left_[v] < begin_ + window && is_opened_; });
    std::uint32_t least = none;
    for (const Vertex v : rest_) least = std::min(least, left_[v]);
    begin_ = least_of_all(least);
    is_opened_ = true;
    if (begin_ == none) return false;
    for (const Vertex v : rest_) wait_in_window(v);
    return true;
  }

  void wait_in_window(Vertex v) {
    if (left_[v] - begin_ < window) waiting_[left_[v] - begin_].push_back(v);
  }

  /// Returns the least k of the window for which a process has vertices; none if there is no such k.
  std::uint32_t next_level() {
    std::uint32_t mine = none;
    for (std::uint32_t i = 0; i != window && mine == none; ++i) {
      std::erase_if(waiting_[i], [&](Vertex v) { return left_[v] != begin_ + i; });
      if (!waiting_[i].empty()) mine = begin_ + i;
    }
    return least_of_all(mine);
  }

  /// Peels the vertices of all processes that have k neighbours left.
  void peel(std::uint32_t k) {
    std::vector<Vertex> round;
    for (;;) {
      control_.check();
      round.clear();
      round.swap(waiting_[k - begin_]);
      // The list of k has no stale vertices: next_level() has cleaned it, and a vertex at k stays there.
      while (!round.empty()) {
        peel(round, k);
        round.clear();
        round.swap(waiting_[k - begin_]);
      }
      tell_losses(k);
      if (among_.sum(std::uint64_t{waiting_[k - begin_].size()}) == 0) return;
    }
  }

  void peel(const std::vector<Vertex>& round, std::uint32_t k) {
    const auto peel_some = [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i != last; ++i) peel(round[i], k, fallen_[this_thread()]);
    };
    if (round.size() <= few) {
      peel_some(0, round.size());
    } else if (!parallel_for(std::uint64_t{0}, std::uint64_t{round.size()}, peel_some, {.stop = control_.stop})) {
      throw graph::cancelled();
    }
    for (fallen& f : fallen_) {
      // A vertex that has fallen further is in the lists once more, with what it has left.
      for (const auto [v, to] : f.own) {
        if (left_[v] == to) waiting_[to - begin_].push_back(v);
      }
      f.own.clear();
    }
    if (control_.report != nullptr) control_.report->advance(round.size());
  }

  // relaxed, here: a number falls to a given value once, by one thread, which lists the vertex; the loop's end orders
  // the lists.
  void peel(Vertex v, std::uint32_t k, fallen& mine) {
    // Each process tells its own neighbours of a hub.
    if (!hubs_.empty() && hub_number(hubs_, v) != hubs_.size()) return mine.hubs.push_back(v);
    graph::for_each_simple_neighbour(graph_, v, [&](Vertex w) {
      if (!is_own(w)) {
        if (std::atomic_ref(lost_[w]).fetch_add(1, std::memory_order_relaxed) == 0) mine.far.push_back(w);
        return;
      }
      const std::atomic_ref<std::uint32_t> count(left_[w]);
      std::uint32_t now = count.load(std::memory_order_relaxed);
      while (now > k && !count.compare_exchange_weak(now, now - 1, std::memory_order_relaxed)) {
      }
      if (now > k && now - 1 - begin_ < window) mine.own.push_back({w, now - 1});
    });
  }

  /// Exchanges the losses of this round, and the hubs peeled in it; vertices that come near k wait in the window.
  void tell_losses(std::uint32_t k) {
    struct loss {
      Vertex vertex;
      std::uint32_t count;
    };
    std::vector<Vertex> far;
    for (fallen& f : fallen_) {
      far.insert(far.end(), f.far.begin(), f.far.end());
      f.far.clear();
    }
    const std::vector<loss> came = post_to_owners(among_, far, [&](Vertex v) { return loss{v, lost_[v]}; });
    for (const Vertex v : far) lost_[v] = 0;
    for (const loss& l : came) lose(l.vertex, l.count, k);
    if (hubs_.empty()) return;
    std::vector<Vertex> peeled;
    for (fallen& f : fallen_) {
      peeled.insert(peeled.end(), f.hubs.begin(), f.hubs.end());
      f.hubs.clear();
    }
    for (const Vertex hub : among_.lists_of_all(peeled)) {
      for (const Vertex v : of_hubs_[hub_number(hubs_, hub)]) lose(v, 1, k);
    }
  }

  void lose(Vertex v, std::uint32_t count, std::uint32_t k) {
    std::uint32_t& left = left_[v];
    if (left <= k) return;  // peeled
    left = std::max(k, left - std::min(left, count));
    wait_in_window(v);
  }

  const graph::csr_graph<Vertex>& graph_;
  graph::partners& among_;
  const graph::shared_control& control_;
  machine::page_array<std::uint32_t>& left_;  ///< of own vertices: neighbours not yet peeled; if peeled, the coreness
  machine::page_array<std::uint32_t> lost_;   ///< of other vertices: neighbours peeled here, and not yet told
  const std::uint64_t first_;
  const std::uint64_t last_;
  std::vector<fallen> fallen_;                       ///< by thread
  std::array<std::vector<Vertex>, window> waiting_;  ///< by neighbours left, from begin_ on; some have fallen further
  std::vector<Vertex> rest_;
  std::vector<Vertex> hubs_;
  std::vector<std::vector<Vertex>> of_hubs_;  ///< by hub: its neighbours among own vertices
  std::uint32_t begin_ = 0;                   ///< k of the window's first list, the same at all processes
  bool is_opened_ = false;
};

}  // namespace

template <class Vertex>
graph::kcore_result kcore(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which cores need");
  graph::partners& among = *control.among;
  graph::kcore_result result;
  result.coreness = machine::page_array<std::uint32_t>(graph.vertices());
  dealt_peeling<Vertex>(graph, result.coreness, control).run();
  struct innermost {
    std::uint32_t k = 0;
    std::uint64_t vertices = 0;
  };
  innermost mine;
  for (std::uint64_t v = among.first(); v != among.last(); ++v) {
    if (result.coreness[v] > mine.k) mine = {result.coreness[v], 0};
    if (result.coreness[v] == mine.k) ++mine.vertices;
  }
  for (const innermost& each : among.all_of(mine)) {
    if (each.k > result.degeneracy) {
      result.degeneracy = each.k;
      result.innermost = 0;
    }
    if (each.k == result.degeneracy) result.innermost += each.vertices;
  }
  among.collect(result.coreness.data(), among.bounds());
  return result;
}

template graph::kcore_result kcore(const graph::csr_graph<std::uint32_t>&, const graph::shared_control&);
template graph::kcore_result kcore(const graph::csr_graph<std::uint64_t>&, const graph::shared_control&);

}  // namespace callisto::cluster
