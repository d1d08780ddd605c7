// How much of the machine this process may use: affinity mask, cpusets and CPU quotas.
#pragma once

#include <callisto/export.hpp>

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace callisto::machine {

/// The processors and the processor time that the operating system lets this process use.
struct limits {
  std::vector<unsigned> cpus;   ///< OS numbers of the usable contexts, ascending, at least one
  std::string cpus_source;      ///< what excludes all other contexts: "affinity mask" or a cgroup's cpuset file
  std::optional<double> quota;  ///< CPU seconds per second granted by cgroups, above 0; nullopt: no limit
  std::string quota_source;     ///< the file that says so; empty without a quota

  /// Returns the limits of this process, read at every call (0.1 ms). Never fails: what cannot be read or understood
  /// limits nothing.
  CALLISTO_API static limits current();

  /// Returns the limits as the first call of this function found them: for several that begin together.
  CALLISTO_API static const limits& at_first_call();
};

/// Returns the limits of a process with /proc and cgroup mounts in the tree `root`, and with the affinity mask
/// `affinity`. An empty `root` is the machine's own. Follows both cgroup versions and mixtures from the process's own
/// group to the outermost visible one: the smallest quota counts, and the nearest cpuset.
CALLISTO_API limits read_limits(const std::string& root, std::vector<unsigned> affinity);

/// Returns the number of threads that make full use of the limits: one for each context, or as many as the quota feeds,
/// rounded up; at least 1.
CALLISTO_API unsigned default_threads(const limits& l) noexcept;

/// Returns the affinity mask that this process had when the library was loaded: what its user gave it, whatever the
/// program has done to its threads since. Ascending, not empty.
CALLISTO_API const std::vector<unsigned>& affinity_at_start();

/// Returns where a process may run, by the affinity of its first thread; 0: the calling thread. Empty if that is
/// unknown. Thread-safe.
CALLISTO_API std::vector<unsigned> affinity_of(pid_t process);

}  // namespace callisto::machine
