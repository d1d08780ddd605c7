// Sequential checks of structures of a graph.
#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/greedy/priority.hpp>
#include <callisto/graph/verify/each_triangle.hpp>
#include <callisto/graph/verify/heap_distances.hpp>
#include <callisto/graph/verify/require.hpp>
#include <callisto/graph/verify/structure.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Calls f(u, v, weight) for each stored out-arc; the weight is 1 in a graph without weights.
template <class Vertex, class Function>
void for_each_arc(const csr_graph<Vertex>& graph, Function f) {
  for (std::uint64_t u = 0; u < graph.vertices(); ++u) {
    for (std::uint64_t a = graph.out().offsets[u]; a != graph.out().offsets[u + 1]; ++a) {
      f(u, std::uint64_t{graph.out().targets[a]}, graph.weighted() ? graph.out().weights[a] : 1.0);
    }
  }
}

/// Returns how alike two vertices are that have `a` and `b` neighbours, and common ones of these `degrees`. Terms of a
/// sum are added by rising degree, as the kernel adds them.
double likeness(similarity_measure measure, std::size_t a, std::size_t b, std::vector<std::uint64_t>& degrees) {
  if (measure == similarity_measure::preferential_attachment) return static_cast<double>(a) * static_cast<double>(b);
  if (degrees.empty()) return 0;
  const auto count = static_cast<double>(degrees.size());
  if (measure == similarity_measure::jaccard) return count / (static_cast<double>(a + b) - count);
  if (measure == similarity_measure::overlap) return count / static_cast<double>(std::min(a, b));
  if (measure == similarity_measure::cosine) return count / std::sqrt(static_cast<double>(a) * static_cast<double>(b));
  if (measure == similarity_measure::common) return count;
  std::sort(degrees.begin(), degrees.end());
  double sum = 0;
  for (const std::uint64_t degree : degrees) {
    const auto d = static_cast<double>(degree);
    if (degree > 1) sum += 1 / (measure == similarity_measure::adamic_adar ? std::log(d) : d);
  }
  return sum;
}

/// Returns every (`size` / `count`)th number below `size`.
std::vector<std::uint64_t> spread(std::uint64_t size, std::uint64_t count) {
  std::vector<std::uint64_t> chosen;
  const std::uint64_t step = std::max<std::uint64_t>(1, count == 0 ? size : size / count);
  for (std::uint64_t v = 0; v < size && chosen.size() < count; v += step) chosen.push_back(v);
  return chosen;
}

/// Returns an edge's ends, the smaller one first.
std::pair<std::uint64_t, std::uint64_t> ends(std::uint64_t u, std::uint64_t v) {
  return {std::min(u, v), std::max(u, v)};
}

template <class Vertex>
std::vector<std::uint64_t> simple_row(const csr_graph<Vertex>& graph, std::uint64_t v) {
  std::vector<std::uint64_t> row;
  for_each_simple_neighbour(graph, v, [&](Vertex w) { row.push_back(w); });
  return row;
}

}  // namespace

