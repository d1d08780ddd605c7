// callisto bench gap: the kernels of the GAP benchmark by its rules, alone or beside its reference implementation.
#pragma once

#include <callisto/app/command.hpp>

#include <CLI/App.hpp>

namespace callisto::app {

/// Adds it to the parser of `callisto bench`.
command add_bench_gap(CLI::App& bench);

}  // namespace callisto::app
