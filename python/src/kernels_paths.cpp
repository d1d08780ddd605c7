// Distances and paths.
#include "bindings.hpp"
#include "kernels.hpp"

#include <callisto/callisto.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::python {
namespace {

using graph::run_control;
using machine::page_array;

nb::tuple bfs(const held_graph& of, std::uint64_t source, const std::string& along, std::uint32_t depth, bool distances,
              nb::handle progress) {
  require(of, "breadth-first search", [&] { return graph::needs::bfs(of.any()); });
  const graph::bfs_options options{.distances = distances, .depth = depth};
  return of.visit([&](const auto& g) {
    auto made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
      if (along == "out") return graph::bfs(g, source, options, control);
      if (along == "in") return graph::backward_bfs(g, source, options, control);
      if (along == "both") return graph::undirected_bfs(g, source, options, control);
      throw usage_error(fmt::format("along is '{}': expected 'out', 'in' or 'both'", along));
    });
    return nb::make_tuple(to_numpy(std::move(made.parents)), to_numpy(std::move(made.distances)), made.reached,
                          made.eccentricity);
  });
}

}  // namespace

page_array<double> all_of(const graph::distance_map& distances, const run_control& control) {
  page_array<double> made(distances.size());
  if (!parallel_for(std::uint64_t{0}, distances.size(), [&](std::uint64_t v) { made[v] = distances[v]; },
                    {.stop = control.stop})) {
    throw cancelled();
  }
  return made;
}

namespace {

void require_weights(const held_graph& of) {
  if (!of.visit([](const auto& g) { return g.weighted(); })) {
    throw usage_error("the graph has no weights, which the lengths of paths need");
  }
}

template <class Vertex>
struct found_paths {
  page_array<double> distances;
  page_array<Vertex> parents;
  std::uint64_t reached = 0;
  double eccentricity = 0;
  std::vector<std::uint64_t> cycle;
};

/// Shortest paths by the sums of weights: distances, parents or an empty array, vertices reached, the largest distance,
/// and a cycle of negative weight or an empty array.
nb::tuple sssp(const held_graph& of, std::uint64_t source, double delta, bool parents, bool negative,
               nb::handle progress) {
  require_weights(of);
  require(of, "shortest paths", [&] { return graph::needs::sssp(of.any()); });
  return of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
    found_paths<Vertex> made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
      found_paths<Vertex> found;
      graph::sssp_result result;
      if (negative) {
        graph::bellman_ford_result from = graph::bellman_ford(g, source, control);
        result = std::move(from.paths);
        found.cycle = std::move(from.negative_cycle);
      } else {
        result = graph::sssp(g, source, {.delta = delta}, control);
      }
      if (parents && found.cycle.empty()) {
        found.parents = graph::shortest_path_parents(g, source, result.distances, control);
      }
      found.distances = all_of(result.distances, control);
      found.reached = result.reached;
      found.eccentricity = result.eccentricity;
      return found;
    });
    return nb::make_tuple(to_numpy(std::move(made.distances)), to_numpy(std::move(made.parents)), made.reached,
                          made.eccentricity, to_numpy(std::move(made.cycle)));
  });
}

/// A list of (distance, vertices) for each target.
nb::list paths_to(const held_graph& of, std::uint64_t source, const column<std::uint64_t>& targets,
                  nb::handle progress) {
  require_weights(of);
  graph::target_paths made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::paths_to(g, source, as_span(targets), {}, control); });
  });
  nb::list list;
  for (graph::target_path& path : made.paths) {
    list.append(nb::make_tuple(path.distance, to_numpy(std::move(path.vertices))));
  }
  return list;
}

/// The path's length and vertices, and how many arcs were looked at.
nb::tuple path_between(const held_graph& of, std::uint64_t source, std::uint64_t target, bool weighted,
                       nb::handle progress) {
  const graph::pair_options options{.weighted = weighted};
  graph::pair_result made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::path_between(g, source, target, options, control); });
  });
  return nb::make_tuple(made.path.length, to_numpy(std::move(made.path.vertices)), made.looked_at);
}

/// Routes of a held_graph, bound as _core.Routes.
struct held_routes {
  graph::any_routes any;
};