template <class Vertex>
void verify_forest(const csr_graph<Vertex>& graph, const forest_options& options, const forest_result& result) {
  std::vector<forest_edge> edges;
  for_each_arc(graph, [&](std::uint64_t u, std::uint64_t v, double weight) {
    if (u != v) edges.push_back({std::min(u, v), std::max(u, v), weight});
  });
  const double sign = options.heaviest ? -1 : 1;
  std::sort(edges.begin(), edges.end(), [&](const forest_edge& a, const forest_edge& b) {
    return std::tuple(sign * a.weight, a.from, a.to) < std::tuple(sign * b.weight, b.from, b.to);
  });
  std::vector<std::uint64_t> above(graph.vertices());
  std::iota(above.begin(), above.end(), std::uint64_t{0});
  const auto root = [&](std::uint64_t v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
  };
  std::vector<forest_edge> forest;
  double weight = 0;
  for (const forest_edge& edge : edges) {
    const std::uint64_t a = root(edge.from);
    const std::uint64_t b = root(edge.to);
    if (a == b) continue;
    above[std::max(a, b)] = std::min(a, b);
    forest.push_back(edge);
  }
  std::sort(forest.begin(), forest.end(), [](const forest_edge& a, const forest_edge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  for (const forest_edge& edge : forest) weight += edge.weight;
  require(result.edges.size() == forest.size(), "a forest of {} edges, expected {}", result.edges.size(),
          forest.size());
  for (std::size_t i = 0; i < forest.size(); ++i) {
    require(result.edges[i] == forest[i], "edge {} of the forest joins {} and {}, expected {} and {}", i,
            called(graph, result.edges[i].from), called(graph, result.edges[i].to), called(graph, forest[i].from),
            called(graph, forest[i].to));
  }
  require(result.weight == weight || (std::isnan(result.weight) && std::isnan(weight)), "weight {}, expected {}",
          result.weight, weight);
  require(result.trees == graph.vertices() - forest.size(), "{} trees, expected {}", result.trees,
          graph.vertices() - forest.size());
}

template <class Vertex>
void verify_truss(const csr_graph<Vertex>& graph, const truss_result<Vertex>& result, const run_control& control) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  for (std::uint64_t u = 0; u < graph.vertices(); ++u) {
    for (const std::uint64_t v : simple_row(graph, u)) {
      if (u < v) edges.emplace_back(u, v);
    }
  }
  require(result.trussness.size() == edges.size(), "{} edges, expected {}", result.trussness.size(), edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    require(std::pair<std::uint64_t, std::uint64_t>(result.from[e], result.to[e]) == edges[e], "edge {} is misplaced",
            e);
  }
  const auto number = [&](std::uint64_t u, std::uint64_t v) {
    const auto at = std::lower_bound(edges.begin(), edges.end(), ends(u, v));
    return at != edges.end() && *at == ends(u, v) ? static_cast<std::size_t>(at - edges.begin()) : edges.size();
  };
  std::vector<std::uint32_t> left(edges.size());
  for_each_triangle(graph, control, [&](Vertex u, Vertex v, Vertex w) {
    ++left[number(u, v)];
    ++left[number(u, w)];
    ++left[number(v, w)];
  });
  using waiting = std::pair<std::uint32_t, std::size_t>;
  std::priority_queue<waiting, std::vector<waiting>, std::greater<>> heap;
  for (std::size_t e = 0; e < edges.size(); ++e) heap.emplace(left[e], e);
  std::vector<bool> peeled(edges.size());
  sequential_stage checking(control, "checking", edges.size(), "edges");
  std::uint32_t k = 0;
  std::uint32_t highest = 0;
  while (!heap.empty()) {
    const auto [count, e] = heap.top();
    heap.pop();
    if (peeled[e] || count != left[e]) continue;
    checking.step();
    peeled[e] = true;
    k = std::max(k, count);
    highest = k + 2;
    require(result.trussness[e] == k + 2, "trussness {} of the edge between {} and {}, expected {}",
            result.trussness[e], called(graph, edges[e].first), called(graph, edges[e].second), k + 2);
    const auto [u, v] = edges[e];
    const auto of_u = simple_row(graph, u);
    for (const std::uint64_t w : simple_row(graph, v)) {
      if (!std::binary_search(of_u.begin(), of_u.end(), w)) continue;
      const std::size_t f = number(u, w);
      const std::size_t g = number(v, w);
      if (peeled[f] || peeled[g]) continue;
      heap.emplace(--left[f], f);
      heap.emplace(--left[g], g);
    }
  }
  require(result.highest == highest, "highest trussness {}, expected {}", result.highest, highest);
  const auto innermost =
      static_cast<std::uint64_t>(std::count(result.trussness.begin(), result.trussness.end(), highest));
  require(result.innermost == innermost, "{} edges of the highest trussness, expected {}", result.innermost, innermost);
}

template <class Vertex>
void verify_independent_set(const csr_graph<Vertex>& graph, const independent_set_options& options,
                            const independent_set_result& result) {
  const vertex_order order(options.seed);
  std::vector<std::uint64_t> vertices(graph.vertices());
  std::iota(vertices.begin(), vertices.end(), std::uint64_t{0});
  std::sort(vertices.begin(), vertices.end(), [&](std::uint64_t u, std::uint64_t v) { return order.before(u, v); });
  std::vector<char> out(graph.vertices());
  std::uint64_t size = 0;
  for (const std::uint64_t v : vertices) {
    require(result.members[v] == (out[v] != 0 ? 0 : 1), "vertex {} is {} the set", called(graph, v),
            out[v] != 0 ? "wrongly in" : "missing from");
    if (out[v] != 0) continue;
    ++size;
    for_each_neighbour(graph, v, [&](Vertex w) { out[w] = 1; });
  }
  require(result.size == size, "{} members, expected {}", result.size, size);
}

template <class Vertex>
void verify_colouring(const csr_graph<Vertex>& graph, const colouring_result& result) {
  std::uint32_t count = 0;
  std::vector<std::uint64_t> seen_at;  // by colour: the vertex, plus one, with a neighbour that has it
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    const std::uint32_t colour = result.colours[v];
    count = std::max(count, colour + 1);
    std::uint64_t smaller = 0;
    for_each_neighbour(graph, v, [&](Vertex w) {
      const std::uint32_t other = result.colours[w];
      require(other != colour, "vertices {} and {} have the same colour", called(graph, v), called(graph, w));
      if (other > colour) return;
      if (seen_at.size() <= other) seen_at.resize(other + std::size_t{1});
      if (std::exchange(seen_at[other], v + 1) != v + 1) ++smaller;
    });
    require(smaller == colour, "vertex {} has colour {}, but a smaller one is free", called(graph, v), colour);
  }
  require(result.count == count, "{} colours, expected {}", result.count, count);
}

