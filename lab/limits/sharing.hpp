// Workloads of `callisto-lab limits` in which simulated jobs share a machine.
#pragma once

#include <lab/limits/workloads.hpp>

#include <vector>

namespace callisto::lab {

/// Returns the workloads. They are deterministic, and their times are simulated.
const std::vector<swept_workload>& sharing_workloads();

}  // namespace callisto::lab
