// Compares the simulator's predictions for this machine with measurements on it.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <lab/names.hpp>
#include <lab/simulate/native_loop.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace callisto::lab {

struct compared_speedup {
  native_speedup measured;
  double predicted;

  /// Returns the relative error of the prediction: 0.1 if it is 10% too high, negative if it is too low.
  double error() const noexcept { return predicted / measured.speedup - 1; }
};

struct comparison {
  native_loop_result measured;
  std::uint64_t iteration_cycles = 0;
  std::vector<compared_speedup> rows;

  /// Returns the largest absolute error of the rows that were measured without disturbance.
  double worst() const noexcept;

  /// True if the rounds of each undisturbed row differed little.
  bool steady() const noexcept;
};

/// The largest error of a prediction that passes.
inline constexpr double tolerated_error = 0.25;

/// Measures an even loop on `threads` threads at batch sizes from 1 to 1,024, and simulates the loop on `m`. Throws
/// usage_error if either machine has fewer contexts than `threads`. Throws graph::cancelled.
comparison compare_with_reality(const machine::simulation::description& m, unsigned threads, std::uint64_t seed,
                                const graph::run_control& context);

std::string to_words(const comparison& c);
json to_json(const comparison& c);

}  // namespace callisto::lab