held_routes make_routes(const held_graph& of, bool weighted, nb::handle progress) {
  return run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return held_routes{graph::make_routes(g, {.weighted = weighted}, control)}; });
  });
}

/// Returns the routes that a native file holds for this graph.
held_routes open_routes(const held_graph& of, const std::string& path) {
  std::optional<graph::any_routes> held = graph::open_routes(path);
  if (!held) throw input_error(path, 0, "holds no routes; 'callisto convert --routes' and Routes.save() write them");
  const bool fits = of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
    const auto* const routes = std::get_if<graph::routes_of<Vertex>>(&*held);
    return routes != nullptr && routes->vertices() == g.vertices() && routes->directed == g.directed();
  });
  if (!fits) throw usage_error(path + " holds the routes of another graph");
  return {std::move(*held)};
}

/// The path's length and vertices, and how many arcs were looked at.
nb::tuple path_by_routes(const held_graph& of, const held_routes& routes, std::uint64_t source, std::uint64_t target) {
  graph::pair_result made = run(nb::none(), place::alone, [&](const run_control& control) {
    return of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
      return graph::path_between(g, std::get<graph::routes_of<Vertex>>(routes.any), source, target, control);
    });
  });
  return nb::make_tuple(made.path.length, to_numpy(std::move(made.path.vertices)), made.looked_at);
}

void save_routes(const held_graph& of, const held_routes& routes, const std::string& path, nb::handle progress) {
  run(progress, place::watched, [&](const run_control& control) {
    graph::write_native(of.any(), routes.any, path, control);
    return true;
  });
}

nb::tuple all_paths_between(const held_graph& of, std::uint64_t source, std::uint64_t target, bool weighted,
                            std::uint64_t limit, nb::handle progress) {
  const graph::pair_options options{.weighted = weighted};
  graph::all_pair_paths made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit(
        [&](const auto& g) { return graph::all_paths_between(g, source, target, limit, options, control); });
  });
  nb::list list;
  for (auto& vertices : made.paths) list.append(to_numpy(std::move(vertices)));
  return nb::make_tuple(made.length, made.count, made.vertices, made.arcs, list);
}

nb::list k_paths_between(const held_graph& of, std::uint64_t source, std::uint64_t target, std::uint64_t k,
                         bool weighted, nb::handle progress) {
  const graph::pair_options options{.weighted = weighted};
  require(of, "the k shortest paths", [&] { return graph::needs::k_paths_between(of.any()); });
  std::vector<graph::pair_path> made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::k_paths_between(g, source, target, k, options, control); });
  });
  nb::list list;
  for (graph::pair_path& path : made) list.append(nb::make_tuple(path.length, to_numpy(std::move(path.vertices))));
  return list;
}

/// The value, the sides of the cut, and the edges of the cut and of the flow, by their numbers.
nb::tuple maximum_flow(const held_graph& of, std::uint64_t source, std::uint64_t target, bool weighted,
                       nb::handle progress) {
  require(of, "the largest flow", [&] { return graph::needs::maximum_flow(of.any()); });
  const graph::flow_options options{.weighted = weighted};
  graph::flow_result made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::maximum_flow(g, source, target, options, control); });
  });
  const auto list = [](const std::vector<graph::flow_edge>& edges) {
    nb::list all;
    for (const graph::flow_edge& e : edges) all.append(nb::make_tuple(e.from, e.to, e.flow));
    return all;
  };
  return nb::make_tuple(made.value, to_numpy(std::move(made.on_source_side)), list(made.cut), list(made.edges));
}

nb::tuple diameter(const held_graph& of, std::uint64_t searches, nb::handle progress) {
  require(of, "the diameter", [&] { return graph::needs::diameter(of.any()); });
  const graph::diameter_result made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::diameter(g, {.searches = searches}, control); });
  });
  return nb::make_tuple(made.lower, made.upper, made.from, made.to, made.searches, made.vertices);
}

graph::path_direction direction_named(std::string_view name) {
  if (name == "out") return graph::path_direction::out;
  if (name == "in") return graph::path_direction::in;
  if (name == "both") return graph::path_direction::both;
  throw usage_error(fmt::format("along is '{}': expected 'out', 'in' or 'both'", name));
}

