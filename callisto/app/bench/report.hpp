// What `callisto bench schedule` found, as tables, as promises kept or missed, as JSON and as plots.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/bench/schedule.hpp>

#include <string>
#include <vector>

namespace callisto::app {

/// A runtime that is not measured, and why or how to get it.
struct absent_peer {
  std::string name;
  std::string reason;
};

struct schedule_report {
  schedule_plan plan;
  std::vector<candidate> candidates;  ///< Callisto without settings first
  std::vector<absent_peer> absent;
  schedule_results results;
  bool sweep = false;  ///< the loops are sweep_workloads(): a line each rather than a table each
};

/// One thing that Callisto promises (docs/results/loops.md), and what was found.
struct promise {
  enum class verdict {
    kept,
    open,  ///< what was found is short of it, but may be so by chance
    missed,
  };
  std::string text;
  verdict found;
};

/// The promises that the results say anything about.
std::vector<promise> promises(const schedule_report& r);

/// The table of candidates for people, to be printed before the measurements.
std::string heading_of(const schedule_report& r);
/// The result of one loop for people; empty if the summary has a line for each loop.
std::string to_words(const schedule_report& r, const measured_loop& loop);
/// The rest of the report for people.
std::string summary_of(const schedule_report& r);

json to_json(const schedule_report& r);

/// Speed-up by batch size, a plot for each loop.
std::string to_svg(const schedule_report& r);

}  // namespace callisto::app
