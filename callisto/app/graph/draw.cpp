// callisto draw: draws a graph, or the communities of a large one, as SVG.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/draw/svg_graph.hpp>
#include <callisto/app/graph/drawing.hpp>
#include <callisto/app/graph/groups.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/label.hpp>
#include <callisto/app/graph/table_file.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

/// A larger graph is drawn as its communities, unless the user says otherwise.
constexpr std::uint64_t vertices_of_small = 2000;
constexpr std::uint64_t arcs_of_small = 20'000;
/// Communities that the legend names.
constexpr std::size_t legend_rows = 12;
constexpr std::size_t members_in_legend = 3;

enum class subject { by_size, graph, communities };

struct draw_arguments {
  graph_input input;
  run_options run;
  std::string output;
  subject what = subject::by_size;
  std::string sizes = "degree";
  bool coloured = true;
  std::optional<std::uint64_t> labels;
  std::uint64_t communities = 60;
  double side = 900;
  weight_option weights{graph::weight_use::strength, true};
};

/// Returns values by vertex from a file of labels and values; 0 where it has none.
std::vector<double> values_in(const std::string& path, const graph::any_graph& graph) {
  std::vector<double> values(size_of(graph).vertices);
  for_each_line(path, graph, [&](std::uint64_t number, const std::vector<std::string_view>& fields) {
    if (fields.size() < 2) throw usage_error("expected a vertex and a value");
    if (number == 1 && fields.front() == "vertex") return;  // the header that Callisto writes into .csv
    if (fields[1] == "-") return;                           // Callisto writes "-" where there is no value
    values[vertex_of(graph, fields.front(), "a vertex")] = parse_real("a value", fields[1], {.low = 0});
  });
  return values;
}

/// Returns what the areas of circles show, by vertex; nothing for degrees.
std::vector<double> scores_of(const draw_arguments& o, const loaded_graph& loaded, const graph::run_control& context) {
  const graph::any_graph& graph = loaded.graph;
  const auto list = [](const machine::page_array<double>& scores) {
    return std::vector<double>(scores.begin(), scores.end());
  };
  if (o.sizes == "degree") return {};
  if (o.sizes == "equal") return std::vector<double>(size_of(graph).vertices, 1.0);
  if (o.sizes == "pagerank") return list(graph::pagerank(graph, {.weights = loaded.rank_weights()}, context).scores);
  if (o.sizes == "betweenness") return list(graph::betweenness(graph, {.normalized = true}, context).scores);
  return values_in(o.sizes, graph);
}

/// Returns the list of the largest communities beside a drawing.
svg_panel legend_of(const graph::any_graph& graph, const machine::page_array<std::uint64_t>& of,
                    const community_sizes& all, double height) {
  constexpr double line = 36;
  svg_panel panel{300, height, {}};
  const std::size_t rows = std::min({all.size(), legend_rows, static_cast<std::size_t>(height / line) - 1});
  const std::vector<std::vector<std::uint64_t>> members = leading_members(graph, of, all, rows, members_in_legend);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<vertex_label> names;
    for (const std::uint64_t v : members[i]) names.push_back(label_of(graph, v));
    const double y = line * static_cast<double>(i) + 20;
    const std::string fill = i < svg_colours ? fmt::format("class=\"f{}\"", i) : "fill=\"#8a9096\"";
    panel.elements += fmt::format(
        "<circle {} cx=\"14\" cy=\"{:.0f}\" r=\"6\"/>\n<text class=\"small\" x=\"28\" y=\"{:.0f}\">{}: {}</text>\n"
        "<text class=\"small\" x=\"28\" y=\"{:.0f}\" opacity=\".7\">{}</text>\n",
        fill, y - 4, y, xml(first_columns(one_line(label_of(graph, all[i].first).text()), 24)),
        counted(all[i].second, "member"), y + 15, xml(first_columns(list_words(names), 42)));
  }
  if (rows < all.size()) {
    panel.elements += fmt::format("<text class=\"small\" x=\"28\" y=\"{:.0f}\">and {} more</text>\n",
                                  line * static_cast<double>(rows) + 20, with_separators(all.size() - rows));
  }
  return panel;
}

