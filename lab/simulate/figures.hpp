// callisto-lab simulate fig4 and fig5: figures of Callisto-RTS (ATC'15) on simulated machines, for every technique that
// hands out work.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <vector>

namespace callisto::lab {

/// What a vertex and an arc of PageRank cost in figures 5 and 6. The cost of an arc is estimated (figures.cpp).
inline constexpr std::uint64_t vertex_cycles = 20;
inline constexpr std::uint64_t pagerank_arc_cycles = 100;

/// Varies the batches' lengths. Otherwise the threads of a core would stay in step and always claim at the same time.
inline constexpr double figure_jitter = 0.15;

/// Adds fig4, fig5, fig6 (figure6.hpp) and fig7 (figure7.hpp) to the parser of `callisto-lab simulate`.
std::vector<command> add_figures(const command_parser& simulate);

}  // namespace callisto::lab
