// The launcher that started this process as one of several processes, as its environment tells.
#pragma once

#include <callisto/export.hpp>

namespace callisto::machine {

/// The launchers that start a program as many processes, by the library that those processes meet through.
enum class launchers { none, open_mpi, mpich, slurm };

/// A launcher, and what it says of this process.
struct launched_process {
  launchers by = launchers::none;
  int rank = 0;   ///< of this process, from 0
  int ranks = 1;  ///< processes that it started together; 0: it does not say
};

/// Returns what launched this process: OMPI_COMM_WORLD_SIZE or PMIX_RANK mean Open MPI, PMI_RANK or PMI_SIZE MPICH,
/// SLURM_STEP_ID with a SLURM_STEP_NUM_TASKS other than 1 srun, in this order. Any thread.
CALLISTO_API launched_process launcher_of_process() noexcept;

}  // namespace callisto::machine
