// Many simulated loops: every schedule at every batch size, number of threads and length of the hold window.
#pragma once

#include <callisto/app/simulate/run.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <vector>

namespace callisto::app {

/// A schedule at batch sizes, which ascend.
struct technique {
  schedule how;
  std::vector<std::uint64_t> batches;
};

/// What to vary; no list has repeats, those of numbers ascend, and none is empty but other_holds.
struct sweep_plan {
  std::vector<technique> techniques;
  std::vector<unsigned> threads;
  std::vector<double> holds;
  /// Also tried, but only where a hold window is likely to matter: the largest number of threads, small batches.
  std::vector<double> other_holds;
  std::uint64_t seed = 1;
  app::noise noise;
  double jitter = 0;
  bool joined = false;
  double cap = 0;
  double cap_per_thread = 0;  ///< raises the cap of loops with many threads

  /// Every run.
  std::vector<run_setup> setups() const;
};

/// One loop of a sweep.
struct sweep_cell {
  run_setup setup;
  run_outcome outcome;
};

/// Every loop of a plan over one workload.
class sweep {
 public:
  /// Runs them all, on all of this machine's processors, and reports runs as progress.
  sweep(const machine::simulation::description& machine, const workload& loop, const sweep_plan& plan,
        const graph::run_control& context);

  const sweep_plan& plan() const noexcept { return plan_; }
  const std::vector<sweep_cell>& cells() const noexcept { return cells_; }
  /// Of all runs.
  std::uint64_t events() const noexcept;
  /// Null if there is no such run.
  const sweep_cell* find(const schedule& how, std::uint64_t batch, unsigned threads, double hold) const noexcept;
  /// A run of the plan with one of its `holds`.
  const run_outcome& at(const schedule& how, std::uint64_t batch, unsigned threads, double hold) const;

 private:
  sweep_plan plan_;
  std::vector<sweep_cell> cells_;
};

}  // namespace callisto::app
