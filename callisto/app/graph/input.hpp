// The graph that a subcommand works on: the options about it, its loading, and its description.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/load.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

/// A graph as it came from its file.
struct loaded_graph {
  graph::any_graph graph;
  graph::load_report report;
  std::uint64_t edges = 0;  ///< edges in the file; for a native file those of the graph, undirected ones counted once
  double seconds = 0;
};

/// The graph file on the command line and the options that say how to read it.
struct graph_input {
  std::string file;
  graph::load_options options;
  std::optional<std::uint64_t> weights_seed;  ///< if set, weights are drawn from this seed
  std::optional<std::string> names_file;      ///< the file with the names of numbered vertices

  /// Adds the positional FILE and the loading options to `parser`. This object must outlive `parser`.
  void add_to(const command_parser& parser, bool file_required = true);

  /// Adds the loading options alone, for subcommands that name their files otherwise.
  void add_loading_options(const command_parser& parser);

  /// Says what becomes of repeated edges if the user does not. Call it before add_to().
  void set_usual_repeats(graph::repeats how) { options.build.repeats = how; }

  /// Adds --random-weights to `parser`, for subcommands that use weights.
  void add_random_weights(const command_parser& parser);

  /// Reads the file and builds the graph; says on standard error what the reader decided. Throws what graph::load_graph
  /// throws, and memory_error if there is no room for --random-weights.
  loaded_graph load(const graph::run_control& context) const;

 private:
  void add_table_options(const command_parser& parser);
};

/// Returns the stages of loading a graph, and `behind` them those that a command adds. Loading a file of text has
/// shares of 10 in all.
std::vector<expected_stage> loading_and(std::vector<expected_stage> behind);

/// Adds --repeats, --keep-repeats and --drop-loops to `parser`. Calls `chosen` if one of the first two is given.
/// `build` must outlive `parser`.
void add_build_options(
    const command_parser& parser, graph::build_options& build, const std::function<void()>& chosen = [] {});

/// Returns what the command calls a way with repeats: "min", "sum" ...
std::string_view name_of(graph::repeats how) noexcept;

/// Returns a file's name without its folders and its suffixes.
std::string short_name(const std::string& file);

/// Adds --random-weights to `parser`. `seed` must outlive `parser`.
void add_random_weights(const command_parser& parser, std::optional<std::uint64_t>& seed);

/// Returns the names that --format takes, separated by commas.
std::string format_names();
/// Returns the names that --to takes besides native, separated by commas.
std::string written_format_names();

/// Returns `first` and, behind it, the names of these formats one by one.
std::vector<std::string> format_choices(std::vector<std::string> first);
std::vector<std::string> written_format_choices(std::vector<std::string> first);

/// The size and kind of a graph: its vertices, its stored arcs, and whether edges have directions and weights.
struct graph_size {
  std::uint64_t vertices;
  std::uint64_t arcs;
  bool directed;
  bool weighted;
};

/// True if the vertices have names.
bool is_named(const graph::any_graph& graph) noexcept;

/// Returns the size and kind of `graph`.
graph_size size_of(const graph::any_graph& graph);

/// Returns the number of edges of a built graph, undirected ones counted once.
std::uint64_t edges_of(const graph::any_graph& graph, const graph::run_control& context);

/// Returns the keys that every result about a loaded graph begins with.
json describe(const graph_input& input, const loaded_graph& loaded);

/// Adds the rows that every text about a loaded graph begins with.
void describe(const graph_input& input, const loaded_graph& loaded, table& rows);

/// Returns a table of two columns without headings: name and value.
table name_value_table();

}  // namespace callisto::app