std::string subtitle_of(const draw_arguments& o, const loaded_graph& loaded, const graph_drawing& drawing,
                        std::size_t communities) {
  if (drawing.communities) {
    return fmt::format(
        "{} of {} communities. Area: members. Width of a line: {} between two. Named after the smallest vertex.",
        drawing.shown == communities ? "All" : "The " + with_separators(drawing.shown) + " largest",
        with_separators(communities), line_words(loaded));
  }
  std::string area = o.sizes == "degree"        ? "arcs"
                     : o.sizes == "pagerank"    ? "PageRank"
                     : o.sizes == "betweenness" ? "betweenness"
                     : o.sizes == "equal"       ? ""
                                                : "values in " + one_line(o.sizes);
  const graph_size size = size_of(loaded.graph);
  return fmt::format("{} vertices, {} {}.{}{}{}", with_separators(size.vertices), with_separators(drawing.edges.size()),
                     size.directed ? "arcs, drawn without their direction" : "edges between two",
                     area.empty() ? "" : " Area: " + area + ".", o.coloured ? " Colour: community." : "",
                     size.weighted ? " Width of a line: weight." : "");
}

void run(const draw_arguments& o, const std::stop_token& stop) {
  const bool to_file = o.output.empty() || !is_standard_output(o.output);
  const std::string file = !o.output.empty()     ? o.output
                           : o.input.file == "-" ? "graph.svg"
                                                 : short_name(o.input.file) + ".svg";
  if (to_file && !file.ends_with(".svg") && !file.ends_with(".svg.gz")) {
    throw usage_error("--output: expected a name that ends in .svg, found '" + file + "'");
  }
  if (o.what == subject::communities && o.sizes != "degree") {
    throw usage_error("--sizes: expected with --what graph; circles of communities show numbers of members");
  }
  if (o.run.as_json) refuse_beside_json(file);
  o.run.apply({o.input.file, file});
  refuse_same_file(o.input.file, file);
  result out(file);
  progress_bar bar(o.run.progress_wanted());
  bar.expect(loading_and({{"layout", 10}}));
  const graph::run_control context{&bar, stop};
  const loaded_graph loaded = o.input.load(context);
  const graph::any_graph& graph = loaded.graph;
  const graph_size size = size_of(graph);
  const bool small = size.vertices <= vertices_of_small && size.arcs <= arcs_of_small;
  // Sizes of vertices ask for vertices.
  const bool vertices = o.what == subject::graph || (o.what == subject::by_size && (small || o.sizes != "degree"));
  if (vertices && size.vertices > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("--what: expected communities for a graph of more than 2^32 vertices");
  }
  if (!vertices && o.what == subject::by_size) {
    say(fmt::format("{}: {} vertices and {} arcs: its communities are drawn (--what graph draws all)", o.input.file,
                    with_separators(size.vertices), with_separators(size.arcs)));
  }
  constexpr std::uint64_t of_vertex = 400;  // bytes: layout, circles and their text
  constexpr std::uint64_t of_arc = 80;
  graph::require_memory("draw", std::max(graph::needs::communities(graph, {}),
                                         vertices ? size.vertices * of_vertex + size.arcs * of_arc : 0));
  const stopwatch time;
  graph::communities_result groups;
  community_sizes all;
  if (o.coloured || !vertices) {
    groups = graph::communities(graph, {}, context);
    std::visit([&](const auto& g) { name_by_label(groups.of, g); }, graph);
    all = graph::component_sizes(groups.of, context);
  } else {
    groups.of = machine::page_array<std::uint64_t>(size.vertices);
  }
  const std::vector<double> scores = vertices ? scores_of(o, loaded, context) : std::vector<double>();
  const drawing_look look{.scores = scores,
                          .score = o.sizes,
                          .labels = static_cast<std::size_t>(o.labels.value_or(vertices ? 60 : 40)),
                          .communities = static_cast<std::size_t>(o.communities),
                          .coloured = o.coloured,
                          .weights = size.weighted,
                          .side = o.side};
  const graph_drawing drawing = vertices ? draw_vertices(graph, groups.of, all, look, context)
                                         : draw_communities(graph, groups.of, all, look, context);
  const double seconds = time.seconds();
  std::vector<svg_panel> row{draw_graph(drawing.vertices, drawing.edges, o.side, o.side)};
  if (o.coloured && !all.empty()) row.push_back(legend_of(graph, groups.of, all, o.side));
  const std::vector<std::vector<svg_panel>> rows{std::move(row)};
  out.write(svg_document(o.input.file == "-" ? "standard input" : std::filesystem::path(o.input.file).filename(),
                         subtitle_of(o, loaded, drawing, all.size()), rows));
  bar.finish();
  out.commit();
  if (o.run.as_json) {
    json object = describe(o.input, loaded);
    object["drawn"] = drawing.communities ? "communities" : "vertices";
    object["circles"] = drawing.shown;
    object["lines"] = drawing.edges.size();
    object["written"] = file;
    object["seconds"] = {{"load", loaded.seconds}, {"compute", seconds}};
    object["threads"] = threads();
    print(o.run.to_text(std::move(object)));
  } else if (to_file && !o.run.quiet) {
    table facts = name_value_table();
    describe(o.input, loaded, facts);
    facts.add_row({"drawn", fmt::format("{} {}, {} lines", with_separators(drawing.shown),
                                        drawing.communities ? "communities" : "vertices",
                                        with_separators(drawing.edges.size()))});
    facts.add_row({"written", one_line(file)});
    print(facts.render());
  }
}

