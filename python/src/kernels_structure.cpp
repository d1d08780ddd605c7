// How a graph is made up: components, cores, triangles, communities.
#include "bindings.hpp"
#include "kernels.hpp"

#include <callisto/callisto.hpp>
#include <callisto/graph/communities/compare.hpp>
#include <callisto/graph/components/biconnected.hpp>
#include <callisto/graph/components/topological.hpp>
#include <callisto/graph/layout/layout.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

using graph::run_control;
using machine::page_array;

nb::object components(const held_graph& of, bool strong, nb::handle progress) {
  return of.visit([&](const auto& g) {
    return to_numpy(run(progress, by_arcs(of.any()), [&](const run_control& control) {
      return strong ? graph::strong_components(g, control) : graph::components(g, control);
    }));
  });
}

nb::tuple kcore(const held_graph& of, nb::handle progress) {
  require(of, "kcore", [&] { return graph::needs::kcore(of.any()); });
  graph::kcore_result made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::kcore(g, control); });
  });
  return nb::make_tuple(to_numpy(std::move(made.coreness)), made.degeneracy, made.innermost);
}

nb::tuple count_triangles(const held_graph& of, nb::handle progress) {
  require(of, "triangles", [&] { return graph::needs::triangles(of.any()); });
  const graph::triangles_result made = run(progress, by_neighbours(of.any()), [&](const run_control& control) {
    return graph::count_triangles(of.any(), {}, control);
  });
  return nb::make_tuple(made.triangles, made.edges);
}

nb::tuple clustering(const held_graph& of, nb::handle progress) {
  require(of, "clustering", [&] { return graph::needs::clustering(of.any()); });
  graph::clustering_result made = run(progress, by_neighbours(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::clustering(g, control); });
  });
  return nb::make_tuple(to_numpy(std::move(made.triangles)), to_numpy(std::move(made.coefficients)), made.total,
                        made.average, made.transitivity);
}

nb::tuple valued_clustering(const held_graph& of, bool directed, bool weighted, nb::handle progress) {
  const graph::valued_clustering_options options{.directed = directed, .weighted = weighted};
  require(of, "clustering", [&] { return graph::needs::valued_clustering(of.any()); });
  graph::valued_clustering_result made = run(progress, by_neighbours(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::valued_clustering(g, options, control); });
  });
  return nb::make_tuple(to_numpy(std::move(made.coefficients)), made.average);
}

nb::tuple truss(const held_graph& of, nb::handle progress) {
  require(of, "truss", [&] { return graph::needs::truss(of.any()); });
  return of.visit([&](const auto& g) {
    auto made =
        run(progress, by_searches(of.any()), [&](const run_control& control) { return graph::truss(g, control); });
    return nb::make_tuple(to_numpy(std::move(made.from)), to_numpy(std::move(made.to)),
                          to_numpy(std::move(made.trussness)), made.highest, made.innermost);
  });
}

nb::tuple biconnected(const held_graph& of, nb::handle progress) {
  require(of, "biconnected components", [&] { return graph::needs::biconnected(of.any()); });
  return of.visit([&](const auto& g) {
    auto made =
        run(progress, by_arcs(of.any()), [&](const run_control& control) { return graph::biconnected(g, control); });
    return nb::make_tuple(to_numpy(std::move(made.from)), to_numpy(std::move(made.to)), to_numpy(std::move(made.block)),
                          to_numpy(std::move(made.size)), to_numpy(std::move(made.blocks)));
  });
}

/// The order, the layers and a cycle, which is empty if the others are not.
nb::tuple topological_order(const held_graph& of, nb::handle progress) {
  require(of, "a topological order", [&] { return graph::needs::topological_order(of.any()); });
  return of.visit([&](const auto& g) {
    auto made = run(progress, by_arcs(of.any()),
                    [&](const run_control& control) { return graph::topological_order(g, control); });
    return nb::make_tuple(to_numpy(std::move(made.order)), to_numpy(std::move(made.layer)), made.layers,
                          to_numpy(std::move(made.cycle)));
  });
}

double assortativity(const held_graph& of, nb::handle progress) {
  return run(progress, by_arcs(of.any()),
             [&](const run_control& control) { return graph::degree_assortativity(of.any(), control); });
}

