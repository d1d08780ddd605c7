// The machine's structure as Linux tells it in /sys: for programs that start often, which hwloc, with the plugins that
// it loads at first (XML, PCI, X11, OpenCL), costs five to twenty milliseconds.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/host/topology.hpp>

#include <optional>
#include <string>
#include <vector>

namespace callisto::machine {

/// What topology consists of.
struct sysfs_machine {
  std::vector<context> contexts;  ///< in hwloc's order
  bool has_l3;
};

/// The contexts that are online, of the /sys in the tree `root` (empty: the machine's own). Nullopt if it does not say
/// all that is needed: CPUs, their cores and their packages. Numbers and order are hwloc's: what shares more is nearer,
/// else by the CPUs' numbers. About 0.1 ms for a core and what it shares with others.
CALLISTO_API std::optional<sysfs_machine> read_sysfs(const std::string& root);

}  // namespace callisto::machine
