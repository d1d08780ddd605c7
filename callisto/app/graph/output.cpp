// Adds the options of output graphs, writes the graphs and describes what was written.
#include <callisto/app/graph/output.hpp>

#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/files/formats/file_format.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/files/vertex_table.hpp>
#include <callisto/graph/files/write.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/graph/pair/routes.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace callisto::app {
namespace {

constexpr std::string_view native_name = "native";

/// Returns the name of the format that `output` asks for. Throws usage_error if it asks for none.
std::string format_of(const graph_output& output) {
  if (output.format == native_name || output.format == "cg") return std::string(native_name);
  if (!output.format.empty()) {
    try {
      return std::string(graph::name_of(graph::format_from_name(output.format)));
    } catch (const usage_error&) {
      const graph::file_format of_suffix = output.format.find('.') == std::string::npos
                                               ? graph::format_from_suffix('.' + output.format)
                                               : graph::file_format::automatic;
      if (graph::can_be_written(of_suffix)) return std::string(graph::name_of(of_suffix));
      throw usage_error(fmt::format("--to: expected one of {}, {}, found '{}'", native_name,
                                    fmt::join(written_format_choices({}), ", "), output.format));
    }
  }
  if (output.file.ends_with(".cg")) return std::string(native_name);
  const graph::file_format format = graph::format_from_suffix(output.file);
  if (format == graph::file_format::automatic) {
    throw usage_error(output.file +
                      ": the suffix names no format; expected .cg, .txt, .csv, .el, .wel, .mtx, .gr, "
                      ".graph, .graphml, .gexf, .gml, .json, .dot, .net, .sg or .wsg, or --to FORMAT");
  }
  return std::string(graph::name_of(format));
}

/// Throws usage_error if a name cannot stand in a line of a file of names.
void check_lines(const graph::any_graph& graph) {
  std::visit(
      [&](const auto& g) {
        if (g.names() == nullptr) return;
        const auto& bytes = g.names()->bytes();
        if (std::string_view(bytes.data(), bytes.size()).find_first_of("\r\n") == std::string_view::npos) return;
        throw usage_error(
            "--names-to: a name holds a line break, and the file has a name a line; .csv, .graphml and "
            ".cg keep names");
      },
      graph);
}

/// Writes the names of all vertices, one a line in order of labels.
void write_names(const graph::any_graph& graph, const std::string& path) {
  machine::output_file file(path);
  std::string lines;
  const std::uint64_t vertices = size_of(graph).vertices;
  constexpr std::size_t enough = std::size_t{1} << 20;
  for (std::uint64_t i = 0; i < vertices; ++i) {
    std::visit([&](const auto& g) { g.append_name(lines, g.by_label(i)); }, graph);
    lines += '\n';
    if (lines.size() >= enough || i + 1 == vertices) {
      file.append(lines);
      lines.clear();
    }
  }
  file.commit();
}

}  // namespace

