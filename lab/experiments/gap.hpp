// callisto-lab bench gap: measures the kernels of the GAP benchmark by its rules, alone or beside its reference
// implementation.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <lab/names.hpp>

namespace callisto::lab {

/// Adds the subcommand `gap` to the parser of `callisto-lab bench`.
command add_bench_gap(const command_parser& bench);

}  // namespace callisto::lab
