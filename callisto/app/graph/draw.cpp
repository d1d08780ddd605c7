// callisto draw: draws a graph, or the communities of a large one, as SVG.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/draw/svg_graph.hpp>
#include <callisto/app/graph/drawing.hpp>
#include <callisto/app/graph/drawn_columns.hpp>
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
constexpr std::size_t legend_rows = svg_group_colours;
constexpr std::size_t members_in_legend = 3;

enum class picture_of { by_size, graph, communities };

struct draw_arguments {
  graph_input input;
  run_options run;
  std::string output;
  picture_of what = picture_of::by_size;
  std::string sizes = "degree";
  std::string colours = "communities";
  std::string names;   ///< the column with what vertices are called; empty: none
  std::string layout;  ///< empty: given places if there are, else communities where forces mix them
  std::string places;  ///< the file to write
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
    panel.elements += fmt::format(
        "<circle {} cx=\"14\" cy=\"{:.0f}\" r=\"6\"/>\n<text class=\"small\" x=\"28\" y=\"{:.0f}\">{}: {}</text>\n"
        "<text class=\"small\" x=\"28\" y=\"{:.0f}\" opacity=\".7\">{}</text>\n",
        svg_fill(i), y - 4, y, xml(first_columns(one_line(label_of(graph, all[i].first).text()), 24)),
        counted(all[i].second, "member"), y + 15, xml(first_columns(list_words(names), 42)));
  }
  if (rows < all.size()) {
    panel.elements += fmt::format("<text class=\"small\" x=\"28\" y=\"{:.0f}\">and {} more</text>\n",
                                  line * static_cast<double>(rows) + 20, with_separators(all.size() - rows));
  }
  return panel;
}

/// Returns the list of what colours mean beside a drawing.
svg_panel legend_of(const column_colours& colours, const std::string& column, double height) {
  constexpr double line = 20;
  svg_panel panel{300, height, {}};
  panel.elements =
      fmt::format("<text class=\"small\" x=\"8\" y=\"20\">{}</text>\n", xml(first_columns(one_line(column), 40)));
  double y = 20 + line;
  const auto add = [&](std::size_t colour, const std::string& words) {
    panel.elements += fmt::format(
        "<circle {} cx=\"14\" cy=\"{:.0f}\" r=\"6\"/>\n<text class=\"small\" x=\"28\" y=\"{:.0f}\">{}</text>\n",
        svg_fill(colour), y - 4, y, xml(first_columns(words, 42)));
    y += line;
  };
  for (const auto& [colour, words] : colours.legend) {
    if (y < height) add(colour, words);
  }
  if (!colours.others.empty() && y < height) add(svg_group_colours, colours.others);
  return panel;
}

std::string subtitle_of(const draw_arguments& o, const loaded_graph& loaded, const graph_drawing& drawing,
                        std::size_t communities, const std::string& given) {
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
  const std::string arcs = drawing.edges.size() <= most_arrows ? "arcs" : "arcs, too many for arrows";
  const std::string colour = o.colours == "communities" ? "community" : o.colours == "none" ? "" : one_line(o.colours);
  return fmt::format("{} vertices, {} {}.{}{}{}{}", with_separators(size.vertices),
                     with_separators(drawing.edges.size()), size.directed ? arcs : "edges between two",
                     area.empty() ? "" : " Area: " + area + ".", colour.empty() ? "" : " Colour: " + colour + ".",
                     size.weighted ? " Width of a line: weight." : "", given.empty() ? "" : " Places: " + given + ".");
}

