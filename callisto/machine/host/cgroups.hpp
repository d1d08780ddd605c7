// The control groups of this process, from /proc and the mounts of control groups.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::machine {

/// Returns the contents of a file without trailing newlines; nullopt if it cannot be read.
CALLISTO_API std::optional<std::string> contents_of(const std::string& path);

/// Returns the whole number that `text` is; nullopt if it is none.
std::optional<std::int64_t> to_number(std::string_view text);

/// Returns the parts of `text` between separators.
CALLISTO_API std::vector<std::string> split_at(std::string_view text, char separator);

/// The groups of this process in one hierarchy.
struct cgroup_path {
  bool version2;
  std::vector<std::string>
      directories;  ///< first its own group's, then those of the groups around it, as far as they are mounted
};

/// Reads the control groups of this process, or of `process` as this one sees it, with /proc and mounts in the tree
/// `root`, at the time of construction.
class CALLISTO_API control_groups {
 public:
  explicit control_groups(const std::string& root);
  control_groups(const std::string& root, std::int64_t process);

  /// Returns the groups that a controller such as "cpu" or "memory" may limit, in each hierarchy that may have it. The
  /// directories are as in the tree, without `root` in front. Another process's group that is outside of all mounts
  /// has none.
  std::vector<cgroup_path> of(std::string_view controller) const;

 private:
  std::string mounts_;  ///< the text of /proc/self/mountinfo
  std::string groups_;  ///< the text of /proc/self/cgroup
  bool of_other_ = false;
};

}  // namespace callisto::machine
