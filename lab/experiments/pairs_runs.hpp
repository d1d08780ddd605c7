// Runs one command, or several at the same time, again and again, and times each run (EuroSys'14, section 4.2).
#pragma once

#include <callisto/app/process/spawn.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <lab/names.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace callisto::lab {

/// One of the commands that run at the same time.
struct repeated_command {
  std::string name;     ///< the name in messages
  spawn_request what;   ///< what to run; the descriptors are set later
  unsigned rounds = 1;  ///< number of runs that have to end; 0: it runs as often as there is time
  /// What each run must write to standard output. If it is empty, it is set to what the first run writes. Null: the
  /// output is thrown away.
  std::string* output = nullptr;
};

/// The times of a command's runs.
struct run_times {
  std::vector<double> seconds;  ///< one per run that ended, from its start to its end
  double unfinished = 0;        ///< if no run ended in time: the age of the first run at the limit

  bool any() const noexcept { return !seconds.empty() || unfinished > 0; }
  /// Returns the median of the runs. If no run ended, returns the lower bound `unfinished`.
  double median() const;
  double best() const;
  double worst() const;
};

/// Starts all `commands`, and starts each again when it ends, so that the load lasts until the last command is done.
/// Stops them when each has ended as often as it has to, or after `limit` seconds. Calls `on_run` for each run that
/// counts.
///
/// The commands run in this process's session, because Linux divides the processor between sessions first (autogroup).
/// Their standard input is /dev/null.
///
/// Throws callisto::error, with what the command wrote to standard error, if a run fails or writes the wrong output.
/// Throws graph::cancelled at a stop request. Leaves no process of the commands running.
std::vector<run_times> run_together(std::span<const repeated_command> commands, double limit,
                                    const std::stop_token& stop, const std::function<void()>& on_run);

}  // namespace callisto::lab
