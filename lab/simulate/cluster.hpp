// callisto-lab simulate cluster: the runtime of global/ on clusters of many nodes (Grappa, USENIX ATC'15, section 7).
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <lab/names.hpp>

namespace callisto::lab {

/// Adds the subcommand to the parser of `callisto-lab simulate`.
command add_cluster(const command_parser& simulate);

}  // namespace callisto::lab
