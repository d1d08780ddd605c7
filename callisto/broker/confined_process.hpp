// The grade `group`: a broker confines the process of a job that did not answer to some contexts, by a control group
// that it makes inside the process's own group. So the process leaves no group of its session, its container or its
// batch system, and no other process is confined. Its threads cannot undo it.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/host/cgroups.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace callisto::broker {

/// Begins the name of each group that a broker makes, after the path of the group around it.
inline constexpr std::string_view confined_prefix = "/callisto-confined-";

/// One process that is confined, or not. One thread uses it.
class CALLISTO_API confined_process {
 public:
  /// `broker` is a part of the groups' names, so that brokers of one machine know their own. `root`: a tree with /proc
  /// and the mounts of control groups; empty: this machine's.
  explicit confined_process(std::string broker, std::string root = {})
      : broker_(std::move(broker)), root_(std::move(root)) {}
  confined_process() = default;
  confined_process(confined_process&&) = default;
  confined_process& operator=(confined_process&&) = default;

  /// Confines the process to these contexts; `slowly`: and to a fiftieth of one processor. Called again, changes that.
  /// `is_there()` tells whether the process with this number is still the same; if it is not, nothing is done to the
  /// number's next process. False if the system refuses: then the process is as it was before.
  template <class IsThere>
  bool confine(pid_t process, const cosched::context_set& contexts, bool slowly, IsThere is_there) {
    if (!is_there() || !enter(process, contexts, slowly)) return false;
    if (is_there()) return true;
    undo();
    return false;
  }
  /// Gives the process, and children that it has made meanwhile, back to its own group. Threads that the system gives
  /// more contexts by that than they had before get those that they had.
  void undo();
  bool is_confined() const noexcept { return process_ != 0; }

 private:
  /// A group that this object has made in the process's own group.
  struct place {
    std::string parent;
    std::string own;
    bool version2 = false;
    std::vector<std::string> enabled{};  ///< controllers that this object has enabled in the parent, for `own`
  };
  struct thread_before {
    pid_t thread;
    cosched::context_set contexts;
  };

  bool enter(pid_t process, const cosched::context_set& contexts, bool slowly);
  bool set_contexts(const cosched::context_set& contexts);
  bool set_slow(bool slowly);
  std::optional<place> make(pid_t process, const char* controller);
  bool move_in(const place& to) const;
  void take_out(const place& from) const;

  std::string broker_;
  std::string root_;
  pid_t process_ = 0;  ///< 0: not confined
  cosched::context_set contexts_{};
  bool slow_ = false;
  std::optional<place> cpus_;  ///< with cpuset; of version 2 with cpu, too
  std::optional<place> time_;  ///< of version 1 with cpu
  std::vector<thread_before> before_;
};

/// Returns the group of a process and those around it, in the hierarchy that has the controller; without what a broker
/// has confined. None if there is none. Process 0 is this one.
machine::cgroup_path groups_of_process(const std::string& root, pid_t process, const char* controller);

/// True if this process can make control groups inside those of other processes. `root` as above.
CALLISTO_API bool may_confine_others(const std::string& root = {});

/// Frees processes that a broker of this name which was killed has left confined. Returns how many groups there were.
CALLISTO_API unsigned free_confined_processes(const std::string& broker, const std::string& root = {});

}  // namespace callisto::broker
