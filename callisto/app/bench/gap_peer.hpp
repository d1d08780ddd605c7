// The programs of the GAP benchmark's reference implementation (or ones that take the same arguments and print the same
// lines), run on files.
#pragma once

#include <callisto/app/bench/gap_kernels.hpp>

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

class gap_peer {
 public:
  /// Those programs in `folder` that are named as kernels are, with so many threads (OMP_NUM_THREADS). Throws
  /// usage_error, which names --peer, if there is none.
  gap_peer(std::string folder, unsigned threads);

  bool has(const gap_kernel& kernel) const;

  /// Arguments of a program besides the graph and the sources.
  using settings = std::vector<std::string>;

  /// Those with which the program is fastest: for sssp the best delta of some, tried out once each, else none. Throws
  /// as run does.
  settings tune(const gap_kernel& kernel, const std::string& file, const std::vector<std::uint64_t>& sources,
                const std::stop_token& stop) const;

  /// The seconds of one trial on the graph in `file` (.sg, .wsg) by the program's own clock. It is started anew and
  /// runs two trials, of which the second counts: in the first it makes its threads. Where a trial has several sources
  /// it is started for each of them, and their times are added. Throws child_failure, cancelled.
  double run(const gap_kernel& kernel, const settings& with, const std::string& file,
             const std::vector<std::uint64_t>& sources, const std::stop_token& stop) const;

 private:
  double run_once(const std::string& program, const std::vector<std::string>& arguments,
                  const std::stop_token& stop) const;

  std::string folder_;
  unsigned threads_;
};

/// The time in a line such as "Trial Time:          0.01234", negative for other lines. Throws child_failure if there
/// is no number where one must be.
double parse_trial_time(std::string_view line);

}  // namespace callisto::app