void graph_output::add_to(const command_parser& parser) {
  parser.add_option("OUT", file, "The file to write; its suffix names the format, .gz and .zst compress")
      .required()
      .more(
          "Suffixes: `.cg` (native), `.txt` and `.el` (edge list), `.wel` (weighted edge list), `.mtx` "
          "(Matrix Market), `.gr` (DIMACS), `.graph` (METIS), `.sg` and `.wsg` (GAPBS), `.csv` (table), "
          "`.graphml`, `.gexf`, `.gml`, `.json` (nodes and links), `.dot`, `.net` (Pajek). All but `.cg` may "
          "be followed by `.gz` or `.zst`. `-` is standard output, and needs `--to`; what is printed goes to standard "
          "error then.");
  parser.add_option("--to", format, "Format of OUT whatever its suffix: native or\n" + written_format_names())
      .type_name("FORMAT")
      .more("A suffix without its dot is the name of its format, too: csv, mtx, gr.")
      .words(written_format_choices({"native"}));
  parser.add_option("--names-to", names_to, "Write the vertices' names to FILE, one a line in order of labels")
      .type_name("FILE")
      .more("For formats that only number vertices; `--names FILE` reads it with them.");
  parser
      .add_option("--vertex-table-to", vertex_table_to,
                  "Write the attributes of vertices to FILE, a table with a line a vertex")
      .type_name("FILE")
      .more("For formats that hold none of vertices, such as .csv; `--vertex-table FILE` reads it with them.");
  parser
      .add_option("--order", order,
                  "Order of the vertices in a native file: hubs (those with most edges first,\n"
                  "for fast searches), labels (as their labels ascend) or given (as in the input)\n"
                  "[given]")
      .type_name("ORDER")
      .words({"hubs", "labels", "given"})
      .more(
          "Results speak of labels either way. `convert` says so where hubs first would make kernels faster; methods "
          "with several good answers, such as communities, may find another one then.");
  if (!offers_routes) return;
  parser
      .add_flag("--routes", routes,
                "Keep routes in a native file, by which `path` finds one path at once; for\n"
                "roads and other graphs of small degrees")
      .more(
          "A contraction hierarchy (Geisberger et al. 2008): shortcuts over vertices of little importance, by the "
          "weights, or by numbers of edges if there are none. It takes about as much room as the graph. In graphs that "
          "are no roads, vertices come to have many neighbours. If more than 1 % have more than 128, no routes are "
          "kept, "
          "and standard error says so: searches without them are faster there.");
}

void graph_output::check(bool as_json) const {
  const std::string to = format_of(*this);
  for (const auto& [path, flag] : {std::pair(file, "OUT"), std::pair(names_to.value_or(""), "--names-to"),
                                   std::pair(vertex_table_to.value_or(""), "--vertex-table-to")}) {
    if (path.empty() || !is_standard_output(path)) continue;
    if (as_json) refuse_beside_json(path, flag);
    take_standard_output(flag);
  }
  if (routes && to != native_name) throw usage_error("--routes: only a native file can hold routes");
  if (order.empty()) return;
  if (order != "hubs" && order != "labels" && order != "given") {
    throw usage_error("--order: expected hubs, labels or given, found '" + order + "'");
  }
  if (order == "hubs" && to != native_name) throw usage_error("--order: only a native file can have the order hubs");
}

void graph_output::check_over_ranks() const {
  const char* const flag = !order.empty()    ? "--order"
                           : names_to        ? "--names-to"
                           : vertex_table_to ? "--vertex-table-to"
                           : routes          ? "--routes"
                                             : "";
  if (*flag != '\0') throw usage_error(fmt::format("{} has no form for several ranks; expected 1 process", flag));
  if (format_of(*this) == native_name) return;
  throw usage_error(fmt::format("{}: ranks write native files together; expected the suffix .cg, or 1 process", file));
}

bool graph_output::keeps_attributes() const {
  const std::string to = format_of(*this);
  return vertex_table_to || to == native_name || graph::holds_attributes(graph::format_from_name(to));
}

