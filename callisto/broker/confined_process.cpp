// Groups of both versions.
//
// In version 2 the new group is a threaded one: only such may be inside a group that has processes, and all that counts
// memory or ends processes by group still sees the process in its own group.
#include <callisto/broker/confined_process.hpp>

#include <callisto/broker/group_files.hpp>
#include <callisto/broker/guest_groups.hpp>
#include <callisto/broker/process_threads.hpp>
#include <callisto/machine/host/cgroups.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using cosched::context_set;
using machine::contents_of;

constexpr std::string_view prefix = confined_prefix.substr(1);
/// A fiftieth of one processor, in microseconds; the kernel takes no less than 1,000.
constexpr const char* slow_quota = "1000";
constexpr const char* slow_period = "50000";
/// The most groups of a machine among which those of a killed broker are looked for.
constexpr unsigned most_groups_looked_at = 100'000;
/// A process keeps the affinities of at most this many of its threads.
constexpr unsigned most_kept = 256;

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// True if `all` has each context of `some`, and more.
bool is_wider(const context_set& all, const context_set& some) {
  return all != some && all.shared_with(some) == some.count();
}

/// Removes a group, after its processes have gone back to `parent`. False: some are left.
bool dissolve(const std::string& own, const std::string& parent, bool version2) {
  // Processes may have children meanwhile. A thread's number moves its process.
  for (unsigned turn = 0; turn < 8; ++turn) {
    if (::rmdir(own.c_str()) == 0 || errno == ENOENT) return true;
    const std::string all = contents_of(own + (version2 ? "/cgroup.threads" : "/cgroup.procs")).value_or("");
    for (const std::string& one : machine::split_at(all, '\n')) write_group_file(parent + "/cgroup.procs", one);
  }
  return ::rmdir(own.c_str()) == 0;
}

void free_below(const std::string& group, const std::string& widest, const std::string& names, bool version2,
                unsigned& looked_at, unsigned& freed) {
  std::vector<std::string> inside;
  {
    DIR* const folder = ::opendir(group.c_str());
    if (folder == nullptr) return;
    while (const dirent* const e = ::readdir(folder)) {
      if (e->d_type == DT_DIR && std::strcmp(e->d_name, ".") != 0 && std::strcmp(e->d_name, "..") != 0) {
        inside.emplace_back(e->d_name);
      }
    }
    ::closedir(folder);
  }
  for (const std::string& name : inside) {
    if (++looked_at > most_groups_looked_at) return;
    const std::string path = group + "/" + name;
    struct stat is{};
    // A user may make groups with such a name in its own.
    if (name.starts_with(names) && ::stat(path.c_str(), &is) == 0 && is.st_uid == ::geteuid()) {
      if (name == names + std::string(guests_suffix)) forget_cpuset(group, widest, version2);
      dissolve(path, group, version2);
      ++freed;
    } else {
      free_below(path, widest, names, version2, looked_at, freed);
    }
  }
}

}  // namespace

machine::cgroup_path groups_of_process(const std::string& root, pid_t process, const char* controller) {
  const machine::control_groups all =
      process == 0 ? machine::control_groups(root) : machine::control_groups(root, process);
  for (machine::cgroup_path& found : all.of(controller)) {
    for (std::string& d : found.directories) d.insert(0, root);
    // Left by a broker that was killed.
    while (found.directories.size() > 1 && name_in(found.directories.front()).starts_with(prefix)) {
      found.directories.erase(found.directories.begin());
    }
    if (found.directories.empty()) continue;
    if (!found.version2 || file_has_word(found.directories.back() + "/cgroup.controllers", controller)) return found;
  }
  return {};
}

std::optional<confined_process::place> confined_process::make(pid_t process, const char* controller) {
  const machine::cgroup_path its = groups_of_process(root_, process, controller);
  if (its.directories.empty()) return std::nullopt;
  place made{.parent = its.directories.front(), .own = {}, .version2 = its.version2};
  made.own = made.parent + "/" + std::string(prefix) + broker_ + "-" + std::to_string(process);
  if (its.version2) {
    // The outermost group comes first. Controllers of groups around the process's own stay on, and confine nothing.
    for (auto d = its.directories.rbegin(); d != its.directories.rend(); ++d) {
      for (const char* const what : {"cpuset", "cpu"}) {
        bool by_me = false;
        const bool works = enable_controller(*d, what, by_me);
        if (!works && std::string_view(what) == "cpuset") return std::nullopt;
        if (by_me && *d == made.parent) made.enabled.emplace_back(what);
      }
    }
  }
  if (::mkdir(made.own.c_str(), 0755) != 0 && errno != EEXIST) {
    take_out(made);
    return std::nullopt;
  }
  if (its.version2 && !write_group_file(made.own + "/cgroup.type", "threaded")) {
    take_out(made);
    return std::nullopt;
  }
  // A controller that a group inside uses cannot be turned off here. Else systemd does that when a unit or a session
  // begins beside this one, and the cpuset is gone.
  for (const char* const what : {"cpuset", "cpu"}) {
    bool by_me = false;
    if (its.version2) enable_controller(made.own, what, by_me);
  }
  return made;
}

