// The sequential check of communities.
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/verify/communities.hpp>
#include <callisto/graph/verify/require.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Bound on the difference of two sums of the same terms in different orders.
constexpr double tolerance = 1e-9;
/// Bound on the rounding of weights before labels are compared, as a share of their sum.
constexpr double rounding = 1e-12;

template <class Vertex>
void check(const csr_graph<Vertex>& graph, const communities_options& options, const communities_result& result) {
  const std::uint64_t n = graph.vertices();
  const auto& out = graph.out();
  const auto& of = result.of;
  require(of.size() == n, "communities of {} vertices, expected {}", of.size(), n);
  std::uint64_t communities = 0;
  for (std::uint64_t v = 0; v < n; ++v) {
    require(of[v] <= v && of[of[v]] == of[v], "vertex {} is in the community of {}, which is not its smallest vertex",
            graph.label(v), of[v] < n ? graph.label(of[v]) : of[v]);
    if (of[v] == v) ++communities;
  }
  require(result.communities == communities, "{} communities, expected {}", result.communities, communities);

  std::vector<double> volume(n);  // by the vertex that names a community
  double inside = 0;
  double all = 0;
  const auto weight = [&](std::uint64_t v, std::uint64_t a) {
    return (out.weights.empty() ? 1 : out.weights[a]) * (out.targets[a] == v ? 2 : 1);
  };
  double largest = 0;  // unit of weights, so that no sum is infinite
  for (std::uint64_t a = 0; a < out.weights.size(); ++a) largest = std::max(largest, out.weights[a]);
  const double unit = largest == 0 ? 1 : largest;
  for (std::uint64_t v = 0; v < n; ++v) {
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      const double w = weight(v, a) / unit;
      volume[of[v]] += w;
      all += w;
      if (of[v] == of[out.targets[a]]) inside += w;
    }
  }
  double modularity = 0;
  if (all != 0) {
    modularity = inside / all;
    for (const double v : volume) modularity -= options.resolution * (v / all) * (v / all);
  }
  require(std::fabs(result.modularity - modularity) <= tolerance * (1 + options.resolution),
          "modularity {}, expected {}", result.modularity, modularity);
  if (!result.converged || all == 0) return;

  std::vector<std::uint64_t> members(n);  // sorted by community
  std::iota(members.begin(), members.end(), std::uint64_t{0});
  std::sort(members.begin(), members.end(),
            [&](std::uint64_t a, std::uint64_t b) { return of[a] != of[b] ? of[a] < of[b] : a < b; });
  std::vector<double> between(n);  // by community: weight of the edges to it from what look() has seen
  std::vector<std::uint64_t> met;
  const auto look = [&](std::uint64_t v) {
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      if (out.targets[a] == v) continue;
      const std::uint64_t c = of[out.targets[a]];
      if (between[c] == 0) met.push_back(c);
      between[c] += weight(v, a) / unit;
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
        require(between[c] <= between[of[v]] * (1 + tolerance) + rounding * all,
                "vertex {} has neighbours of weight {} in the community of {}, of {} in its own, that of {}",
                graph.label(v), between[c] * unit, graph.label(c), between[of[v]] * unit, graph.label(of[v]));
      }
      forget();
    }
    return;
  }
  for (std::uint64_t i = 0; i < n;) {
    const std::uint64_t own = of[members[i]];
    for (; i < n && of[members[i]] == own; ++i) look(members[i]);
    for (const std::uint64_t c : met) {
      if (c == own) continue;
      const double gain = 2 * (between[c] / all - options.resolution * (volume[own] / all) * (volume[c] / all));
      require(gain <= tolerance, "joining the communities of {} and {} raises modularity by {}", graph.label(own),
              graph.label(c), gain);
    }
    forget();
  }
}

}  // namespace

void verify_communities(const any_graph& graph, const communities_options& options, const communities_result& result) {
  std::visit(
      [&](const auto& g) {
        if (g.directed()) {
          verify_communities(symmetrized(graph), options, result);
        } else {
          check(g, options, result);
        }
      },
      graph);
}

}  // namespace callisto::graph
