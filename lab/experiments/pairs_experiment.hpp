// Runs the pairs experiment: decides how long programs run, and in what order they are measured.
#pragma once

#include <lab/experiments/pairs_programs.hpp>
#include <lab/experiments/pairs_results.hpp>
#include <lab/names.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace callisto::lab {

/// The shortest run that a user can ask for, in seconds.
inline constexpr double least_length = 0.05;

/// What the experiment runs, and for how long.
struct pairs_plan : paired_program_choice {
  std::optional<std::vector<std::string>> background;  ///< programs to run beside a load; nullopt: a default choice
  unsigned rounds = 5;                                 ///< runs of each program in a measurement
  double length = 0.5;                                 ///< seconds of a run that is alone on half of the machine
  std::optional<double> budget;                        ///< seconds for the whole experiment
  std::string scratch;                                 ///< folder for generated graphs
  bool progress = false;                               ///< true: shows a progress bar
};

/// Runs each program alone, each pair, and some programs beside a load. Throws usage_error for a bad plan, error if a
/// program fails, and graph::cancelled at a stop request.
pairs_results run_pairs_experiment(const pairs_plan& plan, const std::stop_token& stop);

}  // namespace callisto::lab
