// Compares variants of one computation fairly: they run in turns in one process, and medians decide.
//
// Machines drift (other tenants, frequency, memory layout), so a ratio means something only if both of its sides were
// measured together. Every round runs each variant once, in an order that rotates from round to round.
#pragma once

#include <callisto/app/base/sample_statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace callisto::lab {

/// Returns the wall-clock seconds of f().
template <class Function>
double seconds_of(Function f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A variant of the computation. `run` computes once and returns the seconds that count.
struct variant {
  std::string name;
  std::function<double()> run;
  std::vector<double> seconds = {};

  double median() const { return app::median_of(seconds); }
  /// Returns the distance between the quartiles as a share of the median.
  double spread() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[sorted.size() * 3 / 4] - sorted[sorted.size() / 4]) / app::median_of(sorted);
  }
};

/// The order and number of turns.
struct turns {
  unsigned rounds = 5;  ///< number of rounds that count
  unsigned warm_up_rounds = 1;
  /// Pause between two runs. The threads of one runtime may spin this long after its last loop, and would take
  /// processors from the next runtime.
  std::chrono::milliseconds pause{20};
};

/// Runs the variants in turns, and appends to their `seconds`.
inline void compare(std::vector<variant>& variants, const turns& how) {
  for (unsigned round = 0; round < how.warm_up_rounds + how.rounds; ++round) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      variant& chosen = variants[(i + round) % variants.size()];
      std::this_thread::sleep_for(how.pause);
      const double seconds = chosen.run();
      if (round >= how.warm_up_rounds) chosen.seconds.push_back(seconds);
    }
  }
}

/// Returns a's time divided by b's in each round. Drift between rounds cancels out.
inline std::vector<double> ratios(const variant& a, const variant& b) {
  std::vector<double> all;
  for (std::size_t i = 0; i < a.seconds.size(); ++i) all.push_back(a.seconds[i] / b.seconds[i]);
  return all;
}

/// Returns the median of ratios().
inline double ratio(const variant& a, const variant& b) { return app::median_of(ratios(a, b)); }

/// Returns the lower bound of ratio() with a confidence of 95%: an order statistic of the rounds (the sign test's
/// interval), valid for any distribution. If it is above 1, a is slower than b, and not by chance.
inline double least_ratio(const variant& a, const variant& b) { return app::estimate_of(ratios(a, b)).low; }

/// Prints rows of text with aligned columns: the first to the left, the others to the right.
inline void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    fmt::print("{}\n", line);
  }
}

/// Checks a program's claims: prints each with the result, and remembers whether one failed.
class limits {
 public:
  void at_most(const std::string& what, double found, double limit, const std::string& unit = "") {
    print(what, found, "at most", limit, unit, found <= limit);
  }
  void at_least(const std::string& what, double found, double limit, const std::string& unit = "") {
    print(what, found, "at least", limit, unit, found >= limit);
  }
  /// Returns the exit code for main(): 1 if a limit was missed.
  int exit_code() const { return missed_ ? 1 : 0; }

 private:
  void print(const std::string& what, double found, const char* relation, double limit, const std::string& unit,
             bool reached) {
    fmt::print("{}  {}: {:.4g}{} ({} {:.4g}{})\n", reached ? "reached" : "MISSED ", what, found, unit, relation, limit,
               unit);
    missed_ = missed_ || !reached;
  }
  bool missed_ = false;
};

}  // namespace callisto::lab
