// Workloads of `callisto-lab limits` in which the ranks of a simulated cluster work together.
#pragma once

#include <lab/limits/workloads.hpp>

#include <vector>

namespace callisto::lab {

/// Returns the workloads. They are deterministic, and their times are simulated.
const std::vector<swept_workload>& rank_workloads();

}  // namespace callisto::lab