template <class Vertex>
void verify_matching(const csr_graph<Vertex>& graph, const matching_options& options,
                     const matching_result<Vertex>& result) {
  constexpr Vertex single = matching_result<Vertex>::single;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> weights;  // of the edges taken
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    const Vertex w = result.partners[v];
    if (w == single) continue;
    require(w < graph.vertices() && w != v && result.partners[w] == v, "vertex {} has a partner that has another",
            called(graph, v));
  }
  for_each_arc(graph, [&](std::uint64_t u, std::uint64_t v, double weight) {
    if (u == v || result.partners[u] != v) return;
    double& now = weights.try_emplace(ends(u, v), weight).first->second;
    now = std::max(now, weight);
  });
  double sum = 0;
  std::uint64_t edges = 0;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    const std::uint64_t w = result.partners[v];
    if (w == single || w < v) continue;
    const auto at = weights.find({v, w});
    require(at != weights.end(), "vertices {} and {} are partners, but no neighbours", called(graph, v),
            called(graph, w));
    sum += at->second;
    ++edges;
  }
  require(result.edges == edges, "{} edges, expected {}", result.edges, edges);
  require(result.weight == sum, "weight {}, expected {}", result.weight, sum);
  const auto weight_at = [&](std::uint64_t v) {
    if (result.partners[v] == single) return -1.0;
    return weights.at(ends(v, result.partners[v]));
  };
  for_each_arc(graph, [&](std::uint64_t u, std::uint64_t v, double weight) {
    if (u == v) return;
    require(result.partners[u] != single || result.partners[v] != single, "vertices {} and {} could be matched",
            called(graph, u), called(graph, v));
    require(!options.heaviest_first || std::max(weight_at(u), weight_at(v)) >= weight,
            "the edge between {} and {} is heavier than those taken there", called(graph, u), called(graph, v));
  });
}

template <class Vertex>
void verify_eccentricities(const csr_graph<Vertex>& graph, const eccentricity_options& options,
                           const eccentricity_result& result, std::uint64_t searches, const run_control& control) {
  std::vector<const adjacency<Vertex>*> rows;
  if (options.along != path_direction::in) rows.push_back(&graph.out());
  if (options.along != path_direction::out) rows.push_back(&graph.in());
  const std::vector<std::uint64_t> sources = spread(graph.vertices(), searches);
  sequential_stage checking(control, "checking", sources.size(), "searches");
  for (const std::uint64_t source : sources) {
    checking.step();
    double largest = 0;
    for (const double distance : heap_distances<Vertex>(rows, source, options.weighted)) {
      if (!std::isinf(distance)) largest = std::max(largest, distance);
    }
    require(std::abs(result.eccentricities[source] - largest) <= 1e-9 * largest,
            "eccentricity {} of vertex {}, expected {}", result.eccentricities[source], called(graph, source), largest);
  }
  double diameter = 0;
  for (const double e : result.eccentricities) diameter = std::max(diameter, e);
  require(result.diameter == diameter, "diameter {}, expected {}", result.diameter, diameter);
  const auto periphery =
      static_cast<std::uint64_t>(std::count(result.eccentricities.begin(), result.eccentricities.end(), diameter));
  require(result.periphery == periphery, "{} vertices in the periphery, expected {}", result.periphery, periphery);
}

