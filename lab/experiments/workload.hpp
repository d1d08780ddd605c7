// The loops that `callisto-lab bench schedule` times, with different distributions of the iterations' costs.
#pragma once

#include <lab/names.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::lab {

enum class cost_shape : std::uint8_t { even, skewed, power, sparse };  // like callisto_shape in lab/peers/work.hpp

/// A loop. A unit of cost takes about 17 ns.
struct bench_workload {
  std::string name;
  std::string words;  ///< a description for readers
  cost_shape shape = cost_shape::even;
  bool reversed = false;
  unsigned site = 0;  ///< candidates that remember loops tell them apart by this; below 15
  std::uint64_t n = 1;
  std::uint64_t heavy = 0;   ///< skewed only: number of iterations of 1,024 units
  std::uint64_t blocks = 1;  ///< runs of 19 multiplications in a unit
  std::uint64_t extra = 0;   ///< further multiplications per iteration
  unsigned repeats = 1;      ///< number of launches that are timed as one

  /// Returns the loop as the WORK of a request (lab/peers/protocol.hpp).
  std::string order() const;
};

/// Returns the eight loops of the table, each about `divisor` times shorter than its full length. `divisor` is a power
/// of two.
std::vector<bench_workload> table_workloads(std::uint64_t divisor);

/// Returns loops of 2 to 2^40 iterations that cost 2 ns to 10 ms each, where that makes sense. Each has up to about 0.4
/// s / `divisor` of work. Loops of less than 2 ms are launched repeatedly.
std::vector<bench_workload> sweep_workloads(std::uint64_t divisor);

}  // namespace callisto::lab
