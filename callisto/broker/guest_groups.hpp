// Control groups that the policy names: the broker keeps their programs, which are guests among jobs, on the contexts
// that the policy leaves to guests. By the cpuset of the group itself, so no process moves, and none can undo it.
//
// An empty group inside says that this broker has made the cpuset. The broker leaves another's cpuset alone.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/export.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace callisto::broker {

/// Ends the name of the empty group, after the part that all groups of this broker have.
inline constexpr std::string_view guests_suffix = "guests";

/// One thread uses it.
class CALLISTO_API guest_groups {
 public:
  guest_groups() = default;
  /// Takes what a confined_process takes.
  guest_groups(std::string broker, std::string root) : broker_(std::move(broker)), root_(std::move(root)) {}

  /// Keeps these groups on these contexts from now on, and frees those that are not named any more.
  void follow(std::set<std::string> groups, const cosched::context_set& contexts);
  /// Does it for groups that have been made since, and again where another program has undone it. Some 10 us a group.
  void look() const;
  /// Frees all.
  void undo() const;

 private:
  bool keep(const std::string& group) const;
  void free(const std::string& group) const;
  void find_hierarchy();

  std::string broker_;
  std::string root_;
  std::string widest_;  ///< the outermost group with cpusets; empty: there is none
  bool version2_ = false;
  std::set<std::string> groups_;
  cosched::context_set contexts_{};
};

/// Gives a group all contexts back that those around it have. `widest`: the outermost group.
void forget_cpuset(const std::string& group, const std::string& widest, bool version2);

}  // namespace callisto::broker
