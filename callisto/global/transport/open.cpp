#include <callisto/global/transport/in_process.hpp>
#include <callisto/global/transport/open.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <cstdlib>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

namespace callisto::global {

namespace {

bool is_set(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0';
}

std::string folder_of(std::string path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// Where a plugin may be: beside the program, as a build has them, and where the library is installed.
std::vector<std::string> plugin_folders() {
  std::vector<std::string> folders;
  char program[4096];
  if (const ssize_t n = readlink("/proc/self/exe", program, sizeof program); n > 0) {
    const std::string folder = folder_of(std::string(program, static_cast<std::size_t>(n)));
    folders.push_back(folder);
    folders.push_back(folder + "/../lib/callisto");
  }
  for (const std::string_view built_in : {CALLISTO_PLUGIN_FOLDERS})
    if (!built_in.empty()) folders.emplace_back(built_in);
  return folders;
}

std::string find_plugin(const std::string& mpi, const char* why) {
  const std::string name = "libcallisto_" + mpi + ".so";
  std::string tried;
  for (const std::string& folder : plugin_folders()) {
    const std::string path = folder + "/" + name;
    if (access(path.c_str(), R_OK) == 0) return path;
    tried += (tried.empty() ? "" : ", ") + folder;
  }
  throw usage_error(std::string("callisto::global: ") + why + ", and there is no " + name + " in " + tried +
                    "; build Callisto with this MPI, or set CALLISTO_MPI");
}

}  // namespace

launchers launcher_of_process() {
  if (is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMIX_RANK")) return launchers::open_mpi;
  if (is_set("PMI_RANK") || is_set("PMI_SIZE")) return launchers::mpich;
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (is_set("SLURM_STEP_ID") && tasks != nullptr && std::string_view(tasks) != "1") return launchers::slurm;
  return launchers::none;
}

std::unique_ptr<transport> open_transport(std::uint64_t program) {
  // A path of code to load: ignored in secure mode.
  const std::string_view mpi = machine::file_variable("CALLISTO_MPI");
  const launchers launcher = launcher_of_process();
  if (mpi == "off" || (mpi.empty() && launcher == launchers::none)) return in_process_cluster({}).attach(0);
  if (mpi.find('/') != std::string_view::npos) return open_mpi_plugin(std::string(mpi), program);
  if (!mpi.empty() && mpi != "openmpi" && mpi != "mpich")
    throw usage_error("CALLISTO_MPI: '" + std::string(mpi) + "'; expected openmpi, mpich, off or the path of a plugin");
  if (launcher == launchers::none) return in_process_cluster({}).attach(0);
  if (!mpi.empty()) return open_mpi_plugin(find_plugin(std::string(mpi), "CALLISTO_MPI chooses an MPI"), program);
  switch (launcher) {
    case launchers::open_mpi:
      return open_mpi_plugin(find_plugin("openmpi", "a launcher of Open MPI started this process"), program);
    case launchers::mpich:
      return open_mpi_plugin(find_plugin("mpich", "a launcher of MPICH started this process"), program);
    default:
      break;
  }
  // srun starts both. Without PMIx or PMI-2 each task would be a job of one rank, and do all of the work.
  std::unique_ptr<transport> net = open_mpi_plugin(find_plugin("mpich", "srun started this process"), program);
  if (net->ranks() == 1)
    throw usage_error(
        "callisto::global: srun started several tasks, which do not find each other; expected srun --mpi=pmix for "
        "Open MPI or --mpi=pmi2 for MPICH, or CALLISTO_MPI=off");
  return net;
}

}  // namespace callisto::global
