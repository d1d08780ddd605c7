// The tree of subcommands and options, for the generator of completions, manual pages and reference.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace callisto::app {

/// Returns all subcommands, options and texts of `app` that are not hidden, as one JSON object. tools/cli_words.py says
/// what becomes of it; the format is no interface for other programs.
std::string describe(const CLI::App& app);

}  // namespace callisto::app
