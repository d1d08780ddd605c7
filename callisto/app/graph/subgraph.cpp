// callisto subgraph: writes some vertices of a graph, and all edges between them.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/output.hpp>
#include <callisto/app/graph/table_file.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/subgraph/subgraph.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct subgraph_arguments {
  graph_input input;
  graph_output output;
  run_options run;
  bool largest = false;
  bool strong = false;
  std::optional<std::uint32_t> core;
  std::vector<std::string> around;  ///< labels
  std::uint32_t hops = 1;
  std::string vertices;  ///< file of labels
  std::string values;    ///< file of labels and values
  std::uint64_t column = 2;
  std::optional<double> at_least;
  std::optional<double> at_most;

  /// Returns how many options choose vertices. None: --where does, when the graph is loaded.
  int ways() const {
    return (largest ? 1 : 0) + (strong ? 1 : 0) + (core ? 1 : 0) + (around.empty() ? 0 : 1) +
           (vertices.empty() ? 0 : 1) + (values.empty() ? 0 : 1);
  }

  void check() const {
    if (ways() > 1 || (ways() == 0 && input.where.empty())) {
      throw usage_error(
          "expected one of --largest-component, --largest-strong, --core K, --around V, --vertices FILE and "
          "--values FILE, or --where CONDITION");
    }
    if (!values.empty() && !at_least && !at_most) throw usage_error("--values: expected --at-least X or --at-most X");
    if (values.empty() && (at_least || at_most)) throw usage_error("--at-least and --at-most need --values FILE");
  }
};

/// Chooses the vertices with a value in the file that is in the range.
graph::vertex_choice by_value(const subgraph_arguments& o, const graph::any_graph& any) {
  graph::vertex_choice chosen(size_of(any).vertices);
  for_each_line(o.values, any, [&](std::uint64_t, const std::vector<std::string_view>& fields) {
    if (fields.size() < o.column) {
      throw usage_error(fmt::format("expected {} columns, found {}", o.column, fields.size()));
    }
    const std::string_view text = fields[o.column - 1];
    if (text == "-") return;  // Callisto writes "-" where there is no value
    const double value = parse_real("a value", text, {.low = -std::numeric_limits<double>::max()});
    if (value < o.at_least.value_or(value) || value > o.at_most.value_or(value)) return;
    chosen[vertex_of(any, fields.front(), "a vertex")] = 1;
  });
  return chosen;
}

graph::vertex_choice by_name(const subgraph_arguments& o, const graph::any_graph& any) {
  graph::vertex_choice chosen(size_of(any).vertices);
  for_each_line(o.vertices, any, [&](std::uint64_t, const std::vector<std::string_view>& fields) {
    chosen[vertex_of(any, fields.front(), "a vertex")] = 1;
  });
  return chosen;
}

template <class Vertex>
graph::vertex_choice choose(const subgraph_arguments& o, const graph::any_graph& any,
                            const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  if (o.ways() == 0) {
    graph::vertex_choice all(graph.vertices());
    for (char& chosen : all) chosen = 1;
    return all;
  }
  if (o.core) return graph::core_of(graph, *o.core, context);
  if (!o.values.empty()) return by_value(o, any);
  if (!o.vertices.empty()) return by_name(o, any);
  if (o.around.empty()) return graph::largest_component(graph, o.strong, context);
  std::vector<std::uint64_t> centres;
  for (const std::string& label : o.around) centres.push_back(vertex_of(any, label, "--around"));
  return graph::within_hops(graph, centres, o.hops, context);
}

void run(const subgraph_arguments& o, const std::stop_token& stop) {
  o.check();
  o.run.apply({o.input.file, o.output.file});
  o.output.check(o.run.as_json);
  refuse_same_file(o.input.file, o.output.file);
  progress_bar bar(o.run.progress_wanted());
  bar.expect(loading_and({{"", 2}, {"writing", 6}}));
  const graph::run_control context{&bar, stop};
  loaded_graph loaded = o.input.load(context);
  graph::require_memory("subgraph", graph::needs::subgraph(loaded.graph));
  graph::any_graph part = std::visit(
      [&](const auto& graph) {
        return graph::any_graph(induced_subgraph(graph, choose(o, loaded.graph, graph, context), context));
      },
      loaded.graph);
  const written_file written = o.output.write(part, {context});
  bar.finish();
  tell_written(o.run, written, part, loaded.seconds, [&] {
    json object = describe(o.input, loaded);
    object["written"] = describe(written, part);
    return object;
  });
}

}  // namespace

command add_subgraph(const command_parser& app) {
  const command_parser parser = app.add_subcommand("subgraph", "Write some vertices of a graph and the edges between");
  const auto o = std::make_shared<subgraph_arguments>();
  parser.add_option("IN", o->input.file, "The graph, in any format ('-': standard input)").required();
  o->output.add_to(parser);
  parser.add_flag("--largest-component", o->largest, "Keep the largest connected component");
  parser.add_flag("--largest-strong", o->strong, "Keep the largest strongly connected component");
  add_parsed(
      parser, "--core", "K",
      [o](const std::string& text) {
        o->core = static_cast<std::uint32_t>(parse_count("--core", text, 0, std::numeric_limits<std::uint32_t>::max()));
      },
      "Keep the K-core: the vertices of coreness K or more");
  add_parsed(
      parser, "--around", "V", [o](const std::string& text) { o->around.push_back(text); },
      "Keep this vertex and those few hops away; may be repeated")
      .may_be_repeated();
  add_parsed(
      parser, "--hops", "N",
      [o](const std::string& text) {
        o->hops = static_cast<std::uint32_t>(parse_count("--hops", text, 0, std::numeric_limits<std::uint32_t>::max()));
      },
      "Hops of --around, in either direction of arcs [1]");
  parser.add_option("--vertices", o->vertices, "Keep the vertices in FILE, the first field of each line")
      .type_name("FILE");
  parser.add_option("--values", o->values, "Keep vertices by their values in FILE, as a kernel's --output writes them")
      .type_name("FILE");
  add_parsed(
      parser, "--column", "N", [o](const std::string& text) { o->column = parse_count("--column", text, 2); },
      "Column of FILE that has the value; the first one has the vertex [2]");
  const real_range any_real{.low = -std::numeric_limits<double>::max()};
  add_parsed(
      parser, "--at-least", "X",
      [o, any_real](const std::string& text) { o->at_least = parse_real("--at-least", text, any_real); },
      "Keep vertices with a value of X or more");
  add_parsed(
      parser, "--at-most", "X",
      [o, any_real](const std::string& text) { o->at_most = parse_real("--at-most", text, any_real); },
      "Keep vertices with a value of X or less");
  o->input.uses_attributes = [out = &o->output] { return out->keeps_attributes(); };
  o->input.add_loading_options(parser);
  o->run.add_to(parser);
  parser.more(
      "In files, blanks, tabs, commas and semicolons separate fields; lines that begin with `#` are skipped. A value "
      "`-` "
      "is none.");
  parser.weights({"", "kept", "min", "once"});
  parser.memory({"", "the most of components, scc, kcore and the copy"});
  parser.keys({
      {"`written`", "as of convert, with `vertices` and `arcs` of the subgraph"},
  });
  parser.footer(
      "Vertices keep their labels, edges their weights, where the format has them. The order of\n"
      "vertices is that of the input.\n\n"
      "Examples:\n"
      "  callisto subgraph web.txt.gz core.cg --core 10\n"
      "  callisto subgraph friends.cg near.txt --around 17 --hops 2\n"
      "  callisto subgraph web.cg top.mtx --values ranks.tsv --at-least 0.001");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
