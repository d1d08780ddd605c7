// callisto-lab limits: how much the time of kernels and loops depends on the limits in their tables (limits.hpp).
#pragma once

#include <callisto/app/cli/command.hpp>
#include <lab/names.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace callisto::lab {

/// A limit as the program callisto-lab-swept describes it (lab/limits/program.cpp).
struct described_limit {
  std::string name;  ///< table and limit, such as bfs.alpha
  double value = 0;
  std::string unit;

  std::string table() const { return name.substr(0, name.find('.')); }
};

struct described_workload {
  std::string name;
  std::vector<std::string> tables;  ///< of the limits that bear on it
  std::string what;
};

struct swept_description {
  std::vector<described_limit> limits;
  std::vector<described_workload> workloads;
};

/// Returns the description in `lines`, without the line "end". Throws child_failure if it makes no sense.
swept_description parse_swept(const std::vector<std::string>& lines);

/// Returns the seconds of an answer "time SECONDS". Throws child_failure if it is another one.
double parse_swept_time(std::string_view answer);

/// Returns the values that are measured: `value` by powers of 2 up to `most`, ascending, `value` itself among them.
/// Whole limits stay whole; what rounds to 0, or to a value that is there already, is left out.
std::vector<double> swept_values(double value, unsigned most);

/// By how much the time changes: the longest by the shortest of `seconds`, of the values within a factor of 4 of
/// `value`.
double flatness(const std::vector<double>& values, const std::vector<double>& seconds, double value);

}  // namespace callisto::lab
