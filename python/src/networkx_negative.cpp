// Shortest paths over lengths that may be negative, as networkx steps through them.
#include "bindings.hpp"
#include "networkx_graph.hpp"

#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace callisto::python {

namespace nx = networkx;
using nx::no_vertex;
using nx::ordered_rows;
using nx::vertex;

namespace {

constexpr double far = std::numeric_limits<double>::infinity();

/// What a search over any lengths finds; vertices in the order in which they are met first.
struct any_lengths {
  bool negative_cycle = false;
  std::vector<vertex> order;
  std::vector<double> distances;                  ///< by vertex
  std::vector<std::vector<vertex>> predecessors;  ///< by vertex
};

/// Bellman and Ford's algorithm with a queue, and the heuristic of networkx for cycles: the same steps, so that
/// predecessors are the same and in the same order.
any_lengths bellman_ford(const ordered_rows& rows, std::span<const double> values, std::span<const vertex> sources,
                         bool heuristic, const nx::control& control) {
  const vertex n = rows.vertices();
  any_lengths made;
  made.distances.assign(n, far);
  made.predecessors.resize(n);
  std::vector<char> queued(n);
  std::vector<std::uint64_t> count(n);
  std::vector<vertex> edge_from(n, no_vertex);
  std::vector<std::pair<vertex, vertex>> recent(n, {no_vertex, no_vertex});
  std::deque<vertex> queue;
  for (const vertex s : sources) {
    if (made.distances[s] == far) made.order.push_back(s);
    made.distances[s] = 0;
    queue.push_back(s);
    queued[s] = 1;
  }
  std::uint64_t steps = 0;
  while (!queue.empty()) {
    const vertex u = queue.front();
    queue.pop_front();
    queued[u] = 0;
    bool waits = false;
    for (const vertex p : made.predecessors[u]) waits = waits || queued[p] != 0;
    if (waits) continue;
    const double length = made.distances[u];
    for (std::uint64_t i = rows.offsets[u]; i < rows.offsets[u + std::size_t{1}]; ++i) {
      if ((++steps & 0xffff) == 0) control.check();
      const vertex v = rows.targets[i];
      const double next = length + (values.empty() ? 1 : values[i]);
      if (next < made.distances[v]) {
        if (heuristic) {
          if (v == recent[u].first || v == recent[u].second) {
            made.negative_cycle = true;
            return made;
          }
          recent[v] = edge_from[v] == u ? recent[u] : std::pair(u, v);
        }
        if (queued[v] == 0) {
          queue.push_back(v);
          queued[v] = 1;
          if (++count[v] == n) {
            made.negative_cycle = true;
            return made;
          }
        }
        if (made.distances[v] == far) made.order.push_back(v);
        made.distances[v] = next;
        made.predecessors[v].assign(1, u);
        edge_from[v] = u;
      } else if (made.distances[v] != far && next == made.distances[v]) {
        made.predecessors[v].push_back(u);
      }
    }
  }
  return made;
}

struct found_lengths {
  nb::object graph;  // keeps `of` alive
  const nx_graph* of;
  any_lengths search;
  bool whole;
  std::vector<char> source;  ///< by vertex

  /// True if each sum is exact: as ints of Python are.
  [[nodiscard]] bool exact() const {
    if (!whole) return true;
    for (const vertex v : search.order) {
      if (std::fabs(search.distances[v]) > 9007199254740992.0) return false;
    }
    return true;
  }
  [[nodiscard]] nb::object length(vertex v) const {
    const double value = search.distances[v];
    return whole || source[v] != 0 ? stolen(PyLong_FromDouble(value)) : nb::object(nb::float_(value));
  }
  [[nodiscard]] nb::dict lengths() const {
    nb::dict made;
    for (const vertex v : search.order) put(made, of->node(v), length(v));
    return made;
  }
  [[nodiscard]] nb::dict predecessors() const {
    nb::dict made;
    for (const vertex v : search.order) put(made, of->node(v), nodes_of(*of, search.predecessors[v]));
    return made;
  }
  [[nodiscard]] nb::object path(vertex target) const {
    std::vector<char> seen(of->out().vertices());
    return path_to(target, seen);
  }
  [[nodiscard]] nb::dict paths() const {
    std::vector<char> seen(of->out().vertices());
    nb::dict made;
    for (const vertex v : search.order) put(made, of->node(v), path_to(v, seen));
    return made;
  }

