// callisto bench pairs, and bench program, which is one of its programs.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>

namespace callisto::app {

/// The subcommands of `bench`.
command add_bench_pairs(const command_parser& bench);
command add_bench_program(const command_parser& bench);

}  // namespace callisto::app
