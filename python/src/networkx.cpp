// What the NetworkX backend needs of the module: walks of dictionaries, and answers as Python's own objects.
#include "bindings.hpp"
#include "graph.hpp"
#include "networkx_graph.hpp"
#include "networkx_kernels.hpp"
#include "run.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace callisto::python {

namespace nx = networkx;
using nx::no_vertex;
using nx::ordered_rows;
using nx::vertex;

namespace {

/// Returns a list of the parts of `s`, each made by part(of, order, first, last).
template <class Part>
nb::list parts_of(const nx_graph& of, const nx::search& s, Part&& part) {
  nb::list made;
  for (std::size_t i = 0; i + 1 < s.levels.size(); ++i) made.append(part(of, s.order, s.levels[i], s.levels[i + 1]));
  return made;
}

std::uint64_t depth_of(std::optional<std::uint64_t> depth) {
  return depth.value_or(std::numeric_limits<std::uint64_t>::max());
}

nx::search search_from(const nx_graph& of, const std::vector<vertex>& sources, bool reverse,
                       std::optional<std::uint64_t> depth, vertex target = no_vertex) {
  const ordered_rows& rows = of.rows(reverse);
  return ordered(of, [&](const graph::run_control& control) {
    return nx::breadth_first(rows, nullptr, sources, depth_of(depth), target, control);
  });
}

nb::dict bfs_lengths(const nx_graph& of, vertex source, bool reverse, std::optional<std::uint64_t> depth) {
  const nx::search s = search_from(of, {source}, reverse, depth);
  nb::dict made;
  for (std::size_t d = 0; d + 1 < s.levels.size(); ++d) {
    const nb::int_ distance(d);
    for (std::size_t i = s.levels[d]; i < s.levels[d + 1]; ++i) put(made, of.node(s.order[i]), distance);
  }
  return made;
}

/// Returns the paths from the source by target; reversed, those to the source by their beginning.
nb::dict bfs_paths(const nx_graph& of, vertex source, bool against, bool reversed, std::optional<std::uint64_t> depth) {
  const nx::search s = search_from(of, {source}, against, depth);
  std::vector<vertex> parent(of.out().vertices());
  nb::dict made;
  std::size_t d = 0;
  std::vector<vertex> path;
  for (std::size_t i = 0; i < s.order.size(); ++i) {
    if (i == s.levels[d + 1]) ++d;
    parent[s.order[i]] = s.parents[i];
    path.clear();
    for (vertex v = s.order[i]; v != no_vertex; v = parent[v]) path.push_back(v);
    if (!reversed) std::reverse(path.begin(), path.end());
    put(made, of.node(s.order[i]), list_of(of, path, 0, path.size()));
  }
  return made;
}

nb::list bfs_edges(const nx_graph& of, vertex source, bool reverse, std::optional<std::uint64_t> depth) {
  const nx::search s = search_from(of, {source}, reverse, depth);
  nb::list made;
  for (std::size_t i = 1; i < s.order.size(); ++i) made.append(pair_of(of, s.parents[i], s.order[i]));
  return made;
}

nb::object bfs_set(const nx_graph& of, vertex source, bool reverse, std::optional<std::uint64_t> distance) {
  const nx::search s = search_from(of, {source}, reverse, distance);
  if (!distance) return set_of(of, s.order, 1, s.order.size());
  const std::size_t d = static_cast<std::size_t>(*distance);
  if (d + 1 >= s.levels.size()) return stolen(PySet_New(nullptr));
  return set_of(of, s.order, s.levels[d], s.levels[d + 1]);
}

/// Returns (predecessors, distances): by node in order of distance, all neighbours that are one step nearer.
nb::tuple bfs_predecessors(const nx_graph& of, vertex source, std::optional<std::uint64_t> depth) {
  const nx::search s = search_from(of, {source}, false, depth);
  std::vector<std::uint64_t> distance(of.out().vertices(), std::numeric_limits<std::uint64_t>::max());
  nb::dict before;
  nb::dict seen;
  for (std::size_t d = 0; d + 1 < s.levels.size(); ++d) {
    for (std::size_t i = s.levels[d]; i < s.levels[d + 1]; ++i) {
      distance[s.order[i]] = d;
      put(before, of.node(s.order[i]), nb::list());
      put(seen, of.node(s.order[i]), nb::int_(d));
    }
  }
  for (const vertex v : s.order) {
    for (const vertex u : of.out().row(v)) {
      if (distance[u] != distance[v] + 1) continue;
      PyObject* const list = PyDict_GetItemWithError(before.ptr(), of.node(u));
      if (list == nullptr || PyList_Append(list, of.node(v)) != 0) failed();
    }
  }
  return nb::make_tuple(before, seen);
}

/// The result of a weighted search, from which Python takes what a function answers.
struct found_paths {
  nb::object graph;  // keeps `of` alive
  const nx_graph* of;
  nx::weighted_search search;
  bool whole;

