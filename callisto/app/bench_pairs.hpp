// callisto bench pairs, and bench program, which is one of its programs.
#pragma once

#include <callisto/app/command.hpp>

namespace callisto::app {

/// The subcommands of `bench`.
command add_bench_pairs(CLI::App& bench);
command add_bench_program(CLI::App& bench);

}  // namespace callisto::app
