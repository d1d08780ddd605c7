// Eccentricities by bounds, and by many searches at once, with parallel loops.
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/scc.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/distance/eccentricities.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Vertices of a component from which on bounds are tried.
constexpr std::uint64_t large_component = 1024;
/// Searches after which it is asked whether bounds still settle enough vertices, and how many a search should.
constexpr std::uint64_t searches_of_a_look = 32;
constexpr std::uint64_t worth_a_search = 16;
/// Sources of one search that searches many at once.
constexpr std::uint64_t at_once = 64;
/// Vertices between two looks whether a stop was requested.
constexpr std::uint64_t looks_at_once = 4096;
constexpr double unknown = -1;
/// Bounds of sums of rounded weights meet if they are so near.
constexpr double as_good_as_equal = 1e-12;

/// The rows that a path may follow from a vertex.
template <class Vertex>
std::vector<const adjacency<Vertex>*> rows_along(const csr_graph<Vertex>& graph, path_direction along) {
  if (!graph.directed() || along == path_direction::out) return {&graph.out()};
  if (along == path_direction::in) return {&graph.in()};
  return {&graph.out(), &graph.in()};
}

/// Searches from up to 64 sources at once, breadth-first: a bit of a word stands for a source. One for each thread.
template <class Vertex>
class many_searches {
 public:
  many_searches(const std::vector<const adjacency<Vertex>*>& rows, std::uint64_t vertices)
      : rows_(rows), seen_(vertices), visit_(vertices), next_(vertices) {}

  /// Throws cancelled, and then is of no more use.
  void run(const Vertex* sources, std::uint64_t count, machine::page_array<double>& eccentricities,
           const run_control& control) {
    for (std::uint64_t i = 0; i < count; ++i) {
      seen_[sources[i]] |= std::uint64_t{1} << i;
      visit_[sources[i]] |= std::uint64_t{1} << i;
      touched_.push_back(sources[i]);
      frontier_.push_back(sources[i]);
      eccentricities[sources[i]] = 0;
    }
    for (double level = 1; !frontier_.empty(); ++level) {
      following_.clear();
      for (const Vertex v : frontier_) {
        if (++looks_ % looks_at_once == 0) control.check();
        const std::uint64_t from = std::exchange(visit_[v], 0);
        if (from == 0) continue;
        for (const adjacency<Vertex>* rows : rows_) {
          for (const Vertex w : rows->row(v)) reach(w, from);
        }
      }
      std::uint64_t went_on = 0;
      for (const Vertex w : following_) {
        const std::uint64_t reached = std::exchange(next_[w], 0);
        if (seen_[w] == 0) touched_.push_back(w);
        seen_[w] |= reached;
        visit_[w] = reached;
        went_on |= reached;
      }
      for (; went_on != 0; went_on &= went_on - 1) eccentricities[sources[std::countr_zero(went_on)]] = level;
      frontier_.swap(following_);
    }
    for (const Vertex v : touched_) seen_[v] = 0;
    touched_.clear();
  }

 private:
  void reach(Vertex w, std::uint64_t from) {
    const std::uint64_t first = from & ~seen_[w];
    if (first == 0) return;
    if (next_[w] == 0) following_.push_back(w);
    next_[w] |= first;
  }

  const std::vector<const adjacency<Vertex>*>& rows_;
  machine::page_array<std::uint64_t> seen_;   ///< by vertex: the sources that have reached it
  machine::page_array<std::uint64_t> visit_;  ///< the sources that reached it in this level
  machine::page_array<std::uint64_t> next_;   ///< and in the next one
  std::vector<Vertex> frontier_;
  std::vector<Vertex> following_;
  std::vector<Vertex> touched_;
  std::uint64_t looks_ = 0;
};

/// Dijkstra's algorithm from one source at a time. One object for each thread.
template <class Vertex>
class one_search {
 public:
  one_search(const std::vector<const adjacency<Vertex>*>& rows, std::uint64_t vertices)
      : rows_(rows), distances_(vertices) {
    std::fill(distances_.begin(), distances_.end(), sssp_result::unreached);
  }

  /// Throws cancelled, and then is of no more use.
  double run(Vertex source, const run_control& control) {
    double largest = 0;
    distances_[source] = 0;
    touched_.push_back(source);
    waiting_.emplace(0, source);
    while (!waiting_.empty()) {
      if (++looks_ % looks_at_once == 0) control.check();
      const auto [distance, v] = waiting_.top();
      waiting_.pop();
      if (distance != distances_[v]) continue;
      largest = distance;
      for (const adjacency<Vertex>* rows : rows_) {
        for (std::uint64_t a = rows->offsets[v]; a != rows->offsets[v + std::uint64_t{1}]; ++a) {
          const double to = distance + rows->weights[a];
          double& now = distances_[rows->targets[a]];
          if (!(to < now)) continue;
          if (now == sssp_result::unreached) touched_.push_back(rows->targets[a]);
          now = to;
          waiting_.emplace(to, rows->targets[a]);
        }
      }
    }
    for (const Vertex v : touched_) distances_[v] = sssp_result::unreached;
    touched_.clear();
    return largest;
  }

