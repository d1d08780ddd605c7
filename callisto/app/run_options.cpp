// Options shared by the subcommands.
#include <callisto/app/run_options.hpp>

#include <callisto/app/numbers.hpp>
#include <callisto/machine/error.hpp>
#include <callisto/workers/runtime.hpp>

// CLI/App.hpp uses these two without including them; here the library gets them for all its users.
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <filesystem>
#include <system_error>

namespace callisto::app {
namespace {

constexpr const char* group_name = "Running";  // in --help

}  // namespace

void run_options::add_to(CLI::App& parser) {
  add_parsed(
      parser, "--threads", "N",
      [this](const std::string& text) { threads = static_cast<unsigned>(parse_count("--threads", text, 1, 65536)); },
      "Threads that work, 1 or more [one for each CPU that may be used]")
      ->group(group_name);
  add_reporting_to(parser);
}

void run_options::add_reporting_to(CLI::App& parser) {
  parser.add_flag("--json", as_json, "Print one JSON object instead of text")->group(group_name);
  parser.add_flag("-q,--quiet", quiet, "Print the bare result only, and no progress")->group(group_name);
  parser.add_flag("--no-progress", no_progress, "Show no progress line")->group(group_name);
}

void run_options::apply_threads() const {
  if (threads != 0) callisto::set_threads(threads);
}

void add_output(CLI::App& parser, std::string& path, const std::string& what) {
  parser.add_option("-o,--output", path, what)->type_name("FILE");
}

void refuse_same_file(const std::string& input, const std::string& output) {
  std::error_code ignored;  // a file that does not exist yet is another one
  if (std::filesystem::is_regular_file(output, ignored) && std::filesystem::equivalent(input, output, ignored)) {
    throw usage_error(output + ": the output would overwrite the input; name another file");
  }
}

std::string to_text(const json& value) { return value.dump(2, ' ', false, json::error_handler_t::replace) + '\n'; }

}  // namespace callisto::app
