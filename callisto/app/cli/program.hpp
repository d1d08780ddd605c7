// A program with subcommands: from the command line to the exit code. The command and the laboratory are such programs.
#pragma once

#include <callisto/app/cli/command.hpp>

#include <span>
#include <string>
#include <string_view>

namespace callisto::app {

/// A subcommand of a program.
struct subcommand {
  std::string_view subject;  ///< the heading under which --help lists it
  std::string_view name;
  command (*add)(const command_parser& to, const command_line& words);
};

/// A subcommand that another program has.
struct moved_subcommand {
  std::string_view name;
  std::string_view program;
};

struct cli_program {
  std::string_view name;
  std::string description;
  std::string version;
  std::string footer;  ///< below the subcommands in --help
  std::span<const subcommand> subcommands;
  /// Subcommands that may run once a rank under a launcher of MPI: they read what the machine does, or become another
  /// program.
  std::span<const std::string_view> may_be_rank = {};
  /// Subcommands that the ranks of a launcher run together.
  std::span<const std::string_view> over_ranks = {};
  std::span<const moved_subcommand> moved = {};
  /// Cuts off the program that a subcommand starts; null: none starts one.
  command_line (*split)(int argc, char** argv) = nullptr;
  bool watches_signals = true;  ///< false: signals end the process
};

/// Runs the subcommand that the command line names. Turns each failure into one line on standard error. Returns the
/// exit code.
int run_program(const cli_program& p, int argc, char** argv);

}  // namespace callisto::app
