// Projections: each vertex counts paths of two arcs to the vertices of its mode.
#include <callisto/graph/subgraph/projection.hpp>

#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/called.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/subgraph/subgraph.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Calls f for the distinct entries of a row, which ascends.
template <class Vertex, class Function>
void for_each_once(std::span<const Vertex> row, const Function& f) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == 0 || row[i] != row[i - 1]) f(row[i]);
  }
}

template <class Vertex>
std::uint64_t count_once(std::span<const Vertex> row) {
  std::uint64_t count = 0;
  for_each_once(row, [&](Vertex) { ++count; });
  return count;
}

template <class Vertex>
struct projected_edges {
  std::vector<edge<Vertex>> ends;
  std::vector<double> weights;
};

/// The body of the loop over vertices; each thread has the counts of all.
template <class Vertex>
struct projection_loop {
  const adjacency<Vertex>& to_other;
  const adjacency<Vertex>& back;
  const projection_options& options;
  std::vector<projected_edges<Vertex>>& found;  ///< by vertex of the stretch at hand
  std::uint64_t first;

  struct state {
    std::vector<std::uint32_t> common;  ///< by vertex; zeros between
    std::vector<double> worth;
    std::vector<Vertex> met;
  };
  void fork(state& mine) const {
    mine.common.resize(to_other.offsets.size() - 1);
    if (options.weight == projection_weight::newman) mine.worth.resize(to_other.offsets.size() - 1);
  }
  void work(state& mine, std::uint64_t v) const {
    for_each_once(to_other.row(v), [&](Vertex w) {
      const double worth = mine.worth.empty() ? 0 : 1 / std::max(1.0, static_cast<double>(count_once(back.row(w))) - 1);
      for_each_once(back.row(w), [&](Vertex x) {
        if (x <= v) return;
        if (mine.common[x]++ == 0) mine.met.push_back(x);
        if (!mine.worth.empty()) mine.worth[x] += worth;
      });
    });
    std::sort(mine.met.begin(), mine.met.end());
    const auto of_v = static_cast<double>(count_once(to_other.row(v)));
    projected_edges<Vertex>& to = found[v - first];
    for (const Vertex x : mine.met) {
      const std::uint32_t common = std::exchange(mine.common[x], 0);
      const double worth = mine.worth.empty() ? 0 : std::exchange(mine.worth[x], 0);
      if (common < options.least) continue;
      to.ends.push_back({static_cast<Vertex>(v), x});
      switch (options.weight) {
        case projection_weight::common:
          to.weights.push_back(common);
          break;
        case projection_weight::jaccard:
          to.weights.push_back(common / (of_v + static_cast<double>(count_once(to_other.row(x))) - common));
          break;
        case projection_weight::newman:
          to.weights.push_back(worth);
          break;
      }
    }
    mine.met.clear();
  }
  void join(state&) const noexcept {}
};

template <class T>
machine::page_array<T> copy_of(const machine::page_array<T>& from) {
  machine::page_array<T> to(from.size());
  std::copy(from.begin(), from.end(), to.begin());
  return to;
}

}  // namespace

std::string_view name_of(projection_weight weight) noexcept {
  switch (weight) {
    case projection_weight::common:
      return "common";
    case projection_weight::jaccard:
      return "jaccard";
    case projection_weight::newman:
      return "newman";
  }
  __builtin_unreachable();
}

template <class Vertex>
any_graph projection(const csr_graph<Vertex>& graph, const projection_options& options, const run_control& control) {
  if (!graph.directed()) {
    throw usage_error("the graph is undirected: a projection needs edges that lead from one mode to the other");
  }
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which a projection needs");
  const std::uint64_t n = graph.vertices();
  for (std::uint64_t v = 0; v < n; ++v) {
    if (graph.out().degree(v) != 0 && graph.in().degree(v) != 0) {
      throw usage_error(fmt::format("edges lead both from and to {}: the graph has no two modes", called(graph, v)));
    }
  }
  const adjacency<Vertex>& to_other = options.onto_targets ? graph.in() : graph.out();
  const adjacency<Vertex>& back = options.onto_targets ? graph.out() : graph.in();
  if (control.report != nullptr) control.report->begin("projection", n, "vertices");
  edge_list<Vertex> list;
  list.vertices = n;
  list.meaning = direction::undirected;
  list.weighted = true;
  list.labels = copy_of(graph.labels());
  list.first_label = graph.first_label();
  list.names = graph.names();
  if (graph.attributes() != nullptr) list.attributes = attributes_of(graph.attributes()->vertices, {});
  constexpr std::uint64_t stretch = 1 << 14;
  std::vector<projected_edges<Vertex>> found(std::min(n, stretch));
  std::uint64_t edges = 0;
  using loop = projection_loop<Vertex>;
  for (std::uint64_t first = 0; first < n; first += stretch) {
    const std::uint64_t last = std::min(n, first + stretch);
    loop body{to_other, back, options, found, first};
    if (!parallel_for<loop, typename loop::state, std::uint64_t>(body, first, last, {.stop = control.stop})) {
      throw cancelled();
    }
    std::uint64_t here = 0;
    for (std::uint64_t v = first; v < last; ++v) here += found[v - first].ends.size();
    edges += here;
    // The list, and the rows that come of it.
    require_memory("projection", edges * (2 * sizeof(Vertex) + 8 + 2 * (sizeof(Vertex) + 8)));
    if (here != 0) {
      edge_block<Vertex>& block = list.blocks.emplace_back();
      block.edges = machine::page_array<edge<Vertex>>(here);
      block.weights = weight_array(here);
      std::uint64_t at = 0;
      for (std::uint64_t v = first; v < last; ++v) {
        const projected_edges<Vertex> part = std::exchange(found[v - first], {});
        for (std::size_t i = 0; i < part.ends.size(); ++i, ++at) {
          block.edges[at] = part.ends[i];
          block.weights.set(at, part.weights[i]);
        }
      }
    }
    if (control.report != nullptr) control.report->advance(last - first);
  }
  vertex_choice chosen(n);
  for (std::uint64_t v = 0; v < n; ++v) chosen[v] = to_other.degree(v) != 0 ? 1 : 0;
  const any_graph whole = build_graph(any_edge_list(std::move(list)), {}, control);
  return std::visit([&](const auto& g) { return any_graph(induced_subgraph(g, chosen, control)); }, whole);
}

template CALLISTO_API any_graph projection(const csr_graph<std::uint32_t>&, const projection_options&,
                                           const run_control&);
template CALLISTO_API any_graph projection(const csr_graph<std::uint64_t>&, const projection_options&,
                                           const run_control&);

}  // namespace callisto::graph