void run(const draw_arguments& o, const std::stop_token& stop) {
  const bool to_file = o.output.empty() || !is_standard_output(o.output);
  const std::string file = !o.output.empty()     ? o.output
                           : o.input.file == "-" ? "graph.svg"
                                                 : short_name(o.input.file) + ".svg";
  if (to_file && !file.ends_with(".svg") && !file.ends_with(".svg.gz")) {
    throw usage_error("--output: expected a name that ends in .svg, found '" + file +
                      "' (rsvg-convert or a browser makes a PNG of an .svg)");
  }
  if (o.what == picture_of::communities && o.sizes != "degree") {
    throw usage_error("--sizes: expected with --what graph; circles of communities show numbers of members");
  }
  if (!o.places.empty() && (o.layout == "given" || o.what == picture_of::communities)) {
    throw usage_error("--places: expected with places that are computed for vertices");
  }
  if (o.run.as_json) refuse_beside_json(file);
  o.run.apply({o.input.file, file});
  refuse_same_file(o.input.file, file);
  if (!o.places.empty()) refuse_same_file(o.input.file, o.places);
  const bool by_column = o.colours != "communities" && o.colours != "none";
  result out(file);
  progress_bar bar(o.run.progress_wanted());
  bar.expect(loading_and({{"layout", 10}}));
  const graph::run_control context{&bar, stop};
  const loaded_graph loaded = o.input.load(context);
  const graph::any_graph& graph = loaded.graph;
  const graph_size size = size_of(graph);
  const bool small = size.vertices <= vertices_of_small && size.arcs <= arcs_of_small;
  // Sizes of vertices ask for vertices.
  const bool vertices = o.what == picture_of::graph ||
                        (o.what == picture_of::by_size &&
                         (small || o.sizes != "degree" || by_column || !o.names.empty() || !o.places.empty()));
  if (vertices && size.vertices > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("--what: expected communities for a graph of more than 2^32 vertices");
  }
  if (!vertices && o.what == picture_of::by_size) {
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
  std::optional<given_places> given;
  if (vertices && (o.layout.empty() || o.layout == "given")) given = places_in(graph);
  if (o.layout == "given" && !given) {
    throw usage_error("--layout: expected columns x and y, lon and lat, or pos, with a place of each vertex");
  }
  if (given && !o.places.empty()) throw usage_error("--places: the graph has places; --layout forces computes others");
  column_colours colours;
  if (by_column && !vertices) throw usage_error("--colours: a column colours vertices, which --what graph draws");
  if (by_column) colours = colours_by(graph, o.colours, "--colours");
  const std::vector<std::string> names =
      o.names.empty() ? std::vector<std::string>() : texts_in(graph, o.names, "--label-column");
  const bool grouped =
      o.colours == "communities" || o.layout == "communities" || (by_column && !given && o.layout.empty());
  if (grouped || !vertices) {
    groups = graph::communities(graph, {}, context);
    std::visit([&](const auto& g) { name_by_label(groups.of, g); }, graph);
    all = graph::component_sizes(groups.of, context);
  } else {
    groups.of = machine::page_array<std::uint64_t>(size.vertices);
  }
  const std::vector<double> scores = vertices ? scores_of(o, loaded, context) : std::vector<double>();
  const drawing_look look{
      .scores = scores,
      .score = o.sizes,
      .labels = static_cast<std::size_t>(o.labels.value_or(vertices ? 60 : 40)),
      .communities = static_cast<std::size_t>(o.communities),
      .coloured = grouped,
      .colours = colours.of,
      .words = colours.words,
      .names = names,
      .places = given ? std::span<const graph::layout_point>(given->at) : std::span<const graph::layout_point>(),
      .how = o.layout == "communities" ? graph::clumps::always
             : o.layout == "forces"    ? graph::clumps::never
                                       : graph::clumps::where_mixed,
      .weights = size.weighted,
      .side = o.side};
  const graph_drawing drawing = vertices ? draw_vertices(graph, groups.of, all, look, context)
                                         : draw_communities(graph, groups.of, all, look, {context});
  const double seconds = time.seconds();
  std::vector<svg_panel> row{draw_graph(drawing.vertices, drawing.edges, o.side, o.side)};
  if (by_column) {
    row.push_back(legend_of(colours, o.colours, o.side));
  } else if (o.colours == "communities" && !all.empty()) {
    row.push_back(legend_of(graph, groups.of, all, o.side));
  }
  if (!o.places.empty()) {
    std::vector<graph::layout_point> at;
    for (const drawn_vertex& v : drawing.vertices) at.push_back({v.x, v.y});
    write_places(o.places, graph, at);
  }
  const std::vector<std::vector<svg_panel>> rows{std::move(row)};
  out.write(svg_document(o.input.file == "-" ? "standard input" : std::filesystem::path(o.input.file).filename(),
                         subtitle_of(o, loaded, drawing, all.size(), given ? given->from : std::string()), rows));
  bar.finish();
  out.commit();
  if (o.run.as_json) {
    json object = describe(o.input, loaded);
    object["drawn"] = drawing.communities ? "communities" : "vertices";
    object["circles"] = drawing.shown;
    object["lines"] = drawing.edges.size();
    object["written"] = file;
    object["places"] = given ? given->from : "computed";
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

picture_of parse_subject(const std::string& text) {
  if (text == "graph") return picture_of::graph;
  if (text == "communities") return picture_of::communities;
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
      parser, "--colours", "WHAT", [o](const std::string& text) { o->colours = text; },
      "What colours show: communities, none, or the name of a column of vertices\n[communities]")
      .words({"communities", "none"})
      .more("Of a column the 12 most frequent values have colours, or six steps of a scale if it holds more numbers.");
  parser.add_option("--label-column", o->names, "Call vertices by the texts of this column of theirs")
      .type_name("NAME");
  add_parsed(
      parser, "--layout", "WHAT",
      [o](const std::string& text) {
        if (text != "communities" && text != "forces" && text != "given") {
          throw usage_error("--layout: expected communities, forces or given, found '" + text + "'");
        }
        o->layout = text;
      },
      "Where vertices are: communities (a clump each), forces, or given (columns x and\ny, lon and lat, or pos)")
      .words({"communities", "forces", "given"})
      .more(
          "Without it: as given, if each vertex has a place; else by forces, and communities become clumps where "
          "forces alone would mix them.");
  parser.add_option("--places", o->places, "Write the places of vertices to FILE, a table of vertex, x and y")
      .type_name("FILE")
      .more("`--vertex-table FILE` reads it: the next drawing of the graph has the same places.");
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
  o->input.more_attributes = [b = o.get()] {
    std::vector<std::string> all = columns_of_places();
    if (b->colours != "communities" && b->colours != "none") all.push_back(b->colours);
    if (!b->names.empty()) all.push_back(b->names);
    return all;
  };
  o->input.add_to(parser);
  o->run.add_to(parser);
  parser.more(
      "The drawing is one file for a browser or a paper, light or dark as the reader prefers. Of communities, the "
      "twelve "
      "largest have colours of their own; the others are grey. The pointer on a circle shows what it is.");
  parser.weights({"", "strengths", "sum", "counted"});
  parser.keys({
      {"`drawn`", "`vertices` or `communities`"},
      {"`circles`, `lines`", "how many were drawn"},
      {"`written`", "the file"},
      {"`places`", "`computed`, or the columns that gave them"},
  });
  parser.footer(
      "Places come from forces: vertices push each other away, edges pull their ends together. Components stand side\n"
      "by side. Weights count as\n"
      "strengths of ties. The drawing is the same whatever the number of threads.\n\n"
      "Examples:\n"
      "  callisto draw karate.txt.gz\n"
      "  callisto draw friends.csv --sizes pagerank --labels 100 --output friends.svg\n"
      "  callisto draw web.cg --what communities --communities 100");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
