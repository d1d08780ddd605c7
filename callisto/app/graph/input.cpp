// Adds the options of input graphs, loads the graphs and describes them.
#include <callisto/app/graph/input.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>
#include <variant>

namespace callisto::app {
namespace {

constexpr const char* building_group = "Building the graph";  // heading in --help

constexpr const char* table_group = "Reading tables and archives";

graph::repeats parse_repeats(const std::string& text) {
  for (const graph::repeats how : {graph::repeats::sum, graph::repeats::remove, graph::repeats::heaviest,
                                   graph::repeats::first, graph::repeats::keep}) {
    if (text == name_of(how)) return how;
  }
  throw usage_error("--repeats: expected sum, min, max, first or keep, found '" + text + "'");
}

std::vector<std::string> parse_columns(const std::string& text) {
  std::vector<std::string> names = words_of(text);
  const bool empty = std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); });
  if (names.size() < 2 || names.size() > 3 || empty) {
    throw usage_error("--columns: expected FROM,TO or FROM,TO,WEIGHT, found '" + text + "'");
  }
  return names;
}

char parse_separator(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "blank") return ' ';
  if (text.size() != 1 || text[0] == '"' || text[0] == '\n' || text[0] == '\r') {
    throw usage_error("--separator: expected one character, tab or blank, found '" + text + "'");
  }
  return text[0];
}

bool parse_yes_no(const char* flag, const std::string& text) {
  if (text == "yes") return true;
  if (text == "no") return false;
  throw usage_error(fmt::format("{}: expected yes or no, found '{}'", flag, text));
}

graph::vertex_ids parse_ids(const std::string& text) {
  if (text == "numbers") return graph::vertex_ids::numbers;
  if (text == "names") return graph::vertex_ids::names;
  throw usage_error("--ids: expected numbers or names, found '" + text + "'");
}

/// Keeps hwloc from loading its plugins, which look for graphics cards and displays: some twenty libraries, and a fifth
/// of the command's time for a small graph. Loops need none of them. Programs started later inherit the setting, but
/// commands that load graphs start no programs.
void do_without_hwloc_plugins() noexcept {
  ::setenv("HWLOC_PLUGINS_PATH", "", 0);  // a value that the user has set stays; no other thread runs yet
}

}  // namespace

void graph_input::add_to(const command_parser& parser, bool file_required) {
  parser.add_option("FILE", file, "The graph, in any format ('-': standard input)").required(file_required);
  add_loading_options(parser);
}

void graph_input::add_loading_options(const command_parser& parser) {
  add_parsed(
      parser, "--format", "NAME",
      [this](const std::string& text) {
        try {
          // The reader of tables finds the separator in the content.
          const bool table = text == "csv" || text == "tsv";
          options.read.format = table ? graph::file_format::table : graph::format_from_name(text);
        } catch (const usage_error&) {
          throw usage_error(
              fmt::format("--format: expected one of {}, found '{}'", fmt::join(format_choices({}), ", "), text));
        }
      },
      "Format of the input instead of what its content shows:\n" + format_names())
      .group(building_group)
      .more("By default the format and the compression are found from the content. csv and tsv are table.")
      .words(format_choices({}));
  const command_option undirected =
      parser.add_flag("--undirected", options.build.undirected, "Ignore the direction of edges").group(building_group);
  parser.add_flag("--directed", options.read.directed, "Take edges as directed, whatever a header says")
      .group(building_group)
      .excludes(undirected)
      .more("Without either flag the format and its headers decide; if they do not tell, edges have directions.");
  add_build_options(parser, options.build, usual_repeats_words_, [this] { options.repeats_chosen = true; });
  add_table_options(parser);
  add_attribute_options(parser);
}