nb::tuple compare_groups(const column<std::uint64_t>& a, const column<std::uint64_t>& b) {
  const graph::groups_comparison made = graph::compare_groups(as_span(a), as_span(b));
  return nb::make_tuple(made.groups_a, made.groups_b, made.mutual_information, made.adjusted_rand, made.rand,
                        made.variation_of_information);
}

nb::tuple spanning_forest(const held_graph& of, bool heaviest, nb::handle progress) {
  require(of, "a spanning forest", [&] { return graph::needs::spanning_forest(of.any()); });
  const graph::forest_result made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::spanning_forest(g, {.heaviest = heaviest}, control); });
  });
  return nb::make_tuple(column_of(made.edges, &graph::forest_edge::from),
                        column_of(made.edges, &graph::forest_edge::to),
                        column_of(made.edges, &graph::forest_edge::weight), made.weight, made.trees);
}

nb::object similarities(const held_graph& of, const column<std::uint64_t>& from, const column<std::uint64_t>& to,
                        const std::string& measure, nb::handle progress) {
  if (from.size() != to.size()) throw usage_error("the two columns of pairs differ in length");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  pairs.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) pairs.emplace_back(from.data()[i], to.data()[i]);
  const graph::similarity_measure by = graph::similarity_measure_of(measure);
  return to_numpy(run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::similarities(g, pairs, by, control); });
  }));
}

nb::tuple to_columns(const std::vector<graph::similar_pair>& pairs) {
  return nb::make_tuple(column_of(pairs, &graph::similar_pair::from), column_of(pairs, &graph::similar_pair::to),
                        column_of(pairs, &graph::similar_pair::value));
}

nb::tuple similar_pairs(const held_graph& of, double threshold, const std::string& measure, std::uint64_t least_common,
                        nb::handle progress) {
  const graph::similarity_options options{.measure = graph::similarity_measure_of(measure),
                                          .least_common = least_common};
  require(of, "similarity", [&] { return graph::needs::similarity(of.any()); });
  return to_columns(run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::similar_pairs(g, threshold, options, control); });
  }));
}

nb::tuple most_similar(const held_graph& of, std::uint64_t count, const std::string& measure,
                       std::uint64_t least_common, nb::handle progress) {
  const graph::similarity_options options{.measure = graph::similarity_measure_of(measure),
                                          .least_common = least_common};
  require(of, "similarity", [&] { return graph::needs::similarity(of.any()); });
  return to_columns(run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::most_similar(g, count, options, control); });
  }));
}

nb::tuple predicted_links(const held_graph& of, std::uint64_t count, const std::string& measure,
                          std::uint64_t least_common, nb::handle progress) {
  const graph::similarity_options options{.measure = graph::similarity_measure_of(measure),
                                          .least_common = least_common};
  require(of, "similarity", [&] { return graph::needs::similarity(of.any()); });
  return to_columns(run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::predicted_links(g, count, options, control); });
  }));
}

nb::tuple matching(const held_graph& of, bool heaviest_first, std::uint64_t seed, nb::handle progress) {
  const graph::matching_options options{.heaviest_first = heaviest_first, .seed = seed};
  require(of, "a matching", [&] { return graph::needs::maximal_matching(of.any()); });
  return of.visit([&](const auto& g) {
    auto made = run(progress, by_arcs(of.any()),
                    [&](const run_control& control) { return graph::maximal_matching(g, options, control); });
    return nb::make_tuple(to_numpy(std::move(made.partners)), made.edges, made.weight);
  });
}

nb::tuple colouring(const held_graph& of, const std::string& order, std::uint64_t seed, nb::handle progress) {
  graph::colouring_options options{.seed = seed};
  if (order == "largest_log_first") {
    options.order = graph::colouring_order::largest_log_first;
  } else if (order == "random") {
    options.order = graph::colouring_order::random;
  } else if (order != "smallest_log_last") {
    throw usage_error(
        fmt::format("order is '{}': expected 'smallest_log_last', 'largest_log_first' or 'random'", order));
  }
  require(of, "a colouring", [&] { return graph::needs::colouring(of.any()); });
  graph::colouring_result made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::colouring(g, options, control); });
  });
  return nb::make_tuple(to_numpy(std::move(made.colours)), made.count);
}

