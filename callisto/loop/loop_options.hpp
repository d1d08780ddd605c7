// The options of a loop.
#pragma once

#include <callisto/distributor/schedule.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/exceptions.hpp>

#include <algorithm>
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
  /// by side in the loop, and find the data in a shared cache. Otherwise each thread begins in a separate stretch,
  /// which suits loops that stream through memory.
  bool together = false;
  /// The most threads that run the loop at once, the caller included; 0: all that there are. Does not hold for
  /// outer_parallel_for, unless it is 1.
  unsigned threads = 0;
  /// How iterations are handed out. Automatic: as CALLISTO_SCHEDULE says, else as suits the machine best.
  callisto::schedule schedule = {};
};

/// Limits the threads of each loop that the calling thread starts while the object lives. The limit holds for loops
/// inside of them too: the caller alone runs loops inside. Limits nest; the smallest counts. Tasks are not limited. Not
/// thread-safe: it belongs to its thread. Takes a nanosecond.
class thread_limit {
 public:
  /// Throws usage_error if `most` is 0.
  explicit thread_limit(unsigned most) : before_(machine::native::most_threads()) {
    if (most == 0) machine::throw_usage_error("thread_limit(0): expected a number of threads from 1 on");
    machine::native::set_most_threads(before_ == 0 ? most : std::min(before_, most));
  }
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;
  ~thread_limit() { machine::native::set_most_threads(before_); }

 private:
  std::uint32_t before_;
};

}  // namespace callisto