void graph_input::add_table_options(const command_parser& parser) {
  graph::read_options& read = options.read;
  add_parsed(
      parser, "--columns", "FROM,TO[,WEIGHT]", [&read](const std::string& text) { read.columns = parse_columns(text); },
      "Columns of a table, by name or by number from 1")
      .group(table_group)
      .more(
          "Without it the header tells, or else the first two columns are the ends and a third of numbers the weight.");
  add_parsed(
      parser, "--weights-column", "COLUMN", [&read](const std::string& text) { read.weights_column = text; },
      "Column of the weights, by name or number; none: ignore weights")
      .group(table_group);
  add_parsed(
      parser, "--separator", "CHAR", [&read](const std::string& text) { read.separator = parse_separator(text); },
      "Character between columns: a character, tab or blank")
      .group(table_group)
      .words({"tab", "blank", ",", ";", "|"});
  add_parsed(
      parser, "--header", "yes|no", [&read](const std::string& text) { read.header = parse_yes_no("--header", text); },
      "Whether the first line of a table names the columns")
      .group(table_group)
      .words({"yes", "no"});
  add_parsed(
      parser, "--ids", "KIND", [&read](const std::string& text) { read.ids = parse_ids(text); },
      "What vertices are called: numbers, or names of any characters")
      .group(table_group)
      .words({"numbers", "names"})
      .more("Without it ids are numbers if all those of the first MiB are.");
  parser
      .add_flag("--bipartite", read.bipartite,
                "Take ids of the first column as other vertices than those of the second")
      .group(table_group)
      .more("Vertices are called `left-ID` and `right-ID`.");
  parser
      .add_option("--names", names_file,
                  "File with the names of numbered vertices: one a line in their order, or a table of number and name")
      .type_name("FILE")
      .group(table_group);
  parser
      .add_flag("--skip-bad-lines", read.skip_bad_lines,
                "Leave out the lines of a list or table that are no edges, and tell of them")
      .group(table_group);
  parser.add_option("--encoding", read.encoding, "Encoding of the file, such as UTF-16, latin1 or cp850")
      .type_name("NAME")
      .group(table_group)
      .more(
          "Any name that `iconv --list` shows. Without it the file is UTF-8, or UTF-16 or UTF-32 if it begins so, or "
          "else Windows-1252; XML declares its own.");
  parser.add_option("--member", read.member, "File to read of an archive (tar, zip)")
      .type_name("NAME")
      .group(table_group)
      .more("Without it the first member is read that is no documentation.");
}

std::string_view name_of(graph::repeats how) noexcept {
  switch (how) {
    case graph::repeats::remove:
      return "min";
    case graph::repeats::keep:
      return "keep";
    case graph::repeats::heaviest:
      return "max";
    case graph::repeats::first:
      return "first";
    case graph::repeats::sum:
      return "sum";
    case graph::repeats::sum_weights:
      return "sum of weights";
  }
  __builtin_unreachable();
}

void add_build_options(const command_parser& parser, graph::build_options& build, const std::string& usual,
                       const std::function<void()>& chosen) {
  add_parsed(
      parser, "--repeats", "HOW",
      [&build, chosen](const std::string& text) {
        build.repeats = parse_repeats(text);
        chosen();
      },
      fmt::format(
          "What becomes of edges that repeat others: sum (of weights), min, max\n(lightest, heaviest), first or "
          "keep (all) [{}]",
          usual))
      .group(building_group)
      .words({"sum", "min", "max", "first", "keep"})
      .more(
          "Of an undirected reading opposite arcs repeat each other, too. Without weights `sum` counts the edges, and "
          "the others but `keep` leave one.");
  parser
      .add_flag(
          "--keep-repeats",
          [&build, chosen] {
            build.repeats = graph::repeats::keep;
            chosen();
          },
          "The same as --repeats keep")
      .group(building_group);
  parser
      .add_flag(
          "--drop-loops", [&build] { build.loops = graph::loops::remove; }, "Drop edges from a vertex to itself")
      .group(building_group);
}

std::string short_name(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string base = slash == std::string::npos ? file : file.substr(slash + 1);
  return base.substr(0, base.find('.', 1));
}

void graph_input::add_random_weights(const command_parser& parser) { app::add_random_weights(parser, weights_seed); }

