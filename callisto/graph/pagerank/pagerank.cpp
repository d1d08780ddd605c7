// PageRank: the checks of arguments, and the iterations for 32-bit vertices.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/hub_places.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/pagerank/iterations.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/pagerank/pagerank_among.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace callisto::graph {

extern template pagerank_result pagerank_of(const csr_graph<std::uint64_t>&, const pagerank_options&,
                                            const shared_control&);

void check_pagerank_arguments(const any_graph& graph, const pagerank_options& options) {
  if (!(options.damping >= 0 && options.damping < 1))
    throw usage_error(fmt::format("damping is {}, expected at least 0 and below 1", options.damping));
  if (!(options.tolerance >= 0))
    throw usage_error(fmt::format("tolerance is {}, expected 0 or more", options.tolerance));
  if (options.weights == weight_use::length) throw usage_error("PageRank takes weights as strengths, not as lengths");
  if (options.iterations == 0) throw usage_error("iterations is 0, expected at least 1");
  std::vector<std::uint64_t> seeds;
  double sum = 0;
  for (const pagerank_seed& seed : options.seeds) {
    if (!(seed.weight > 0)) {
      throw usage_error(fmt::format("a seed's weight is {}, expected a number above 0", seed.weight));
    }
    sum += seed.weight;
    seeds.push_back(seed.vertex);
  }
  if (sum > std::numeric_limits<double>::max()) throw usage_error("the sum of the seeds' weights is not finite");
  std::sort(seeds.begin(), seeds.end());
  if (const auto twice = std::adjacent_find(seeds.begin(), seeds.end()); twice != seeds.end()) {
    throw usage_error(fmt::format("vertex {} is named as a seed more than once", *twice));
  }
  std::visit(
      [&](const auto& g) {
        if (!seeds.empty() && seeds.back() >= g.vertices()) {
          throw usage_error(fmt::format("a seed is vertex {} of a graph that has {}", seeds.back(), g.vertices()));
        }
        if (g.vertices() == 0) throw usage_error("the graph has no vertices, PageRank needs at least 1");
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, along which PageRank pulls");
      },
      graph);
}

pagerank_result pagerank(const any_graph& graph, const pagerank_options& options, const run_control& control) {
  return pagerank_among(graph, options, {control, nullptr});
}

pagerank_result pagerank_among(const any_graph& graph, const pagerank_options& options, const shared_control& control) {
  check_pagerank_arguments(graph, options);
  return std::visit([&](const auto& g) { return pagerank_of(g, options, control); }, graph);
}

std::uint64_t needs::pagerank(const any_graph& graph, bool seeds) noexcept {
  const graph_size s = size_of(graph);
  const bool weighted = std::visit([](const auto& g) { return g.weighted(); }, graph);
  const std::uint64_t scores = (seeds ? 88 : 80) * s.n + (weighted ? 8 * s.n : 0);
  const bool packed =
      !weighted && std::visit(
                       []<class Vertex>(const csr_graph<Vertex>& g) {
                         return g.has_in() && packed_rows<Vertex>::pattern_of(g.in()) != row_pattern::none;
                       },
                       graph);
  if (packed) return scores + s.v * s.m + 24 * s.n + (std::uint64_t{6} << 20);
  // Places are made where there is room for them; the kernel is not refused where there is none.
  const std::uint64_t places = (s.n + s.m) * s.v + s.n + (std::uint64_t{1} << 20);
  const bool has_places = hub_places<std::uint32_t>::may_gain(s.n, s.m) && has_memory(scores + places);
  return has_places ? scores + places : scores;
}

std::uint64_t needs::pagerank_among(const any_graph& graph, const partners& among) {
  return std::visit(
      [&]<class Vertex>(const csr_graph<Vertex>& g) -> std::uint64_t {
        const std::uint64_t all = g.vertices();
        if (all == 0 || !g.has_in()) return 0;
        const std::uint64_t own = among.last() - among.first();
        const bool weighted = g.weighted();
        const std::uint64_t copied = g.in().offsets[among.last()] - g.in().offsets[among.first()];
        const std::uint64_t part = 88 * own + copied * sizeof(Vertex);
        // As if all processes read as much as this one.
        using published = published_pages<double>;
        const std::uint64_t pages = published::read_by(g.in(), among, [&](std::uint64_t v) {
                                      return !weighted && cut_rows<Vertex>::row_is_cut(g.in(), v, among);
                                    }).size();
        if (published::are_many(pages * among.count(), among)) return 18 * all + part;
        return (among.tells() ? 8 * all : 0) + pages * 6144 + part;
      },
      graph);
}

}  // namespace callisto::graph
