// Adds the options of input graphs, loads the graphs and describes them.
#include <callisto/app/graph/input.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <variant>

namespace callisto::app {
namespace {

constexpr const char* group_name = "Building the graph";  // heading in --help

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
          options.read.format = graph::format_from_name(text);
        } catch (const usage_error&) {
          throw usage_error(fmt::format("--format: expected one of {}, found '{}'", format_names(), text));
        }
      },
      "Format of the input instead of what its content shows:\n" + format_names())
      .group(group_name)
      .more("By default the format and the compression are found from the content.")
      .words(format_choices({}));
  parser.add_flag("--undirected", options.build.undirected, "Ignore the direction of edges").group(group_name);
  add_build_options(parser, options.build);
}

void add_build_options(const command_parser& parser, graph::build_options& build) {
  parser
      .add_flag(
          "--keep-repeats", [&build] { build.repeats = graph::repeats::keep; },
          "Keep edges that repeat others; without it one of them stays, the lightest")
      .group(group_name);
  parser
      .add_flag(
          "--drop-loops", [&build] { build.loops = graph::loops::remove; }, "Drop edges from a vertex to itself")
      .group(group_name);
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
      .group(group_name)
      .more("The weight of an edge depends on SEED and the ends of the edge.");
}

std::vector<std::string> format_choices(std::vector<std::string> first) {
  using graph::file_format;
  for (const file_format format :
       {file_format::edge_list, file_format::weighted_edge_list, file_format::matrix_market, file_format::dimacs,
        file_format::metis, file_format::gapbs_sg, file_format::gapbs_wsg}) {
    first.emplace_back(graph::name_of(format));
  }
  return first;
}

std::string format_names() { return fmt::format("{}", fmt::join(format_choices({}), ", ")); }

loaded_graph graph_input::load(const graph::run_control& context) const {
  do_without_hwloc_plugins();
  // Starts the workers before reading, so that other jobs see this job at once: reading takes as long as many kernels
  // do.
  static_cast<void>(threads());
  const stopwatch time;
  loaded_graph loaded;
  loaded.graph = graph::load_graph(file, options, context, &loaded.report);
  if (weights_seed) graph::require_memory("--random-weights", graph::needs::random_weights(loaded.graph));
  if (weights_seed) loaded.graph = graph::with_random_weights(std::move(loaded.graph), *weights_seed, context);
  loaded.edges = loaded.report.native ? edges_of(loaded.graph, context) : loaded.report.build.lines;
  loaded.seconds = time.seconds();
  return loaded;
}

std::uint64_t edges_of(const graph::any_graph& graph, const graph::run_control& context) {
  const graph_size size = size_of(graph);
  return size.directed ? size.arcs : (size.arcs + graph::count_self_loops(graph, context)) / 2;
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

json describe(const graph_input& input, const loaded_graph& loaded) {
  const graph_size size = size_of(loaded.graph);
  json object;
  object["graph"] = {{"file", input.file},        {"format", format_of(loaded)}, {"native", loaded.report.native},
                     {"vertices", size.vertices}, {"edges", loaded.edges},       {"arcs", size.arcs},
                     {"directed", size.directed}, {"weighted", size.weighted}};
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
  rows.add_row({"vertices", with_separators(size.vertices)});
  rows.add_row({"edges", fmt::format("{}{}", with_separators(loaded.edges), size.weighted ? ", weighted" : "")});
  rows.add_row({"stored arcs", fmt::format("{} ({})", with_separators(size.arcs),
                                           size.directed ? "directed" : "undirected, each edge in both directions")});
}

table name_value_table() { return table({{"", table::align::left}, {"", table::align::left}}); }

}  // namespace callisto::app
