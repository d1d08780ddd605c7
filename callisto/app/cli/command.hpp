// The subcommands: each is added to the parser by a function in a file of the same name.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/machine/system/error.hpp>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace callisto::app {

/// One subcommand: its parser, which main fills, and the function that runs with the options that the parser got.
struct command {
  command_parser parser;
  std::function<void(const std::stop_token&)> run;
};

/// Ends the process with `code` and one line on standard error: for codes that do not follow from the kind of failure.
struct exit_with : error {
  exit_with(int with, const std::string& message) : error(message), code(with) {}
  int code;
};

// add_pagerank() and so on: each adds one subcommand to the parser of the whole command.
#define CALLISTO_SUBCOMMAND(subject, name) command add_##name(const command_parser& app);
#define CALLISTO_PROGRAM_SUBCOMMAND(subject, name) \
  command add_##name(const command_parser& app, std::vector<std::string> program);
#include <callisto/app/cli/subcommands.def>
#undef CALLISTO_SUBCOMMAND
#undef CALLISTO_PROGRAM_SUBCOMMAND

/// A command line, cut where the program begins that `run` is to start.
struct command_line {
  int own;                         ///< the words before the program, and before the `--` that may precede it
  std::vector<std::string> other;  ///< the program and its arguments
};
command_line split_command_line(int argc, char** argv);

/// True if the subcommand is `run`, after which the process is another program.
bool is_run(int argc, char** argv);

}  // namespace callisto::app