nb::tuple independent_set(const held_graph& of, std::uint64_t seed, nb::handle progress) {
  require(of, "an independent set", [&] { return graph::needs::maximal_independent_set(of.any()); });
  graph::independent_set_result made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::maximal_independent_set(g, {.seed = seed}, control); });
  });
  return nb::make_tuple(to_numpy_flags(std::move(made.members)), made.size);
}

}  // namespace

graph::communities_options communities_options_of(std::string_view method, std::string_view quality,
                                                  std::string_view directions, std::optional<double> resolution,
                                                  unsigned iterations, std::uint64_t seed) {
  graph::communities_options options{.resolution = resolution.value_or(1), .iterations = iterations, .seed = seed};
  if (method == "louvain") {
    options.method = graph::community_method::louvain;
  } else if (method == "labels") {
    options.method = graph::community_method::labels;
  } else if (method != "leiden") {
    throw usage_error(fmt::format("method is '{}': expected 'leiden', 'louvain' or 'labels'", method));
  }
  if (quality == "cpm") {
    options.quality = graph::community_quality::cpm;
  } else if (quality != "modularity") {
    throw usage_error(fmt::format("quality is '{}': expected 'modularity' or 'cpm'", quality));
  }
  if (directions == "ignore") {
    options.directions = graph::community_directions::ignore;
  } else if (directions != "follow") {
    throw usage_error(fmt::format("directions is '{}': expected 'follow' or 'ignore'", directions));
  }
  return options;
}

namespace {

nb::tuple communities(const held_graph& of, const std::string& method, const std::string& quality,
                      const std::string& directions, std::optional<double> resolution, unsigned iterations,
                      std::uint64_t seed, nb::handle progress) {
  auto options = communities_options_of(method, quality, directions, resolution, iterations, seed);
  require(of, "communities", [&] { return graph::needs::communities(of.any(), options); });
  graph::communities_result made = run(progress, by_searches(of.any()), [&](const run_control& control) {
    if (!resolution) options.resolution = graph::usual_resolution(of.any(), options.quality, control);
    return graph::communities(of.any(), options, control);
  });
  return nb::make_tuple(to_numpy(std::move(made.of)), made.communities, made.quality, made.converged);
}

/// `groups`: by vertex, a vertex that names its group.
double community_quality(const held_graph& of, const column<std::uint64_t>& groups, const std::string& quality,
                         const std::string& directions, std::optional<double> resolution, nb::handle progress) {
  auto options = communities_options_of("leiden", quality, directions, resolution, 1, 1);
  if (groups.size() != of.vertices()) {
    throw usage_error(fmt::format("{} groups for {} vertices", groups.size(), of.vertices()));
  }
  page_array<std::uint64_t> by_vertex(groups.size());
  for (std::size_t v = 0; v < groups.size(); ++v) {
    by_vertex[v] = groups.data()[v];
    if (by_vertex[v] >= groups.size()) {
      throw usage_error(fmt::format("the group of vertex {} is {}: expected a vertex", v, by_vertex[v]));
    }
  }
  return run(progress, by_arcs(of.any()), [&](const run_control& control) {
    if (!resolution) options.resolution = graph::usual_resolution(of.any(), options.quality, control);
    return graph::quality(of.any(), by_vertex, options, control);
  });
}

/// A walk a row, -1 behind its end: walk i begins at starts[i].
nb::object walks(const held_graph& of, const column<std::uint64_t>& starts, std::uint64_t length, double p, double q,
                 bool weighted, std::uint64_t seed, nb::handle progress) {
  const graph::walk_options options{.length = length, .p = p, .q = q, .weighted = weighted, .seed = seed};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts.data()[i] >= of.vertices()) {
      throw usage_error(fmt::format("walk {} begins at {}: expected a vertex", i, starts.data()[i]));
    }
  }
  graph::require_memory("random walks",
                        graph::needs::random_walks(of.any()) + starts.size() * length * sizeof(std::int64_t));
  return to_numpy(run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
      const graph::random_walker<Vertex> walker(g, options, control);
      page_array<std::int64_t> made(starts.size() * length);
      const auto make = [&](std::uint64_t first, std::uint64_t last) {
        std::vector<Vertex> walk;
        for (std::uint64_t i = first; i < last; ++i) {
          walker.walk(starts.data()[i], i, walk);
          std::int64_t* const row = made.data() + i * length;
          std::fill(std::copy(walk.begin(), walk.end(), row), row + length, -1);
        }
        if (control.report != nullptr) control.report->advance(last - first);
      };
      if (control.report != nullptr) control.report->begin("walks", starts.size(), "walks");
      if (!parallel_for(std::uint64_t{0}, std::uint64_t{starts.size()}, make, {.stop = control.stop})) {
        throw cancelled();
      }
      return made;
    });
  }));
}

}  // namespace

