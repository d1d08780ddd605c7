// Answers in NetworkX's order that take one pass or one search: blocks, orders of acyclic graphs, condensations, A*.
#include "bindings.hpp"
#include "networkx_graph.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace callisto::python {

namespace nx = networkx;
using nx::no_vertex;
using nx::ordered_rows;
using nx::vertex;

namespace {

using pairs = std::vector<std::pair<vertex, vertex>>;

/// What NetworkX's search for blocks yields: the edges of each, or the articulation points as it meets them, once each.
struct found_blocks {
  pairs edges;
  std::vector<std::size_t> ends;
  std::vector<vertex> points;
};

/// The depth-first search of Hopcroft and Tarjan (Communications of the ACM 1973), as networkx steps through it.
found_blocks blocks_in_order(const ordered_rows& rows, const nx::control& control) {
  struct step {
    vertex grandparent;
    vertex parent;
    std::uint64_t next;
    std::size_t edge;  ///< where the edge (grandparent, parent) is in the stack of edges
  };
  const vertex n = rows.vertices();
  found_blocks made;
  std::vector<vertex> discovery(n, no_vertex);
  std::vector<vertex> low(n);
  std::vector<char> told(n);
  std::vector<step> path;
  pairs stack;
  const auto take = [&](std::size_t from) {
    made.edges.insert(made.edges.end(), stack.begin() + static_cast<std::ptrdiff_t>(from), stack.end());
    made.ends.push_back(made.edges.size());
    stack.resize(from);
  };
  const auto tell = [&](vertex v) {
    if (!told[v]) made.points.push_back(v);
    told[v] = 1;
  };
  std::uint64_t steps = 0;
  for (vertex start = 0; start < n; ++start) {
    if (discovery[start] != no_vertex) continue;
    vertex found = 0;
    discovery[start] = low[start] = found++;
    std::size_t root_children = 0;
    stack.clear();
    path.assign(1, {start, start, rows.offsets[start], 0});
    while (!path.empty()) {
      step& top = path.back();
      if (top.next < rows.offsets[top.parent + std::size_t{1}]) {
        if ((++steps & 0xffff) == 0) control.check();
        const vertex parent = top.parent;
        const vertex child = rows.targets[top.next++];
        if (child == top.grandparent) continue;
        if (discovery[child] != no_vertex) {
          if (discovery[child] <= discovery[parent]) {
            low[parent] = std::min(low[parent], discovery[child]);
            stack.emplace_back(parent, child);
          }
        } else {
          discovery[child] = low[child] = found++;
          path.push_back({parent, child, rows.offsets[child], stack.size()});
          stack.emplace_back(parent, child);
        }
        continue;
      }
      const step left = top;
      path.pop_back();
      if (path.size() > 1) {
        if (low[left.parent] >= discovery[left.grandparent]) {
          take(left.edge);
          tell(left.grandparent);
        }
        low[left.grandparent] = std::min(low[left.grandparent], low[left.parent]);
      } else if (!path.empty()) {
        ++root_children;
        take(left.edge);
      }
    }
    if (root_children > 1) tell(start);
  }
  return made;
}

nb::list block_edges(const nx_graph& of) {
  const found_blocks found =
      ordered(of, [&](const nx::control& control) { return blocks_in_order(of.out(), control); });
  nb::list made;
  std::size_t at = 0;
  for (const std::size_t end : found.ends) {
    nb::list edges;
    for (; at < end; ++at) edges.append(pair_of(of, found.edges[at].first, found.edges[at].second));
    made.append(edges);
  }
  return made;
}

nb::list block_sets(const nx_graph& of) {
  const found_blocks found =
      ordered(of, [&](const nx::control& control) { return blocks_in_order(of.out(), control); });
  nb::list made;
  std::size_t at = 0;
  for (const std::size_t end : found.ends) {
    const nb::object block = stolen(PySet_New(nullptr));
    for (; at < end; ++at) {
      if (PySet_Add(block.ptr(), of.node(found.edges[at].first)) != 0) failed();
      if (PySet_Add(block.ptr(), of.node(found.edges[at].second)) != 0) failed();
    }
    made.append(block);
  }
  return made;
}

nb::object articulation_points(const nx_graph& of) {
  const found_blocks found =
      ordered(of, [&](const nx::control& control) { return blocks_in_order(of.out(), control); });
  return nodes_of(of, found.points);
}

/// Returns the arcs of `out` in the order of the rows of `in`: item i is the arc of in's item i.
std::vector<std::uint64_t> arcs_of_predecessors(const ordered_rows& out, const ordered_rows& in) {
  const vertex n = out.vertices();
  std::vector<std::uint64_t> fill(in.offsets.begin(), in.offsets.end() - 1);
  std::vector<std::pair<vertex, std::uint64_t>> ascending(in.arcs());
  for (vertex u = 0; u < n; ++u) {
    for (std::uint64_t i = out.offsets[u]; i < out.offsets[u + std::size_t{1}]; ++i) {
      ascending[fill[out.targets[i]]++] = {u, i};
    }
  }
  std::vector<std::uint64_t> made(in.arcs());
  std::vector<std::uint64_t> of(n);
  for (vertex v = 0; v < n; ++v) {
    for (std::uint64_t i = in.offsets[v]; i < in.offsets[v + std::size_t{1}]; ++i)
      of[ascending[i].first] = ascending[i].second;
    for (std::uint64_t i = in.offsets[v]; i < in.offsets[v + std::size_t{1}]; ++i) made[i] = of[in.targets[i]];
  }
  return made;
}

/// Returns a longest path of an acyclic graph, that of networkx: of equally long ways the first predecessor's. None if
/// there is a cycle. The graph's predecessors have been walked.
nb::object longest_path(const nx_graph& of, const nx::edge_values* values) {
  bool acyclic = true;
  const std::vector<vertex> path = ordered(of, [&](const nx::control& control) {
    const ordered_rows& in = of.in();
    const nx::search order = nx::topological(of.out(), {}, control);
    acyclic = order.order.size() == of.out().vertices();
    std::vector<vertex> made;
    if (!acyclic || order.order.empty()) return made;
    std::vector<std::uint64_t> arcs;
    std::span<const double> weights;
    if (values != nullptr) {
      weights = values->least();
      arcs = arcs_of_predecessors(of.out(), in);
    }
    std::vector<double> length(of.out().vertices());
    std::vector<vertex> before(of.out().vertices());
    vertex farthest = no_vertex;
    for (const vertex v : order.order) {
      double most = 0;
      vertex from = v;
      bool any = false;
      for (std::uint64_t i = in.offsets[v]; i < in.offsets[v + std::size_t{1}]; ++i) {
        const double one = length[in.targets[i]] + (weights.empty() ? 1 : weights[arcs[i]]);
        if (any && one <= most) continue;
        any = true;
        most = one;
        from = in.targets[i];
      }
      if (most < 0) {
        most = 0;
        from = v;
      }
      length[v] = most;
      before[v] = from;
      if (farthest == no_vertex || most > length[farthest]) farthest = v;
    }
    for (vertex v = farthest;; v = before[v]) {
      made.push_back(v);
      if (before[v] == v) break;
    }
    std::reverse(made.begin(), made.end());
    return made;
  });
  return acyclic ? nodes_of(of, path) : nb::none();
}

/// Returns (nodes in topological order, of ready ones that with the smallest rank first; whether there are all of
/// them).
nb::tuple topological_by_rank(const nx_graph& of, const std::vector<std::uint64_t>& ranks) {
  const std::vector<vertex> order = ordered(of, [&](const nx::control& control) {
    const ordered_rows& rows = of.out();
    const vertex n = rows.vertices();
    std::vector<std::uint64_t> missing(n);
    for (std::uint64_t i = 0; i < rows.arcs(); ++i) ++missing[rows.targets[i]];
    using entry = std::pair<std::uint64_t, vertex>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> ready;
    for (vertex v = 0; v < n; ++v) {
      if (missing[v] == 0) ready.emplace(ranks.at(v), v);
    }
    std::vector<vertex> made;
    while (!ready.empty()) {
      const vertex v = ready.top().second;
      ready.pop();
      made.push_back(v);
      if ((made.size() & 0xffff) == 0) control.check();
      for (const vertex u : rows.row(v)) {
        if (--missing[u] == 0) ready.emplace(ranks[u], u);
      }
    }
    return made;
  });
  return nb::make_tuple(nodes_of(of, order), order.size() == of.out().vertices());
}

/// Returns the heads of the edges that a breadth-first search over edges from v meets, each once, in its order.
std::vector<vertex> heads_from(const ordered_rows& rows, bool directed, vertex source, std::vector<vertex>& seen_from,
                               std::vector<vertex>& queue) {
  // In a graph without directions each edge is met from its first end only, so that the source is a head of a loop
  // only.
  std::vector<vertex> made;
  queue.assign(1, source);
  bool source_is_head = false;
  seen_from[source] = source;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const vertex u = queue[at];
    for (const vertex w : rows.row(u)) {
      if (w == source) {
        if (!source_is_head && (directed || u == source)) made.push_back(w);
        source_is_head = source_is_head || directed || u == source;
      } else if (seen_from[w] != source) {
        seen_from[w] = source;
        queue.push_back(w);
        made.push_back(w);
      }
    }
  }
  return made;
}

