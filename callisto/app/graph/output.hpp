// The graph file that a subcommand writes.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

/// A file that was written, and where.
struct written_file {
  std::string path;
  std::string format;
  std::uint64_t bytes = 0;  ///< size of the file; 0 if it has none, as a pipe
  double seconds = 0;
  std::vector<std::string> lost;            ///< parts of the graph that the file does not keep
  std::string order = "given";              ///< of the vertices: hubs, labels or given
  double order_seconds = 0;                 ///< time to bring the vertices into order, which `seconds` excludes
  std::optional<std::uint64_t> route_arcs;  ///< arcs and shortcuts of the routes, if the file holds some
  double route_seconds = 0;                 ///< time to make them, which `seconds` excludes
};

/// The output file on the command line, its format, and the order of its vertices.
struct graph_output {
  std::string file;
  std::string format;                   ///< the name given to --to; empty: as the suffix of `file` says
  std::string order;                    ///< the vertices' order, given to --order; empty: as they are
  bool hints_at_order = false;          ///< without --order, says where hubs first would pay
  bool offers_routes = false;           ///< adds --routes
  bool routes = false;                  ///< makes routes, which the file keeps
  std::optional<std::string> names_to;  ///< the file for the vertices' names, given to --names-to

  std::optional<std::string> vertex_table_to;  ///< the file for columns of vertices

  /// Adds the positional OUT, --to and --order to `parser`. This object must outlive `parser`.
  void add_to(const command_parser& parser);

  /// Throws usage_error if the format is unclear or cannot have the order. Commands call this before their work begins.
  void check(bool as_json) const;

  /// Throws usage_error for what ranks do not write together: they write native files in the order of the input.
  void check_over_ranks() const;

  /// True if what is written holds attributes.
  bool keeps_attributes() const;

  /// Brings `graph` into the order asked for, if any, and writes it; together with context.among, if that is not null.
  written_file write(graph::any_graph& graph, const graph::shared_control& context) const;
};

/// Returns what was written as keys for JSON.
json describe(const written_file& written);

/// Returns the same, with the size of the graph, for files that hold a part of the input.
json describe(const written_file& written, const graph::any_graph& graph);

/// Prints the result of a subcommand that writes a graph of another one: with --json what object() returns and the
/// times, else text, and with --quiet nothing.
void tell_written(const run_options& run, const written_file& written, const graph::any_graph& graph,
                  double load_seconds, const std::function<json()>& object);

/// Returns what was written, with the size of `graph`, as text for people.
std::string to_text(const written_file& written, const graph::any_graph& graph);

}  // namespace callisto::app
