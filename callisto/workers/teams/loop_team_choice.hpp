// The choice that a loop starts with: its threads and its schedule.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/schedule.hpp>

namespace callisto::workers {

struct loop_team_choice {
  distributor::layout where;  ///< the loop's threads, and what they share
  schedule how;               ///< for loops that do not say; may be automatic
  bool outer = false;         ///< other threads wait meanwhile for loops that these threads lead
};

}  // namespace callisto::workers