 private:
  using waiting_entry = std::pair<double, Vertex>;
  const std::vector<const adjacency<Vertex>*>& rows_;
  machine::page_array<double> distances_;
  std::priority_queue<waiting_entry, std::vector<waiting_entry>, std::greater<>> waiting_;
  std::vector<Vertex> touched_;
  std::uint64_t looks_ = 0;
};

template <class Vertex>
class eccentricity_finder {
 public:
  eccentricity_finder(const csr_graph<Vertex>& graph, const eccentricity_options& options, const run_control& control)
      : graph_(graph),
        options_(options),
        control_(control),
        quiet_{.report = nullptr, .stop = control.stop},
        n_(graph.vertices()),
        rows_(rows_along(graph, options.along)),
        both_(!graph.directed() || options.along == path_direction::both) {}

  eccentricity_result run() {
    result_.eccentricities = machine::page_array<double>(n_);
    result_.central = machine::page_array<char>(n_);
    if (n_ == 0) return std::move(result_);
    auto& found = result_.eccentricities;
    over([&](std::uint64_t v) { found[v] = unknown; });
    const component_map<Vertex> map = both_ ? components(graph_, quiet_) : strong_components(graph_, quiet_);
    const auto sizes = component_sizes(map, quiet_);
    if (control_.report != nullptr) control_.report->begin("eccentricities", n_, "vertices");
    const bool may_bound = both_ && !(options_.weighted && graph_.directed());
    if (may_bound) {
      for (const auto& [name, size] : sizes) {
        if (size < large_component) break;
        bound(map, static_cast<Vertex>(name), size);
      }
    }
    search_from_the_rest();
    summarize(map, static_cast<Vertex>(sizes.front().first));
    return std::move(result_);
  }

 private:
  void over(auto f) {
    if (!parallel_for(std::uint64_t{0}, n_, f, {.stop = control_.stop})) throw cancelled();
  }

  /// A vertex to search from: the one with the best bound, of several that with most arcs, of several the smallest.
  struct chosen {
    double bound;
    std::uint64_t degree = 0;
    std::uint64_t vertex = std::numeric_limits<std::uint64_t>::max();

    bool better(const chosen& than) const noexcept {
      if (bound != than.bound) return bound > than.bound;
      if (degree != than.degree) return degree > than.degree;
      return vertex < than.vertex;
    }
  };
  struct outlook {
    chosen far{-std::numeric_limits<double>::infinity()};   ///< largest upper bound
    chosen near{-std::numeric_limits<double>::infinity()};  ///< smallest lower bound, negated
    std::uint64_t settled = 0;
    std::uint64_t left = 0;

    friend outlook operator+(const outlook& a, const outlook& b) noexcept {
      return {a.far.better(b.far) ? a.far : b.far, a.near.better(b.near) ? a.near : b.near, a.settled + b.settled,
              a.left + b.left};
    }
  };

  std::uint64_t degree(std::uint64_t v) const noexcept {
    std::uint64_t sum = 0;
    for (const adjacency<Vertex>* rows : rows_) sum += rows->degree(v);
    return sum;
  }

  /// Settles vertices of a component by bounds, as long as that pays.
  void bound(const component_map<Vertex>& map, Vertex name, std::uint64_t size) {
    if (lower_.empty()) {
      lower_ = machine::page_array<double>(n_);
      upper_ = machine::page_array<double>(n_);
    }
    auto& found = result_.eccentricities;
    outlook next;
    over([&](std::uint64_t v) { upper_[v] = std::numeric_limits<double>::infinity(); });
    next.far = parallel_reduce(
        std::uint64_t{0}, n_, next.far,
        [&](std::uint64_t v) {
          return map[v] == name ? chosen{0, degree(v), v} : chosen{-std::numeric_limits<double>::infinity()};
        },
        [](const chosen& a, const chosen& b) { return a.better(b) ? a : b; });
    if (options_.weighted && !search_) search_.emplace(graph_, sssp_options{}, quiet_);
    const double slack = options_.weighted ? as_good_as_equal : 0;
    std::uint64_t settled = 0;
    for (std::uint64_t done = 1; next.far.vertex < n_; ++done) {
      const std::uint64_t v = done % 2 != 0 ? next.far.vertex : next.near.vertex;
      ++result_.searches;
      const auto update = [&](double eccentricity, auto distance_of) {
        return parallel_reduce(std::uint64_t{0}, n_, outlook{}, [&](std::uint64_t w) {
          outlook seen;
          if (map[w] != name || found[w] != unknown) return seen;
          const double distance = distance_of(w);
          lower_[w] = std::max({lower_[w], distance, eccentricity - distance});
          upper_[w] = std::min(upper_[w], eccentricity + distance);
          if (w == v || lower_[w] >= upper_[w] * (1 - slack)) {
            found[w] = w == v ? eccentricity : lower_[w];
            seen.settled = 1;
          } else {
            seen.left = 1;
            seen.far = {upper_[w], degree(w), w};
            seen.near = {-lower_[w], degree(w), w};
          }
          return seen;
        });
      };
      if (options_.weighted) {
        const sssp_result tree = search_->from(v, quiet_);
        next = update(tree.eccentricity, [&](std::uint64_t w) { return tree.distances[w]; });
      } else {
        const bfs_result<Vertex> tree = undirected_bfs(graph_, v, {}, quiet_);
        next = update(tree.eccentricity, [&](std::uint64_t w) { return static_cast<double>(tree.distances[w]); });
      }
      settled += next.settled;
      if (control_.report != nullptr) control_.report->advance(next.settled);
      control_.check();
      if (done % searches_of_a_look != 0) continue;
      if (settled < searches_of_a_look * worth_a_search && next.left < size) return;
      settled = 0;
    }
  }

