// The subcommands of callisto-lab.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <lab/names.hpp>

namespace callisto::lab {

/// Adds `bench`, the experiments beside other runtimes and programs.
command add_bench(const command_parser& program);

/// Adds `limits`: how flat the optimum of each limit is.
command add_limits(const command_parser& program);

/// Adds `simulate`, loops on simulated machines.
command add_simulate(const command_parser& program);

}  // namespace callisto::lab
