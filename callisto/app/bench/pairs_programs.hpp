// The programs of `callisto bench pairs`: built-in ones, kernels of this project, and commands of the user.
#pragma once

#include <callisto/app/process/spawn.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

/// Which programs an experiment runs.
struct paired_program_choice {
  std::vector<std::string> commands;                 ///< of the user, for the shell
  std::optional<std::vector<std::string>> programs;  ///< built-in ones; nullopt: all if there are no commands
  unsigned scale = 16;                               ///< 2^scale vertices in the graphs
};

/// A program that can be measured.
struct paired_program {
  std::string name;
  /// Its program and arguments for an amount of work. A command of the user has no amount.
  std::function<spawn_request(std::uint64_t)> make = {};
  std::uint64_t amount = 0;                                        ///< 0: fixed
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< largest amount that it can do
  double growth = 0;         ///< if not 0: the amount is a graph's scale, and one more takes so many times as long
  bool takes_graph = false;  ///< it reads the graph of a scale
  bool same_output = false;  ///< every run must write the same
  std::string output = {};   ///< what the first run wrote
};

/// Names of the built-in programs.
std::vector<std::string> known_programs();

/// A line about each built-in program, for --help.
std::string built_in_programs_help();

/// The programs that `choice` names; graph(s) is the file of the graph of scale s. Throws usage_error.
std::vector<paired_program> paired_programs_of(const paired_program_choice& choice,
                                               const std::function<std::string(std::uint64_t)>& graph);

}  // namespace callisto::app
