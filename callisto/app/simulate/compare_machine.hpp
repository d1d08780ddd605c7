// The simulator's prediction for the machine at hand beside what the machine does.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/simulate/native_loop.hpp>
#include <callisto/machine/simulated/description.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace callisto::app {

struct compared_speedup {
  native_speedup measured;
  double predicted;

  /// 0.1: the prediction is 10% too high; negative: too low.
  double error() const noexcept { return predicted / measured.speedup - 1; }
};

struct comparison {
  native_loop_result measured;
  std::uint64_t iteration_cycles = 0;
  std::vector<compared_speedup> rows;

  /// The largest error, without its sign, of the rows that were measured undisturbed.
  double worst() const noexcept;

  /// Whether the rounds of each undisturbed row were much alike.
  bool steady() const noexcept;
};

/// What a prediction may be wrong by.
inline constexpr double tolerated_error = 0.25;

/// Measures an even loop on `threads` threads at batch sizes from 1 to 1,024, and simulates it on `m`. Throws
/// usage_error if either machine has fewer contexts, and graph::cancelled.
comparison compare_with_reality(const machine::simulation::description& m, unsigned threads, std::uint64_t seed,
                                const graph::run_control& context);

std::string to_words(const comparison& c);
json to_json(const comparison& c);

}  // namespace callisto::app
