#include <callisto/graph/triggered/triggered.hpp>

#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/sssp/choose_delta.hpp>
#include <callisto/graph/sssp/light_rows.hpp>
#include <callisto/loop/loop_options.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
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

/// The weights of the arcs in some rows. Each arc of a graph without weights counts 1.
struct unit_weights {
  using value_type = std::uint8_t;
  value_type operator[](std::uint64_t) const noexcept { return 1; }
};
template <class Weights, class Vertex>
Weights weights_in(const adjacency<Vertex>& rows) noexcept {
  if constexpr (std::is_same_v<Weights, unit_weights>) {
    return {};
  } else {
    return {weights_of<typename Weights::value_type>(rows), rows.targets.size()};
  }
}

/// Prefetches the first lines of a row; the processor itself prefetches the rest of long ones.
template <class T>
void prefetch_row(const T* first, std::uint64_t size) noexcept {
  constexpr std::uint64_t in_line = 64 / sizeof(T);
  for (std::uint64_t a = 0; a < std::min(size, 4 * in_line); a += in_line) __builtin_prefetch(first + a);
}

/// All arcs of a graph, by vertex.
template <class Vertex, class Number, class Weights>
struct all_arcs {
  const adjacency<Vertex>& rows;
  Weights weights = weights_in<Weights>(rows);

  auto bounds(std::uint64_t v) const noexcept { return std::pair(rows.offsets[v], rows.offsets[v + 1]); }
  sssp_arc<Vertex, Number> arc(std::uint64_t i) const noexcept {
    return {rows.targets[i], static_cast<Number>(weights[i])};
  }
  void prefetch_bounds(std::uint64_t v) const noexcept { __builtin_prefetch(&rows.offsets[v]); }
  void prefetch_arcs(std::uint64_t v) const noexcept {
    const auto [first, last] = bounds(v);
    prefetch_row(rows.targets.data() + first, last - first);
    if constexpr (!std::is_same_v<Weights, unit_weights>) prefetch_row(weights.data() + first, last - first);
  }
};

/// The light ones.
template <class Vertex, class Number>
struct light_arcs {
  const light_rows<Vertex, Number>& rows;

  auto bounds(std::uint64_t v) const noexcept { return rows.row[v]; }
  sssp_arc<Vertex, Number> arc(std::uint64_t i) const noexcept { return rows.arcs[i]; }
  void prefetch_bounds(std::uint64_t v) const noexcept { __builtin_prefetch(&rows.row[v]); }
  void prefetch_arcs(std::uint64_t v) const noexcept {
    const auto [first, last] = bounds(v);
    prefetch_row(rows.arcs.data() + first, last - first);
  }
};

/// Has in the cache what the next tasks of a type need: memory takes longer than a task.
template <class Cells, class Arcs>
void look_ahead(const domino::here& at, const domino::merged_task& type, const Cells& cells, const Arcs& arcs) {
  constexpr std::uint64_t most_ends = 16;
  if (const auto v = type.upcoming(at, 12)) {
    cells.prefetch(*v);
    arcs.prefetch_bounds(*v);
  }
  if (const auto v = type.upcoming(at, 6)) arcs.prefetch_arcs(*v);
  if (const auto v = type.upcoming(at, 2)) {
    const auto [first, last] = arcs.bounds(*v);
    for (std::uint64_t i = first; i < std::min(last, first + most_ends); ++i) cells.prefetch(arcs.arc(i).target);
  }
}

/// Returns the distances as kernels have them. `Cell` holds one.
template <class Cell, class Cells>
distance_map distances_in(const Cells& cells, Cell unreached) {
  using number = decltype(Cell::value);
  machine::page_array<number> all(cells.size(), machine::page_kind::used);
  parallel_for(std::uint64_t{0}, cells.size(), [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      const number d = cells.get(v);
      all[v] = d == unreached.value ? no_distance<number> : d;
    }
  });
  return distance_map(std::move(all));
}

