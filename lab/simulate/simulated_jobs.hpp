// Jobs that share a simulated machine, or do not.
#pragma once

#include <callisto/machine/simulated/description.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <vector>

namespace callisto::lab {

/// What a job does, or a program that is no job.
enum class job_kind {
  batch,   ///< one loop after the other
  nice,    ///< the same, at nice level 19
  light,   ///< sleeps 5 ms, then runs a short loop
  silent,  ///< each thread stays in its only iteration and never checks in
  plain,   ///< one thread that computes, and is no job
};

/// A simulated run: jobs of these kinds on the first `contexts` contexts of a machine.
struct manners_setup {
  std::vector<job_kind> actors;
  unsigned contexts = 128;
  std::uint64_t seed = 0;                ///< shifts the kernels' slices
  bool sharing = true;                   ///< false: as with CALLISTO_COSCHED=off
  std::uint64_t warm_up = 500'000'000;   ///< nanoseconds before loops count
  std::uint64_t length = 1'000'000'000;  ///< nanoseconds in which they do
};

/// What the jobs of one kind did while loops counted.
struct manners_outcome {
  std::uint64_t loops = 0;
  std::uint64_t median = 0;  ///< of a loop's time, in nanoseconds
  std::uint64_t slow = 0;    ///< its 99th percentile
};

/// Simulates a run, and returns what the jobs of each of `kinds` did. Deterministic.
std::vector<manners_outcome> simulate_manners(const machine::simulation::description& machine,
                                              const manners_setup& setup, const std::vector<job_kind>& kinds);

}  // namespace callisto::lab
