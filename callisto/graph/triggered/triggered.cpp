#include <callisto/graph/triggered/triggered.hpp>

#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/graph/sssp/choose_delta.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace callisto::graph::triggered {

namespace {

void require_source(std::uint64_t source, std::uint64_t vertices) {
  if (source >= vertices)
    throw usage_error(fmt::format("the source {} is not a vertex; the graph has {}", source, vertices));
}

template <class T, class Cell = T>
std::vector<T> all_of(const domino::cells<Cell>& of) {
  std::vector<T> values(of.size());
  for (std::uint64_t v = 0; v < of.size(); ++v) values[v] = of.get(v);
  return values;
}

/// Arcs of at most some weight, by vertex, in memory of their own: a look at them touches no heavier ones.
template <class Vertex, class Weight>
class light_arcs {
 public:
  struct arc {
    Vertex to;
    Weight weight;
  };

  template <class Weights>
  light_arcs(const adjacency<Vertex>& all, std::uint64_t n, Weights weights, double most)
      : begin_(n + (n + block - 1) / block), arcs_((n + block - 1) / block) {
    parallel_for(std::uint64_t{0}, std::uint64_t{arcs_.size()}, [&](std::uint64_t b) {
      std::vector<arc>& mine = arcs_[b];
      std::array<arc, 64> some;
      const std::uint64_t last = std::min(n, (b + 1) * block);
      for (std::uint64_t v = b * block; v < last; ++v) {
        begin_[v + b] = mine.size();
        const std::uint64_t end = all.offsets[v + 1];
        for (std::uint64_t first = all.offsets[v]; first < end; first += some.size()) {
          // Without a branch for each: processors cannot guess which arcs are light.
          std::size_t count = 0;
          for (std::uint64_t i = first; i < std::min(first + some.size(), end); ++i) {
            const Weight w = weights(i);
            some[count] = {all.targets[i], w};
            count += w <= most ? 1U : 0U;
          }
          mine.insert(mine.end(), some.begin(), some.begin() + count);
        }
      }
      begin_[last + b] = mine.size();
    });
  }
  std::span<const arc> of(std::uint64_t v) const noexcept {
    const std::uint64_t b = v / block;
    return {arcs_[b].data() + begin_[v + b], arcs_[b].data() + begin_[v + b + 1]};
  }

 private:
  static constexpr std::uint64_t block = 1024;
  std::vector<std::uint64_t> begin_;  ///< of the rows of each block, and the end of its last one
  std::vector<std::vector<arc>> arcs_;
};

/// Light arcs first, then one look at heavy ones, then all arcs of the vertices that came nearer: a second run, as
/// sssp() does it. weights(i) is the weight of the i-th arc.
template <class Vertex, class Weight, class Weights>
std::vector<double> sssp_by_ranks(const csr_graph<Vertex>& graph, Weights weights, std::uint64_t source, double delta,
                                  const domino::options& how, statistics* did) {
  const std::uint64_t n = graph.vertices();
  const double light = graph.weighted() && graph.has_in() ? choose_delta(graph, 0).light : unreached_distance;
  const bool split = light != unreached_distance;
  std::optional<light_arcs<Vertex, Weight>> near;
  if (split) near.emplace(graph.out(), n, weights, light);

  domino::computation c(how);
  domino::cells<domino::non_negative> distance(c, n, {unreached_distance});
  domino::task_group& by_distance = c.group(domino::strict);
  auto& relax = c.task(by_distance, n, [&](domino::here& at, std::uint64_t v) {
    const double d = distance.get(v);
    if (near) {
      const auto row = near->of(v);
      for (const auto& a : row) distance.prefetch(a.to);
      for (const auto& a : row) distance.improve(at, a.to, {d + a.weight});
      return;
    }
    const auto row = graph.out().row(v);
    const std::uint64_t first = graph.out().offsets[v];
    for (std::uint64_t i = 0; i < row.size(); ++i) distance.improve(at, row[i], {d + weights(first + i)});
  });
  distance.on_change(relax, domino::rank_of([delta](double d) { return static_cast<std::uint64_t>(d / delta); }));
  distance.set(c.outside(), source, {0});
  c.run();
  if (split) {
    // A heavy arc improves no distance that is at most its weight: few vertices have to look at theirs.
    near.reset();
    constexpr std::uint64_t block = 256;
    auto& look = c.task(by_distance, (n + block - 1) / block, [&](domino::here& at, std::uint64_t b) {
      for (std::uint64_t v = b * block; v < std::min(n, (b + 1) * block); ++v) {
        double best = distance.get(v);
        if (best <= light) continue;
        const auto row = graph.in().row(v);
        const std::uint64_t first = graph.in().offsets[v];
        for (std::uint64_t i = 0; i < row.size(); ++i)
          best = std::min(best, distance.get(row[i]) + graph.in().weights[first + i]);
        distance.improve(at, v, {best});
      }
    });
    for (std::uint64_t b = 0; b < look.indices(); ++b) look.spawn_at(c.outside(), b, 0);
    c.run();
  }
  if (did != nullptr) *did = c.statistics();
  return all_of<double>(distance);
}

}  // namespace

