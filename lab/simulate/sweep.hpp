// Simulates many loops: every schedule at every batch size, number of threads and length of the hold window.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <lab/names.hpp>
#include <lab/simulate/run.hpp>

#include <cstdint>
#include <vector>

namespace callisto::lab {

/// A schedule and its batch sizes, ascending.
struct technique {
  schedule how;
  std::vector<std::uint64_t> batches;
};

/// What to vary. No list has repeats, and numbers ascend. Only `other_holds` may be empty.
struct sweep_plan {
  std::vector<technique> techniques;
  std::vector<unsigned> threads;
  std::vector<double> holds;
  /// Further hold windows, tried only if the window is likely to matter: with the largest number of threads and small
  /// batches.
  std::vector<double> other_holds;
  std::uint64_t seed = 1;
  lab::noise noise;
  double jitter = 0;
  bool joined = false;
  double cap = 0;
  double cap_per_thread = 0;  ///< the cap of a loop is at least this times its threads

  /// Returns the setups of all runs.
  std::vector<run_setup> setups() const;
};

/// One simulated loop of a sweep.
struct sweep_cell {
  run_setup setup;
  run_outcome outcome;
};

/// The outcomes of a plan's loops over one workload.
class sweep {
 public:
  /// Runs all loops of `plan` on all of this machine's processors. Reports each finished run as progress. Throws
  /// graph::cancelled.
  sweep(const machine::simulation::description& machine, const workload& loop, const sweep_plan& plan,
        const graph::run_control& context);

  const sweep_plan& plan() const noexcept { return plan_; }
  const std::vector<sweep_cell>& cells() const noexcept { return cells_; }
  /// Returns the number of simulated events of all runs.
  std::uint64_t events() const noexcept;
  /// Returns the cell of a run, or null if there is no such run.
  const sweep_cell* find(const schedule& how, std::uint64_t batch, unsigned threads, double hold) const noexcept;
  /// Returns the outcome of a run. Requires that the plan contains the run, with a hold window among `holds`.
  const run_outcome& at(const schedule& how, std::uint64_t batch, unsigned threads, double hold) const;

 private:
  sweep_plan plan_;
  std::vector<sweep_cell> cells_;
};

}  // namespace callisto::lab