  /// Searches from each vertex that has no eccentricity yet.
  void search_from_the_rest() {
    std::vector<Vertex> rest;
    for (std::uint64_t v = 0; v < n_; ++v) {
      if (result_.eccentricities[v] == unknown) rest.push_back(static_cast<Vertex>(v));
    }
    result_.searches += rest.size();
    if (options_.weighted) {
      each_of<one_search<Vertex>>(rest.size(), [&](one_search<Vertex>& mine, std::uint64_t i) {
        result_.eccentricities[rest[i]] = mine.run(rest[i], control_);
        if (control_.report != nullptr && i % 16 == 0) control_.report->advance(16);
      });
    } else {
      const std::uint64_t batches = (rest.size() + at_once - 1) / at_once;
      each_of<many_searches<Vertex>>(batches, [&](many_searches<Vertex>& mine, std::uint64_t i) {
        const std::uint64_t count = std::min(at_once, rest.size() - i * at_once);
        mine.run(rest.data() + i * at_once, count, result_.eccentricities, control_);
        if (control_.report != nullptr) control_.report->advance(count);
      });
    }
  }

  /// Calls f(state, i) for each i below `count`, in parallel; each thread has a State.
  template <class State, class F>
  void each_of(std::uint64_t count, const F& f) {
    struct loop {
      eccentricity_finder& owner;
      const F& f;
      void fork(std::optional<State>&) const noexcept {}
      void work(std::optional<State>& mine, std::uint64_t i) const {
        if (!mine) mine.emplace(owner.rows_, owner.n_);
        f(*mine, i);
      }
      void join(std::optional<State>&) const noexcept {}
    };
    loop body{*this, f};
    const bool complete =
        parallel_for<loop, std::optional<State>, std::uint64_t>(body, 0, count, {.batch = 1, .stop = control_.stop});
    if (!complete) throw cancelled();
  }

  void summarize(const component_map<Vertex>& map, Vertex largest) {
    const auto& found = result_.eccentricities;
    result_.radius = std::numeric_limits<double>::infinity();
    for (std::uint64_t v = 0; v < n_; ++v) {
      if (v == 0 || found[v] > result_.diameter) {
        result_.diameter = found[v];
        result_.periphery = 0;
      }
      if (found[v] == result_.diameter) ++result_.periphery;
      if (map[v] == largest) result_.radius = std::min(result_.radius, found[v]);
    }
    for (std::uint64_t v = 0; v < n_; ++v) {
      if (map[v] != largest || found[v] != result_.radius) continue;
      result_.central[v] = 1;
      ++result_.center;
    }
  }

  const csr_graph<Vertex>& graph_;
  const eccentricity_options& options_;
  const run_control& control_;
  const run_control quiet_;
  std::uint64_t n_;
  const std::vector<const adjacency<Vertex>*> rows_;
  const bool both_;
  eccentricity_result result_;
  machine::page_array<double> lower_;
  machine::page_array<double> upper_;
  std::optional<sssp_search<Vertex>> search_;
};

}  // namespace

template <class Vertex>
eccentricity_result eccentricities(const csr_graph<Vertex>& graph, const eccentricity_options& options,
                                   const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which eccentricities need");
  if (options.weighted) {
    if (!graph.weighted() && graph.arcs() != 0) throw usage_error("the graph has no weights, which distances need");
    survey_weights(graph, "eccentricities", control);
  }
  return eccentricity_finder<Vertex>(graph, options, control).run();
}

template CALLISTO_API eccentricity_result eccentricities(const csr_graph<std::uint32_t>&, const eccentricity_options&,
                                                         const run_control&);
template CALLISTO_API eccentricity_result eccentricities(const csr_graph<std::uint64_t>&, const eccentricity_options&,
                                                         const run_control&);

std::uint64_t needs::eccentricities(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t searches = std::max(s.w == 0 ? bfs(graph) : sssp(graph), bfs(graph));
  return components(graph) + (25 + 2 * s.v) * s.n + searches + threads() * s.n * (24 + 4 * s.v);
}

}  // namespace callisto::graph