/// Light arcs first, then one look at heavy ones, then all arcs of the vertices that came nearer: a second run, as
/// sssp() does it. `Cell` holds a distance.
template <class Weights, class Cell, class Vertex>
distance_map sssp_by_ranks(const csr_graph<Vertex>& graph, std::uint64_t source, double delta, Cell unreached,
                           const domino::options& how, statistics* did) {
  using number = decltype(Cell::value);
  const std::uint64_t n = graph.vertices();
  const all_arcs<Vertex, number, Weights> all{graph.out()};
  light_rows<Vertex, number> rows;
  const light_arcs<Vertex, number> light_ones{rows};
  bool split = false;
  number light{};
  if constexpr (!std::is_same_v<Weights, unit_weights>) {
    const delta_choice choice = choose_delta(graph, 0);
    split = choice.light != unreached_distance && graph.has_in();
    if (split) {
      light = static_cast<number>(choice.light);
      gather_light_rows<typename Weights::value_type>(graph.out(), light, choice.light_share, {}, rows);
    }
  }

  domino::computation c(how);
  auto at_rank = domino::rank_of([narrowness = 1 / delta](Cell d) {
    return static_cast<std::uint64_t>(std::min(static_cast<double>(d.value) * narrowness, 0x1p62));
  });
  domino::cells<Cell, decltype(at_rank)> distance(c, n, unreached);
  domino::task_group& by_distance = c.group(domino::strict);
  const domino::merged_task* type = nullptr;
  const auto relax_along = [&](domino::here& at, std::uint64_t v, const auto& arcs) {
    look_ahead(at, *type, distance, arcs);
    const number d = distance.get(v);
    const auto [first, last] = arcs.bounds(v);
    for (std::uint64_t i = first; i < last; ++i) {
      const auto [to, weight] = arcs.arc(i);
      distance.improve(at, to, {d + weight});
    }
  };
  auto& relax = c.task(by_distance, n, [&](domino::here& at, std::uint64_t v) {
    // All arcs of the source, which may have heavy ones only.
    if (split && v != source) return relax_along(at, v, light_ones);
    relax_along(at, v, all);
  });
  type = &relax;
  distance.on_change(relax, at_rank);
  distance.set(c.outside(), source, {0});
  c.run();
  if (split) {
    split = false;
    // The source has looked at all its arcs, and no other distance is below its lightest one.
    number least = unreached.value;
    for (std::uint64_t i = all.bounds(source).first; i < all.bounds(source).second; ++i)
      least = std::min(least, all.arc(i).weight);
    const all_arcs<Vertex, number, Weights> in{graph.in()};
    constexpr std::uint64_t block = 256;
    auto& look = c.task(by_distance, (n + block - 1) / block, [&](domino::here& at, std::uint64_t b) {
      for (std::uint64_t v = b * block; v < std::min(n, (b + 1) * block); ++v) {
        number best = distance.get(v);
        if (best <= least + light) continue;
        const auto [first, last] = in.bounds(v);
        for (std::uint64_t i = first; i < last; ++i) {
          const auto w = static_cast<number>(in.weights[i]);
          if (w > light && least + w < best) best = std::min<number>(best, distance.get(in.rows.targets[i]) + w);
        }
        distance.improve(at, v, {best});
      }
    });
    for (std::uint64_t b = 0; b < look.indices(); ++b) look.spawn_at(c.outside(), b, 0);
    c.run();
  }
  if (did != nullptr) *did = c.statistics();
  return distances_in(distance, unreached);
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
distance_map sssp(const csr_graph<Vertex>& graph, std::uint64_t source, double delta, const domino::options& how,
                  statistics* did) {
  require_source(source, graph.vertices());
  if (!(delta > 0)) throw usage_error(fmt::format("the width of a rank is {}; expected a number above 0", delta));
  std::optional<thread_limit> limit;
  if (how.contexts != 0) limit.emplace(how.contexts);
  const weight_survey found = graph.weighted() ? survey_weights(graph, "shortest paths", {}) : weight_survey{.most = 1};
  const auto with = [&]<class Weights>(Weights) {
    constexpr domino::whole farthest{(1U << 31) - 1};
    if (found.whole && found.most * static_cast<double>(graph.vertices()) < farthest.value)
      return sssp_by_ranks<Weights>(graph, source, delta, farthest, how, did);
    return sssp_by_ranks<Weights>(graph, source, delta, domino::non_negative{unreached_distance}, how, did);
  };
  return graph.weighted() ? graph.out().weights.visit(with) : with(unit_weights{});
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

#define CALLISTO_TRIGGERED(Vertex)                                                                                  \
  template std::vector<std::uint32_t> bfs(const csr_graph<Vertex>&, std::uint64_t, const domino::options&,          \
                                          statistics*);                                                             \
  template distance_map sssp(const csr_graph<Vertex>&, std::uint64_t, double, const domino::options&, statistics*); \
  template std::vector<Vertex> components(const csr_graph<Vertex>&, const domino::options&, statistics*);           \
  template std::vector<double> dependencies(const csr_graph<Vertex>&, std::span<const std::uint64_t>,               \
                                            const domino::options&, statistics*);
CALLISTO_TRIGGERED(std::uint32_t)
CALLISTO_TRIGGERED(std::uint64_t)

}  // namespace callisto::graph::triggered