/// Returns by node the list of the heads of edges that a search from there meets.
nb::list reached_heads(const nx_graph& of) {
  const std::vector<std::vector<vertex>> found = watched([&](const nx::control& control) {
    const vertex n = of.out().vertices();
    std::vector<std::vector<vertex>> all;
    std::vector<vertex> seen_from(n, no_vertex);
    std::vector<vertex> queue;
    for (vertex v = 0; v < n; ++v) {
      control.check();
      all.push_back(heads_from(of.out(), of.directed(), v, seen_from, queue));
    }
    return all;
  });
  nb::list made;
  for (const std::vector<vertex>& heads : found) made.append(nodes_of(of, heads));
  return made;
}

/// Returns by vertex the number of its strong component, in the order in which networkx finds them.
std::vector<vertex> component_numbers(const nx_graph& of, const nx::search& s) {
  std::vector<vertex> number(of.out().vertices());
  for (std::size_t c = 0; c + 1 < s.levels.size(); ++c) {
    for (std::size_t i = s.levels[c]; i < s.levels[c + 1]; ++i) number[s.order[i]] = static_cast<vertex>(c);
  }
  return number;
}

/// Returns (strong components as sets, pairs of numbers of components with an arc between them, as arcs first show
/// them).
nb::tuple condensed(const nx_graph& of) {
  nx::search s;
  const pairs arcs = ordered(of, [&](const nx::control& control) {
    s = nx::strong_components_in_order(of.out(), control);
    const std::vector<vertex> number = component_numbers(of, s);
    std::unordered_set<std::uint64_t> known;
    pairs made;
    for (vertex v = 0; v < of.out().vertices(); ++v) {
      for (const vertex u : of.out().row(v)) {
        const vertex a = number[v];
        const vertex b = number[u];
        if (a != b && known.insert(std::uint64_t{a} << 32 | b).second) made.emplace_back(a, b);
      }
    }
    return made;
  });
  nb::list sets;
  for (std::size_t i = 0; i + 1 < s.levels.size(); ++i) sets.append(set_of(of, s.order, s.levels[i], s.levels[i + 1]));
  return nb::make_tuple(sets, arcs);
}

