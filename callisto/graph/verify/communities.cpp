// The sequential check of communities.
#include <callisto/graph/verify/communities.hpp>
#include <callisto/graph/verify/require.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Bound on the difference of two sums of the same terms in different orders.
constexpr double tolerance = 1e-9;
/// Bound on the rounding of weights before labels are compared, as a share of their sum.
constexpr double modularity_rounding = 1e-12;

/// The ties of each vertex in both directions, loops twice, with weights as shares of the largest.
struct tie_rows {
  std::vector<std::uint64_t> begins;
  std::vector<std::pair<std::uint64_t, double>> ties;
  std::vector<double> out;  ///< strengths
  std::vector<double> in;
  double unit = 1;  ///< the largest weight, whatever its sign; so no sum is infinite
};

template <class Vertex>
tie_rows ties_of(const csr_graph<Vertex>& graph) {
  const std::uint64_t n = graph.vertices();
  const auto& out = graph.out();
  tie_rows rows{std::vector<std::uint64_t>(n + 1), {}, std::vector<double>(n), std::vector<double>(n)};
  double largest = 0;
  for (std::uint64_t a = 0; a < out.weights.size(); ++a) largest = std::max(largest, std::fabs(out.weights[a]));
  if (largest != 0) rows.unit = largest;
  const auto each_tie = [&](auto f) {
    for (std::uint64_t v = 0; v < n; ++v) {
      for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
        const double w = (out.weights.empty() ? 1 : out.weights[a]) / rows.unit;
        const std::uint64_t to = out.targets[a];
        f(v, to, w);
        if (graph.directed() || to == v) f(to, v, w);
      }
    }
  };
  each_tie([&](std::uint64_t v, std::uint64_t, double) { ++rows.begins[v + 1]; });
  std::partial_sum(rows.begins.begin(), rows.begins.end(), rows.begins.begin());
  rows.ties.resize(rows.begins.back());
  std::vector<std::uint64_t> at(rows.begins.begin(), rows.begins.end() - 1);
  each_tie([&](std::uint64_t v, std::uint64_t to, double w) { rows.ties[at[v]++] = {to, w}; });
  for (std::uint64_t v = 0; v < n; ++v) {
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      const double w = (out.weights.empty() ? 1 : out.weights[a]) / rows.unit;
      const double times = !graph.directed() && out.targets[a] == v ? 2 : 1;
      rows.out[v] += times * w;
      rows.in[out.targets[a]] += times * w;
    }
  }
  return rows;
}

/// Throws unless the vertices of each community are joined by edges inside of it.
template <class Vertex>
void check_connected(const csr_graph<Vertex>& graph, const tie_rows& rows,
                     const machine::page_array<std::uint64_t>& of) {
  std::vector<char> reached(of.size());
  std::vector<std::uint64_t> waiting;
  for (std::uint64_t v = 0; v < of.size(); ++v) {
    if (reached[v] != 0) continue;
    require(of[v] == v, "the community of {} is not connected: no path inside of it leads to {}", called(graph, of[v]),
            called(graph, v));
    reached[v] = 1;
    waiting.push_back(v);
    while (!waiting.empty()) {
      const std::uint64_t u = waiting.back();
      waiting.pop_back();
      for (std::uint64_t i = rows.begins[u]; i != rows.begins[u + 1]; ++i) {
        const std::uint64_t w = rows.ties[i].first;
        if (of[w] != v || reached[w] != 0) continue;
        reached[w] = 1;
        waiting.push_back(w);
      }
    }
  }
}

