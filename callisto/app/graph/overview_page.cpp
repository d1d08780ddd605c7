// Writes the page of an overview: its facts, pictures and tables.
#include <callisto/app/base/text.hpp>
#include <callisto/app/draw/html_page.hpp>
#include <callisto/app/draw/svg_graph.hpp>
#include <callisto/app/draw/svg_plot.hpp>
#include <callisto/app/graph/overview_report.hpp>
#include <callisto/app/graph/overview_words.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace callisto::app {
namespace {

/// The size of a picture: three stand side by side on a page, and one fills the width of a telephone.
constexpr svg_plot::extent picture{380, 330};

/// If there are fewer different degrees, no line is drawn through their means.
constexpr std::size_t least_degrees = 20;

using points = std::vector<svg_plot::point>;

/// Returns a dot for each degree that occurs.
points dots_of(const graph::degree_counts& counts) {
  points all;
  for (const graph::degree_count& c : counts) {
    all.push_back({static_cast<double>(c.degree), static_cast<double>(c.vertices)});
  }
  return all;
}

/// Returns the mean number of vertices of a degree in each bin, at the geometric middle of the bin. Each bin is twice
/// as wide as the bin before it.
points trend_of(const graph::degree_counts& counts) {
  points line;
  for (auto c = counts.begin(); c != counts.end();) {
    if (c->degree == 0) {
      ++c;
      continue;
    }
    const double first = std::exp2(std::floor(std::log2(static_cast<double>(c->degree))));
    std::uint64_t vertices = 0;
    for (; c != counts.end() && static_cast<double>(c->degree) < 2 * first; ++c) vertices += c->vertices;
    line.push_back({std::sqrt(first * (2 * first - 1)), static_cast<double>(vertices) / first});
  }
  return line;
}

/// Charts of more numbers have tables of ranges: each is twice as wide as the one before it.
constexpr std::size_t most_rows = 200;

/// Returns a table of counts by value; `columns` names the value and each of `counts`.
html_page::cells counts_table(std::vector<std::string> columns,
                              const std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>>& counts) {
  html_page::cells table{std::move(columns), {}};
  std::map<std::uint64_t, std::vector<std::uint64_t>> by_value;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (const auto& [value, count] : counts[i]) {
      auto& row = by_value[value];
      row.resize(counts.size());
      row[i] += count;
    }
  }
  const bool ranges = by_value.size() > most_rows;
  std::map<std::uint64_t, std::vector<std::uint64_t>> rows;
  for (const auto& [value, found] : by_value) {
    std::vector<std::uint64_t>& row = rows[ranges ? std::bit_floor(value) : value];
    row.resize(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) row[i] += found[i];
  }
  for (const auto& [first, row] : rows) {
    table.rows.push_back({with_separators(first)});
    if (ranges && first > 1) table.rows.back().front() += " to " + with_separators(2 * first - 1);
    for (const std::uint64_t count : row) table.rows.back().push_back(with_separators(count));
  }
  return table;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs_of(const graph::degree_counts& counts) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (const graph::degree_count& c : counts) pairs.emplace_back(c.degree, c.vertices);
  return pairs;
}

std::uint64_t without_arcs(const graph::degree_counts& counts) {
  return counts.empty() || counts.front().degree != 0 ? 0 : counts.front().vertices;
}

void add_degrees(html_page& page, const overview& found, bool directed) {
  svg_plot plot("Degrees", {directed ? "arcs of a vertex" : "degree", axis_scale::log10},
                {"vertices", axis_scale::log10}, picture);
  std::string caption;
  if (directed) {
    plot.add_dots("out-degree", dots_of(found.degrees.out));
    plot.add_dots("in-degree", dots_of(found.degrees.in));
    caption =
        fmt::format("How many vertices have how many arcs. Not shown: {} without out-arcs, {} without in-arcs.",
                    with_separators(without_arcs(found.degrees.out)), with_separators(without_arcs(found.degrees.in)));
  } else {
    plot.add_dots("each degree", dots_of(found.degrees.out));
    if (found.degrees.out.size() > least_degrees) plot.add_line("mean in bins", trend_of(found.degrees.out));
    caption = "How many vertices have which degree.";
    if (const std::uint64_t without = without_arcs(found.degrees.out); without != 0) {
      caption += fmt::format(" Not shown: {} without edges.", with_separators(without));
    }
  }
  page.figure(plot.render(), "How many vertices have which degree", caption,
              directed ? counts_table({"arcs", "vertices, out", "vertices, in"},
                                      {pairs_of(found.degrees.out), pairs_of(found.degrees.in)})
                       : counts_table({"degree", "vertices"}, {pairs_of(found.degrees.out)}));
}