/// True if each strong component has an arc to the next one of their only possible order.
bool is_chain(const nx_graph& of) {
  return ordered(of, [&](const nx::control& control) {
    const nx::search s = nx::strong_components_in_order(of.out(), control);
    const std::vector<vertex> number = component_numbers(of, s);
    const std::size_t count = s.levels.size() - 1;
    std::vector<char> linked(count);
    for (vertex v = 0; v < of.out().vertices(); ++v) {
      for (const vertex u : of.out().row(v)) {
        if (number[v] == number[u] + 1) linked[number[v]] = 1;
      }
    }
    for (std::size_t c = 1; c < count; ++c) {
      if (linked[c] == 0) return false;
    }
    return true;
  });
}

/// Returns the greatest common divisor of the lengths of all cycles of a strongly connected graph; 0 without a cycle.
std::uint64_t period(const nx_graph& of) {
  return ordered(of, [&](const nx::control& control) {
    const vertex first = 0;
    const nx::search s = nx::breadth_first(of.out(), nullptr, {&first, 1}, no_vertex, no_vertex, control);
    std::vector<std::int64_t> level(of.out().vertices());
    for (std::size_t d = 0; d + 1 < s.levels.size(); ++d) {
      for (std::size_t i = s.levels[d]; i < s.levels[d + 1]; ++i) level[s.order[i]] = static_cast<std::int64_t>(d);
    }
    std::int64_t made = 0;
    for (const vertex u : s.order) {
      for (const vertex v : of.out().row(u)) made = std::gcd(made, level[u] - level[v] + 1);
    }
    return static_cast<std::uint64_t>(made);
  });
}