nb::tuple eccentricities(const held_graph& of, const std::string& along, bool weighted, nb::handle progress) {
  const graph::eccentricity_options options{.along = direction_named(along), .weighted = weighted};
  require(of, "eccentricities", [&] { return graph::needs::eccentricities(of.any()); });
  graph::eccentricity_result made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::eccentricities(g, options, control); });
  });
  return nb::make_tuple(to_numpy(std::move(made.eccentricities)), made.diameter, made.radius,
                        to_numpy_flags(std::move(made.central)));
}

nb::tuple distances(const held_graph& of, std::uint64_t sources, std::uint64_t seed, nb::handle progress) {
  require(of, "distances", [&] { return graph::needs::distances(of.any()); });
  graph::distance_sample made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) {
      return graph::sample_distances(g, graph::components(g, control), {.sources = sources, .seed = seed}, control);
    });
  });
  const double mean = made.mean();
  return nb::make_tuple(to_numpy(std::move(made.at)), mean, made.diameter_low, made.diameter_high, made.vertices,
                        made.sources);
}

}  // namespace

void bind_paths(nb::module_& m) {
  m.def("bfs", &bfs, nb::arg("graph"), nb::arg("source"), nb::arg("along") = "out",
        nb::arg("depth") = std::numeric_limits<std::uint32_t>::max(), nb::arg("distances") = true,
        nb::arg("progress") = nb::none());
  m.def("sssp", &sssp, nb::arg("graph"), nb::arg("source"), nb::arg("delta") = 0.0, nb::arg("parents") = true,
        nb::arg("negative") = false, nb::arg("progress") = nb::none());
  m.def("paths_to", &paths_to, nb::arg("graph"), nb::arg("source"), nb::arg("targets").noconvert(),
        nb::arg("progress") = nb::none());
  m.def("path_between", &path_between, nb::arg("graph"), nb::arg("source"), nb::arg("target"),
        nb::arg("weighted") = false, nb::arg("progress") = nb::none());
  nb::class_<held_routes>(m, "Routes", "Routes of a graph.")
      .def_prop_ro("arcs",
                   [](const held_routes& of) { return std::visit([](const auto& r) { return r.arcs(); }, of.any); })
      .def_prop_ro("weighted",
                   [](const held_routes& of) { return std::visit([](const auto& r) { return r.weighted; }, of.any); });
  m.def("make_routes", &make_routes, nb::arg("graph"), nb::arg("weighted"), nb::arg("progress").none());
  m.def("open_routes", &open_routes, nb::arg("graph"), nb::arg("path"));
  m.def("path_by_routes", &path_by_routes, nb::arg("graph"), nb::arg("routes"), nb::arg("source"), nb::arg("target"));
  m.def("save_routes", &save_routes, nb::arg("graph"), nb::arg("routes"), nb::arg("path"), nb::arg("progress").none());
  m.def("all_paths_between", &all_paths_between, nb::arg("graph"), nb::arg("source"), nb::arg("target"),
        nb::arg("weighted") = false, nb::arg("limit") = 100, nb::arg("progress") = nb::none());
  m.def("k_paths_between", &k_paths_between, nb::arg("graph"), nb::arg("source"), nb::arg("target"), nb::arg("k"),
        nb::arg("weighted") = false, nb::arg("progress") = nb::none());
  m.def("maximum_flow", &maximum_flow, nb::arg("graph"), nb::arg("source"), nb::arg("target"),
        nb::arg("weighted") = false, nb::arg("progress") = nb::none());
  m.def("diameter", &diameter, nb::arg("graph"), nb::arg("searches") = std::numeric_limits<std::uint64_t>::max(),
        nb::arg("progress") = nb::none());
  m.def("eccentricities", &eccentricities, nb::arg("graph"), nb::arg("along") = "both", nb::arg("weighted") = false,
        nb::arg("progress") = nb::none());
  m.def("distances", &distances, nb::arg("graph"), nb::arg("sources") = 32, nb::arg("seed") = 1,
        nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
