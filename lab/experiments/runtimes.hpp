// The table of runtimes by runtimes: programs of each beside programs of each, with sharing and without, in turns.
#pragma once

#include <callisto/app/base/json.hpp>
#include <lab/names.hpp>

#include <stop_token>
#include <string>
#include <vector>

namespace callisto::lab {

/// What is measured.
struct runtimes_plan {
  std::vector<std::string> runtimes;  ///< names of runtime_actors()
  /// How the program beside runs: "plain", or one of the ways of runtime_actors.hpp.
  std::vector<std::string> ways = {"plain"};
  unsigned rounds = 5;
  double seconds = 2;
  bool progress = false;
};

/// How a runtime's program fares beside another one.
struct runtime_cell {
  std::string runtime;
  std::string beside;
  std::string way;
  /// "units a second", "units a second of processor time"; of one that sleeps: "median unit, ms".
  std::string measure;
  double off;
  double sharing;
  double ratio;  ///< median of the rounds'; above 1: worse for sharing
};

struct runtimes_result {
  struct absent_runtime {
    std::string name;
    std::string why;
  };
  std::vector<runtime_cell> cells;
  std::vector<absent_runtime> absent;
};

/// Measures. Leaves a runtime out if its program cannot run here, such as Python without the package. Throws error if a
/// program fails, graph::cancelled at a request to stop.
runtimes_result measure_runtimes(const runtimes_plan& plan, const std::stop_token& stop);

/// Returns tables, one a way: a row for each runtime, a column for what is beside it. Ratios above `limit` have a star.
std::string tables_of(const runtimes_result& of, double limit);

json json_of(const runtimes_result& of, double limit);

}  // namespace callisto::lab
