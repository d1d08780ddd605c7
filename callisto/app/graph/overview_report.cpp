// Writes an overview of a graph as text and as JSON; overview_page.cpp writes its page.
#include <callisto/app/graph/overview_report.hpp>

#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/graph/overview_words.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace callisto::app {
namespace {

json to_json(const graph::degree_summary& degrees, const graph::degree_counts& counts) {
  json distribution = json::array();
  for (const graph::degree_count& c : counts) distribution.push_back({c.degree, c.vertices});
  return {
      {"min", degrees.min}, {"mean", degrees.mean}, {"max", degrees.max}, {"distribution", std::move(distribution)}};
}

json to_json(const std::vector<ranked_vertex>& top) {
  json rows = json::array();
  for (const ranked_vertex& v : top) {
    json row{{"vertex", v.label}, {"score", v.score}, {"degree", v.degree}};
    if (v.error != 0) row["standard_error"] = v.error;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Returns groups as objects, each with its label under `key` and its size.
json groups_to_json(const std::vector<std::pair<vertex_label, std::uint64_t>>& groups, const char* key) {
  json rows = json::array();
  for (const auto& [label, size] : groups) rows.push_back({{key, label}, {"vertices", size}});
  return rows;
}

json to_json(const overview_components& c) {
  return {{"count", c.count},
          {"single_vertices", c.single},
          {"largest", groups_to_json(c.largest, "component")},
          {"distribution", c.sizes}};
}

json to_json(const overview_communities& c) {
  json members = json::array();
  for (const std::vector<vertex_label>& of_one : c.members) {
    json labels = json::array();
    for (const vertex_label& label : of_one) labels.push_back(label);
    members.push_back(std::move(labels));
  }
  return {{"count", c.count},
          {"modularity", c.modularity},
          {"weights", name_of(c.weights)},
          {"largest", groups_to_json(c.largest, "community")},
          {"members", std::move(members)},
          {"distribution", c.sizes}};
}

json to_json(const graph::distance_sample& d) {
  return {{"sources", d.sources},
          {"mean", d.mean()},
          {"median", d.within(0.5)},
          {"within_90_percent", d.within(0.9)},
          {"diameter_at_least", d.diameter_low},
          {"diameter_at_most", d.diameter_high},
          {"pairs", d.at}};
}

std::string ranking_words(const std::string& heading, const vertex_ranking& ranking) {
  table rows({{"rank"}, {"vertex"}, {"score"}, {"neighbours"}});
  for (const ranked_vertex& v : ranking.top) {
    rows.add_row(
        {with_separators(rows.size() + 1), one_line(v.label.text()), score_words(v), with_separators(v.degree)});
  }
  return '\n' + heading + '\n' + rows.render(2);
}

}  // namespace

json to_json(const overview& found, bool directed) {
  json object;
  const graph::graph_statistics& s = found.statistics;
  object["self_loops"] = s.self_loops;
  object["undirected_edges"] = s.edges;
  object["isolated"] = s.isolated;
  object["dangling"] = s.dangling;
  object["density"] = graph::density(s, directed);
  object["reciprocity"] = graph::reciprocity(s, directed);
  object["assortativity"] = found.assortativity;
  object["out_degree"] = to_json(s.out, found.degrees.out);
  object["in_degree"] = to_json(s.in, found.degrees.in);
  object["components"] = found.components ? to_json(*found.components) : json();
  object["distances"] = found.distances ? to_json(*found.distances) : json();
  object["communities"] = found.communities ? to_json(*found.communities) : json();
  object["triangles"] = found.triangles ? json(found.triangles->triangles) : json();
  object["wedges"] = found.triangles ? json(found.triangles->wedges) : json();
  object["average_clustering"] = found.triangles ? json(found.triangles->average_clustering) : json();
  object["global_clustering"] = found.triangles ? json(found.triangles->global_clustering) : json();
  object["pagerank"] = json();
  if (const auto& p = found.pagerank) {
    object["pagerank"] = {{"iterations", p->iterations},
                          {"converged", p->converged},
                          {"weights", name_of(p->weights)},
                          {"top", to_json(p->top)}};
  }
  object["betweenness"] = json();
  if (const auto& b = found.betweenness) {
    object["betweenness"] = {{"sources", b->sources}, {"exact", b->exact}, {"top", to_json(b->top)}};
  }
  json failures = json::array();
  for (const overview_step& step : found.steps) {
    if (!step.failure.empty()) failures.push_back({{"step", step.name}, {"reason", step.failure}});
  }
  object["not_computed"] = std::move(failures);
  return object;
}

std::string to_words(const overview& found, const graph_input& input, const loaded_graph& loaded) {
  const graph::graph_statistics& s = found.statistics;
  const std::string unused = weight_words(graph::weight_use::none, loaded);
  table facts = name_value_table();
  describe(input, loaded, facts);
  if (size_of(loaded.graph).directed) {
    facts.add_row({"out-degree", degree_words(s.out)});
    facts.add_row({"in-degree", degree_words(s.in)});
  } else {
    facts.add_row({"degree", degree_words(s.out)});
  }
  facts.add_row({"isolated", with_separators(s.isolated) + " vertices"});
  facts.add_row({"self-loops", with_separators(s.self_loops)});
  facts.add_row({"density", fmt::format("{:.4g}", graph::density(s, size_of(loaded.graph).directed))});
  if (const double back = graph::reciprocity(s, true); size_of(loaded.graph).directed && !std::isnan(back)) {
    facts.add_row({"reciprocity", fmt::format("{:.4f} of arcs have their reverse", back)});
  }
  if (!std::isnan(found.assortativity)) {
    facts.add_row(
        {"assortativity", fmt::format("{:.4f} (correlation of the degrees of neighbours)", found.assortativity)});
  }
  if (const auto& c = found.components) {
    const std::uint64_t largest = c->largest.empty() ? 0 : c->largest.front().second;
    facts.add_row({"components", fmt::format("{}, the largest of {} vertices ({:.1f} %)", with_separators(c->count),
                                             with_separators(largest), percentage(largest, s.vertices))});
  }
  if (const auto& d = found.distances) {
    facts.add_row({"distances", fmt::format("mean {:.2f}, 90 % within {} ({}{})", d->mean(), d->within(0.9),
                                            counted(d->sources, "source"), unused)});
    facts.add_row({"diameter", diameter_words(*d)});
  }
  if (const auto& c = found.communities) {
    const std::uint64_t largest = c->largest.empty() ? 0 : c->largest.front().second;
    facts.add_row(
        {"communities", fmt::format("{}, the largest of {} vertices; modularity {:.4f}{}", with_separators(c->count),
                                    with_separators(largest), c->modularity, weight_words(c->weights, loaded))});
  }
  if (const auto& t = found.triangles) {
    facts.add_row({"triangles", with_separators(t->triangles)});
    facts.add_row({"clustering", fmt::format("{:.4f} on average; {:.4f} of paths of two edges are closed",
                                             t->average_clustering, t->global_clustering)});
  }
  std::string text = facts.render();
  if (found.pagerank && !found.pagerank->top.empty()) {
    text += ranking_words("PageRank" + weight_words(found.pagerank->weights, loaded), *found.pagerank);
  }
  if (found.betweenness && !found.betweenness->top.empty()) {
    text += ranking_words("Betweenness, " + betweenness_words(*found.betweenness) + unused, *found.betweenness);
  }
  table times({{"step", table::align::left}, {"time"}, {"", table::align::left}});
  for (const overview_step& step : found.steps) {
    times.add_row({step.name, human_seconds(step.seconds),
                   step.failure.empty() ? std::string() : "not computed: " + one_line(step.failure)});
  }
  return text + '\n' + fmt::format("Times, {}\n", counted(threads(), "thread")) + times.render(2);
}

}  // namespace callisto::app
