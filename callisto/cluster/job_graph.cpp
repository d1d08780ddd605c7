#include <callisto/cluster/betweenness.hpp>
#include <callisto/cluster/bfs.hpp>
#include <callisto/cluster/components.hpp>
#include <callisto/cluster/deal.hpp>
#include <callisto/cluster/job_graph.hpp>
#include <callisto/cluster/kcore.hpp>
#include <callisto/cluster/load_parts.hpp>
#include <callisto/cluster/rank_partners.hpp>
#include <callisto/cluster/sssp.hpp>
#include <callisto/cluster/triangles.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/graph/communities/communities_among.hpp>
#include <callisto/graph/components/merged_forests.hpp>
#include <callisto/graph/csr/statistics_among.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/pagerank/pagerank_among.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::cluster {

namespace {

graph::shared_control control_of(const job_graph& graph) { return {{}, &graph.among()}; }

/// True if a native file is the graph that the options ask for.
bool is_kept_as_is(const graph::any_graph& graph, const graph::load_options& how) {
  return std::visit(
      [&](const auto& g) {
        const bool converted = (how.build.undirected || how.read.undirected) && g.directed();
        return !converted && how.build.loops != graph::loops::remove && (g.has_in() || !how.build.in_edges);
      },
      graph);
}

template <class Vertex>
machine::page_array<std::uint64_t> widened(const machine::page_array<Vertex>& from) {
  machine::page_array<std::uint64_t> wide(from.size());
  std::copy(from.begin(), from.end(), wide.begin());
  return wide;
}

}  // namespace

job_graph::job_graph(graph::any_graph graph, std::unique_ptr<graph::partners> among)
    : graph_(std::move(graph)), among_(std::move(among)) {}

job_graph job_graph::load(const std::string& path, const graph::load_options& options) {
  const bool is_first = global::here().rank == 0;
  const bool maps_here = is_first && options.read.format == graph::file_format::automatic && graph::is_native(path) &&
                         is_kept_as_is(graph::open_native(path), options);
  const bool maps = global::broadcast(std::uint8_t{maps_here}) != 0;
  if (maps) {
    graph::any_graph mapped = graph::open_native(path);
    std::unique_ptr<graph::partners> among = partners_of(mapped);
    return {std::move(mapped), std::move(among)};
  }
  graph::load_report report;
  if (std::optional<parted_graph> parted = load_parts(path, options, {}, report)) {
    auto among = std::make_unique<rank_partners>(std::move(parted->bounds));
    return {std::move(parted->graph), std::move(among)};
  }
  return deal(is_first ? graph::load_graph(path, options) : graph::any_graph());
}

job_graph job_graph::deal(graph::any_graph graph) {
  const std::vector<std::uint64_t> bounds = bounds_of_first(graph);
  deal_graph(graph, bounds);
  return {std::move(graph), std::make_unique<rank_partners>(bounds)};
}

std::uint64_t job_graph::vertices() const noexcept {
  return std::visit([](const auto& g) { return g.vertices(); }, graph_);
}
std::uint64_t job_graph::arcs() const noexcept {
  return std::visit([](const auto& g) { return g.arcs(); }, graph_);
}
bool job_graph::directed() const noexcept {
  return std::visit([](const auto& g) { return g.directed(); }, graph_);
}
bool job_graph::weighted() const noexcept {
  return std::visit([](const auto& g) { return g.weighted(); }, graph_);
}

void job_graph::draw_weights(std::uint64_t seed) { graph_ = with_random_weights(std::move(graph_), seed, *among_, {}); }

graph::graph_statistics statistics(const job_graph& graph) {
  return graph::statistics_among(graph.rows(), control_of(graph));
}

graph::pagerank_result pagerank(const job_graph& graph, const graph::pagerank_options& options) {
  return graph::pagerank_among(graph.rows(), options, control_of(graph));
}

machine::page_array<std::uint64_t> components(const job_graph& graph) {
  return std::visit(
      [&](const auto& g) {
        auto map = widened(components(g, control_of(graph)));
        graph::share_first(graph.among(), map);
        return map;
      },
      graph.rows());
}

graph::communities_result communities(const job_graph& graph, const graph::communities_options& options) {
  return graph::communities_among(graph.rows(), options, control_of(graph));
}

graph::triangles_result count_triangles(const job_graph& graph) {
  return count_triangles(graph.rows(), control_of(graph));
}

graph::clustering_result clustering(const job_graph& graph) {
  return std::visit([&](const auto& g) { return clustering(g, control_of(graph)); }, graph.rows());
}

graph::kcore_result kcore(const job_graph& graph) {
  return std::visit([&](const auto& g) { return kcore(g, control_of(graph)); }, graph.rows());
}

graph::betweenness_result betweenness(const job_graph& graph, const graph::betweenness_options& options) {
  graph::betweenness_result result = betweenness(graph.rows(), options, control_of(graph));
  // Scores come of sums, which rank 0 has.
  const auto deal = [&](machine::page_array<double>& values) {
    if (values.empty()) values = machine::page_array<double>(graph.vertices(), machine::page_kind::used);
    global::deal_parts(std::span(values.data(), graph.vertices()), graph.among().bounds());
  };
  result.sources = global::broadcast(result.sources);
  const bool has_errors = global::broadcast(std::uint8_t{!result.standard_errors.empty()}) != 0;
  deal(result.scores);
  if (has_errors) deal(result.standard_errors);
  return result;
}

search_result bfs(const job_graph& graph, std::uint64_t source) {
  return std::visit(
      [&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
        graph::bfs_result<Vertex> tree = bfs(g, source, {}, control_of(graph));
        search_result found;
        found.parents = machine::page_array<std::uint64_t>(tree.parents.size());
        // Elsewhere than at rank 0 only own vertices have values.
        const bool all = graph.among().tells();
        const std::uint64_t last = all ? g.vertices() : graph.last();
        for (std::uint64_t v = all ? 0 : graph.first(); v != last; ++v) {
          const Vertex parent = tree.parents[v];
          found.parents[v] = parent == graph::bfs_result<Vertex>::no_parent ? search_result::no_parent : parent;
        }
        found.distances = std::move(tree.distances);
        found.reached = tree.reached;
        found.eccentricity = tree.eccentricity;
        return found;
      },
      graph.rows());
}

graph::sssp_result sssp(const job_graph& graph, std::uint64_t source, const graph::sssp_options& options) {
  return std::visit(
      [&](const auto& g) {
        const graph::shared_control control = control_of(graph);
        return sssp(g, source, plan_paths(g, options, control), control);
      },
      graph.rows());
}

}  // namespace callisto::cluster