written_file graph_output::write(graph::any_graph& graph, const graph::shared_control& context) const {
  written_file written;
  written.path = file;
  written.format = format_of(*this);
  if (names_to) check_lines(graph);
  const bool asked = order == "hubs" || order == "labels";
  if (asked) graph::require_memory("--order " + order, graph::needs::reorder(graph));
  const stopwatch ordering;
  if (asked) written.order = order;
  if (order.empty() && hints_at_order && written.format == native_name && graph::gains_by_hubs_first(graph, context)) {
    say("--order hubs would make kernels on this file faster");
  }
  if (written.order == "hubs") graph = graph::hubs_first(graph, context);
  if (written.order == "labels") graph = graph::in_label_order(graph, context);
  if (written.order != "given") written.order_seconds = ordering.seconds();
  std::optional<graph::any_routes> made;
  if (routes) {
    graph::require_memory("--routes", graph::needs::make_routes(graph));
    const stopwatch making;
    made = std::visit(
        [&](const auto& g) -> graph::any_routes { return graph::make_routes(g, {.weighted = g.weighted()}, context); },
        graph);
    written.route_seconds = making.seconds();
    const std::uint64_t core = std::visit([](const auto& r) { return r.core(); }, *made);
    if (core > size_of(graph).vertices / 100) {
      say(fmt::format("no routes are kept: {} vertices come to have more than 128 neighbours; `path` is fast without",
                      with_separators(core)));
      made.reset();
    } else {
      written.route_arcs = std::visit([](const auto& r) { return r.arcs(); }, *made);
    }
  }
  const stopwatch time;
  if (written.format == native_name) {
    if (made) {
      graph::write_native(graph, *made, file, context);
    } else if (context.among != nullptr) {
      graph::write_native_among(graph, file, context);
    } else {
      graph::write_native(graph, file, context);
    }
  } else {
    const graph::file_format to = graph::format_from_name(written.format);
    written.lost = graph::what_is_lost(graph, file, to);
    if (names_to)
      std::erase_if(written.lost, [](const std::string& what) { return what.find("--names-to") != what.npos; });
    if (vertex_table_to)
      std::erase_if(written.lost, [](const std::string& what) { return what.find("--vertex-table-to") != what.npos; });
    graph::write_graph(graph, file, to, context);
  }
  if (names_to) write_names(graph, *names_to);
  if (vertex_table_to) graph::write_vertex_table(graph, *vertex_table_to);
  for (const std::string& what : written.lost) say(fmt::format("{}: {}", file, what));
  written.seconds = time.seconds();
  std::error_code none;  // set if the file has no size, as a pipe has none
  const auto bytes = std::filesystem::file_size(file, none);
  if (!none && !is_standard_output(file)) written.bytes = bytes;
  return written;
}

json describe(const written_file& written) {
  json object{{"file", written.path}, {"format", written.format}, {"bytes", written.bytes}, {"lost", written.lost}};
  object["order"] = written.order;
  if (written.order_seconds != 0) object["order_seconds"] = written.order_seconds;
  if (written.route_arcs) object["routes"] = {{"arcs", *written.route_arcs}, {"seconds", written.route_seconds}};
  return object;
}

json describe(const written_file& written, const graph::any_graph& graph) {
  json object = describe(written);
  object["vertices"] = size_of(graph).vertices;
  object["arcs"] = size_of(graph).arcs;
  return object;
}

void tell_written(const run_options& run, const written_file& written, const graph::any_graph& graph,
                  double load_seconds, const std::function<json()>& object) {
  if (run.as_json) {
    json all = object();
    all["seconds"] = {{"load", load_seconds}, {"write", written.seconds}};
    all["threads"] = threads();
    print(run.to_text(std::move(all)));
  } else if (!run.quiet) {
    print(to_text(written, graph));
  }
}

std::string to_text(const written_file& written, const graph::any_graph& graph) {
  const graph_size size = size_of(graph);
  table facts = name_value_table();
  facts.add_row({"written", fmt::format("{} ({}{})", one_line(written.path), written.format,
                                        written.bytes != 0 ? ", " + human_bytes(written.bytes) : std::string())});
  facts.add_row({"vertices", with_separators(size.vertices)});
  facts.add_row({"stored arcs", fmt::format("{} ({})", with_separators(size.arcs),
                                            size.directed ? "directed" : "undirected, each edge in both directions")});
  if (written.order_seconds != 0) facts.add_row({"order", human_seconds(written.order_seconds)});
  if (written.route_arcs) {
    facts.add_row({"routes", fmt::format("{} arcs and shortcuts, made in {}", with_separators(*written.route_arcs),
                                         human_seconds(written.route_seconds))});
  }
  facts.add_row({"time", human_seconds(written.seconds)});
  return facts.render();
}

}  // namespace callisto::app
