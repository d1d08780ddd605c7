// What may be said about a loop.
#pragma once

#include <callisto/distributor/schedule.hpp>

#include <cstdint>
#include <stop_token>

namespace callisto {

/// What may be said about a loop; nothing need be.
struct loop_options {
  /// Iterations that a thread takes at a time; 0 lets the runtime choose, and go on choosing while the loop runs.
  std::uint64_t batch = 0;
  /// Asked before every batch; once a stop is requested, iterations that are not yet begun are dropped.
  std::stop_token stop = {};
  /// Neighbouring iterations use the same data, more than a core's own caches hold: keep the threads side by side in
  /// the loop, where they find it in the cache that they share. Otherwise each starts in a stretch of its own, which
  /// suits loops that stream through memory.
  bool together = false;
  /// How iterations are handed out; automatic: as CALLISTO_SCHEDULE says, else what suits the machine best.
  callisto::schedule schedule = {};
};

}  // namespace callisto
