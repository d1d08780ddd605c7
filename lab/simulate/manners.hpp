// callisto-lab simulate manners: whether jobs that share a simulated machine are worse off for it.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <lab/names.hpp>

namespace callisto::lab {

/// Adds the subcommand to the parser of `callisto-lab simulate`.
command add_simulated_manners(const command_parser& simulate);

}  // namespace callisto::lab