subject parse_subject(const std::string& text) {
  if (text == "graph") return subject::graph;
  if (text == "communities") return subject::communities;
  throw usage_error("--what: expected graph or communities, found '" + text + "'");
}

}  // namespace

command add_draw(const command_parser& app) {
  const command_parser parser = app.add_subcommand("draw", "Draw a graph, or its communities, as SVG");
  const auto o = std::make_shared<draw_arguments>();
  add_output(parser, o->output, "Draw into FILE ('-': standard output) [NAME.svg for the graph NAME.txt.gz]");
  add_parsed(
      parser, "--what", "WHAT", [o](const std::string& text) { o->what = parse_subject(text); },
      "Draw the graph, or communities as circles\n[graph with --sizes and up to 2,000 vertices and 20,000 arcs, else "
      "communities]")
      .words({"graph", "communities"});
  add_parsed(
      parser, "--sizes", "WHAT", [o](const std::string& text) { o->sizes = text; },
      "What areas of circles show: degree, pagerank, betweenness, equal, or values\nin a FILE [degree]")
      .words_or_file({"degree", "pagerank", "betweenness", "equal"})
      .more("FILE holds a vertex and a value of 0 or more a line, as a kernel's `--output` writes them.");
  add_parsed(
      parser, "--colours", "WHAT",
      [o](const std::string& text) {
        if (text != "communities" && text != "none") {
          throw usage_error("--colours: expected communities or none, found '" + text + "'");
        }
        o->coloured = text == "communities";
      },
      "What colours show: communities or none [communities]")
      .words({"communities", "none"});
  add_parsed(
      parser, "--labels", "N", [o](const std::string& text) { o->labels = parse_count("--labels", text, 0, 100'000); },
      "Name the N largest circles, if their names do not overlap [60; 40 communities]");
  add_parsed(
      parser, "--communities", "N",
      [o](const std::string& text) { o->communities = parse_count("--communities", text, 1, 1000); },
      "Draw the N largest communities [60]");
  add_parsed(
      parser, "--side", "N",
      [o](const std::string& text) { o->side = static_cast<double>(parse_count("--side", text, 200, 20'000)); },
      "Side of the drawing, in pixels [900]");
  o->weights.add_for_ties(parser, o->input);
  o->input.add_to(parser);
  o->run.add_to(parser);
  parser.more(
      "The drawing is one file for a browser or a paper, light or dark as the reader prefers. Of communities, the six "
      "largest have colours of their own; the others are grey. The pointer on a circle shows what it is.");
  parser.weights({"", "strengths", "sum", "counted"});
  parser.keys({
      {"`drawn`", "`vertices` or `communities`"},
      {"`circles`, `lines`", "how many were drawn"},
      {"`written`", "the file"},
  });
  parser.footer(
      "Places come from forces: vertices push each other away, edges pull their ends together. Weights count as\n"
      "strengths of ties. The drawing is the same whatever the number of threads.\n\n"
      "Examples:\n"
      "  callisto draw karate.txt.gz\n"
      "  callisto draw friends.csv --sizes pagerank --labels 100 --output friends.svg\n"
      "  callisto draw web.cg --what communities --communities 100");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
