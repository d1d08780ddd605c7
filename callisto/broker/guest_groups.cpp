// Compares what the files say with what they are to say; writes only a difference.
#include <callisto/broker/guest_groups.hpp>

#include <callisto/broker/confined_process.hpp>
#include <callisto/broker/group_files.hpp>
#include <callisto/machine/host/cgroups.hpp>

#include <cerrno>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using cosched::context_set;
using machine::contents_of;

std::string group_around(const std::string& group) { return group.substr(0, group.rfind('/')); }

constexpr const char* effective = "/cpuset.cpus.effective";

context_set contexts_around(const std::string& group, bool version2) {
  return contexts_in_file(group_around(group) + (version2 ? effective : "/cpuset.effective_cpus"));
}

}  // namespace

void forget_cpuset(const std::string& group, const std::string& widest, bool version2) {
  const std::string file = group + "/cpuset.cpus";
  if (!version2) {
    write_group_file(file, list_of_contexts(contexts_around(group, false)));
    return;
  }
  // Linux 6.1 leaves no empty cpuset to a group with processes. Contexts that the groups around lack do not count.
  if (!write_group_file(file, "\n")) write_group_file(file, list_of_contexts(contexts_in_file(widest + effective)));
}

void guest_groups::find_hierarchy() {
  const machine::cgroup_path own = groups_of_process(root_, 0, "cpuset");
  if (own.directories.empty()) return;
  widest_ = own.directories.back();
  version2_ = own.version2;
}

void guest_groups::follow(std::set<std::string> groups, const context_set& contexts) {
  for (const std::string& g : groups_) {
    if (!groups.contains(g) || contexts.empty()) free(g);
  }
  groups_ = contexts.empty() ? std::set<std::string>() : std::move(groups);
  contexts_ = contexts;
  if (!groups_.empty() && widest_.empty()) find_hierarchy();
  look();
}

void guest_groups::look() const {
  if (widest_.empty()) return;
  for (const std::string& g : groups_) keep(g);
}

void guest_groups::undo() const {
  if (widest_.empty()) return;
  for (const std::string& g : groups_) free(g);
}

bool guest_groups::keep(const std::string& name) const {
  const std::string group = widest_ + name;
  if (::access(group.c_str(), F_OK) != 0) return false;
  // The outermost comes first.
  for (std::size_t end = 0; version2_ && end != std::string::npos && end < name.size(); end = name.find('/', end + 1)) {
    bool made = false;
    if (!enable_controller(widest_ + name.substr(0, end), "cpuset", made)) return false;
  }
  context_set may = contexts_around(group, version2_);
  for (unsigned i = 0; i < context_set::words; ++i) may.word(i) &= contexts_.word(i);
  if (may.empty()) return false;
  const std::string file = group + "/cpuset.cpus";
  const context_set has = contexts_in_file(file);
  const std::string mark = group + std::string(confined_prefix) + broker_ + "-" + std::string(guests_suffix);
  if (::access(mark.c_str(), F_OK) != 0) {
    // All contexts are as good as none. Fewer are the cpuset of another program.
    if (!has.empty() && has != (version2_ ? contexts_in_file(widest_ + effective) : contexts_around(group, false))) {
      return false;
    }
    if (::mkdir(mark.c_str(), 0755) != 0 && errno != EEXIST) return false;
  }
  return has == may || write_group_file(file, list_of_contexts(may));
}

void guest_groups::free(const std::string& name) const {
  const std::string group = widest_ + name;
  const std::string mark = group + std::string(confined_prefix) + broker_ + "-" + std::string(guests_suffix);
  if (::access(mark.c_str(), F_OK) != 0) return;
  forget_cpuset(group, widest_, version2_);
  ::rmdir(mark.c_str());
}

}  // namespace callisto::broker