template <class Vertex>
void verify_valued_clustering(const csr_graph<Vertex>& graph, const valued_clustering_options& options,
                              const valued_clustering_result& result, const run_control& control) {
  double most = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> arcs;
  for_each_arc(graph, [&](std::uint64_t, std::uint64_t, double weight) { most = std::max(most, weight); });
  for_each_arc(graph, [&](std::uint64_t u, std::uint64_t v, double weight) {
    const double value = !options.weighted ? 1 : most == 0 ? 0 : std::cbrt(weight / most);
    if (u != v) arcs.try_emplace({u, v}, value);
  });
  const bool directed = graph.directed() && options.directed;
  const auto value = [&](std::uint64_t u, std::uint64_t v) {
    const auto of = [&](std::uint64_t a, std::uint64_t b) {
      const auto at = arcs.find({a, b});
      return at == arcs.end() ? 0.0 : at->second;
    };
    if (!graph.directed()) return of(u, v);
    return directed ? of(u, v) + of(v, u) : std::max(of(u, v), of(v, u));
  };
  std::vector<double> sums(graph.vertices());
  for_each_triangle(graph, control, [&](Vertex u, Vertex v, Vertex w) {
    const double product = value(u, v) * value(v, w) * value(u, w);
    sums[u] += product;
    sums[v] += product;
    sums[w] += product;
  });
  double average = 0;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    double degree = 0;
    double both = 0;
    for (const std::uint64_t w : simple_row(graph, v)) {
      const bool two = arcs.contains({v, w}) && arcs.contains({w, v});
      degree += directed && two ? 2 : 1;
      both += directed && two ? 1 : 0;
    }
    const double pairs = directed ? degree * (degree - 1) - 2 * both : degree * (degree - 1) / 2;
    const double expected = sums[v] == 0 ? 0 : sums[v] / pairs;
    average += expected;
    require(std::abs(result.coefficients[v] - expected) <= 1e-9 * expected, "coefficient {} of vertex {}, expected {}",
            result.coefficients[v], called(graph, v), expected);
  }
  if (graph.vertices() != 0) average /= static_cast<double>(graph.vertices());
  require(std::abs(result.average - average) <= 1e-9 * average, "average {}, expected {}", result.average, average);
}

template <class Vertex>
void verify_similarity(const csr_graph<Vertex>& graph, double threshold, std::uint64_t most,
                       const similarity_options& options, std::span<const similar_pair> result, std::uint64_t vertices,
                       const run_control& control) {
  const std::vector<std::uint64_t> chosen = spread(graph.vertices(), vertices);
  sequential_stage checking(control, "checking", chosen.size(), "vertices");
  std::vector<std::vector<similar_pair>> by_vertex(graph.vertices());
  for (const similar_pair& pair : result) {
    by_vertex[pair.from].push_back(pair);
    if (most == 0) by_vertex[pair.to].push_back({pair.to, pair.from, pair.value});
  }
  const auto better = [](const similar_pair& a, const similar_pair& b) {
    return a.value != b.value ? a.value > b.value : a.to < b.to;
  };
  for (const std::uint64_t u : chosen) {
    checking.step();
    const auto row = simple_row(graph, u);
    std::map<std::uint64_t, std::vector<std::uint64_t>> common;  // degrees of common neighbours
    for (const std::uint64_t w : row) {
      const auto around = simple_row(graph, w);
      for (const std::uint64_t v : around) {
        if (v != u) common[v].push_back(around.size());
      }
    }
    std::vector<similar_pair> expected;
    for (auto& [v, degrees] : common) {
      const double value = likeness(options.measure, row.size(), simple_row(graph, v).size(), degrees);
      if (degrees.size() >= options.least_common && value >= threshold) expected.push_back({u, v, value});
    }
    std::sort(expected.begin(), expected.end(), better);
    if (most != 0 && expected.size() > most) expected.resize(most);
    std::vector<similar_pair>& found = by_vertex[u];
    if (most == 0) std::sort(found.begin(), found.end(), better);
    require(found.size() == expected.size(), "vertex {} has {} similar vertices, expected {}", called(graph, u),
            found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      require(found[i] == expected[i], "vertices {} and {} have similarity {}, expected {} and {}", called(graph, u),
              called(graph, found[i].to), found[i].value, called(graph, expected[i].to), expected[i].value);
    }
  }
}

template <class Vertex>
void verify_similarity_of_pairs(const csr_graph<Vertex>& graph, similarity_measure measure,
                                std::span<const similar_pair> pairs) {
  for (const similar_pair& pair : pairs) {
    const auto a = simple_row(graph, pair.from);
    const auto b = simple_row(graph, pair.to);
    std::vector<std::uint64_t> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    for (std::uint64_t& w : common) w = simple_row(graph, w).size();
    const double expected = likeness(measure, a.size(), b.size(), common);
    require(pair.value == expected, "vertices {} and {} have similarity {}, expected {}", called(graph, pair.from),
            called(graph, pair.to), pair.value, expected);
  }
}

