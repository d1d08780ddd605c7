// Runs the kernels of an overview.
#include <callisto/app/graph/overview.hpp>

#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/groups.hpp>
#include <callisto/cluster/betweenness.hpp>
#include <callisto/cluster/components.hpp>
#include <callisto/cluster/deal.hpp>
#include <callisto/cluster/distances.hpp>
#include <callisto/cluster/memory.hpp>
#include <callisto/cluster/triangles.hpp>
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/communities/communities_among.hpp>
#include <callisto/graph/components/merged_forests.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/csr/statistics_among.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/pagerank/pagerank_among.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <new>
#include <string_view>
#include <variant>

namespace callisto::app {
namespace {

/// Unless the user says otherwise, betweenness looks at this many arcs: seconds on two threads.
constexpr std::uint64_t betweenness_arcs = std::uint64_t{1} << 31;
/// Scores of betweenness are exact if that takes at most this many looks at arcs.
constexpr std::uint64_t exact_arcs = std::uint64_t{1} << 29;
/// Distances are exact if searches from all vertices, 64 of which look at an arc together, look at no more arcs one by
/// one, which takes less than a second.
constexpr std::uint64_t exact_distances = std::uint64_t{1} << 33;
constexpr std::uint64_t most_samples = 256;
constexpr std::uint64_t least_samples = 16;
/// A larger graph is drawn as its communities.
constexpr std::uint64_t most_drawn = 300;
constexpr std::uint64_t most_arcs_drawn = 4000;
/// Members that are named of each of the largest communities.
constexpr std::size_t members_shown = 5;
constexpr std::uint64_t most_listed = 2000;

/// Puts the number of the step, and of all steps, in front of the name of each stage.
class numbered_progress final : public graph::progress {
 public:
  numbered_progress(graph::progress* inner, std::size_t steps) : inner_(inner), steps_(steps) {}

  void next() noexcept { ++step_; }
  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override {
    if (inner_ != nullptr) inner_->begin(fmt::format("{}/{} {}", step_, steps_, stage), total, unit);
  }
  void advance(std::uint64_t amount) override {
    if (inner_ != nullptr) inner_->advance(amount);
  }

