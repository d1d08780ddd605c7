// The pairs experiment: how long programs run, and the order in which they are measured.
#pragma once

#include <callisto/app/bench/pairs_programs.hpp>
#include <callisto/app/bench/pairs_results.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace callisto::app {

/// The shortest run, in seconds, that can be asked for.
inline constexpr double least_length = 0.05;

/// What the experiment runs, and for how long.
struct pairs_plan : paired_program_choice {
  std::optional<std::vector<std::string>> background;  ///< programs to run beside a load; nullopt: some
  unsigned rounds = 5;                                 ///< runs of each program in a measurement
  double length = 0.5;                                 ///< seconds that a run takes alone on half of the machine
  std::optional<double> budget;                        ///< seconds for the whole experiment
  std::string scratch;                                 ///< folder for graphs
  bool progress = false;                               ///< show a progress bar
};

/// Runs each program alone, each pair, and some beside a load. Throws usage_error, error if a program fails, and
/// graph::cancelled at a stop request.
pairs_results run_pairs_experiment(const pairs_plan& plan, const std::stop_token& stop);

}  // namespace callisto::app
