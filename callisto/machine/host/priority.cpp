// Nice levels by the kernel's rule; weights of groups as a product over the groups around the process.
#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/host/priority.hpp>

#include <algorithm>
#include <cerrno>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace callisto::machine {

unsigned weight_of_nice(int nice) noexcept {
  // By products, so that OpenMP programs need no libm at their start.
  double weight = 1024;
  for (int level = std::clamp(nice, -20, 19); level != 0; level += level < 0 ? 1 : -1)
    weight = level < 0 ? weight * 1.25 : weight / 1.25;
  return static_cast<unsigned>(weight + 0.5);
}

double weight_of_groups(const std::string& root) {
  double factor = 1;
  for (const cgroup_path& groups : control_groups(root).of("cpu")) {
    for (const std::string& directory : groups.directories) {
      const auto weight =
          to_number(contents_of(root + directory + (groups.version2 ? "/cpu.weight" : "/cpu.shares")).value_or(""));
      if (!weight || *weight <= 0) continue;  // the root has none
      factor *= static_cast<double>(*weight) / (groups.version2 ? 100 : 1024);
    }
  }
  return factor;
}

unsigned priority_of_this_process(double groups) noexcept {
  // Of the process's first thread; a library's threads may differ.
  errno = 0;
  int nice = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  if (nice == -1 && errno != 0) nice = 0;
  const double weight = sched_getscheduler(getpid()) == SCHED_IDLE ? 3 : weight_of_nice(nice);
  const double priority = usual_priority * weight / 1024 * groups;
  return static_cast<unsigned>(std::clamp(priority, 1.0, double{highest_priority}) + 0.5);
}

}  // namespace callisto::machine
