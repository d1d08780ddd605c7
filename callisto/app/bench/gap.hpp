// callisto bench gap: measures the kernels of the GAP benchmark by its rules, alone or beside its reference
// implementation.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>

namespace callisto::app {

/// Adds the subcommand `gap` to the parser of `callisto bench`.
command add_bench_gap(const command_parser& bench);

}  // namespace callisto::app
