// Opens the transport that the process was started for.
#pragma once

#include <callisto/global/transport/transport.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace callisto::global {

/// Opens MPI if a launcher started this process, else one rank in process. `CALLISTO_MPI` chooses the MPI: `openmpi`,
/// `mpich`, the path of a plugin or of a folder of plugins, or `off`. Throws usage_error with one line if there is no
/// such plugin or MPI, if MPI has ended in this process, or if ranks run different programs: `program` is a number that
/// only the same program has. `header` is the path of an installed header of the library, as the program was compiled
/// with it: plugins are looked for in that installation, too. Collective.
std::unique_ptr<transport> open_transport(std::uint64_t program, const char* header = nullptr);

/// Loads the plugin at `path` and joins its job. Throws usage_error.
std::unique_ptr<transport> open_mpi_plugin(const std::string& path, std::uint64_t program);

}  // namespace callisto::global
