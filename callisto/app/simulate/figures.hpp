// callisto simulate fig4 and fig5: figures of Callisto-RTS (ATC'15) on simulated machines, for every technique that
// hands out work.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>

#include <vector>

namespace callisto::app {

/// Adds fig4, fig5, fig6 (figure6.hpp) and fig7 (figure7.hpp) to the parser of `callisto simulate`.
std::vector<command> add_figures(const command_parser& simulate);

}  // namespace callisto::app