void add_distances(html_page& page, const graph::distance_sample& d, const std::string& unused) {
  svg_plot plot("Distances", {"edges between two vertices", axis_scale::linear},
                {"share of pairs, %", axis_scale::linear}, picture);
  std::uint64_t pairs = 0;
  for (std::size_t i = 1; i < d.at.size(); ++i) pairs += d.at[i];
  points all;
  html_page::cells numbers{{"edges between two", "share of pairs"}, {}};
  const std::size_t step = d.at.size() / most_rows + 1;
  for (std::size_t i = 1; i < d.at.size(); ++i) {
    all.push_back({static_cast<double>(i), percentage(d.at[i], pairs)});
    if (i % step == 0 || step == 1) {
      numbers.rows.push_back({std::to_string(i), fmt::format("{:.2f} %", percentage(d.at[i], pairs))});
    }
  }
  // The markers of hundreds of distances would run together.
  if (all.size() <= 40) {
    plot.add_line("exactly so far apart", std::move(all));
  } else {
    plot.add_dots("exactly so far apart", std::move(all));
  }
  page.figure(plot.render(), "How far apart pairs of vertices are",
              fmt::format("In the largest component, whatever the direction of edges; from {}{}.",
                          d.sources == d.vertices ? "all vertices" : counted(d.sources, "random source"), unused),
              numbers);
}

using size_list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Adds a chart of the numbers of components or communities by size.
void add_sizes(html_page& page, const std::string& title, const std::string& one, const std::string& many,
               const size_list& sizes, const std::string& caption) {
  svg_plot plot(title, {"vertices in a " + one, axis_scale::log10}, {many, axis_scale::log10}, picture);
  points all;
  for (const auto& [size, count] : sizes) {
    all.push_back({static_cast<double>(size), static_cast<double>(count)});
  }
  plot.add_dots("each size", std::move(all));
  page.figure(plot.render(), fmt::format("How many {} have how many vertices", many), caption,
              counts_table({"vertices in a " + one, many}, {sizes}));
}

/// Adds a table of the largest components or communities, with bars.
void add_largest(html_page& page, const std::string& heading,
                 const std::vector<std::pair<vertex_label, std::uint64_t>>& largest, std::uint64_t vertices) {
  html_page::cells all{{"smallest vertex", "vertices", "share of all"}, {}};
  std::vector<double> bars;
  for (const auto& [label, size] : largest) {
    all.rows.push_back(
        {one_line(label.text()), with_separators(size), fmt::format("{:.2f} %", percentage(size, vertices))});
    bars.push_back(percentage(size, vertices) / 100);
  }
  page.table(heading, all, bars);
}

/// Adds a table of the largest communities and their members of most arcs, with bars.
void add_communities(html_page& page, const std::string& heading, const overview_communities& c,
                     std::uint64_t vertices) {
  html_page::cells all{{"community of", "best connected", "vertices", "share of all"}, {}, 2};
  std::vector<double> bars;
  for (std::size_t i = 0; i < c.largest.size(); ++i) {
    const std::uint64_t size = c.largest[i].second;
    all.rows.push_back({one_line(c.largest[i].first.text()), list_words(c.members[i]), with_separators(size),
                        fmt::format("{:.2f} %", percentage(size, vertices))});
    bars.push_back(percentage(size, vertices) / 100);
  }
  page.table(heading, all, bars);
}

void add_drawing(html_page& page, const overview_communities& found, const std::string& lines, bool weighted) {
  const graph_drawing& drawing = found.drawing;
  const std::uint64_t communities = found.count;
  const std::string caption =
      drawing.communities
          ? fmt::format(
                "{} communities. The area of a circle is the number of its vertices, the width of a line the {} "
                "between two. A community is called by its smallest vertex.",
                drawing.shown == communities
                    ? "All " + with_separators(communities)
                    : fmt::format("The largest {} of {}", with_separators(drawing.shown), with_separators(communities)),
                lines)
          : fmt::format("Colours are the largest communities; vertices with more edges are larger.{}",
                        weighted ? " Width of a line: weight." : "");
  page.moving_figure(
      draw_graph(drawing.vertices, drawing.edges, 720, 600),
      drawing.communities ? "Communities and the edges between them" : "The vertices and edges of the graph",
      caption +
          " Drag and zoom (Ctrl and the wheel, two fingers, or the buttons); the field below shows a vertex here.",
      !drawing.communities);
  std::vector<html_page::key> keys;
  for (std::size_t i = 0; i < std::min(found.largest.size(), svg_group_colours); ++i) {
    const auto& [label, size] = found.largest[i];
    keys.push_back(
        {svg_fill(i), fmt::format("{}: {}", first_columns(one_line(label.text()), 24), with_separators(size))});
  }
  if (found.count > keys.size()) {
    keys.push_back({svg_fill(svg_group_colours), fmt::format("{} more", with_separators(found.count - keys.size()))});
  }
  page.legend(keys);
}

