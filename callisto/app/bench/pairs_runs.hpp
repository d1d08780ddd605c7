// Running one command, or several at once, again and again, and timing each run (EuroSys'14 section 4.2).
#pragma once

#include <callisto/app/process/spawn.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace callisto::app {

/// One of the commands that run at the same time.
struct repeated_command {
  std::string name;               ///< for messages
  spawn_request what;             ///< but for its descriptors
  unsigned rounds = 1;            ///< how often it has to end; 0: it runs along, as often as there is time
  std::string* output = nullptr;  ///< what each run must write to standard output; empty: what the first one writes.
                                  ///< Null: anything, and it is thrown away
};

/// The times of a command's runs.
struct run_times {
  std::vector<double> seconds;  ///< of those that ended, from their start until their end
  double unfinished = 0;        ///< if none ended in time: so long the first one had run by then

  bool any() const noexcept { return !seconds.empty() || unfinished > 0; }
  /// The median; of a run that did not end, at least that.
  double median() const;
  double best() const;
  double worst() const;
};

/// Starts all `commands`, starts each again when it ends, and stops them when each has ended as often as it has to, so
/// that the load is there until the last one is done; or after `limit` seconds. Calls `on_run` for each run that
/// counts. In this process's session, since Linux divides the processor between sessions first (autogroup). Standard
/// input is /dev/null. Throws callisto::error with what the command wrote to standard error if a run fails or writes
/// something else than it must, graph::cancelled at a stop request; nothing of the commands is left running.
std::vector<run_times> run_together(std::span<const repeated_command> commands, double limit,
                                    const std::stop_token& stop, const std::function<void()>& on_run);

}  // namespace callisto::app
