// What `callisto-lab limits` measures: one run of a kernel or of a scheduler.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace callisto::lab {

/// A workload, and the tables of the limits that bear on it.
struct swept_workload {
  std::string name;
  std::string what;                 ///< one line for readers
  std::vector<std::string> tables;  ///< such as bfs
  /// Prepares inputs of about 2^scale vertices or iterations, and returns a function that runs once. Its result is the
  /// same for all values of limits, up to rounding errors, unless the workload is simulated.
  std::function<std::function<double()>(unsigned scale)> prepare;
  /// The result is the time itself, in seconds of a simulation.
  bool simulated = false;
};

/// Returns all workloads.
const std::vector<swept_workload>& swept_workloads();

}  // namespace callisto::lab
