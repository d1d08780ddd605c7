// The options that every subcommand takes: threads, form and place of the result, progress.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace callisto::app {

struct run_options {
  unsigned threads = 0;  ///< 0: not given
  bool as_json = false;
  bool quiet = false;
  bool no_progress = false;
  bool stats = false;
  std::string trace;  ///< empty: no timeline

  /// Adds --threads, --stats, --trace, --json, --quiet and --no-progress to `parser`; *this must outlive it.
  void add_to(const command_parser& parser);

  /// The last three alone, for subcommands to which the others mean something else.
  void add_reporting_to(const command_parser& parser);

  /// Before the work begins: records loops as --stats and --trace say. `files`: those that the command reads or writes
  /// otherwise, none of which the timeline may replace. Throws usage_error, output_error.
  void record_loops(std::initializer_list<std::string_view> files) const;

  /// The same, and gives loops the number of threads asked for, if any was.
  void apply(std::initializer_list<std::string_view> files) const;

  /// When the work is done: `result` as text; with --stats it also has what loops did, under the key "loops".
  std::string to_text(json result) const;

  bool progress_wanted() const noexcept { return !quiet && !no_progress && progress_bar::possible(); }
};

/// Adds --trace to `parser`, for which no name is no file. `path` is empty if it is not given.
command_option add_trace(const command_parser& parser, std::string& path, const std::string& what);

/// Adds -o, --output to `parser`.
void add_output(const command_parser& parser, std::string& path, const std::string& what);

/// Throws usage_error if `output` and `input` name the same file.
void refuse_same_file(const std::string& input, const std::string& output);

}  // namespace callisto::app