 private:
  graph::progress* inner_;
  std::size_t steps_;
  std::size_t step_ = 0;
};

/// Vertices, and their degrees in the underlying simple undirected graph.
struct picked_vertices {
  std::vector<std::uint64_t> vertices;
  std::vector<std::uint64_t> degrees;
};

/// Returns what pick() returns where the result is told; empty elsewhere.
template <class Pick>
picked_vertices picked(const graph::any_graph& graph, graph::partners* among, const Pick& pick) {
  picked_vertices found;
  found.vertices = among == nullptr ? pick() : among->from_first<std::uint64_t>(pick);
  found.degrees.resize(found.vertices.size());
  for (std::size_t i = 0; i != found.vertices.size(); ++i) {
    const std::uint64_t v = found.vertices[i];
    if (among != nullptr && (v < among->first() || v >= among->last())) continue;
    std::visit([&](const auto& g) { graph::for_each_simple_neighbour(g, v, [&](auto) { ++found.degrees[i]; }); },
               graph);
  }
  if (among == nullptr) return found;
  const std::vector<std::uint64_t> all = among->lists_of_all(found.degrees);
  if (!among->tells()) return {};
  for (std::size_t i = 0; i != all.size(); ++i) {
    if (i >= found.degrees.size()) found.degrees[i % found.degrees.size()] += all[i];
  }
  return found;
}

std::vector<ranked_vertex> best(const graph::any_graph& graph, const machine::page_array<double>& scores,
                                std::uint64_t count, graph::partners* among,
                                const machine::page_array<double>& errors = {}) {
  const picked_vertices found = picked(graph, among, [&] {
    return best_of(scores.size(), count, [&](std::uint64_t a, std::uint64_t b) { return scores[a] > scores[b]; });
  });
  std::vector<ranked_vertex> top;
  for (std::size_t i = 0; i != found.vertices.size(); ++i) {
    const std::uint64_t v = found.vertices[i];
    top.push_back({label_of(graph, v), scores[v], found.degrees[i], errors.empty() ? 0 : errors[v]});
  }
  return top;
}

/// Throws memory_error if the bytes are not there, at all processes alike. `kernel`: names what is done over ranks.
void require_memory_of_all(const char* step, const char* kernel, std::uint64_t bytes, const graph::any_graph& graph,
                           graph::partners* among) {
  if (among == nullptr) {
    graph::require_memory(step, bytes);
    return;
  }
  std::string refused;
  try {
    graph::require_memory(step, cluster::memory_of_rank(kernel, graph, *among) * cluster::ranks_of_machine());
  } catch (const graph::memory_error& e) {
    refused = e.what();
  }
  if (among->sum(std::uint64_t{!refused.empty()}) == 0) return;
  throw graph::memory_error(refused.empty() ? "another rank has not enough memory" : refused);
}

using size_list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Returns the number of groups of each size, smallest size first. `groups` are a vertex and a size each.
size_list distribution_of(const size_list& groups) {
  std::map<std::uint64_t, std::uint64_t> by_size;
  for (const auto& [vertex, size] : groups) ++by_size[size];
  return {by_size.begin(), by_size.end()};
}

/// Returns the first `top` groups and their sizes, each with the label of its vertex.
std::vector<std::pair<vertex_label, std::uint64_t>> labelled(const graph::any_graph& graph, const size_list& groups,
                                                             std::uint64_t top) {
  std::vector<std::pair<vertex_label, std::uint64_t>> result;
  for (std::size_t i = 0; i < groups.size() && i < top; ++i) {
    result.emplace_back(label_of(graph, groups[i].first), groups[i].second);
  }
  return result;
}

template <class Vertex>
overview_components summarize(const graph::any_graph& graph, const graph::component_map<Vertex>& map, std::uint64_t top,
                              const graph::run_control& context) {
  const size_list all = graph::component_sizes(map, context);
  overview_components found;
  found.count = all.size();
  found.sizes = distribution_of(all);
  if (!found.sizes.empty() && found.sizes.front().first == 1) found.single = found.sizes.front().second;
  found.largest = labelled(graph, all, top);
  return found;
}

/// Findings of the steps for each vertex; empty: none.
struct vertex_values {
  machine::page_array<double> pagerank;
  machine::page_array<double> betweenness;
  machine::page_array<std::uint64_t> community;  ///< the smallest vertex of its community
};

std::vector<listed_vertex> list_of(const graph::any_graph& graph, const vertex_values& values, graph::partners* among) {
  std::vector<listed_vertex> list;
  const auto better = [&](std::uint64_t a, std::uint64_t b) {
    if (!values.pagerank.empty()) return values.pagerank[a] > values.pagerank[b];
    return std::visit([&](const auto& g) { return g.out().degree(a) > g.out().degree(b); }, graph);
  };
  const picked_vertices found =
      picked(graph, among, [&] { return best_of(size_of(graph).vertices, most_listed, better); });
  for (std::size_t i = 0; i != found.vertices.size(); ++i) {
    const std::uint64_t v = found.vertices[i];
    listed_vertex entry{label_of(graph, v), found.degrees[i], {}, {}, {}};
    if (!values.pagerank.empty()) entry.pagerank = values.pagerank[v];
    if (!values.betweenness.empty()) entry.betweenness = values.betweenness[v];
    if (!values.community.empty()) entry.community = label_of(graph, values.community[v]);
    list.push_back(std::move(entry));
  }
  return list;
}

overview_communities find_communities(const graph::any_graph& graph, std::uint64_t top,
                                      machine::page_array<std::uint64_t>& of, const graph::shared_control& context) {
  graph::communities_result groups = graph::communities_among(graph, {}, context);
  std::visit([&](const auto& g) { name_by_label(groups.of, g); }, graph);
  if (context.among != nullptr) graph::share_first(*context.among, groups.of);  // labels are there
  const size_list all = graph::component_sizes(groups.of, context);
  overview_communities found;
  found.count = groups.communities;
  found.modularity = groups.quality;
  if (size_of(graph).weighted) found.weights = graph::weight_use::strength;
  found.largest = labelled(graph, all, top);
  for (const std::vector<std::uint64_t>& members : leading_members(graph, groups.of, all, top, members_shown)) {
    found.members.emplace_back();
    for (const std::uint64_t v : members) found.members.back().push_back(label_of(graph, v));
  }
  found.sizes = distribution_of(all);
  const graph_size size = size_of(graph);
  if (size.vertices > most_drawn || size.arcs > most_arcs_drawn) {
    found.drawing = draw_communities(graph, groups.of, all, {.labels = 12}, context);
  } else if (context.among == nullptr) {
    found.drawing = draw_vertices(graph, groups.of, all, {.weights = size.weighted}, context);
  } else {
    const graph::any_graph whole = cluster::whole_where_told(graph, *context.among);
    if (context.among->tells()) {
      found.drawing = draw_vertices(whole, groups.of, all, {.weights = size.weighted}, context);
    }
  }
  of = std::move(groups.of);
  return found;
}

vertex_ranking rank_by_betweenness(const graph::any_graph& graph, const overview_options& options,
                                   machine::page_array<double>& scores, const graph::shared_control& context) {
  const graph_size size = size_of(graph);
  const bool small = size.vertices <= exact_arcs / (size.arcs + 1);
  std::uint64_t samples = options.samples.value_or(
      small ? size.vertices : std::clamp(betweenness_arcs / (size.arcs + 1), least_samples, most_samples));
  if (samples >= size.vertices) samples = 0;  // 0 means all vertices, which is exact
  const graph::betweenness_options how{.samples = samples, .seed = options.seed, .normalized = true};
  graph::betweenness_result scored =
      context.among == nullptr ? graph::betweenness(graph, how, context) : cluster::betweenness(graph, how, context);
  vertex_ranking ranking;
  ranking.top = best(graph, scored.scores, options.top, context.among, scored.standard_errors);
  ranking.sources = scored.sources;
  ranking.exact = samples == 0;
  scores = std::move(scored.scores);
  return ranking;
}

}  // namespace

std::vector<expected_stage> survey_stages() {
  return {{"degrees", 1}, {"components", 1}, {"distances", 7}, {"communities", 30},
          {"layout", 1},  {"triangles", 8},  {"PageRank", 10}, {"betweenness", 25}};
}

overview survey(const graph::any_graph& graph, const overview_options& options, const graph::shared_control& context) {
  overview found;
  graph::partners* const among = context.among;
  vertex_values values;
  numbered_progress progress(context.report, 7);
  const graph::shared_control numbered{{&progress, context.stop}, among};
  namespace needs = graph::needs;
  const auto step = [&](const char* name, const char* kernel, std::uint64_t bytes, const auto& compute) {
    if (context.stop.stop_requested()) throw graph::cancelled();
    progress.next();
    overview_step done{name, 0, {}};
    const stopwatch own;
    try {
      require_memory_of_all(name, kernel, bytes, graph, among);
      compute();
    } catch (const error& e) {
      done.failure = e.what();
    } catch (const std::bad_alloc&) {
      if (among != nullptr) throw;
      done.failure = "not enough memory";
    }
    done.seconds = own.seconds();
    found.steps.push_back(std::move(done));
  };

  progress.next();
  const stopwatch time;
  found.degrees =
      graph::count_degrees_among(graph, numbered);  // all other steps need it: if it fails, the command fails
  found.statistics = graph::statistics_among(graph, numbered);
  found.assortativity = graph::degree_assortativity_among(graph, numbered);
  found.steps.push_back({"degrees", time.seconds(), {}});
  std::visit(
      [&](const auto& g) {
        using vertex = typename std::decay_t<decltype(g)>::vertex_type;
        std::optional<graph::component_map<vertex>> map;
        step("components", "components", needs::components(graph), [&] {
          map = among == nullptr ? graph::components(g, numbered) : cluster::components(g, numbered);
          if (among != nullptr) graph::share_first(*among, *map);
          found.components = summarize(graph, *map, options.top, numbered);
        });
        step("distances", "distances", needs::distances(graph), [&] {
          if (!map) return;
          graph::distances_options how{.seed = options.seed};
          const std::uint64_t arcs = g.arcs() * (g.directed() ? 2 : 1);
          const bool sampled = g.vertices() > exact_distances / (arcs + 1);
          if (!sampled) how.sources = std::max<std::uint64_t>(g.vertices(), how.sources);
          if (among != nullptr) {
            found.distances = cluster::sample_distances(g, *map, how, numbered);
            return;
          }
          if (sampled) {
            found.distances = graph::sample_distances(g, *map, how, numbered);
            return;
          }
          const graph::any_graph both = g.directed() ? graph::symmetrized(graph) : graph::any_graph();
          using same = graph::csr_graph<vertex>;
          found.distances = graph::sample_distances(g.directed() ? std::get<same>(both) : g, *map, how, numbered);
        });
      },
      graph);
  step("communities", "communities", needs::communities(graph, {}),
       [&] { found.communities = find_communities(graph, options.top, values.community, numbered); });
  step("triangles", "clustering", needs::clustering(graph), [&] {
    overview_triangles t;
    const graph::clustering_result all = std::visit(
        [&](const auto& g) {
          return among == nullptr ? graph::clustering(g, numbered) : cluster::clustering(g, numbered);
        },
        graph);
    t.triangles = all.total;
    t.average_clustering = all.average;
    t.wedges = graph::wedges(found.degrees.simple);
    if (t.wedges != 0) t.global_clustering = 3 * static_cast<double>(t.triangles) / t.wedges;
    found.triangles = t;
  });
  step("pagerank", "pagerank", needs::pagerank(graph, false), [&] {
    if (size_of(graph).vertices == 0) throw usage_error("the graph has no vertices");
    graph::pagerank_options ranking{.weights = options.rank_weights};
    try {
      std::visit([&](const auto& g) { graph::survey_weights_among(g, "ranks", numbered); }, graph);
    } catch (const graph::weight_error&) {
      ranking.weights = graph::weight_use::none;  // negative ones, or not finite
    }
    graph::pagerank_result ranked = graph::pagerank_among(graph, ranking, numbered);
    found.pagerank =
        vertex_ranking{best(graph, ranked.scores, options.top, among), ranked.iterations, ranked.converged};
    found.pagerank->weights = ranked.weights;
    values.pagerank = std::move(ranked.scores);
  });
  step("betweenness", "betweenness", 0, [&] {
    found.betweenness = rank_by_betweenness(graph, options, values.betweenness, numbered);
  });  // it checks the memory itself
  found.listed = list_of(graph, values, among);
  return found;
}

}  // namespace callisto::app
