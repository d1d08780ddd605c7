// One parallel loop on a simulated machine, from its publication to the return of its leader.
#pragma once

#include <callisto/app/simulate/workload.hpp>
#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <callisto/machine/simulated/engine.hpp>

#include <cstdint>
#include <stop_token>
#include <vector>

namespace callisto::app {

/// Contexts are taken away, as by an operating system that has something else to run: each one again and again, for
/// `length` cycles, after times of which the mean is `period` cycles.
struct noise {
  std::uint64_t length = 0;  ///< 0: none
  std::uint64_t period = 0;
};

struct run_setup {
  schedule how;
  std::uint64_t batch = 1;  ///< 0: sized by time, as parallel_for does it unasked
  unsigned threads = 1;
  double hold = 0;
  std::uint64_t seed = 1;
  app::noise noise;
  double jitter = 0;      ///< batches take longer or shorter at random, by up to this part of their time
  bool joined = false;    ///< all threads stand ready inside the loop: publishing, joining and leaving it cost nothing
  double cap = 0;         ///< the loop is given up once its speed-up must stay below this, or a quarter of the threads
  bool timeline = false;  ///< whether to keep what every context did when
  bool chunk_queues = false;  ///< hand out by chunk_queues.hpp instead of `how`
};

/// What came of it.
struct run_outcome {
  bool complete = true;      ///< false: given up, and `speedup` is an upper bound
  double speedup = 0;        ///< over the same iterations in a plain loop on a context that has its core to itself
  std::uint64_t cycles = 0;  ///< of the loop
  machine::simulation::account spent;               ///< all threads together, from the loop's begin to its end
  std::uint64_t events = 0;                         ///< of the simulation
  std::uint64_t hash = 0;                           ///< of all events and their times
  std::uint64_t iterations = 0;                     ///< that were run
  std::uint64_t batches = 0;                        ///< in how many
  distributor::claim_counts counts;                 ///< of all threads that have left, together
  std::vector<machine::simulation::span> timeline;  ///< from the loop's begin on
};

/// `threads` threads as a loop on the machine has them: thread t on context spread(t, threads).
distributor::layout layout_of(const machine::simulation::description& machine, unsigned threads);

/// Simulates. Deterministic: the same arguments give the same outcome, to the cycle. Throws usage_error if the machine
/// has fewer contexts than `setup.threads`, and graph::cancelled.
run_outcome run_simulated(const machine::simulation::description& machine, const workload& loop, const run_setup& setup,
                          const std::stop_token& stop);

}  // namespace callisto::app
