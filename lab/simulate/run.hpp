// Simulates one parallel loop, from its publication to the return of its leader.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <callisto/machine/simulated/engine.hpp>
#include <lab/names.hpp>
#include <lab/simulate/workload.hpp>

#include <cstdint>
#include <stop_token>
#include <vector>

namespace callisto::lab {

/// Interruptions, as if the operating system ran another process: each context is absent again and again for `length`
/// cycles. The mean time between absences is `period` cycles.
struct noise {
  std::uint64_t length = 0;  ///< cycles; 0 means no interruptions
  std::uint64_t period = 0;
};

struct run_setup {
  schedule how;
  std::uint64_t batch = 1;  ///< 0: sized by time, which is parallel_for's default
  unsigned threads = 1;
  double hold = 0;
  std::uint64_t seed = 1;
  lab::noise noise;
  double jitter = 0;    ///< by how much of its time a batch may take longer or shorter, at random
  bool joined = false;  ///< true if all threads start inside the loop: publishing, joining and leaving it cost nothing
  double cap = 0;  ///< gives the loop up once its speed-up must stay below this, or below a quarter of the threads if
                   ///< that is less; 0: never
  bool timeline = false;      ///< true if the outcome keeps what each context did when
  bool chunk_queues = false;  ///< true if chunk_queues.hpp hands out the iterations, not `how`
};

/// The result of one simulated loop.
struct run_outcome {
  bool complete = true;      ///< false if the loop was given up; `speedup` is then an upper bound
  double speedup = 0;        ///< over the same iterations in a plain loop on a context that has its core to itself
  std::uint64_t cycles = 0;  ///< the loop's duration
  machine::simulation::account spent;  ///< how all threads together spent their cycles between the loop's begin and end
  std::uint64_t events = 0;            ///< number of simulated events
  std::uint64_t hash = 0;              ///< hash of all events and their times
  std::uint64_t iterations = 0;        ///< number of iterations run
  std::uint64_t batches = 0;           ///< number of batches run
  distributor::claim_counts counts;    ///< sum over the threads that have left the loop
  std::vector<machine::simulation::span> timeline;  ///< what each context did; times count from the loop's begin
};

/// Returns the layout of a loop on `threads` threads of the machine: thread t runs on context spread(t, threads).
distributor::layout layout_of(const machine::simulation::description& machine, unsigned threads);

/// Simulates `loop` under `setup`. Deterministic: equal arguments give equal outcomes, to the cycle. Throws usage_error
/// if the machine has fewer contexts than `setup.threads`. Throws graph::cancelled.
run_outcome run_simulated(const machine::simulation::description& machine, const workload& loop, const run_setup& setup,
                          const std::stop_token& stop);

}  // namespace callisto::lab