void add_random_weights(const command_parser& parser, std::optional<std::uint64_t>& seed) {
  add_parsed(
      parser, "--random-weights", "SEED",
      [&seed](const std::string& text) { seed = parse_count("--random-weights", text, 0); },
      "Give edges random whole weights from 1 to 255, whatever they had")
      .group(building_group)
      .more("The weight of an edge depends on SEED and the ends of the edge.");
}

namespace {

using graph::file_format;
constexpr std::array all_formats{file_format::edge_list, file_format::weighted_edge_list,
                                 file_format::table,     file_format::matrix_market,
                                 file_format::dimacs,    file_format::metis,
                                 file_format::graphml,   file_format::gexf,
                                 file_format::gml,       file_format::pajek,
                                 file_format::gapbs_sg,  file_format::gapbs_wsg,
                                 file_format::ligra,     file_format::adjacency_list,
                                 file_format::npz,       file_format::npy,
                                 file_format::node_link, file_format::dot,
                                 file_format::lgl,       file_format::sif,
                                 file_format::tgf,       file_format::dl,
                                 file_format::ntriples};

/// Returns names of formats with a line break behind each five, as --help has room for.
std::string in_lines(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i % 5 == 0 ? ",\n" : ", ") + names[i];
  return text;
}

}  // namespace

std::vector<std::string> format_choices(std::vector<std::string> first) {
  for (const file_format format : all_formats) first.emplace_back(graph::name_of(format));
  return first;
}

std::vector<std::string> written_format_choices(std::vector<std::string> first) {
  for (const file_format format : all_formats) {
    if (graph::can_be_written(format)) first.emplace_back(graph::name_of(format));
  }
  return first;
}

std::string format_names() { return in_lines(format_choices({})); }
std::string written_format_names() { return in_lines(written_format_choices({})); }

std::vector<expected_stage> loading_and(std::vector<expected_stage> behind) {
  std::vector<expected_stage> all{
      {"reading", 4}, {"partitioning", 1}, {"sorting", 2}, {"partitioning", 1}, {"sorting", 2}};
  all.insert(all.end(), behind.begin(), behind.end());
  return all;
}

namespace {

graph::any_graph without_weights(graph::any_graph graph) {
  return std::visit([](auto& g) -> graph::any_graph { return std::move(g).with_weights({}, {}); }, graph);
}

}  // namespace

loaded_graph graph_input::load(const graph::run_control& context) const {
  if (rank_job::ranks() > 1) return load_among(context);
  const stopwatch time;
  loaded_graph loaded = load_whole(context);
  loaded.edges = edges_of(loaded.graph, context);
  loaded.seconds = time.seconds();
  return loaded;
}

void graph_input::begin_loading() {
  do_without_hwloc_plugins();
  // Starts the workers before reading, so that other jobs see this job at once: reading takes as long as many kernels
  // do.
  static_cast<void>(threads());
}

void graph_input::leave_out_weights(loaded_graph& loaded) const {
  if (weights_seed || !loaded.report.weights_listed || !leaves_weights_out(loaded.report.weights_are_lengths)) return;
  loaded.graph = without_weights(std::move(loaded.graph));
  if (!loaded.report.weights_are_lengths || leaves_weights_out(false)) return;
  const bool dimacs = loaded.report.format == graph::file_format::dimacs;
  loaded.report.notes.push_back(fmt::format(
      "its weights are lengths of paths ({}), which are no strengths of ties: they are left out (--weights strength "
      "uses them)",
      dimacs ? "'p sp'" : "by the name of their column"));
}

