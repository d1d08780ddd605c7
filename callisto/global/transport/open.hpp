// Opens the transport that the process was started for.
#pragma once

#include <callisto/global/transport/transport.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace callisto::global {

/// What started this process, as its environment tells.
enum class launchers { none, open_mpi, mpich, slurm };

/// Returns the launcher: OMPI_COMM_WORLD_SIZE or PMIX_RANK mean Open MPI, PMI_RANK or PMI_SIZE MPICH, SLURM_STEP_ID
/// with more than one task srun, in this order.
launchers launcher_of_process();

/// Opens MPI if a launcher started this process, else one rank in process. `CALLISTO_MPI` chooses the MPI: `openmpi`,
/// `mpich`, the path of a plugin, or `off`. Throws usage_error with one line if there is no such plugin or MPI, or if
/// ranks run different programs: `program` is a number that only the same program has. Collective.
std::unique_ptr<transport> open_transport(std::uint64_t program);

/// Loads the plugin at `path` and joins its job. Throws usage_error.
std::unique_ptr<transport> open_mpi_plugin(const std::string& path, std::uint64_t program);

}  // namespace callisto::global
