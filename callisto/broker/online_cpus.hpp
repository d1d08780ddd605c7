// The CPUs that are plugged in, looked at while a broker runs.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <string>
#include <vector>

namespace callisto::broker {

class online_cpus {
 public:
  /// `path`: a list of CPUs, as /sys/devices/system/cpu/online; empty: that file.
  explicit online_cpus(const std::string& path);

  /// Looks at the file, which takes some 2 us. True if the list has changed since the last look.
  bool look();
  /// True if the CPU was plugged in at the last look, or the system does not tell.
  bool has(unsigned cpu) const noexcept { return !known_ || in_.has(cpu); }

 private:
  machine::descriptor file_;  ///< kept open
  std::string text_;
  bool known_ = false;
  cosched::context_set in_{};
};

/// Returns the core of each context of this machine, as divide() takes them; the last context has one.
std::vector<unsigned> cores_of_machine();

}  // namespace callisto::broker
