// The options of loops over ranks.
#pragma once

#include <cstdint>
#include <stop_token>

namespace callisto::global {

/// The options of a loop, all of them optional.
struct loop_options {
  /// The iterations of a batch: what one worker runs. 0 lets the runtime choose: with many iterations batches are long,
  /// with few iterations each runs on a separate worker, so that all can wait at once.
  std::uint64_t batch = 0;
  /// Checked before every batch. After a request to stop, iterations of this rank that have not begun are dropped.
  std::stop_token stop = {};
  /// True: iterations run on workers, although there is only one rank. For bodies that wait for other iterations or
  /// spawn tasks.
  bool workers = false;
};

}  // namespace callisto::global
