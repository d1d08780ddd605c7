// The measurements of `callisto-lab bench schedule`: candidates run in turns, one at a time, in each round.
#pragma once

#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <lab/experiments/candidate.hpp>
#include <lab/experiments/workload.hpp>
#include <lab/names.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::lab {

/// A candidate. `program` is null once it has failed.
struct candidate {
  std::string file;  ///< the program's file
  candidate_description description;
  std::unique_ptr<candidate_process> program;
  bool callisto = false;
  std::string failure = {};  ///< why the candidate failed
};

/// One way to run a loop.
struct loop_way {
  std::size_t candidate = 0;
  std::size_t method = 0;
  std::uint64_t batch = 0;  ///< 0: the runtime chooses

  friend bool operator==(const loop_way&, const loop_way&) = default;
};

/// One way, and its speed-up in each round.
struct measured_way {
  loop_way way;
  std::vector<double> speedups = {};  ///< relative to the plain loop of the same program in the same round

  double median() const { return median_of(speedups); }
};

/// A peer's time relative to that of Callisto without settings. In each round one runs right after the other.
struct paired_run {
  loop_way peer;
  estimate ratio;  ///< the peer's time divided by Callisto's
};

/// One loop, measured in all ways.
struct measured_loop {
  bench_workload workload;
  std::vector<measured_way> ways;
  std::vector<double> plain;    ///< seconds of the plain loop, all repeats, in each round
  std::vector<double> perfect;  ///< speed-ups of one plain loop per thread, which hands out nothing
  std::vector<paired_run> paired_runs;
  /// The time of the work without handing out (`perfect`), divided by that of Callisto without settings right after.
  std::optional<estimate> of_perfect;

  const measured_way* find(const loop_way& way) const;
  /// Returns the way with the highest median speed-up among those for which `wanted(way)` holds. Returns null if there
  /// is none.
  template <class Wanted>
  const measured_way* best(Wanted wanted) const {
    const measured_way* found = nullptr;
    for (const measured_way& w : ways) {
      if (!w.speedups.empty() && wanted(w.way) && (found == nullptr || w.median() > found->median())) found = &w;
    }
    return found;
  }
};

/// Nanoseconds per batch of one iteration that does nothing, with all threads together, in each round.
struct measured_claim {
  loop_way way;
  std::vector<double> nanoseconds = {};
};

/// What the program does before a launch: nothing, sequential work, or sleep.
inline constexpr std::array<std::string_view, 3> launch_waits{"none", "serial", "sleep"};

/// Seconds of a loop of two iterations that do nothing, and the share of launches in which two threads took part. Both
/// are indexed like launch_waits.
struct measured_launch {
  loop_way way;
  std::array<std::vector<double>, launch_waits.size()> seconds = {};
  std::array<std::vector<double>, launch_waits.size()> share = {};
};

struct schedule_plan {
  unsigned threads = 1;
  unsigned rounds = 5;
  unsigned paired_rounds = 15;
  std::uint64_t divisor = 1;  ///< how many times shorter than usual the loops are; a power of two
  std::vector<std::uint64_t> batches;
  std::vector<bench_workload> loops;
  bool claims = false;
  bool launches = false;
};

struct schedule_results {
  std::vector<measured_loop> loops;
  std::vector<measured_claim> claims;
  std::vector<measured_launch> launches;
  std::vector<std::string> wrong;  ///< a line for each wrong result
};

/// Measures what `plan` says. The first candidate is Callisto without settings. `baseline` is no candidate: it runs the
/// plain loops that have a processor each. A candidate that fails is left out from then on. Calls `measured` after each
/// loop; minutes may pass between two calls. Throws graph::cancelled, and child_failure if Callisto or the baseline
/// fails.
schedule_results measure_schedules(const schedule_plan& plan, std::vector<candidate>& candidates,
                                   candidate_process& baseline, const graph::run_control& context,
                                   const std::function<void(const measured_loop&)>& measured);

/// The way of Callisto without settings.
inline constexpr loop_way default_way{};

}  // namespace callisto::lab