  nb::object length(double value) const {
    return whole ? stolen(PyLong_FromDouble(value)) : nb::object(nb::float_(value));
  }
  nb::dict lengths(std::size_t sources) const {
    nb::dict made;
    for (std::size_t i = 0; i < search.order.size(); ++i) {
      const bool start = search.parents[search.order[i]] == no_vertex && i < sources;
      put(made, of->node(search.order[i]),
          start || whole ? stolen(PyLong_FromDouble(search.distances[i]))
                         : nb::object(nb::float_(search.distances[i])));
    }
    return made;
  }
  std::vector<vertex> path_to(vertex v) const {
    std::vector<vertex> path;
    for (; v != no_vertex; v = search.parents[v]) path.push_back(v);
    std::reverse(path.begin(), path.end());
    return path;
  }
  nb::object path(vertex v) const {
    const std::vector<vertex> made = path_to(v);
    return list_of(*of, made, 0, made.size());
  }
  nb::dict paths() const {
    nb::dict made;
    for (const vertex v : search.order) put(made, of->node(v), path(v));
    return made;
  }
  /// By node in the order in which NetworkX meets them: that of the first parents.
  nb::dict predecessors() const {
    std::vector<nb::object> lists(of->out().vertices());
    for (const vertex v : search.order) {
      nb::list one;
      if (search.parents[v] != no_vertex) one.append(nb::borrow(of->node(search.parents[v])));
      lists[v] = one;
    }
    for (const auto& [v, parent] : search.more) {
      if (PyList_Append(lists[v].ptr(), of->node(parent)) != 0) failed();
    }
    nb::dict made;
    for (const vertex v : search.reached) put(made, of->node(v), lists[v]);
    return made;
  }
};

found_paths dijkstra(nb::handle graph, const nx::edge_values* values, const std::vector<vertex>& sources,
                     std::optional<double> cutoff, std::optional<vertex> target, bool all_parents) {
  const auto& of = nb::cast<const nx_graph&>(graph);
  nx::weighted_options options{.target = target.value_or(no_vertex), .all_parents = all_parents};
  if (cutoff) options.cutoff = *cutoff;
  std::span<const double> lengths;
  if (values != nullptr) lengths = values->least();
  nx::weighted_search made = ordered(of, [&](const graph::run_control& control) {
    return nx::dijkstra(of.out(), lengths, sources, options, control);
  });
  return {nb::borrow(graph), &of, std::move(made), values == nullptr || values->whole()};
}

/// Returns (length, path) as NetworkX's bidirectional search finds them; None if there is no path.
nb::object bidirectional_dijkstra(const nx_graph& of, const nx::edge_values* values, vertex source, vertex target) {
  const std::span<const double> lengths = values == nullptr ? std::span<const double>() : values->least();
  const nx::met_path made = ordered(of, [&](const graph::run_control& control) {
    return nx::bidirectional_dijkstra(of.out(), of.in(), lengths, source, target, control);
  });
  if (made.path.empty()) return nb::none();
  const bool whole = values == nullptr || values->whole();
  return nb::make_tuple(whole ? stolen(PyLong_FromDouble(made.length)) : nb::object(nb::float_(made.length)),
                        list_of(of, made.path, 0, made.path.size()));
}

/// Returns the scores by edge in the order of `G.edges()`; 0 for loops. `scores`: ascending by ends.
nb::dict edge_dict(const nx_graph& of,
                   const std::vector<std::pair<std::pair<std::uint64_t, std::uint64_t>, double>>& scores) {
  nb::dict made;
  for (vertex u = 0; u < of.out().vertices(); ++u) {
    for (const vertex v : of.out().row(u)) {
      if (!of.directed() && v < u) continue;
      const std::pair<std::uint64_t, std::uint64_t> ends(u, v);
      const auto at = std::lower_bound(scores.begin(), scores.end(), ends,
                                       [](const auto& entry, const auto& key) { return entry.first < key; });
      const double score = at != scores.end() && at->first == ends ? at->second : 0;
      put(made, pair_of(of, u, v).ptr(), nb::float_(score));
    }
  }
  return made;
}

nb::list kruskal(const nx_graph& of, const nx::edge_values* values, bool heaviest) {
  const auto taken = ordered(of, [&](const graph::run_control& control) {
    return nx::kruskal(of.out(), values == nullptr ? std::span<const double>() : values->least(), heaviest, control);
  });
  nb::list made;
  for (const auto& [from, arc] : taken) made.append(pair_of(of, from, of.out().targets[arc]));
  return made;
}

/// Returns the degrees; parallel edges count as often as they are, or by `values`' sums. An undirected loop counts
/// twice.
template <class Number>
std::vector<Number> degrees_of(const nx_graph& of, const nx::edge_values* values, bool outgoing, bool incoming) {
  std::vector<Number> made(of.out().vertices());
  for (vertex v = 0; v < of.out().vertices(); ++v) {
    for (std::uint64_t i = of.out().offsets[v]; i < of.out().offsets[v + std::size_t{1}]; ++i) {
      const vertex u = of.out().targets[i];
      const Number one = values == nullptr ? Number{1} : static_cast<Number>(values->sums()[i]);
      if (outgoing) made[v] += one;
      if (of.directed() ? incoming : u == v) made[u] += one;
    }
  }
  return made;
}

nb::dict greedy_colours(const nx_graph& of, const nx::edge_values* copies) {
  const std::vector<std::uint64_t> degrees = degrees_of<std::uint64_t>(of, copies, true, true);
  const nx::colouring made =
      ordered(of, [&](const graph::run_control& control) { return nx::largest_first(of.out(), degrees, control); });
  nb::dict colours;
  for (const vertex v : made.order) put(colours, of.node(v), nb::int_(made.colours[v]));
  return colours;
}

nb::list label_sets(const nx_graph& of, const nx::edge_values* copies) {
  const std::vector<std::uint64_t> degrees = degrees_of<std::uint64_t>(of, copies, true, true);
  const std::vector<vertex> labels = ordered(of, [&](const graph::run_control& control) {
    return nx::propagate_labels(of.out(), nx::largest_first(of.out(), degrees, control), control);
  });
  nb::list made;
  std::vector<Py_ssize_t> place(of.out().vertices(), -1);
  for (vertex v = 0; v < of.out().vertices(); ++v) {
    Py_ssize_t& at = place[labels[v]];
    if (at < 0) {
      at = static_cast<Py_ssize_t>(made.size());
      made.append(stolen(PySet_New(nullptr)));
    }
    if (PySet_Add(PyList_GetItem(made.ptr(), at), of.node(v)) != 0) failed();
  }
  return made;
}

/// Groups nodes by the number that `of_vertex` gives them, in the order of the first of each.
nb::list sets_by(const nx_graph& of, const std::vector<std::uint64_t>& group) {
  nb::list made;
  std::vector<Py_ssize_t> place(of.out().vertices(), -1);
  for (vertex v = 0; v < of.out().vertices(); ++v) {
    Py_ssize_t& at = place.at(group.at(v));
    if (at < 0) {
      at = static_cast<Py_ssize_t>(made.size());
      made.append(stolen(PySet_New(nullptr)));
    }
    if (PySet_Add(PyList_GetItem(made.ptr(), at), of.node(v)) != 0) failed();
  }
  return made;
}

nb::tuple depth_first(const nx_graph& of, std::optional<vertex> source, std::optional<std::uint64_t> depth) {
  const nx::depth_search s = ordered(of, [&](const graph::run_control& control) {
    return nx::depth_first(of.out(), source.value_or(no_vertex), std::max<std::uint64_t>(1, depth_of(depth)), control);
  });
  nb::list edges;
  for (std::size_t i = 0; i < s.preorder.size(); ++i) {
    if (s.parents[i] != no_vertex) edges.append(pair_of(of, s.parents[i], s.preorder[i]));
  }
  return nb::make_tuple(list_of(of, s.preorder, 0, s.preorder.size()), edges,
                        list_of(of, s.postorder, 0, s.postorder.size()));
}

}  // namespace