 private:
  /// Returns the first path that networkx builds from the predecessors. Zero-length cycles make it turn back. `seen`:
  /// zeros, and zeros again at the end.
  [[nodiscard]] nb::object path_to(vertex target, std::vector<char>& seen) const {
    std::vector<std::pair<vertex, std::size_t>> stack{{target, 0}};
    seen[target] = 1;
    while (!stack.empty()) {
      auto& [v, next] = stack.back();
      if (source[v] != 0) break;
      if (next == search.predecessors[v].size()) {
        seen[v] = 0;
        stack.pop_back();
        continue;
      }
      const vertex before = search.predecessors[v][next++];
      if (seen[before] != 0) continue;
      seen[before] = 1;
      stack.emplace_back(before, 0);
    }
    std::vector<vertex> made;
    for (auto step = stack.rbegin(); step != stack.rend(); ++step) {
      made.push_back(step->first);
      seen[step->first] = 0;
    }
    return nodes_of(*of, made);
  }
};

found_lengths search_any(nb::handle graph, const nx::edge_values* values, const std::vector<vertex>& sources,
                         bool heuristic) {
  const auto& of = nb::cast<const nx_graph&>(graph);
  const std::span<const double> lengths = values == nullptr ? std::span<const double>() : values->least();
  any_lengths made =
      watched([&](const nx::control& control) { return bellman_ford(of.out(), lengths, sources, heuristic, control); });
  std::vector<char> is_source(of.out().vertices());
  for (const vertex s : sources) is_source[s] = 1;
  return {nb::borrow(graph), &of, std::move(made), values == nullptr || values->whole(), std::move(is_source)};
}

/// True if networkx finds a cycle of negative length: from a node that it adds, with an edge of length 1 to each other.
bool has_negative_cycle(const nx_graph& of, const nx::edge_values* values, bool heuristic) {
  return watched([&](const nx::control& control) {
    const ordered_rows& rows = of.out();
    const vertex n = rows.vertices();
    const bool both = !of.directed();
    ordered_rows more;
    std::vector<double> lengths;
    std::vector<vertex> targets;
    for (vertex v = 0; v < n; ++v) {
      for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + std::size_t{1}]; ++i) {
        const double length = values == nullptr ? 1 : values->least()[i];
        if (rows.targets[i] == v && length < 0) return true;
        targets.push_back(rows.targets[i]);
        lengths.push_back(length);
      }
      if (both) {
        targets.push_back(n);
        lengths.push_back(1);
      }
      more.offsets.push_back(targets.size());
    }
    for (vertex v = 0; v < n; ++v) {
      targets.push_back(v);
      lengths.push_back(1);
    }
    more.offsets.push_back(targets.size());
    more.targets = machine::page_array<vertex>(targets.size());
    std::copy(targets.begin(), targets.end(), more.targets.data());
    return bellman_ford(more, lengths, {&n, 1}, heuristic, control).negative_cycle;
  });
}

}  // namespace

void bind_networkx_negative(nb::module_& m) {
  nb::class_<found_lengths>(m, "NxLengths")
      .def_prop_ro("negative_cycle", [](const found_lengths& f) { return f.search.negative_cycle; })
      .def_prop_ro("exact", &found_lengths::exact)
      .def("lengths", &found_lengths::lengths)
      .def("predecessors", &found_lengths::predecessors)
      .def("reaches", [](const found_lengths& f, vertex v) { return f.search.distances[v] != far; })
      .def("length", &found_lengths::length)
      .def("path", &found_lengths::path)
      .def("paths", &found_lengths::paths);
  m.def("nx_bellman_ford", &search_any, nb::arg("graph"), nb::arg("values").none(), nb::arg("sources"),
        nb::arg("heuristic"));
  m.def("nx_has_negative_cycle", &has_negative_cycle, nb::arg("graph"), nb::arg("values").none(), nb::arg("heuristic"));
}

}  // namespace callisto::python
