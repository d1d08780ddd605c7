// callisto simulate fig4 and fig5: figures of Callisto-RTS (ATC'15) on simulated machines, for every technique of
// handing out work.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>

#include <vector>

namespace callisto::app {

/// Adds them and fig7 (simulate_fig7.hpp) to the parser of `callisto simulate`.
std::vector<command> add_figures(const command_parser& simulate);

}  // namespace callisto::app
