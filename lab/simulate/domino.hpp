// callisto-lab simulate domino: Domino's tasks and phases on machines of many contexts (Callisto, EuroSys'14,
// section 3.2).
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <lab/names.hpp>

#include <cstdint>

namespace callisto::lab {

/// What a simulated computation runs.
struct domino_setup {
  unsigned threads = 1;
  unsigned hold = 32;        ///< the most tasks that a thread takes at once: 1, 8 or 32
  unsigned height = 0;       ///< a binary tree of tasks of this height: 2^(height + 1) - 1 of them
  std::uint64_t cycles = 0;  ///< work of each task
  unsigned phases = 0;       ///< then so many phases of one task
};

/// What it did.
struct domino_outcome {
  std::uint64_t tree_cycles = 0;   ///< from the first task of the tree to the end of the last
  std::uint64_t phase_cycles = 0;  ///< of all phases
  std::uint64_t tasks = 0;         ///< of the tree
  std::uint64_t steals = 0;
  std::uint64_t forced = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t events = 0;
};

/// Simulates a computation. Deterministic. Throws usage_error for another hold.
domino_outcome simulate_domino(const machine::simulation::description& machine, const domino_setup& setup);

/// Adds the subcommand to the parser of `callisto-lab simulate`.
command add_domino(const command_parser& simulate);

}  // namespace callisto::lab
