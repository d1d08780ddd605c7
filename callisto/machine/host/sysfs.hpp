// The machine's structure from Linux's /sys, for programs that start often: hwloc and the plugins that it loads first
// (XML, PCI, X11, OpenCL) take 5 to 20 ms.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/host/topology.hpp>

#include <optional>
#include <string>
#include <vector>

namespace callisto::machine {

/// The parts of a topology.
struct sysfs_machine {
  std::vector<context> contexts;  ///< in hwloc's order
  bool has_l3;
};

/// Returns the online contexts of the /sys in the tree `root` (empty: the machine's own). Nullopt if it lacks CPUs,
/// their cores or their packages. Numbers and order are hwloc's: contexts that share more are nearer, else by the CPUs'
/// numbers. Takes about 0.1 ms for a core and what it shares.
CALLISTO_API std::optional<sysfs_machine> read_sysfs(const std::string& root);

}  // namespace callisto::machine