nb::dict dictionary_of(const graph::graph_statistics& made, bool directed) {
  nb::dict all;
  all["vertices"] = made.vertices;
  all["arcs"] = made.arcs;
  all["self_loops"] = made.self_loops;
  all["repeated_arcs"] = made.repeated_arcs;
  all["edges"] = made.edges;
  all["isolated"] = made.isolated;
  all["dangling"] = made.dangling;
  all["bytes"] = made.bytes;
  const auto add = [&](const char* name, const graph::degree_summary& degrees) {
    nb::dict of_side;
    of_side["min"] = degrees.min;
    of_side["mean"] = degrees.mean;
    of_side["max"] = degrees.max;
    all[name] = of_side;
  };
  all["density"] = graph::density(made, directed);
  all["reciprocity"] = graph::reciprocity(made, directed);
  add("out_degree", made.out);
  add("in_degree", made.in);
  return all;
}

namespace {

nb::dict statistics(const held_graph& of, nb::handle progress) {
  const graph::graph_statistics made = run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return graph::compute_statistics(of.any(), control);
  });
  return dictionary_of(made, of.visit([](const auto& g) { return g.directed(); }));
}

/// Degrees that occur, and how many vertices have each, of "out", "in" or "simple".
nb::tuple degree_counts(const held_graph& of, const std::string& side, nb::handle progress) {
  const graph::degree_distribution made = run(
      progress, by_arcs(of.any()), [&](const run_control& control) { return graph::count_degrees(of.any(), control); });
  if (side != "out" && side != "in" && side != "simple") {
    throw usage_error(fmt::format("side is '{}': expected 'out', 'in' or 'simple'", side));
  }
  const graph::degree_counts& counts = side == "out" ? made.out : side == "in" ? made.in : made.simple;
  return nb::make_tuple(column_of(counts, &graph::degree_count::degree),
                        column_of(counts, &graph::degree_count::vertices));
}

nb::object largest_component(const held_graph& of, bool strong, nb::handle progress) {
  return to_numpy_flags(run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::largest_component(g, strong, control); });
  }));
}

nb::object core_of(const held_graph& of, std::uint32_t k, nb::handle progress) {
  return to_numpy_flags(run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::core_of(g, k, control); });
  }));
}

nb::object within_hops(const held_graph& of, const column<std::uint64_t>& centres, std::uint32_t hops,
                       nb::handle progress) {
  return to_numpy_flags(run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::within_hops(g, as_span(centres), hops, control); });
  }));
}

held_graph subgraph(const held_graph& of, const column<bool>& chosen, nb::handle progress) {
  graph::vertex_choice choice(chosen.size());
  for (std::size_t v = 0; v < chosen.size(); ++v) choice[v] = static_cast<char>(chosen.data()[v]);
  return held_graph(run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::any_graph(graph::induced_subgraph(g, choice, control)); });
  }));
}

nb::tuple layout(std::uint32_t vertices, const column<std::uint32_t>& from, const column<std::uint32_t>& to,
                 unsigned iterations) {
  std::vector<graph::layout_edge> edges;
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) edges.push_back({from.data()[i], to.data()[i]});
  const auto points = run(nb::none(), place::watched, [&](const run_control& control) {
    return graph::force_layout(vertices, edges, iterations, control);
  });
  return nb::make_tuple(column_of(points, &graph::layout_point::x), column_of(points, &graph::layout_point::y));
}

}  // namespace

