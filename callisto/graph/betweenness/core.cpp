// Folding, renumbering and the grouping of sources.
#include <callisto/graph/betweenness/core.hpp>
#include <callisto/graph/csr/degree_ranking.hpp>
#include <callisto/graph/multisource/sample.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>

namespace callisto::graph {
namespace {

using id = betweenness_core::id;
constexpr id none = 0xffffffffu;
/// Up to this many sources are searched from in the graph as it is.
constexpr std::uint64_t few_sources = 8;

/// The different neighbours in a row, without v itself, counted up to 2.
struct few_neighbours {
  unsigned count = 0;  ///< 0, 1, or 2 for two and more
  std::uint64_t one = 0;
};

template <class Vertex>
few_neighbours look_at(const adjacency<Vertex>& rows, std::uint64_t v) noexcept {
  few_neighbours seen;
  for (const Vertex w : rows.row(v)) {
    if (w == v || (seen.count == 1 && w == seen.one)) continue;
    seen.one = w;
    if (++seen.count == 2) break;
  }
  return seen;
}

/// A vertex's relation to its only neighbour.
struct hanging {
  bool hangs = false;
  bool as_source = false;  ///< has an arc to the neighbour
  bool as_target = false;  ///< has an arc from the neighbour
  std::uint64_t neighbour = 0;
};

template <class Vertex>
hanging hanging_of(const csr_graph<Vertex>& graph, std::uint64_t v) noexcept {
  const few_neighbours out = look_at(graph.out(), v);
  const few_neighbours in = graph.directed() ? look_at(graph.in(), v) : out;
  if (out.count + in.count == 0 || out.count > 1 || in.count > 1) return {};
  if (out.count == 1 && in.count == 1 && out.one != in.one) return {};
  return {true, out.count == 1, in.count == 1, out.count == 1 ? out.one : in.one};
}

/// Returns whether and how v is folded. If two vertices hang on each other, the first stays.
template <class Vertex>
hanging folding_of(const csr_graph<Vertex>& graph, std::uint64_t v) noexcept {
  hanging how = hanging_of(graph, v);
  if (how.hangs && v < how.neighbour && hanging_of(graph, how.neighbour).hangs) how.hangs = false;
  return how;
}

/// The vertices folded into each vertex of the graph.
struct folded_counts {
  explicit folded_counts(std::uint64_t vertices)
      : targets(vertices), arcs_in(vertices), sources(vertices), mutual(vertices) {}
  machine::page_array<id> targets;  ///< vertices with an arc from the vertex
  machine::page_array<id> arcs_in;  ///< vertices with an arc to it
  machine::page_array<id> sources;  ///< vertices of `arcs_in` that are in the sample
  machine::page_array<id> mutual;   ///< vertices of `sources` that are also targets
};

void count_one(id& count) noexcept {
  std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);  // relaxed: the loop's end orders it
}

/// Returns the core's rows made from `rows`. `folded`: by vertex of the graph, its neighbours outside the core. `ids`:
/// by vertex of the graph, its number in the core, or `none`.
template <class Vertex>
adjacency<id> core_rows(const adjacency<Vertex>& rows, const betweenness_core& core, const id* ids, const id* folded,
                        const loop_options& options) {
  const std::uint64_t n = core.vertex.size();
  const auto for_each_neighbour = [&](std::uint64_t c, auto f) {
    const std::uint64_t v = core.vertex[c];
    std::uint64_t last = v;
    for (const Vertex w : rows.row(v)) {
      if (w == last || w == v) continue;
      last = w;
      f(w);
    }
  };
  adjacency<id> made;
  made.offsets = machine::page_array<std::uint64_t>(n + 1);
  parallel_for(
      std::uint64_t{0}, n,
      [&](std::uint64_t c) {
        std::uint64_t count = 0;
        for_each_neighbour(c, [&](Vertex) { ++count; });
        made.offsets[c + 1] = count - folded[core.vertex[c]];
      },
      options);
  for (std::uint64_t c = 0; c < n; ++c) made.offsets[c + 1] += made.offsets[c];
  made.targets = machine::page_array<id>(made.offsets[n]);
  parallel_for(
      std::uint64_t{0}, n,
      [&](std::uint64_t c) {
        id* next = made.targets.data() + made.offsets[c];
        for_each_neighbour(c, [&](Vertex w) {
          if (ids[w] != none) *next++ = ids[w];
        });
      },
      options);
  return made;
}

/// Sorts sources by their two greatest neighbours. Searches of one batch then reach most vertices at the same step and
/// share the work of a row. On a social network that halves the work.
void group_sources(betweenness_core& core, const loop_options& options) {
  struct keyed {
    std::uint64_t key;
    core_source source;
  };
  std::vector<keyed> order(core.sources.size());
  parallel_for(
      std::uint64_t{0}, std::uint64_t{order.size()},
      [&](std::uint64_t i) {
        id first = none;
        id second = none;
        for (const id w : core.out.row(core.sources[i].vertex)) {
          second = std::min(second, std::max(first, w));
          first = std::min(first, w);
        }
        order[i] = {std::uint64_t{first} << 32 | second, core.sources[i]};
      },
      options);
  std::sort(order.begin(), order.end(), [](const keyed& a, const keyed& b) {
    return a.key != b.key ? a.key < b.key : a.source.vertex < b.source.vertex;
  });
  for (std::size_t i = 0; i < order.size(); ++i) core.sources[i] = order[i].source;
}

/// True if a row names a neighbour twice: if more targets equal the one before than rows begin with such a target. Runs
/// as fast as memory.
bool has_repeats(const csr_graph<id>& graph, const loop_options& options) {
  const adjacency<id>& rows = graph.out();
  return parallel_reduce(
      std::uint64_t{0}, graph.vertices(), false,
      [&](std::uint64_t first, std::uint64_t last, bool found) {
        const id* const targets = rows.targets.data();
        const std::uint64_t begin = rows.offsets[first];
        const std::uint64_t end = rows.offsets[last];
        std::uint64_t equal = 0;
        for (std::uint64_t a = begin + 1; a < end; ++a) equal += targets[a - 1] == targets[a] ? 1u : 0u;
        for (std::uint64_t v = first; v < last && equal != 0; ++v) {
          const std::uint64_t a = rows.offsets[v];
          if (a != begin && a != rows.offsets[v + 1] && targets[a - 1] == targets[a]) --equal;
        }
        return found || equal != 0;
      },
      std::logical_or<>{}, options);
}

/// Returns the whole graph as its own core. Its rows must have no repeats; self-loops do no harm. `core` has `chosen`
/// already. `from`: the sources, or empty for the chosen ones.
betweenness_core whole_graph(const csr_graph<id>& graph, betweenness_core&& core,
                             const std::vector<std::uint64_t>& from) {
  const auto view_of = [](const adjacency<id>& rows) {
    return adjacency<id>{machine::page_array<std::uint64_t>::view(rows.offsets, nullptr),
                         machine::page_array<id>::view(rows.targets, nullptr),
                         {}};
  };
  const std::uint64_t n = graph.vertices();
  core.out = view_of(graph.out());
  if (core.directed) core.in_rows = view_of(graph.in());
  const auto add_source = [&](std::uint64_t v) {
    if (graph.out().degree(v) != 0) core.sources.push_back({static_cast<id>(v), true, 0, 0});
  };
  for (const std::uint64_t v : from) add_source(v);
  for (std::uint64_t v = 0; from.empty() && v < n; ++v) {
    if (core.chosen.empty() || core.chosen[v] != 0) add_source(v);
  }
  return std::move(core);
}

}  // namespace