/// Adds the list of vertices that readers search.
void add_list(html_page& page, const overview& found) {
  html_page::cells all{{"vertex", "neighbours"}, {}};
  const listed_vertex& first = found.listed.front();
  if (first.pagerank) all.columns.emplace_back("PageRank");
  if (first.betweenness) all.columns.emplace_back("betweenness");
  if (first.community) all.columns.emplace_back("community");
  for (const listed_vertex& v : found.listed) {
    std::vector<std::string> row{one_line(v.label.text()), with_separators(v.degree)};
    if (v.pagerank) row.push_back(share_words(*v.pagerank));
    if (v.betweenness) row.push_back(share_words(*v.betweenness));
    if (v.community) row.push_back(one_line(v.community->text()));
    all.rows.push_back(std::move(row));
  }
  const bool every = found.listed.size() == found.statistics.vertices;
  page.search(every ? "All vertices"
                    : fmt::format("The {} vertices {}", with_separators(found.listed.size()),
                                  first.pagerank ? "of highest PageRank" : "with most arcs"),
              "Find a vertex", all);
}

void add_ranking(html_page& page, const std::string& heading, const std::string& unit,
                 const std::vector<ranked_vertex>& top) {
  html_page::cells all{{"vertex", "neighbours", unit}, {}};
  std::vector<double> bars;
  for (const ranked_vertex& v : top) {
    all.rows.push_back({one_line(v.label.text()), with_separators(v.degree), score_words(v)});
    bars.push_back(top.front().score == 0 ? 0 : v.score / top.front().score);
  }
  page.table(heading, all, bars);
}

std::vector<html_page::fact> facts_of(const overview& found, const loaded_graph& loaded) {
  const graph::graph_statistics& s = found.statistics;
  const bool directed = size_of(loaded.graph).directed;
  std::vector<html_page::fact> facts{
      {"vertices", with_separators(s.vertices), fmt::format("{} isolated", with_separators(s.isolated))},
      {"edges", with_separators(directed ? s.arcs : (s.arcs + s.self_loops) / 2),
       directed ? fmt::format("{} between different pairs", with_separators(s.edges)) : std::string()},
      {"mean degree", fmt::format("{:.2f}", s.out.mean), directed ? "of out-arcs" : ""},
      {"largest degree", with_separators(directed ? std::max(s.out.max, s.in.max) : s.out.max),
       directed ? fmt::format("out {}, in {}", with_separators(s.out.max), with_separators(s.in.max)) : std::string()}};
  facts.push_back({"density", fmt::format("{:.3g}", graph::density(s, directed)), "of pairs are joined"});
  if (const double back = graph::reciprocity(s, true); directed && !std::isnan(back)) {
    facts.push_back({"reciprocity", fmt::format("{:.4f}", back), "of arcs have their reverse"});
  }
  if (!std::isnan(found.assortativity)) {
    facts.push_back(
        {"assortativity", fmt::format("{:.4f}", found.assortativity), "correlation of neighbours' degrees"});
  }
  if (const auto& c = found.components) {
    const std::uint64_t largest = c->largest.empty() ? 0 : c->largest.front().second;
    facts.push_back({directed ? "weak components" : "components", with_separators(c->count),
                     fmt::format("{} single vertices", with_separators(c->single))});
    facts.push_back({"largest component", fmt::format("{:.1f} %", percentage(largest, s.vertices)),
                     with_separators(largest) + " vertices"});
  }
  if (const auto& d = found.distances) {
    const bool certain = d->diameter_low == d->diameter_high;
    facts.push_back({"mean distance", fmt::format("{:.2f}", d->mean()), fmt::format("90 % within {}", d->within(0.9))});
    facts.push_back({"diameter", (certain ? "" : "\u2265 ") + with_separators(d->diameter_low),
                     certain ? "of the largest component" : "at most " + with_separators(d->diameter_high)});
  }
  if (const auto& c = found.communities) {
    const std::uint64_t largest = c->largest.empty() ? 0 : c->largest.front().second;
    facts.push_back({"communities", with_separators(c->count), fmt::format("modularity {:.4f}", c->modularity)});
    facts.push_back({"largest community", fmt::format("{:.1f} %", percentage(largest, s.vertices)),
                     with_separators(largest) + " vertices"});
  }
  if (const auto& t = found.triangles) {
    facts.push_back({"triangles", with_separators(t->triangles), {}});
    facts.push_back({"average clustering", fmt::format("{:.4f}", t->average_clustering), "mean over vertices"});
    facts.push_back({"global clustering", fmt::format("{:.4f}", t->global_clustering), "closed paths of two edges"});
  }
  return facts;
}

