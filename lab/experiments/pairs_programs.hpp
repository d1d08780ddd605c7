// The programs of `callisto-lab bench pairs`: built-in programs, kernels of this library, and the user's commands.
#pragma once

#include <callisto/app/process/spawn.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace callisto::lab {

/// The user's choice of programs for an experiment.
struct paired_program_choice {
  std::vector<std::string> commands;                 ///< the user's commands, which the shell runs
  std::optional<std::vector<std::string>> programs;  ///< built-in programs; nullopt: all if there are no commands
  unsigned scale = 16;                               ///< 2^scale vertices in the graphs
};

/// A program that the experiment can measure.
struct paired_program {
  std::string name;
  /// Returns the program and its arguments for an amount of work. A user's command ignores the amount.
  std::function<spawn_request(std::uint64_t)> make = {};
  std::uint64_t amount = 0;                                        ///< work of a run; 0: fixed
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< the largest amount possible
  /// If not 0, the amount is a graph's scale, and a run takes this many times as long if the scale rises by 1.
  double growth = 0;
  bool takes_graph = false;  ///< true: reads a graph of the scale
  bool same_output = false;  ///< true: every run must write the same output
  std::string output = {};   ///< the first run's output
};

/// Returns the file of the command `callisto`, which is beside this program. Throws usage_error if there is none.
std::string callisto_command();

/// Returns the names of the built-in programs.
std::vector<std::string> known_programs();

/// Returns a line about each built-in program, for --help.
std::string built_in_programs_help();

/// Returns the programs that `choice` names. graph(s) must return the file of the graph of scale s. Throws usage_error.
std::vector<paired_program> paired_programs_of(const paired_program_choice& choice,
                                               const std::function<std::string(std::uint64_t)>& graph);

}  // namespace callisto::lab