void bind_structure(nb::module_& m) {
  m.def("components", &components, nb::arg("graph"), nb::arg("strong") = false, nb::arg("progress") = nb::none());
  m.def("kcore", &kcore, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("count_triangles", &count_triangles, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("clustering", &clustering, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("valued_clustering", &valued_clustering, nb::arg("graph"), nb::arg("directed"), nb::arg("weighted"),
        nb::arg("progress") = nb::none());
  m.def("truss", &truss, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("biconnected", &biconnected, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("topological_order", &topological_order, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("assortativity", &assortativity, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("compare_groups", &compare_groups, nb::arg("a").noconvert(), nb::arg("b").noconvert());
  m.def("spanning_forest", &spanning_forest, nb::arg("graph"), nb::arg("heaviest") = false,
        nb::arg("progress") = nb::none());
  m.def("similarities", &similarities, nb::arg("graph"), nb::arg("source").noconvert(), nb::arg("target").noconvert(),
        nb::arg("measure") = "jaccard", nb::arg("progress") = nb::none());
  m.def("similar_pairs", &similar_pairs, nb::arg("graph"), nb::arg("threshold"), nb::arg("measure") = "jaccard",
        nb::arg("least_common") = 1, nb::arg("progress") = nb::none());
  m.def("most_similar", &most_similar, nb::arg("graph"), nb::arg("count"), nb::arg("measure") = "jaccard",
        nb::arg("least_common") = 1, nb::arg("progress") = nb::none());
  m.def("predicted_links", &predicted_links, nb::arg("graph"), nb::arg("count"), nb::arg("measure") = "adamic-adar",
        nb::arg("least_common") = 1, nb::arg("progress") = nb::none());
  m.def("matching", &matching, nb::arg("graph"), nb::arg("heaviest_first") = false, nb::arg("seed") = 1,
        nb::arg("progress") = nb::none());
  m.def("colouring", &colouring, nb::arg("graph"), nb::arg("order") = "smallest_log_last", nb::arg("seed") = 1,
        nb::arg("progress") = nb::none());
  m.def("independent_set", &independent_set, nb::arg("graph"), nb::arg("seed") = 1, nb::arg("progress") = nb::none());
  m.def("communities", &communities, nb::arg("graph"), nb::arg("method") = "leiden", nb::arg("quality") = "modularity",
        nb::arg("directions") = "follow", nb::arg("resolution") = nb::none(), nb::arg("iterations") = 1,
        nb::arg("seed") = 1, nb::arg("progress") = nb::none());
  m.def("community_quality", &community_quality, nb::arg("graph"), nb::arg("groups").noconvert(),
        nb::arg("quality") = "modularity", nb::arg("directions") = "follow", nb::arg("resolution") = nb::none(),
        nb::arg("progress") = nb::none());
  m.def("walks", &walks, nb::arg("graph"), nb::arg("starts").noconvert(), nb::arg("length") = 80, nb::arg("p") = 1.0,
        nb::arg("q") = 1.0, nb::arg("weighted") = false, nb::arg("seed") = 1, nb::arg("progress") = nb::none());
  m.def("statistics", &statistics, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("degree_counts", &degree_counts, nb::arg("graph"), nb::arg("side") = "out", nb::arg("progress") = nb::none());
  m.def("largest_component", &largest_component, nb::arg("graph"), nb::arg("strong") = false,
        nb::arg("progress") = nb::none());
  m.def("core_of", &core_of, nb::arg("graph"), nb::arg("k"), nb::arg("progress") = nb::none());
  m.def("within_hops", &within_hops, nb::arg("graph"), nb::arg("centres").noconvert(), nb::arg("hops"),
        nb::arg("progress") = nb::none());
  m.def("subgraph", &subgraph, nb::arg("graph"), nb::arg("chosen").noconvert(), nb::arg("progress") = nb::none());
  m.def("layout", &layout, nb::arg("vertices"), nb::arg("source").noconvert(), nb::arg("target").noconvert(),
        nb::arg("iterations") = 300);
}

}  // namespace callisto::python