bool confined_process::move_in(const place& to) const {
  return write_group_file(to.own + "/cgroup.procs", std::to_string(process_));
}

void confined_process::take_out(const place& from) const {
  if (!dissolve(from.own, from.parent, from.version2)) return;
  for (const std::string& controller : from.enabled) {
    write_group_file(from.parent + "/cgroup.subtree_control", "-" + controller);
  }
}

bool confined_process::set_contexts(const context_set& contexts) {
  const place& in = *cpus_;
  context_set may = contexts_in_file(in.parent + (in.version2 ? "/cpuset.cpus.effective" : "/cpuset.effective_cpus"));
  for (unsigned i = 0; i < context_set::words; ++i) may.word(i) &= contexts.word(i);
  if (may.empty()) return false;
  if (may == contexts_) return true;
  if (!write_group_file(in.own + "/cpuset.cpus", list_of_contexts(may))) return false;
  contexts_ = may;
  return true;
}

/// Grants less processor time. Without the controller the contexts alone count.
bool confined_process::set_slow(bool slowly) {
  if (slowly == slow_) return true;
  if (cpus_->version2) {
    write_group_file(cpus_->own + "/cpu.max", slowly ? std::string(slow_quota) + " " + slow_period : "max");
  } else {
    if (!time_ && slowly) {
      time_ = make(process_, "cpu");
      if (time_ && !move_in(*time_)) {
        take_out(*time_);
        time_.reset();
      }
    }
    if (time_) {
      write_group_file(time_->own + "/cpu.cfs_period_us", slow_period);
      write_group_file(time_->own + "/cpu.cfs_quota_us", slowly ? slow_quota : "-1");
    }
  }
  slow_ = slowly;
  return true;
}

bool confined_process::enter(pid_t process, const context_set& contexts, bool slowly) {
  if (is_confined()) return set_contexts(contexts) && set_slow(slowly);
  cpus_ = make(process, "cpuset");
  if (!cpus_) return false;
  process_ = process;
  const place& in = *cpus_;
  bool ready = set_contexts(contexts);
  // A cpuset of version 1 has no memory at first, and takes no process.
  if (ready && !in.version2) {
    ready = write_group_file(in.own + "/cpuset.mems", contents_of(in.parent + "/cpuset.effective_mems").value_or(""));
  }
  if (ready) {
    for (const pid_t t : threads_of(process, most_kept)) {
      if (const auto now = affinity_of_thread(t)) before_.push_back({t, *now});
    }
    ready = move_in(in) && set_slow(slowly);
  }
  if (!ready) undo();
  return ready;
}

void confined_process::undo() {
  if (!is_confined()) return;
  for (const auto* its : {&time_, &cpus_}) {
    if (*its) take_out(**its);
  }
  for (const thread_before& t : before_) {
    // Before Linux 6.2 a cpuset leaves every thread all contexts of the group.
    const std::optional<context_set> now = affinity_of_thread(t.thread);
    if (now && is_wider(*now, t.contexts)) set_affinity(process_, t.thread, t.contexts);
  }
  *this = confined_process(std::move(broker_), std::move(root_));
}

bool may_confine_others(const std::string& root) {
  const machine::cgroup_path own = groups_of_process(root, 0, "cpuset");
  if (own.directories.empty()) return false;
  // A group around this process's own: those of other processes are there.
  const std::string& widest = own.directories.back();
  return ::access((widest + (own.version2 ? "/cgroup.subtree_control" : "/cgroup.procs")).c_str(), W_OK) == 0;
}

unsigned free_confined_processes(const std::string& broker, const std::string& root) {
  unsigned freed = 0;
  unsigned looked_at = 0;
  std::string before;
  for (const char* const controller : {"cpuset", "cpu"}) {
    const machine::cgroup_path own = groups_of_process(root, 0, controller);
    if (own.directories.empty() || own.directories.back() == before) continue;
    before = own.directories.back();
    free_below(before, before, std::string(prefix) + broker + "-", own.version2, looked_at, freed);
  }
  return freed;
}

}  // namespace callisto::broker