template <class Vertex>
betweenness_core make_betweenness_core(const csr_graph<Vertex>& graph, const betweenness_options& wanted,
                                       const run_control& control) {
  const std::uint64_t n = graph.vertices();
  const loop_options options{.stop = control.stop};
  betweenness_core core;
  core.directed = graph.directed();
  if (wanted.samples != 0 && wanted.samples < n) core.chosen = choose_vertices(n, wanted.samples, wanted.seed);
  if (!wanted.from.empty()) core.chosen = machine::page_array<unsigned char>(n);
  for (const std::uint64_t v : wanted.from) core.chosen[v] = 1;
  const auto chosen = [&](std::uint64_t v) { return core.chosen.empty() || core.chosen[v] != 0; };
  if constexpr (std::is_same_v<Vertex, id>) {
    const std::uint64_t sources = core.chosen.empty() ? n : wanted.from.empty() ? wanted.samples : wanted.from.size();
    if (sources <= few_sources && !has_repeats(graph, options)) {
      control.check();
      return whole_graph(graph, std::move(core), wanted.from);
    }
  }

  folded_counts folded(n);
  machine::page_array<id> ids(n);
  parallel_for(
      std::uint64_t{0}, n,
      [&](std::uint64_t v) {
        const hanging how = folding_of(graph, v);
        ids[v] = how.hangs ? none : 0;
        if (!how.hangs) return;
        if (how.as_target) count_one(folded.targets[how.neighbour]);
        if (how.as_source) count_one(folded.arcs_in[how.neighbour]);
        if (!how.as_source || !chosen(v)) return;
        count_one(folded.sources[how.neighbour]);
        if (how.as_target) count_one(folded.mutual[how.neighbour]);
      },
      options);
  control.check();

  degree_ranking<Vertex> ranking(graph);
  ranking.rank([&](std::uint64_t blocks, auto f) {
    parallel_for(std::uint64_t{0}, blocks, f, options);
    control.check();
  });
  core.vertex = machine::page_array<id>(n);
  std::uint64_t kept = 0;
  for (std::uint64_t r = 0; r < ranking.connected(); ++r) {
    const auto v = static_cast<id>(ranking.vertex(r));
    if (ids[v] == none) continue;
    ids[v] = static_cast<id>(kept);
    core.vertex[kept++] = v;
  }
  core.vertex.shrink(kept);

  core.out = core_rows(graph.out(), core, ids.data(), folded.targets.data(), options);
  if (core.directed) core.in_rows = core_rows(graph.in(), core, ids.data(), folded.arcs_in.data(), options);
  control.check();

  core.targets = machine::page_array<double>(kept);
  for (std::uint64_t c = 0; c < kept; ++c) {
    const id v = core.vertex[c];
    core.targets[c] = 1 + static_cast<double>(folded.targets[v]);
    const core_source source{static_cast<id>(c), chosen(v), folded.sources[v], folded.mutual[v]};
    // Searching from a vertex without out-arcs is of use only to vertices folded into it.
    if (source.folded != 0 || (source.itself && core.out.degree(c) != 0)) core.sources.push_back(source);
  }
  group_sources(core, options);
  control.check();
  return core;
}

template betweenness_core make_betweenness_core(const csr_graph<std::uint32_t>&, const betweenness_options&,
                                                const run_control&);
template betweenness_core make_betweenness_core(const csr_graph<std::uint64_t>&, const betweenness_options&,
                                                const run_control&);

std::vector<std::uint64_t> betweenness_sources(const any_graph& graph, const betweenness_options& options) {
  return sources_of(std::visit([](const auto& g) { return g.vertices(); }, graph), options);
}

std::vector<std::uint64_t> sources_of(std::uint64_t n, const betweenness_options& options) {
  if (!options.from.empty()) return options.from;
  const bool all = options.samples == 0 || options.samples == n;
  const machine::page_array<unsigned char> chosen = choose_vertices(n, all ? 0 : options.samples, options.seed);
  std::vector<std::uint64_t> sources;
  for (std::uint64_t v = 0; v < n; ++v) {
    if (all || chosen[v] != 0) sources.push_back(v);
  }
  return sources;
}

}  // namespace callisto::graph
