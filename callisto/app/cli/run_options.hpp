// Options that most subcommands take: threads, form and place of the result, progress.
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

  /// Adds --json, --quiet and --no-progress alone, for subcommands that give the other options another meaning.
  void add_reporting_to(const command_parser& parser);

  /// Starts recording loops as --stats and --trace say; call it before the work begins. `files` are the other files of
  /// the command, which the timeline must not replace. Throws usage_error, output_error.
  void record_loops(std::initializer_list<std::string_view> files) const;

  /// Calls record_loops() and, if --threads was given, sets the number of threads of loops.
  void apply(std::initializer_list<std::string_view> files) const;

  /// Returns `result` as text; with --stats also what loops did, under the key "loops". Call it when the work is done.
  std::string to_text(json result) const;

  bool progress_wanted() const noexcept { return !quiet && !no_progress && progress_bar::possible(); }
};

/// Adds --trace to `parser`, which refuses an empty name. `path` stays empty if it is not given.
command_option add_trace(const command_parser& parser, std::string& path, const std::string& what);

/// Adds -o, --output to `parser`.
void add_output(const command_parser& parser, std::string& path, const std::string& what);

/// Throws usage_error if `output` is standard output, which the JSON object takes.
void refuse_beside_json(const std::string& output, std::string_view flag = "--output");

/// Throws usage_error if `output` and `input` name the same file.
void refuse_same_file(const std::string& input, const std::string& output);

}  // namespace callisto::app
