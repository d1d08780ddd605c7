// The control groups of this process, from /proc and wherever they are mounted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::machine {

/// The contents of a file without trailing newlines; nullopt if it cannot be read.
std::optional<std::string> contents_of(const std::string& path);

/// The parts of `text` between separators.
std::vector<std::string> split_at(std::string_view text, char separator);

/// The groups of this process in one hierarchy.
struct cgroup_path {
  bool version2;
  std::vector<std::string> directories;  ///< its own group's first, then those around it, as far as they are mounted
};

/// The control groups of a process whose /proc and mounts lie in the tree `root`, as they are when this is made.
class control_groups {
 public:
  explicit control_groups(const std::string& root);

  /// Those that a controller such as "cpu" or "memory" may limit, in each hierarchy that may have it. The directories
  /// are as in the tree, without `root` in front.
  std::vector<cgroup_path> of(std::string_view controller) const;

 private:
  std::string mounts_;  ///< as /proc/self/mountinfo has them
  std::string groups_;  ///< as /proc/self/cgroup has them
};

}  // namespace callisto::machine
