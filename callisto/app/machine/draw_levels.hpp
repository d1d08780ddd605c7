// What nesting levels of loops come to on the threads at hand, for people.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/workers/teams/nesting.hpp>

#include <string>

namespace callisto::app {

/// What loops at one level do.
struct level_use {
  unsigned parts;       ///< on how many threads they run, each of which may lead loops in a part of the machine
  unsigned largest;     ///< threads in the largest part
  std::string meaning;  ///< in words; says what the level folds into, if it does
};

/// Of loops at `level` that are met outside of any other.
level_use use_of(const distributor::layout& threads, const nesting& levels, unsigned level);

/// The thread tree, a line for each part at each level that does not fold, the part's first thread first.
std::string draw_levels(const distributor::layout& threads, const nesting& levels);

}  // namespace callisto::app
