// The measurements of `callisto bench schedule`: candidates in turns, round by round, one at a time.
#pragma once

#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/app/bench/candidate.hpp>
#include <callisto/app/bench/workload.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// A candidate at the start; `program` is null once it has failed.
struct candidate {
  std::string file;  ///< its program
  candidate_description description;
  std::unique_ptr<candidate_process> program;
  bool callisto = false;
  std::string failure = {};  ///< why it is out
};

/// One way to run a loop.
struct loop_way {
  std::size_t candidate = 0;
  std::size_t method = 0;
  std::uint64_t batch = 0;  ///< 0: the runtime's choice

  friend bool operator==(const loop_way&, const loop_way&) = default;
};

/// One way, and how fast it was in each round.
struct measured_way {
  loop_way way;
  std::vector<double> speedups = {};  ///< over the plain loop of the same program in the same round

  double median() const { return median_of(speedups); }
};

/// How much slower a peer was than Callisto without settings, round by round, one right after the other.
struct paired_run {
  loop_way peer;
  estimate ratio;  ///< of the peer's time to Callisto's
};

/// One loop, by all ways.
struct measured_loop {
  bench_workload workload;
  std::vector<measured_way> ways;
  std::vector<double> plain;    ///< seconds of the plain loop, all repeats
  std::vector<double> perfect;  ///< speed-ups of as many plain loops at once, which hand out nothing
  std::vector<paired_run> paired_runs;
  /// The time that the work needs where nothing is handed out (`perfect`), to Callisto's without settings right after.
  std::optional<estimate> of_perfect;

  const measured_way* find(const loop_way& way) const;
  /// The fastest way by medians of those for which `wanted(way)`; null if there is none.
  template <class Wanted>
  const measured_way* best(Wanted wanted) const {
    const measured_way* found = nullptr;
    for (const measured_way& w : ways) {
      if (!w.speedups.empty() && wanted(w.way) && (found == nullptr || w.median() > found->median())) found = &w;
    }
    return found;
  }
};

/// Nanoseconds of a batch of one iteration that does nothing, all threads together.
struct measured_claim {
  loop_way way;
  std::vector<double> nanoseconds = {};
};

/// What comes before a launch.
inline constexpr std::array<std::string_view, 3> launch_waits{"none", "serial", "sleep"};

/// Seconds of a loop of two iterations that do nothing, by what comes before, and how often two threads took part.
struct measured_launch {
  loop_way way;
  std::array<std::vector<double>, launch_waits.size()> seconds = {};
  std::array<std::vector<double>, launch_waits.size()> share = {};
};

struct schedule_plan {
  unsigned threads = 1;
  unsigned rounds = 5;
  unsigned paired_rounds = 15;
  std::uint64_t divisor = 1;  ///< how much shorter than usual, a power of two
  std::vector<std::uint64_t> batches;
  std::vector<bench_workload> loops;
  bool claims = false;
  bool launches = false;
};

struct schedule_results {
  std::vector<measured_loop> loops;
  std::vector<measured_claim> claims;
  std::vector<measured_launch> launches;
  std::vector<std::string> wrong;  ///< a line for each result that was not what it must be
};

/// Measures what `plan` says. The first candidate is Callisto without settings; `baseline` runs the plain loops that
/// have a processor each, and is no candidate. A candidate that fails is left out from then on. Throws
/// graph::cancelled, and child_failure if Callisto or the baseline fails. Calls `measured` after each loop, which may
/// be minutes apart.
schedule_results measure_schedules(const schedule_plan& plan, std::vector<candidate>& candidates,
                                   candidate_process& baseline, const graph::run_control& context,
                                   const std::function<void(const measured_loop&)>& measured);

/// Callisto without settings.
inline constexpr loop_way default_way{};

}  // namespace callisto::app