template <class Vertex>
void verify_predicted_links(const csr_graph<Vertex>& graph, std::uint64_t count, const similarity_options& options,
                            std::span<const similar_pair> result, std::uint64_t vertices, const run_control& control) {
  verify_similarity_of_pairs(graph, options.measure, result);
  require(result.size() <= count, "{} links, expected at most {}", result.size(), count);
  std::set<std::pair<std::uint64_t, std::uint64_t>> found;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto& [u, v, value] = result[i];
    require(u < v && found.emplace(u, v).second, "the link of {} and {} repeats", called(graph, u), called(graph, v));
    require(i == 0 || result[i - 1].value >= value, "a better link stands behind {} and {}", called(graph, u),
            called(graph, v));
    const auto row = simple_row(graph, u);
    require(std::find(row.begin(), row.end(), v) == row.end(), "{} and {} have an edge", called(graph, u),
            called(graph, v));
  }
  const bool all = result.size() < count;  // none is left out
  const double worst = result.empty() ? 0 : result.back().value;
  const std::vector<std::uint64_t> chosen = spread(graph.vertices(), vertices);
  sequential_stage checking(control, "checking", chosen.size(), "vertices");
  for (const std::uint64_t u : chosen) {
    checking.step();
    const auto row = simple_row(graph, u);
    for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
      if (v == u || found.contains(ends(u, v)) || std::find(row.begin(), row.end(), v) != row.end()) continue;
      const auto other = simple_row(graph, v);
      std::vector<std::uint64_t> common;
      std::set_intersection(row.begin(), row.end(), other.begin(), other.end(), std::back_inserter(common));
      const bool counts =
          options.measure == similarity_measure::preferential_attachment || common.size() >= options.least_common;
      for (std::uint64_t& w : common) w = simple_row(graph, w).size();
      const double value = likeness(options.measure, row.size(), other.size(), common);
      require(!counts || (all ? value == 0 : value <= worst), "{} and {} are alike by {}, more than a link",
              called(graph, u), called(graph, v), value);
    }
  }
}

template <class Vertex>
void verify_walk(const csr_graph<Vertex>& graph, bool weighted, std::span<const Vertex> walk) {
  for (std::size_t i = 1; i < walk.size(); ++i) {
    const auto [first, last] = arcs_between(graph.out(), walk[i - 1], walk[i]);
    bool found = false;
    for (std::uint64_t a = first; a != last; ++a) found = found || !weighted || graph.out().weights[a] > 0;
    require(found, "a walk goes from {} to {}, where no arc leads", called(graph, walk[i - 1]), called(graph, walk[i]));
  }
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                                  \
  template CALLISTO_API void verify_predicted_links(const csr_graph<Vertex>&, std::uint64_t,                          \
                                                    const similarity_options&, std::span<const similar_pair>,         \
                                                    std::uint64_t, const run_control&);                               \
  template CALLISTO_API void verify_forest(const csr_graph<Vertex>&, const forest_options&, const forest_result&);    \
  template CALLISTO_API void verify_truss(const csr_graph<Vertex>&, const truss_result<Vertex>&, const run_control&); \
  template CALLISTO_API void verify_independent_set(const csr_graph<Vertex>&, const independent_set_options&,         \
                                                    const independent_set_result&);                                   \
  template CALLISTO_API void verify_colouring(const csr_graph<Vertex>&, const colouring_result&);                     \
  template CALLISTO_API void verify_matching(const csr_graph<Vertex>&, const matching_options&,                       \
                                             const matching_result<Vertex>&);                                         \
  template CALLISTO_API void verify_eccentricities(const csr_graph<Vertex>&, const eccentricity_options&,             \
                                                   const eccentricity_result&, std::uint64_t, const run_control&);    \
  template CALLISTO_API void verify_valued_clustering(const csr_graph<Vertex>&, const valued_clustering_options&,     \
                                                      const valued_clustering_result&, const run_control&);           \
  template CALLISTO_API void verify_similarity(const csr_graph<Vertex>&, double, std::uint64_t,                       \
                                               const similarity_options&, std::span<const similar_pair>,              \
                                               std::uint64_t, const run_control&);                                    \
  template CALLISTO_API void verify_similarity_of_pairs(const csr_graph<Vertex>&, similarity_measure,                 \
                                                        std::span<const similar_pair>);                               \
  template CALLISTO_API void verify_walk(const csr_graph<Vertex>&, bool, std::span<const Vertex>);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

}  // namespace callisto::graph
