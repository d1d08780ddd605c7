// callisto bench gap: the kernels of the GAP benchmark by its rules, alone or beside its reference implementation.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>

namespace callisto::app {

/// Adds it to the parser of `callisto bench`.
command add_bench_gap(const command_parser& bench);

}  // namespace callisto::app
