// The graph file that a subcommand writes.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <string>

namespace callisto::app {

/// What was written where.
struct written_file {
  std::string path;
  std::string format;
  std::uint64_t bytes = 0;  ///< size of the file; 0 if it has none
  double seconds = 0;
  double order_seconds = 0;  ///< that bringing the vertices into order took; not part of `seconds`
};

/// The output file on the command line and its format.
struct graph_output {
  std::string file;
  std::string format;  ///< a name for --to; empty: as the suffix of `file` says
  std::string order;   ///< of the vertices in a native file, by --order; empty: as they are

  /// Adds the positional OUT, --to and --order to `parser`; *this must outlive it.
  void add_to(const command_parser& parser);

  /// Throws usage_error unless the format is clear and can have the order. Called before the work begins.
  void check() const;

  /// Brings `graph` into the order asked for, if any is, and writes it.
  written_file write(graph::any_graph& graph, const graph::run_control& context) const;
};

json describe(const written_file& written);
std::string to_text(const written_file& written, const graph::any_graph& graph);

}  // namespace callisto::app
