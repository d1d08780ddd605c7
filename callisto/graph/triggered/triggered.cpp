#include <callisto/graph/triggered/triggered.hpp>

#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::graph::triggered {

namespace {

void require_source(std::uint64_t source, std::uint64_t vertices) {
  if (source >= vertices)
    throw usage_error(fmt::format("the source {} is not a vertex; the graph has {}", source, vertices));
}

template <class T>
std::vector<T> all_of(const domino::cells<T>& of) {
  std::vector<T> values(of.size());
  for (std::uint64_t v = 0; v < of.size(); ++v) values[v] = of.get(v);
  return values;
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
  return all_of(level);
}

template <class Vertex>
std::vector<double> sssp(const csr_graph<Vertex>& graph, std::uint64_t source, double delta, const domino::options& how,
                         statistics* did) {
  require_source(source, graph.vertices());
  if (!(delta > 0)) throw usage_error(fmt::format("the width of a rank is {}; expected a number above 0", delta));
  domino::computation c(how);
  domino::cells<double> distance(c, graph.vertices(), unreached_distance);
  auto& relax = c.task(c.group(domino::strict), graph.vertices(), [&](domino::here& at, std::uint64_t v) {
    const double d = distance.get(v);
    const auto row = graph.out().row(v);
    const std::uint64_t first = graph.out().offsets[v];
    for (std::size_t i = 0; i < row.size(); ++i)
      distance.improve(at, row[i], d + (graph.weighted() ? graph.out().weights[first + i] : 1.0));
  });
  distance.on_change(relax, domino::rank_of([delta](double d) { return static_cast<std::uint64_t>(d / delta); }));
  distance.set(c.outside(), source, 0);
  c.run();
  if (did != nullptr) *did = c.statistics();
  return all_of(distance);
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
  return all_of(label);
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
