// callisto bench pairs, and bench program, which runs one of its built-in programs.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>

namespace callisto::app {

/// Add the subcommands to the parser of `callisto bench`.
command add_bench_pairs(const command_parser& bench);
command add_bench_program(const command_parser& bench);

}  // namespace callisto::app
