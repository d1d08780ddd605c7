// Tells people what the nesting levels of loops mean on given threads.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/workers/teams/nesting.hpp>

#include <string>

namespace callisto::app {

/// Loops at one nesting level.
struct level_use {
  unsigned parts;       ///< threads that such a loop runs on; each may lead loops in its part of the machine
  unsigned largest;     ///< number of threads in the largest part
  std::string meaning;  ///< the level's meaning, in words; if the level folds, its meaning then
};

/// Returns what a loop at `level` does if no other loop surrounds it.
level_use use_of(const distributor::layout& threads, const nesting& levels, unsigned level);

/// Returns the thread tree as text. Each part of the machine at each level that does not fold has a line, which names
/// the part's threads, the leader first.
std::string draw_levels(const distributor::layout& threads, const nesting& levels);

}  // namespace callisto::app