template <class Vertex>
std::vector<std::uint32_t> bfs(const csr_graph<Vertex>& graph, std::uint64_t source, const domino::options& how,
                               statistics* did) {
  require_source(source, graph.vertices());
  domino::computation c(how);
  domino::cells<std::uint32_t> level(c, graph.vertices(), unreached_level);
  auto& visit = c.task(graph.vertices(), [&](domino::here& at, std::uint64_t v) {
    const std::uint32_t next = level.get(v) + 1;
    for (const Vertex u : graph.out().row(v)) level.improve(at, u, next);
  });
  level.on_change(visit, domino::later);
  level.set(c.outside(), source, 0);
  c.run();
  if (did != nullptr) *did = c.statistics();
  return all_of<std::uint32_t>(level);
}

template <class Vertex>
std::vector<double> sssp(const csr_graph<Vertex>& graph, std::uint64_t source, double delta, const domino::options& how,
                         statistics* did) {
  require_source(source, graph.vertices());
  if (!(delta > 0)) throw usage_error(fmt::format("the width of a rank is {}; expected a number above 0", delta));
  if (!graph.weighted())
    return sssp_by_ranks<Vertex, double>(graph, [](std::uint64_t) { return 1.0; }, source, delta, how, did);
  return graph.out().weights.visit([&](auto weights) {
    using weight = typename decltype(weights)::value_type;
    return sssp_by_ranks<Vertex, weight>(graph, [=](std::uint64_t i) { return weights[i]; }, source, delta, how, did);
  });
}

template <class Vertex>
std::vector<Vertex> components(const csr_graph<Vertex>& graph, const domino::options& how, statistics* did) {
  if (graph.directed()) throw usage_error("components by triggers need an undirected graph");
  domino::computation c(how);
  domino::cells<Vertex> label(c, graph.vertices(), std::numeric_limits<Vertex>::max());
  auto& tell = c.task(graph.vertices(), [&](domino::here& at, std::uint64_t v) {
    const Vertex mine = label.get(v);
    for (const Vertex u : graph.out().row(v)) label.improve(at, u, mine);
  });
  label.on_change(tell, domino::later);
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) label.set(c.outside(), v, static_cast<Vertex>(v));
  c.run();
  if (did != nullptr) *did = c.statistics();
  return all_of<Vertex>(label);
}

template <class Vertex>
std::vector<double> dependencies(const csr_graph<Vertex>& graph, std::span<const std::uint64_t> sources,
                                 const domino::options& how, statistics* did) {
  const std::uint64_t n = graph.vertices();
  domino::computation c(how);
  domino::cells<std::uint32_t> level(c, n, unreached_level);
  domino::cells<double> paths(c, n, 0);
  std::vector<double> share(n, 0);  // of one source; written by a vertex's own task, read in lower levels
  std::vector<double> sum(n, 0);
  std::uint64_t source = 0;

  domino::task_group& forward = c.group();
  domino::task_group& backward = c.group(domino::strict);
  backward.after(forward);
  auto& collect = c.task(backward, n, [&](domino::here&, std::uint64_t v) {
    const std::uint32_t below = level.get(v) + 1;
    double all = 0;
    for (const Vertex u : graph.out().row(v)) {
      if (level.get(u) == below) all += (1 + share[u]) / paths.get(u);
    }
    share[v] = all * paths.get(v);
    if (v != source) sum[v] += share[v];
  });
  auto& visit = c.task(forward, n, [&](domino::here& at, std::uint64_t v) {
    const std::uint32_t next = level.get(v) + 1;
    const double mine = paths.get(v);
    for (const Vertex u : graph.out().row(v)) {
      level.improve(at, u, next);
      if (level.get(u) == next) paths.add(at, u, mine);
    }
    collect.spawn_at(at, v, n - next);  // the deepest first
  });
  level.on_change(visit, domino::later);

  for (const std::uint64_t s : sources) {
    require_source(s, n);
    source = s;
    for (std::uint64_t v = 0; v < n; ++v) {
      level.put(v, unreached_level);
      paths.put(v, 0);
    }
    paths.put(s, 1);
    level.set(c.outside(), s, 0);
    c.run();
  }
  if (did != nullptr) *did = c.statistics();
  return sum;
}

#define CALLISTO_TRIGGERED(Vertex)                                                                           \
  template std::vector<std::uint32_t> bfs(const csr_graph<Vertex>&, std::uint64_t, const domino::options&,   \
                                          statistics*);                                                      \
  template std::vector<double> sssp(const csr_graph<Vertex>&, std::uint64_t, double, const domino::options&, \
                                    statistics*);                                                            \
  template std::vector<Vertex> components(const csr_graph<Vertex>&, const domino::options&, statistics*);    \
  template std::vector<double> dependencies(const csr_graph<Vertex>&, std::span<const std::uint64_t>,        \
                                            const domino::options&, statistics*);
CALLISTO_TRIGGERED(std::uint32_t)
CALLISTO_TRIGGERED(std::uint64_t)

}  // namespace callisto::graph::triggered
