// The graph that a subcommand works on: the options about it, its loading, and its description.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>
#include <callisto/graph/files/load.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

/// A graph as it came from its file.
struct loaded_graph {
  graph::any_graph graph;
  graph::load_report report;
  graph::repeats repeats = graph::repeats::remove;  ///< fate of edges that repeat other edges
  std::uint64_t edges = 0;                          ///< edges of the graph, undirected ones counted once
  double seconds = 0;

  /// True if weights are the numbers of lines of a list without weights.
  bool weights_are_counts() const noexcept;
  /// Returns what PageRank takes weights for beside communities: such numbers are ties to these, and nothing to it.
  graph::weight_use rank_weights() const noexcept {
    return weights_are_counts() ? graph::weight_use::none : graph::weight_use::strength;
  }
};

/// The graph file on the command line and the options that say how to read it.
struct graph_input {
  std::string file;
  graph::load_options options;
  std::optional<std::uint64_t> weights_seed;  ///< if set, weights are drawn from this seed
  std::optional<std::string> names_file;      ///< the file with the names of numbered vertices
  std::optional<std::string> vertex_table;    ///< the file with columns of the vertices
  std::string where;                          ///< which vertices and edges to keep; empty: all
  /// Returns whether the command uses all attributes; if not, only those are read that the user asks for.
  std::function<bool()> uses_attributes = [] { return false; };
  /// Returns names of columns that the command reads where the file has them; may be empty.
  std::function<std::vector<std::string>()> more_attributes;
  /// Returns whether the weights are left out: all, or those that the file says are lengths of paths. By default none.
  std::function<bool(bool lengths)> leaves_weights_out = [](bool) { return false; };
  /// Returns whether, of several ranks, the one that tells needs all rows: to check a result, mostly.
  std::function<bool()> whole_where_told = [] { return false; };

  /// Adds the positional FILE and the loading options to `parser`. This object must outlive `parser`.
  void add_to(const command_parser& parser, bool file_required = true);

  /// Adds the loading options alone, for subcommands that name their files otherwise.
  void add_loading_options(const command_parser& parser);

  /// Says what becomes of repeated edges if the user does not: what `how` returns once the command line is read.
  /// `words` stand in the help: "sum of weights". Call it before add_to().
  void set_usual_repeats(std::function<graph::repeats()> how, std::string words) {
    usual_repeats_ = std::move(how);
    usual_repeats_words_ = std::move(words);
  }

  /// Adds --random-weights to `parser`, for subcommands that use weights.
  void add_random_weights(const command_parser& parser);

  /// Reads the file and builds the graph; says on standard error what the reader decided. Of several ranks, all map a
  /// native file that needs no conversion, and each reads a range of a plain text of edges; of any other file, rank 0
  /// reads the whole and deals the rows. Throws what
  /// graph::load_graph throws, and memory_error if there is no room for --random-weights.
  loaded_graph load(const graph::run_control& context) const;

 private:
  void add_table_options(const command_parser& parser);
  void add_attribute_options(const command_parser& parser);
  graph::attribute_choice wanted_attributes() const;
  /// Says in `how` which attributes and edges are read.
  void prepare_attributes(graph::load_options& how) const;
  /// Adds the table of vertices, and leaves out the vertices that fail.
  void finish_attributes(loaded_graph& loaded, const graph::load_options& how, const graph::run_control& context) const;
  /// Starts the workers, and does what has to come before them.
  static void begin_loading();
  loaded_graph load_whole(const graph::run_control& context, bool draws_later = false) const;
  loaded_graph load_among(const graph::run_control& context) const;
  /// True if each rank may read a range of the file, as far as the options say.
  bool can_be_parted() const;
  /// Has all ranks read their ranges. False if the file has to be read as a whole.
  bool load_parts(loaded_graph& loaded, const graph::run_control& context) const;
  void leave_out_weights(loaded_graph& loaded) const;

  std::optional<graph::attribute_choice> attributes_;  ///< as the user chose
  std::function<graph::repeats()> usual_repeats_ = [] { return graph::repeats::remove; };
  std::string usual_repeats_words_ = "min";
};

/// Returns the stages of loading a graph, then the stages `behind` that a command adds. Loading a file of text has
/// shares of 10 in all.
std::vector<expected_stage> loading_and(std::vector<expected_stage> behind);

/// Adds --repeats, --keep-repeats and --drop-loops to `parser`. `usual` says what becomes of repeats without the first
/// two. Calls `chosen` if one of these is given. `build` must outlive `parser`.
void add_build_options(
    const command_parser& parser, graph::build_options& build, const std::string& usual,
    const std::function<void()>& chosen = [] {});

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

/// Returns what a list of edges held before it became a graph: its edges, self-loops and repeats.
json describe(const graph::build_report& listed);

/// Returns the keys that every result about a loaded graph begins with.
json describe(const graph_input& input, const loaded_graph& loaded);

/// Adds the rows that every text about a loaded graph begins with.
void describe(const graph_input& input, const loaded_graph& loaded, table& rows);

/// Returns what the width of a line between two communities shows: "edges" or, if the file has weights, "weights".
std::string line_words(const loaded_graph& loaded);

/// Returns a table of two columns without headings: name and value.
table name_value_table();

}  // namespace callisto::app
