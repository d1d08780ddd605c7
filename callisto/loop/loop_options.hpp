// The options of a loop.
#pragma once

#include <callisto/distributor/schedule.hpp>

#include <cstdint>
#include <stop_token>

namespace callisto {

/// The options of a loop, all of them optional.
struct loop_options {
  /// The iterations that a thread takes at a time; 0 lets the runtime choose, and adapt while the loop runs.
  std::uint64_t batch = 0;
  /// Checked before every batch. After a request to stop, iterations that have not begun are dropped.
  std::stop_token stop = {};
  /// True if neighbouring iterations use the same data, more than a core's own caches hold. The threads then stay side
  /// by side in the loop, and find the data in a shared cache. Otherwise each thread begins in a stretch of its own,
  /// which suits loops that stream through memory.
  bool together = false;
  /// How iterations are handed out. Automatic: as CALLISTO_SCHEDULE says, else as suits the machine best.
  callisto::schedule schedule = {};
};

}  // namespace callisto