template <class Vertex>
void check(const csr_graph<Vertex>& graph, const communities_options& options, const communities_result& result) {
  const std::uint64_t n = graph.vertices();
  const auto& of = result.of;
  require(of.size() == n, "communities of {} vertices, expected {}", of.size(), n);
  std::uint64_t communities = 0;
  for (std::uint64_t v = 0; v < n; ++v) {
    require(of[v] < n, "vertex {} is in community {}, expected a vertex", called(graph, v), of[v]);
    require(of[v] <= v && of[of[v]] == of[v], "vertex {} is in the community of {}, which is not its smallest vertex",
            called(graph, v), called(graph, of[v]));
    if (of[v] == v) ++communities;
  }
  require(result.communities == communities, "{} communities, expected {}", result.communities, communities);
  tie_rows rows = ties_of(graph);
  check_connected(graph, rows, of);

  // Both directions of each edge count, in `inside` and `all`.
  const bool cpm = options.quality == community_quality::cpm;
  if (graph.directed() && options.directions == community_directions::ignore) {
    for (std::uint64_t v = 0; v < n; ++v) rows.out[v] = rows.in[v] = rows.out[v] + rows.in[v];
  }
  // Of weights of both signs the sum says nothing: CPM is measured by what they are without their signs.
  double all = std::accumulate(rows.out.begin(), rows.out.end(), 0.0);
  if (cpm) {
    all = std::accumulate(rows.ties.begin(), rows.ties.end(), 0.0,
                          [](double sum, const auto& tie) { return sum + std::fabs(tie.second); });
  }
  const double both = graph.directed() && options.directions == community_directions::follow ? 0.5 : 1;
  if (cpm) {
    std::fill(rows.out.begin(), rows.out.end(), 1);
    std::fill(rows.in.begin(), rows.in.end(), 1);
  }
  std::vector<double> out(n);  // by the vertex that names a community
  std::vector<double> in(n);
  double inside = 0;
  for (std::uint64_t v = 0; v < n; ++v) {
    out[of[v]] += rows.out[v];
    in[of[v]] += rows.in[v];
    for (std::uint64_t i = rows.begins[v]; i != rows.begins[v + 1]; ++i) {
      if (of[rows.ties[i].first] == of[v]) inside += both * rows.ties[i].second;
    }
  }
  double expected = 0;
  if (cpm) {
    for (std::uint64_t v = 0; v < n; ++v) expected += out[v] * (out[v] - 1);
    // Of directed graphs `inside` has each arc once or twice.
    const double arcs = graph.directed() ? inside / both / 2 : inside;
    expected = all == 0 ? 0 : (arcs * rows.unit - options.resolution * expected) / (graph.directed() ? 1 : 2);
  } else if (all != 0) {
    for (std::uint64_t v = 0; v < n; ++v) expected += out[v] / all * (in[v] / all);
    expected = inside / all - options.resolution * expected;
  }
  const double size = cpm ? 1 + std::fabs(expected) : 1;
  require(std::fabs(result.quality - expected) <= tolerance * size * (1 + options.resolution), "{} {}, expected {}",
          name_of(options.quality), result.quality, expected);
  if (!result.converged || all == 0) return;

  std::vector<std::uint64_t> members(n);  // sorted by community
  std::iota(members.begin(), members.end(), std::uint64_t{0});
  std::sort(members.begin(), members.end(),
            [&](std::uint64_t a, std::uint64_t b) { return of[a] != of[b] ? of[a] < of[b] : a < b; });
  std::vector<double> between(n);  // by community: weight of the ties to it from what look() has seen
  std::vector<std::uint64_t> met;
  const auto look = [&](std::uint64_t v) {
    for (std::uint64_t i = rows.begins[v]; i != rows.begins[v + 1]; ++i) {
      const auto& [w, weight] = rows.ties[i];
      if (w == v) continue;
      if (between[of[w]] == 0) met.push_back(of[w]);
      between[of[w]] += weight;
    }
  };
  const auto forget = [&] {
    for (const std::uint64_t c : met) between[c] = 0;
    met.clear();
  };
  if (options.method == community_method::labels) {
    for (std::uint64_t v = 0; v < n; ++v) {
      look(v);
      for (const std::uint64_t c : met) {
        require(between[c] <= between[of[v]] * (1 + tolerance) + modularity_rounding * all,
                "vertex {} has neighbours of weight {} in the community of {}, of {} in its own, that of {}",
                called(graph, v), between[c] * rows.unit, called(graph, c), between[of[v]] * rows.unit,
                called(graph, of[v]));
      }
      forget();
    }
    return;
  }
  for (std::size_t i = 0; i < n;) {
    const std::uint64_t own = of[members[i]];
    for (; i < n && of[members[i]] == own; ++i) look(members[i]);
    for (const std::uint64_t c : met) {
      if (c == own) continue;
      double gain = 0;
      if (cpm) {
        gain = (between[c] * rows.unit - options.resolution * out[own] * out[c] * (graph.directed() ? 2 : 1)) /
               (all * rows.unit);
      } else {
        const double chance = out[own] / all * (in[c] / all) + in[own] / all * (out[c] / all);
        gain = 2 * both * between[c] / all - options.resolution * chance;
      }
      require(gain <= tolerance * (1 + options.resolution), "joining the communities of {} and {} raises {} by {}",
              called(graph, own), called(graph, c), name_of(options.quality), gain);
    }
    forget();
  }
}

}  // namespace

void verify_communities(const any_graph& graph, const communities_options& options, const communities_result& result) {
  std::visit([&](const auto& g) { check(g, options, result); }, graph);
  for (std::size_t i = 0; i < result.hierarchy.size(); ++i) {
    const communities_result::division& division = result.hierarchy[i];
    communities_result level;
    level.of = machine::page_array<std::uint64_t>(division.of.size());
    std::copy(division.of.begin(), division.of.end(), level.of.begin());
    level.communities = division.communities;
    level.quality = division.quality;  // and not converged: the next level is better
    std::visit([&](const auto& g) { check(g, options, level); }, graph);
    const auto& next = i + 1 < result.hierarchy.size() ? result.hierarchy[i + 1].of : result.of;
    for (std::uint64_t v = 0; v < division.of.size(); ++v) {
      require(next[v] == next[division.of[v]], "level {} divides the community of {} of the level before", i + 2, v);
    }
  }
}

}  // namespace callisto::graph
