// Runs the programs of the GAP benchmark's reference implementation, or programs that take the same arguments and print
// the same lines, on files.
#pragma once

#include <lab/experiments/gap_kernels.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::lab {

class gap_peer {
 public:
  /// Uses the programs in `folder` that are named like kernels, with `threads` threads (OMP_NUM_THREADS). Throws a
  /// usage_error that names --peer if there is none.
  gap_peer(std::string folder, unsigned threads);

  bool has(const gap_kernel& kernel) const;

  /// Arguments of a program other than the graph and the sources.
  using settings = std::vector<std::string>;

  /// Returns the settings with which the program is fastest. For sssp this is the best of several deltas, each tried
  /// once; other kernels have none. Throws as run() does.
  settings tune(const gap_kernel& kernel, const std::string& file, const std::vector<std::uint64_t>& sources,
                const std::stop_token& stop) const;

  /// Returns the seconds of one trial on the graph in `file` (.sg, .wsg), by the program's own clock. Starts the
  /// program anew for two trials, of which the second counts: the program makes its threads in the first. If a trial
  /// has several sources, starts the program for each of them and adds the times. Throws child_failure and
  /// graph::cancelled.
  double run(const gap_kernel& kernel, const settings& with, const std::string& file,
             const std::vector<std::uint64_t>& sources, const std::stop_token& stop) const;

 private:
  double run_once(const std::string& program, const std::vector<std::string>& arguments,
                  const std::stop_token& stop) const;

  std::string folder_;
  unsigned threads_;
};

/// Returns the time in a line such as "Trial Time:          0.01234". Returns a negative number for other lines. Throws
/// child_failure if the number is missing.
double parse_trial_time(std::string_view line);

}  // namespace callisto::lab
