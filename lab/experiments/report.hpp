// Reports the results of `callisto-lab bench schedule` as tables, as promises kept or missed, as JSON and as plots.
#pragma once

#include <callisto/app/base/json.hpp>
#include <lab/experiments/schedule.hpp>
#include <lab/names.hpp>

#include <optional>
#include <string>
#include <vector>

namespace callisto::lab {

/// A runtime that is not measured, and the reason or how to get it.
struct absent_peer {
  std::string name;
  std::string reason;
};

struct schedule_report {
  schedule_plan plan;
  std::vector<candidate> candidates;  ///< Callisto without settings is the first
  std::vector<absent_peer> absent;
  schedule_results results;
  bool sweep = false;  ///< true: the loops are sweep_workloads(), with a line each instead of a table each
  std::optional<double> other_programs = {};  ///< contexts that they used on average; none: unknown
  std::string busy = {};                      ///< the line for people if that was too much
};

/// A promise of Callisto (docs/results/loops.md), and the verdict.
struct promise {
  enum class verdict {
    kept,
    open,  ///< the result is below the promise, but perhaps by chance
    missed,
  };
  std::string text;
  verdict found;
};

/// Returns the promises on which the results bear.
std::vector<promise> promises(const schedule_report& r);

/// Returns the table of candidates as text, to be printed before the measurements.
std::string heading_of(const schedule_report& r);
/// Returns the result of one loop as text. Returns an empty text if the summary has a line for each loop.
std::string to_words(const schedule_report& r, const measured_loop& loop);
/// Returns the rest of the report as text.
std::string summary_of(const schedule_report& r);

json to_json(const schedule_report& r);

/// Returns plots of speed-up by batch size, one for each loop.
std::string to_svg(const schedule_report& r);

}  // namespace callisto::lab
