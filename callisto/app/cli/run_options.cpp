// Options shared by the subcommands.
#include <callisto/app/cli/run_options.hpp>

#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/cli/result.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/loop/record/report.hpp>
#include <callisto/loop/record/statistics.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace callisto::app {
namespace {

constexpr const char* running_group = "Running";  // in --help

bool is_same_file(std::string_view a, std::string_view b) {
  std::error_code ignored;  // a file that does not exist yet is another one
  return std::filesystem::is_regular_file(b, ignored) && std::filesystem::equivalent(a, b, ignored);
}

}  // namespace

void run_options::add_to(const command_parser& parser) {
  add_parsed(
      parser, "--threads", "N",
      [this](const std::string& text) {
        threads = static_cast<unsigned>(parse_count("--threads", text, 1, machine::most_threads));
      },
      "Threads that work, 1 or more [one for each CPU that may be used]")
      .group(running_group)
      .more("At most 4096. The default respects a CPU quota.");
  parser.add_flag("--stats", stats, "Show at the end what each loop did; with --json as key 'loops'")
      .group(running_group)
      .more(
          "On standard error: iterations, batches, how many batches were stolen, given or taken back, or "
          "combined, the shares of the threads' time spent working, claiming and idle, and the imbalance.");
  add_trace(parser, trace, "Write a timeline of the loops to FILE, for ui.perfetto.dev")
      .group(running_group)
      .more(
          "The file has the Chrome trace format, which <https://ui.perfetto.dev> opens, at most 262,144 "
          "events, and the number of events left out.");
  add_reporting_to(parser);
}

void run_options::add_reporting_to(const command_parser& parser) {
  parser.add_flag("--json", as_json, "Print one JSON object instead of text")
      .group(running_group)
      .more("Its keys are stable; docs/reference/cli-json.md lists them.");
  parser.add_flag("-q,--quiet", quiet, "Print the bare result only, and no progress").group(running_group);
  parser.add_flag("--no-progress", no_progress, "Show no progress line").group(running_group);
}

void run_options::record_loops(std::initializer_list<std::string_view> files) const {
  for (const std::string_view file : files) {
    if (!trace.empty() && (file == trace || is_same_file(file, trace))) {
      throw usage_error("--trace: " + trace + " is also another file of this command; name a file of its own");
    }
  }
  if (!trace.empty() && is_standard_output(trace)) {
    if (as_json) refuse_beside_json(trace, "--trace");
    take_standard_output("--trace");
  }
  if (!trace.empty()) loop::report_timeline(trace, "--trace");
  if (stats && as_json) count_loops(true);
  if (stats && !as_json) loop::report_statistics();
}

void run_options::apply(std::initializer_list<std::string_view> files) const {
  if (quiet) silence_notes();
  if (rank_job::tells()) record_loops(files);
  if (threads != 0) callisto::set_threads(threads);
}

std::string run_options::to_text(json result) const {
  if (stats) result["loops"] = json::parse(loop::to_json(loop_statistics()));
  return app::to_text(result);
}

command_option add_trace(const command_parser& parser, std::string& path, const std::string& what) {
  return add_parsed(
      parser, "--trace", "FILE",
      [&path](const std::string& text) {
        if (text.empty()) throw usage_error("--trace: expected a file, found ''");
        path = text;
      },
      what);
}

void add_output(const command_parser& parser, std::string& path, const std::string& what) {
  parser.add_option("-o,--output", path, what).type_name("FILE");
}

void refuse_beside_json(const std::string& output, std::string_view flag) {
  if (!output.empty() && is_standard_output(output))
    throw usage_error(fmt::format("{}: standard output is taken by the JSON object; name a file", flag));
}

void refuse_same_file(const std::string& input, const std::string& output) {
  if (is_same_file(input, output)) {
    throw usage_error(output + ": the output would overwrite the input; name another file");
  }
}

}  // namespace callisto::app
