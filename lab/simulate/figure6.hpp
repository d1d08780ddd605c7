// callisto-lab simulate fig6: PageRank on Callisto-RTS and on Galois's chunk queues (figure 6 of Callisto-RTS, ATC'15).
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <lab/names.hpp>

namespace callisto::lab {

/// Adds the subcommand to the parser of `callisto-lab simulate`.
command add_fig6(const command_parser& simulate);

}  // namespace callisto::lab
