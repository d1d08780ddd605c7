// Kernels that only the NetworkX backend has, and kernels with answers in another form than those of kernels_*.cpp.
#include "networkx_kernels.hpp"
#include "arrays.hpp"
#include "run.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

using graph::any_graph;
using graph::run_control;
using csr = graph::csr_graph<std::uint32_t>;

/// Runs kernel(any_graph, control); `brief`: it looks at each arc a few times.
template <class F>
auto run_on(const held_graph& of, bool brief, F&& kernel) {
  return run(nb::none(), brief ? by_arcs(of.any()) : place::watched,
             [&](const run_control& control) { return kernel(of.any(), control); });
}

/// Runs kernel(csr_graph, control): graphs of NetworkX have 32-bit vertices.
template <class F>
auto run_on_rows(const held_graph& of, bool brief, F&& kernel) {
  return run_on(of, brief,
                [&](const any_graph& g, const run_control& control) { return kernel(std::get<csr>(g), control); });
}

/// Returns the scores by edge, ascending by ends.
std::vector<std::pair<std::pair<std::uint64_t, std::uint64_t>, double>> edge_betweenness(
    const held_graph& of, const std::vector<std::uint64_t>& from, bool normalized, bool weights) {
  const graph::betweenness_options options{
      .from = from, .normalized = normalized, .weights = weights ? graph::weight_use::length : graph::weight_use::none};
  const auto made = run_on(of, false, [&](const any_graph& g, const run_control& control) {
    return graph::edge_betweenness(g, options, control);
  });
  std::vector<std::pair<std::pair<std::uint64_t, std::uint64_t>, double>> scores;
  scores.reserve(made.edges.size());
  for (const auto& e : made.edges) scores.push_back({{e.from, e.to}, e.score});
  return scores;
}

std::uint64_t component_count(const held_graph& of, bool strong) {
  return run_on_rows(of, true, [&](const csr& g, const run_control& control) {
    const auto map = strong ? graph::strong_components(g, control) : graph::components(g, control);
    std::uint64_t count = 0;
    for (std::uint64_t v = 0; v < map.size(); ++v) count += map[v] == v ? 1 : 0;
    return count;
  });
}

/// Returns the arcs (from, to) of the k-truss, ascending, as two arrays.
nb::tuple truss(const held_graph& of, std::uint32_t k) {
  const auto made =
      run_on_rows(of, false, [](const csr& g, const run_control& control) { return graph::truss(g, control); });
  std::vector<std::uint32_t> from;
  std::vector<std::uint32_t> to;
  for (std::size_t i = 0; i < made.trussness.size(); ++i) {
    if (made.trussness[i] < k) continue;
    from.push_back(made.from[i]);
    to.push_back(made.to[i]);
  }
  return nb::make_tuple(to_numpy(std::move(from)), to_numpy(std::move(to)));
}

/// Returns by vertex the smallest of its community.
std::vector<std::uint64_t> communities(const held_graph& of, bool leiden, double resolution, std::uint64_t seed) {
  const graph::communities_options options{
      .method = leiden ? graph::community_method::leiden : graph::community_method::louvain,
      .resolution = resolution,
      .seed = seed};
  const auto made = run_on(of, false, [&](const any_graph& g, const run_control& control) {
    return graph::communities(g, options, control);
  });
  return {made.of.begin(), made.of.end()};
}

double modularity(const held_graph& of, const std::vector<std::uint64_t>& groups, double resolution) {
  machine::page_array<std::uint64_t> map(groups.size());
  std::copy(groups.begin(), groups.end(), map.data());
  const graph::communities_options options{.resolution = resolution};
  return run_on(of, true, [&](const any_graph& g, const run_control& control) {
    return graph::quality(g, map, options, control);
  });
}

/// Returns the maximal independent set that the seed chooses, ascending.
std::vector<std::uint32_t> independent_set(const held_graph& of, std::uint64_t seed) {
  const graph::independent_set_options options{.seed = seed};
  const auto made = run_on_rows(of, true, [&](const csr& g, const run_control& control) {
    return graph::maximal_independent_set(g, options, control);
  });
  std::vector<std::uint32_t> members;
  for (std::uint32_t v = 0; v < made.members.size(); ++v) {
    if (made.members[v] != 0) members.push_back(v);
  }
  return members;
}

