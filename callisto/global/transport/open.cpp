#include <callisto/global/transport/in_process.hpp>
#include <callisto/global/transport/open.hpp>
#include <callisto/machine/host/launcher.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace callisto::global {

namespace {

std::string folder_of(std::string path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// Adds where the plugins of an installation under `prefix` may be.
void add_libraries(std::vector<std::string>& folders, const std::string& prefix) {
  for (const char* const library : {CALLISTO_LIBRARY_FOLDER, "lib", "lib64"})
    folders.push_back(prefix + "/" + library + "/callisto");
}

/// Adds where plugins may be if the file of this process that contains `address` came with them: a program, or a
/// library.
void add_folders_around(std::vector<std::string>& folders, const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr || *info.dli_fname != '/') return;
  const std::string folder = folder_of(info.dli_fname);
  folders.push_back(folder);
  folders.push_back(folder + "/callisto");
  add_libraries(folders, folder + "/..");
}

/// Where a plugin may be, the nearest first: around the program, around the library that asks, and around the library
/// below it; where the headers lie that the program was compiled with; where the library was configured to lie.
std::vector<std::string> plugin_folders(const char* header) {
  std::vector<std::string> folders;
  char program[4096];
  if (const ssize_t n = readlink("/proc/self/exe", program, sizeof program); n > 0) {
    const std::string folder = folder_of(std::string(program, static_cast<std::size_t>(n)));
    folders.push_back(folder);
    add_libraries(folders, folder + "/..");
  }
  add_folders_around(folders, reinterpret_cast<const void*>(&plugin_folders));
  add_folders_around(folders, reinterpret_cast<const void*>(&machine::launcher_of_process));
  // INCLUDE/callisto/global/session/session.hpp
  if (header != nullptr && *header == '/') {
    std::string include = header;
    for (int up = 0; up < 4; ++up) include = folder_of(include);
    add_libraries(folders, include + "/..");
  }
  for (const std::string_view built_in : {CALLISTO_PLUGIN_FOLDERS})
    if (!built_in.empty()) folders.emplace_back(built_in);
  std::vector<std::string> once;
  for (std::string& f : folders)
    if (std::ranges::find(once, f) == once.end()) once.push_back(std::move(f));
  return once;
}

/// Returns the path of the plugin for an MPI: "openmpi" or "mpich". `why` begins the line that says that it is missing.
std::string find_plugin(const std::string& mpi, const char* why, const std::vector<std::string>& folders) {
  const std::string name = "libcallisto_" + mpi + ".so";
  std::string tried;
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + name;
    if (access(path.c_str(), R_OK) == 0) return path;
    tried += (tried.empty() ? "" : ", ") + folder;
  }
  throw usage_error(std::string("callisto::global: ") + why + ", and there is no " + name + " in " + tried +
                    "; install this MPI with its compiler (" + (mpi == "mpich" ? "libmpich-dev" : "libopenmpi-dev") +
                    "), then build and install Callisto again; or set CALLISTO_MPI to the folder of the plugin");
}

}  // namespace

std::unique_ptr<transport> open_transport(std::uint64_t program, const char* header) {
  using machine::launchers;
  // A path of code to load: ignored in secure mode.
  const std::string_view mpi = machine::file_variable("CALLISTO_MPI");
  const launchers launcher = machine::launcher_of_process().by;
  if (mpi == "off" || (mpi.empty() && launcher == launchers::none)) return in_process_cluster({}).attach(0);
  std::vector<std::string> folders;
  const bool names_mpi = mpi == "openmpi" || mpi == "mpich";
  if (mpi.empty() || names_mpi) {
    folders = plugin_folders(header);
  } else if (mpi.find('/') != std::string_view::npos) {
    struct stat of{};
    const std::string path(mpi);
    if (stat(path.c_str(), &of) != 0 || !S_ISDIR(of.st_mode)) return open_mpi_plugin(path, program);
    folders.push_back(path);
  } else {
    throw usage_error("CALLISTO_MPI: '" + std::string(mpi) +
                      "'; expected openmpi, mpich, off, or the path of a plugin or of a folder of plugins");
  }
  if (launcher == launchers::none) return in_process_cluster({}).attach(0);
  const auto open = [&](const char* name, const char* why) {
    return open_mpi_plugin(find_plugin(name, why, folders), program);
  };
  if (names_mpi) return open(std::string(mpi).c_str(), "CALLISTO_MPI chooses an MPI");
  if (launcher == launchers::open_mpi) return open("openmpi", "a launcher of Open MPI started this process");
  if (launcher == launchers::mpich) return open("mpich", "a launcher of MPICH started this process");
  // srun starts both. Without PMIx or PMI-2 each task would be a job of one rank, and do all of the work.
  std::unique_ptr<transport> net = open("mpich", "srun started this process");
  if (net->ranks() == 1)
    throw usage_error(
        "callisto::global: srun started several tasks, which do not find each other; expected srun --mpi=pmix for "
        "Open MPI or --mpi=pmi2 for MPICH, or CALLISTO_MPI=off");
  return net;
}

}  // namespace callisto::global
