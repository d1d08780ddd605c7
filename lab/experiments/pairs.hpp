// callisto-lab bench pairs, and bench program, which runs one of its built-in programs.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <lab/names.hpp>

namespace callisto::lab {

/// Add the subcommands to the parser of `callisto-lab bench`.
command add_bench_pairs(const command_parser& bench);
command add_bench_program(const command_parser& bench);

}  // namespace callisto::lab