/// Returns the path that networkx's A* finds without a heuristic; empty if there is none.
nb::object star_path(const nx_graph& of, const nx::edge_values* values, vertex source, vertex target) {
  using entry = std::tuple<double, std::uint64_t, vertex, vertex>;  // length, count, vertex, parent
  const std::span<const double> lengths = values == nullptr ? std::span<const double>() : values->least();
  const std::vector<vertex> path = ordered(of, [&](const nx::control& control) {
    const ordered_rows& rows = of.out();
    const vertex n = rows.vertices();
    constexpr vertex unexplored = no_vertex - 1;
    std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
    std::vector<vertex> parents(n, unexplored);
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
    std::uint64_t count = 0;
    queue.emplace(0, count++, source, no_vertex);
    std::vector<vertex> made;
    while (!queue.empty()) {
      const auto [length, order, v, parent] = queue.top();
      queue.pop();
      if ((order & 0xfff) == 0) control.check();
      if (v == target) {
        made.push_back(v);
        for (vertex u = parent; u != no_vertex; u = parents[u]) made.push_back(u);
        std::reverse(made.begin(), made.end());
        break;
      }
      if (parents[v] != unexplored) {
        if (parents[v] == no_vertex) continue;
        if (nearest[v] < length) continue;
      }
      parents[v] = parent;
      for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + std::size_t{1}]; ++i) {
        const vertex u = rows.targets[i];
        const double next = length + (lengths.empty() ? 1 : lengths[i]);
        if (nearest[u] <= next) continue;
        nearest[u] = next;
        queue.emplace(next, count++, u, v);
      }
    }
    return made;
  });
  return nodes_of(of, path);
}

}  // namespace

void bind_networkx_orders(nb::module_& m) {
  m.def("nx_block_edges", &block_edges);
  m.def("nx_block_sets", &block_sets);
  m.def("nx_articulation_points", &articulation_points);
  m.def("nx_longest_path", &longest_path, nb::arg("graph"), nb::arg("values").none());
  m.def("nx_topological_by_rank", &topological_by_rank);
  m.def("nx_reached_heads", &reached_heads);
  m.def("nx_condensed", &condensed);
  m.def("nx_is_chain", &is_chain);
  m.def("nx_period", &period);
  m.def("nx_star_path", &star_path, nb::arg("graph"), nb::arg("values").none(), nb::arg("source"), nb::arg("target"));
}

}  // namespace callisto::python
