// Reads two files again, and parses what has changed.
#include <callisto/broker/process_groups.hpp>

#include <callisto/broker/confined_process.hpp>
#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/host/topology.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using machine::descriptor;

/// Returns what a file has now, without a line feed at its end; nullopt: nothing that can be read.
std::optional<std::string_view> read_again(const descriptor& file, std::span<char> to) {
  const ssize_t got = file.get() < 0 ? -1 : ::pread(file.get(), to.data(), to.size(), 0);
  if (got <= 0 || got == std::ssize(to)) return std::nullopt;
  std::string_view text(to.data(), static_cast<std::size_t>(got));
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text;
}

descriptor open_file(const std::string& path) { return descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); }

/// Returns the text of /proc/PID/cgroup without the groups that brokers have made.
std::string without_confinement(std::string_view groups) {
  std::string text(groups);
  for (std::size_t at = 0; (at = text.find(confined_prefix, at)) != std::string::npos;) {
    text.erase(at, std::min(text.find_first_of("/\n", at + 1), text.size()) - at);
  }
  return text;
}

/// Opens the file with the contexts that the process's own group, or else the nearest around it that has one, leaves.
descriptor file_of_cpuset(const std::string& root, pid_t process) {
  const machine::cgroup_path its = groups_of_process(root, process, "cpuset");
  for (const std::string& d : its.directories) {
    descriptor file = open_file(d + (its.version2 ? "/cpuset.cpus.effective" : "/cpuset.effective_cpus"));
    if (file.get() >= 0) return file;
  }
  return descriptor();
}

}  // namespace

process_groups::process_groups(pid_t process, std::string root)
    : root_(std::move(root)),
      process_(process),
      groups_(open_file(root_ + "/proc/" + std::to_string(process) + "/cgroup")) {
  look();
}

bool process_groups::look() {
  std::array<char, 16'384> bytes;
  const auto now = read_again(groups_, bytes);
  const bool moved = now && *now != seen_ && without_confinement(*now) != text_;
  if (now && *now != seen_) seen_ = *now;
  if (moved) {
    text_ = without_confinement(seen_);
    cpuset_ = file_of_cpuset(root_, process_);
  }
  const auto list = read_again(cpuset_, bytes);
  if (!list || *list == list_) return moved;
  list_ = *list;
  const auto cpus = machine::parse_cpu_list(list_);
  contexts_.reset();
  if (!cpus) return true;
  contexts_.emplace();
  for (const unsigned c : *cpus) {
    if (c < cosched::max_contexts) contexts_->add(c);
  }
  return true;
}

bool process_groups::is_in(std::string_view group) const {
  // "0::/group" or "3:cpu,cpuacct:/group"
  for (const std::string& line : machine::split_at(text_, '\n')) {
    const std::size_t second = line.find(':', line.find(':') + 1);
    if (second == std::string::npos) continue;
    const std::string_view its = std::string_view(line).substr(second + 1);
    if (its.starts_with(group) && (its.size() == group.size() || its[group.size()] == '/' || group == "/")) return true;
  }
  return false;
}

}  // namespace callisto::broker