loaded_graph graph_input::load_whole(const graph::run_control& context, bool draws_later) const {
  begin_loading();
  loaded_graph loaded;
  graph::load_options how = options;
  if (!options.repeats_chosen) how.build.repeats = usual_repeats_();
  loaded.repeats = how.build.repeats;
  prepare_attributes(how);
  loaded.graph = graph::load_graph(file, how, context, &loaded.report);
  leave_out_weights(loaded);
  for (const std::string& note : loaded.report.notes) say(fmt::format("{}: {}", file, note));
  if (names_file) {
    std::vector<std::string> notes;
    loaded.graph = graph::with_names_of_file(std::move(loaded.graph), *names_file, {}, &notes);
    for (const std::string& note : notes) say(note);
    loaded.report.notes.insert(loaded.report.notes.end(), notes.begin(), notes.end());
  }
  finish_attributes(loaded, how, context);
  if (!weights_seed || draws_later) return loaded;
  graph::require_memory("--random-weights", graph::needs::random_weights(loaded.graph));
  loaded.graph = graph::with_random_weights(std::move(loaded.graph), *weights_seed, context);
  return loaded;
}

std::string line_words(const loaded_graph& loaded) {
  return size_of(loaded.graph).weighted && !loaded.weights_are_counts() ? "weights" : "edges";
}

bool loaded_graph::weights_are_counts() const noexcept { return !report.weights_listed && size_of(graph).weighted; }

std::uint64_t edges_of(const graph::any_graph& graph, const graph::run_control& context) {
  const graph_size size = size_of(graph);
  return size.directed ? size.arcs : (size.arcs + graph::count_self_loops(graph, context)) / 2;
}

bool is_named(const graph::any_graph& graph) noexcept {
  return std::visit([](const auto& g) { return g.names() != nullptr; }, graph);
}

graph_size size_of(const graph::any_graph& graph) {
  const auto size = [](const auto& g) { return graph_size{g.vertices(), g.arcs(), g.directed(), g.weighted()}; };
  return std::visit(size, graph);
}

namespace {

std::string_view format_of(const loaded_graph& loaded) noexcept {
  return loaded.report.native ? "native" : name_of(loaded.report.format);
}

}  // namespace

json describe(const graph::build_report& listed) {
  return {{"edges", listed.lines}, {"self_loops", listed.self_loops}, {"repeated_edges", listed.repeats}};
}

json describe(const graph_input& input, const loaded_graph& loaded) {
  const graph_size size = size_of(loaded.graph);
  json object;
  object["graph"] = {{"file", input.file},
                     {"format", format_of(loaded)},
                     {"native", loaded.report.native},
                     {"vertices", size.vertices},
                     {"edges", loaded.edges},
                     {"arcs", size.arcs},
                     {"directed", size.directed},
                     {"weighted", size.weighted},
                     {"named", is_named(loaded.graph)},
                     {"repeats", name_of(loaded.repeats)},
                     {"notes", loaded.report.notes}};
  if (!loaded.report.native) object["graph"]["listed"] = describe(loaded.report.build);
  object["vertices"] = size.vertices;
  object["edges"] = loaded.edges;
  return object;
}

void describe(const graph_input& input, const loaded_graph& loaded, table& rows) {
  const graph_size size = size_of(loaded.graph);
  const std::uint64_t bytes = loaded.report.file_bytes;
  rows.add_row({"file", one_line(input.file) + fmt::format(" ({})", format_of(loaded))});
  rows.add_row(
      {"loaded in", human_seconds(loaded.seconds) +
                        (bytes != 0 ? fmt::format(" ({}, {})", human_bytes(bytes),
                                                  human_rate(static_cast<double>(bytes) / loaded.seconds, "bytes"))
                                    : std::string())});
  rows.add_row({"vertices", with_separators(size.vertices) + (is_named(loaded.graph) ? ", named" : "")});
  std::string edges = with_separators(loaded.edges) + (size.weighted ? ", weighted" : "");
  if (const std::uint64_t listed = loaded.report.build.lines; !loaded.report.native && listed != loaded.edges) {
    edges += fmt::format(" ({} listed)", with_separators(listed));
  }
  rows.add_row({"edges", std::move(edges)});
  rows.add_row({"stored arcs", fmt::format("{} ({})", with_separators(size.arcs),
                                           size.directed ? "directed" : "undirected, each edge in both directions")});
}

table name_value_table() { return table({{"", table::align::left}, {"", table::align::left}}); }

}  // namespace callisto::app