void bind_networkx(nb::module_& m) {
  bind_networkx_kernels(m);
  bind_networkx_orders(m);
  bind_networkx_counts(m);
  bind_networkx_negative(m);
  nb::class_<nx::edge_values>(m, "NxValues")
      .def_prop_ro("whole", &nx::edge_values::whole)
      .def_prop_ro("real", &nx::edge_values::real)
      .def_prop_ro("smallest", &nx::edge_values::smallest)
      .def_prop_ro("largest", &nx::edge_values::largest)
      .def_prop_ro("unit", &nx::edge_values::unit)
      .def("bound_capacities", &nx::edge_values::bound_capacities)
      .def("same", &nx::edge_values::same, nb::arg("other"))
      .def("graph", [](const nx::edge_values& values, const nx_graph& of, bool sum) {
        return held_graph(values.weighted(of, sum));
      });

  nb::class_<found_paths>(m, "NxPaths")
      .def("lengths", &found_paths::lengths)
      .def("paths", &found_paths::paths)
      .def("path", &found_paths::path)
      .def("predecessors", &found_paths::predecessors)
      .def("last", [](const found_paths& p) { return p.search.order.empty() ? no_vertex : p.search.order.back(); })
      .def("last_length", [](const found_paths& p) { return p.length(p.search.distances.back()); });

  nb::class_<nx_graph>(m, "NxGraph")
      .def(nb::init<nb::handle, bool, bool>())
      .def_prop_ro("nodes", [](const nx_graph& of) { return of.nodes(); })
      .def_prop_ro("directed", &nx_graph::directed)
      .def_prop_ro("multigraph", &nx_graph::multigraph)
      .def_prop_ro("loops", &nx_graph::loops)
      .def_prop_ro("arcs", [](const nx_graph& of) { return of.out().arcs(); })
      .def("__len__", [](const nx_graph& of) { return of.out().vertices(); })
      .def(
          "find",
          [](const nx_graph& of, nb::handle node) {
            const vertex v = of.find(node);
            return v == no_vertex ? std::int64_t{-1} : std::int64_t{v};
          },
          nb::arg("node").none())
      .def("walk_predecessors", &nx_graph::walk_predecessors)
      .def(
          "values",
          [](const nx_graph& of, nb::handle adjacency, nb::handle attribute, double missing) {
            return nx::edge_values(of, adjacency, attribute, missing);
          },
          nb::arg("adjacency"), nb::arg("attribute").none(), nb::arg("missing") = 1)
      .def("graph", [](const nx_graph& of) { return held_graph(of.plain()); })
      .def("degrees", &degrees_of<std::int64_t>, nb::arg("values").none(), nb::arg("outgoing"), nb::arg("incoming"))
      .def("strengths", &degrees_of<double>, nb::arg("values").none(), nb::arg("outgoing"), nb::arg("incoming"))
      .def("edge_dict", &edge_dict)
      .def("sets_by", &sets_by)
      .def("bfs_lengths", &bfs_lengths, nb::arg("source"), nb::arg("reverse"), nb::arg("depth").none())
      .def("bfs_paths", &bfs_paths, nb::arg("source"), nb::arg("against"), nb::arg("reversed"), nb::arg("depth").none())
      .def("bfs_edges", &bfs_edges, nb::arg("source"), nb::arg("reverse"), nb::arg("depth").none())
      .def("bfs_set", &bfs_set, nb::arg("source"), nb::arg("reverse"), nb::arg("distance").none())
      .def("bfs_predecessors", &bfs_predecessors, nb::arg("source"), nb::arg("depth").none())
      .def("bfs_layers",
           [](const nx_graph& of, const std::vector<vertex>& sources) {
             return parts_of(of, search_from(of, sources, false, {}), list_of);
           })
      .def("reaches",
           [](const nx_graph& of, vertex source, vertex target) {
             return !ordered(of, [&](const graph::run_control& control) {
                       return nx::bidirectional(of.out(), of.in(), source, target, control);
                     }).empty();
           })
      .def("path_between",
           [](const nx_graph& of, vertex source, vertex target) {
             const std::vector<vertex> path = ordered(of, [&](const graph::run_control& control) {
               return nx::bidirectional(of.out(), of.in(), source, target, control);
             });
             return list_of(of, path, 0, path.size());
           })
      .def("components",
           [](const nx_graph& of) {
             const nx::search s = ordered(of, [&](const graph::run_control& control) {
               return nx::all_components(of.out(), of.both(), control);
             });
             return parts_of(of, s, set_of);
           })
      .def("component_sizes",
           [](const nx_graph& of) {
             const nx::search s = ordered(of, [&](const graph::run_control& control) {
               return nx::all_components(of.out(), of.both(), control);
             });
             std::vector<std::uint64_t> sizes;
             for (std::size_t i = 0; i + 1 < s.levels.size(); ++i) sizes.push_back(s.levels[i + 1] - s.levels[i]);
             return sizes;
           })
      .def("component_of",
           [](const nx_graph& of, vertex v) {
             const nx::search s = search_from(of, {v}, false, {});
             return set_of(of, s.order, 0, s.order.size());
           })
      .def("strong_components",
           [](const nx_graph& of) {
             const nx::search s = ordered(of, [&](const graph::run_control& control) {
               return nx::strong_components_in_order(of.out(), control);
             });
             return parts_of(of, s, set_of);
           })
      .def("strong_component_sizes",
           [](const nx_graph& of) {
             const nx::search s = ordered(of, [&](const graph::run_control& control) {
               return nx::strong_components_in_order(of.out(), control);
             });
             std::vector<std::uint64_t> sizes;
             for (std::size_t i = 0; i + 1 < s.levels.size(); ++i) sizes.push_back(s.levels[i + 1] - s.levels[i]);
             return sizes;
           })
      .def("kruskal", &kruskal, nb::arg("values").none(), nb::arg("heaviest"))
      .def("matching",
           [](const nx_graph& of) {
             const auto taken =
                 ordered(of, [&](const graph::run_control& control) { return nx::greedy_matching(of.out(), control); });
             const nb::object made = stolen(PySet_New(nullptr));
             for (const auto& [u, v] : taken) {
               if (PySet_Add(made.ptr(), pair_of(of, u, v).ptr()) != 0) failed();
             }
             return made;
           })
      .def("colours", &greedy_colours, nb::arg("copies").none())
      .def("label_sets", &label_sets, nb::arg("copies").none())
      .def(
          "generations",
          [](const nx_graph& of, const nx::edge_values* copies) {
            const nx::search s = ordered(of, [&](const graph::run_control& control) {
              return nx::topological(of.out(), copies == nullptr ? std::span<const double>() : copies->sums(), control);
            });
            return nb::make_tuple(parts_of(of, s, list_of), s.order.size() == of.out().vertices());
          },
          nb::arg("copies").none())
      .def("depth_first", &depth_first, nb::arg("source").none(), nb::arg("depth").none())
      .def("two_colours", [](const nx_graph& of) {
        return ordered(of,
                       [&](const graph::run_control& control) { return nx::two_colours(of.out(), of.both(), control); })
            .first;
      });
  m.def("nx_bidirectional_dijkstra", &bidirectional_dijkstra, nb::arg("graph"), nb::arg("values").none(),
        nb::arg("source"), nb::arg("target"));
  m.def("nx_dijkstra", &dijkstra, nb::arg("graph"), nb::arg("values").none(), nb::arg("sources"),
        nb::arg("cutoff").none(), nb::arg("target").none(), nb::arg("all_parents"));
}

}  // namespace callisto::python