/// Returns the program, the day, and the command line of this process if the system tells it.
std::string made_by(const graph_input& input) {
  std::string command = "callisto analyze " + input.file;
  if (std::ifstream arguments("/proc/self/cmdline", std::ios::binary); arguments) {
    std::string text(std::istreambuf_iterator<char>(arguments), {});
    if (!text.empty() && text.back() == '\0') text.pop_back();
    std::replace(text.begin(), text.end(), '\0', ' ');
    if (const std::size_t at = text.find("analyze "); at != std::string::npos) command = "callisto " + text.substr(at);
  }
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  localtime_r(&now, &day);
  return fmt::format("callisto analyze on {:04}-{:02}-{:02}, by: {}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday,
                     command);
}

}  // namespace

std::string to_page(const overview& found, const graph_input& input, const loaded_graph& loaded) {
  const graph_size size = size_of(loaded.graph);
  const std::size_t slash = input.file.rfind('/');
  const std::string name = input.file == "-"            ? "standard input"
                           : slash == std::string::npos ? input.file
                                                        : input.file.substr(slash + 1);
  html_page page("callisto analyze", name,
                 fmt::format("{} {}graph, {}", size.directed ? "Directed" : "Undirected",
                             size.weighted ? "weighted " : "", human_bytes(found.statistics.bytes) + " in memory"));
  const std::vector<html_page::fact> facts = facts_of(found, loaded);
  const std::string unused = weight_words(graph::weight_use::none, loaded);
  page.facts(facts);

  if (found.communities && found.communities->drawing.shown > 1) {
    page.section(found.communities->drawing.communities ? "Its communities, drawn" : "The graph, drawn");
    add_drawing(page, *found.communities, line_words(loaded), size.weighted);
  }

  page.section("Shape");
  if (size.arcs == 0) page.paragraph("The graph has no edges.");
  page.begin_columns();
  if (size.arcs != 0) add_degrees(page, found, size.directed);
  if (found.distances && found.distances->at.size() > 1) add_distances(page, *found.distances, unused);
  // Where the list below has all of them, with bars, a chart of their sizes would say less.
  if (const auto& c = found.components; c && c->count > c->largest.size()) {
    add_sizes(page, "Components", "component", "components", c->sizes,
              fmt::format("{} components, {} of them single vertices.", with_separators(c->count),
                          with_separators(c->single)));
  }
  const bool groups = found.communities && found.communities->count > 1 && size.arcs != 0;
  const std::string about_groups =
      groups ? fmt::format("{} communities by the Leiden method{}; modularity {:.3f}.",
                           with_separators(found.communities->count), weight_words(found.communities->weights, loaded),
                           found.communities->modularity)
             : std::string();
  if (groups && found.communities->count > found.communities->largest.size()) {
    add_sizes(page, "Communities", "community", "communities", found.communities->sizes, about_groups);
  }
  page.end_columns();

  page.section("Most important vertices");
  page.begin_columns();
  if (found.pagerank) {
    add_ranking(page, "PageRank" + weight_words(found.pagerank->weights, loaded), "share of visits",
                found.pagerank->top);
  }
  if (found.betweenness) {
    add_ranking(page, "Betweenness, " + betweenness_words(*found.betweenness) + unused, "share of shortest paths",
                found.betweenness->top);
  }
  page.end_columns();

  if (!found.listed.empty()) {
    page.section("Vertices");
    add_list(page, found);
  }

  const bool parts = found.components && found.components->count > 1;
  if (parts || groups) {
    page.section(!groups  ? "Largest components"
                 : !parts ? "Largest communities"
                          : "Largest components and communities");
    page.begin_columns();
    if (parts) add_largest(page, groups ? "Components" : "", found.components->largest, size.vertices);
    page.end_columns();
    if (groups) {
      add_communities(page, parts ? "Communities" : "", *found.communities, size.vertices);
      page.paragraph(about_groups);
    }
  }

  page.section("How this was found");
  for (const std::string& note : loaded.report.notes) page.paragraph(fmt::format("{}: {}.", name, one_line(note)));
  html_page::cells times{{"step", "time, " + counted(threads(), "thread")},
                         {{"loading", human_seconds(loaded.seconds)}}};
  for (const overview_step& step : found.steps) times.rows.push_back({step.name, human_seconds(step.seconds)});
  page.begin_columns();
  page.table({}, times);
  page.end_columns();
  for (const overview_step& step : found.steps) {
    if (!step.failure.empty()) page.paragraph(fmt::format("Not computed: {}. {}.", step.name, step.failure));
  }
  return page.finish(made_by(input));
}

}  // namespace callisto::app
