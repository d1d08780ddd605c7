// The control groups of a job's process, and the contexts that its cpuset leaves it, looked at while it runs.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace callisto::broker {

class CALLISTO_API process_groups {
 public:
  process_groups() = default;
  /// `root`: a tree with /proc and the mounts of control groups; empty: this machine's.
  explicit process_groups(pid_t process, std::string root = {});

  /// Looks again, which takes some 4 us. True if the groups or the contexts have changed since the last look.
  bool look();
  /// Returns the contexts of the process's cpuset, without what this broker confines; nullopt: not known.
  const std::optional<cosched::context_set>& contexts() const noexcept { return contexts_; }
  /// True if the process is in this group, in any hierarchy, or in one inside it.
  bool is_in(std::string_view group) const;

 private:
  std::string root_;
  pid_t process_ = 0;
  machine::descriptor groups_;  ///< /proc/PID/cgroup, and
  machine::descriptor cpuset_;  ///< the file with the cpuset's contexts: both kept open
  std::string seen_;            ///< the text of the first file, and
  std::string text_;            ///< that without what brokers confine
  std::string list_;
  std::optional<cosched::context_set> contexts_;
};

}  // namespace callisto::broker
