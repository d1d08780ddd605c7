// The loops that `callisto bench schedule` times: how the costs of their iterations are spread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

enum class cost_shape : std::uint8_t { even, skewed, power, sparse };  // as callisto_shape in bench/peers/work.hpp

/// A loop; a unit of cost is about 17 ns.
struct bench_workload {
  std::string name;
  std::string words;  ///< what it is, for people
  cost_shape shape = cost_shape::even;
  bool reversed = false;
  unsigned site = 0;  ///< candidates that remember loops keep those apart; below 15
  std::uint64_t n = 1;
  std::uint64_t heavy = 0;   ///< iterations of 1,024 units, of skewed
  std::uint64_t blocks = 1;  ///< runs of 19 multiplications to a unit
  std::uint64_t extra = 0;   ///< multiplications besides, once an iteration
  unsigned repeats = 1;      ///< launches that are timed as one

  /// As candidates are told (bench/peers/protocol.hpp).
  std::string order() const;
};

/// The eight loops of the table, each about `divisor` times shorter than its full length (a power of two).
std::vector<bench_workload> table_workloads(std::uint64_t divisor);

/// Loops of 2 to 2^40 iterations that cost 2 ns to 10 ms each, as far as that makes sense, up to about 1/divisor of 0.4
/// s of work each; those of fewer than 2 ms are launched repeatedly.
std::vector<bench_workload> sweep_workloads(std::uint64_t divisor);

}  // namespace callisto::app