enum class likeness { common, jaccard, adamic_adar, resource_allocation };

/// Returns how alike the ends of each pair are by the neighbours in their rows, loops included. `degrees`: by vertex.
std::vector<double> alike(const held_graph& of, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                          int measure, const std::vector<std::int64_t>& degrees) {
  return run_on_rows(of, pairs.size() < 1000, [&](const csr& g, const run_control& control) {
    std::vector<double> values;
    values.reserve(pairs.size());
    std::vector<std::uint32_t> common;
    for (const auto& [u, v] : pairs) {
      control.check();
      const auto a = g.out().row(u);
      const auto b = g.out().row(v);
      common.clear();
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
      std::erase_if(common, [u = u, v = v](std::uint32_t w) { return w == u || w == v; });
      double value = 0;
      switch (static_cast<likeness>(measure)) {
        case likeness::common:
          value = static_cast<double>(common.size());
          break;
        case likeness::jaccard: {
          std::uint64_t either = 0;
          std::vector<std::uint32_t> all;
          std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
          either = all.size();
          value = either == 0 ? -1 : static_cast<double>(common.size()) / static_cast<double>(either);
          break;
        }
        case likeness::adamic_adar:
          for (const std::uint32_t w : common) value += 1 / std::log(static_cast<double>(degrees[w]));
          break;
        case likeness::resource_allocation:
          for (const std::uint32_t w : common) value += 1 / static_cast<double>(degrees[w]);
          break;
      }
      values.push_back(value);
    }
    return values;
  });
}

/// Returns by vertex the squares through it by those that could be, as NetworkX's square_clustering(); -1 if none
/// could be. Loops play no part.
nb::object square_clustering(const held_graph& of) {
  return to_numpy(run_on_rows(of, false, [](const csr& g, const run_control& control) {
    const std::uint64_t n = g.vertices();
    const auto degree = [&](std::uint64_t v) {
      const auto row = g.out().row(v);
      return row.size() - (std::binary_search(row.begin(), row.end(), static_cast<std::uint32_t>(v)) ? 1 : 0);
    };
    machine::page_array<double> made(n);
    std::vector<std::uint64_t> ways(n);  // by vertex: how many of v's neighbours it neighbours
    std::vector<std::uint32_t> met;
    std::vector<char> near(n);
    for (std::uint64_t v = 0; v < n; ++v) {
      control.check();
      const std::uint64_t d = degree(v);
      made[v] = -1;
      if (d < 2) continue;
      for (const std::uint32_t u : g.out().row(v)) near[u] = 1;
      std::uint64_t degrees = 0;
      std::uint64_t triangles = 0;
      std::uint64_t squares = 0;
      met.clear();
      for (const std::uint32_t u : g.out().row(v)) {
        if (u == v) continue;
        degrees += degree(u);
        for (const std::uint32_t w : g.out().row(u)) {
          if (w == v || w == u) continue;
          if (ways[w]++ == 0) met.push_back(w);
        }
      }
      for (const std::uint32_t w : met) {
        if (near[w]) triangles += ways[w];
        squares += ways[w] * (ways[w] - 1);
        ways[w] = 0;
      }
      squares /= 2;
      for (const std::uint32_t u : g.out().row(v)) near[u] = 0;
      const auto potential = static_cast<double>(degrees * (d - 1)) - static_cast<double>(d * (d - 1)) -
                             static_cast<double>(triangles) - static_cast<double>(squares);
      if (potential > 0) made[v] = static_cast<double>(squares) / potential;
    }
    return made;
  }));
}

}  // namespace

void bind_networkx_kernels(nb::module_& m) {
  m.def("nx_edge_betweenness", &edge_betweenness);
  m.def("nx_component_count", &component_count);
  m.def("nx_truss", &truss);
  m.def("nx_communities", &communities);
  m.def("nx_modularity", &modularity);
  m.def("nx_independent_set", &independent_set);
  m.def("nx_alike", &alike);
  m.def("nx_square_clustering", &square_clustering);
}

}  // namespace callisto::python
