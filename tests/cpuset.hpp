// Takes contexts from processes by a control group, as if the contexts were unplugged.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

namespace callisto::tests {

/// A control group that says where its processes may run (cgroups(7), both versions). Its destructor removes it and
/// returns its processes to this process's group.
class cpuset {
 public:
  cpuset() {
    for (const char* root : {"/sys/fs/cgroup/cpuset", "/sys/fs/cgroup"}) {
      if (!std::filesystem::exists(std::filesystem::path(root) / "cgroup.procs")) continue;
      const std::filesystem::path folder = std::filesystem::path(root) / ("callisto-test-" + std::to_string(getpid()));
      std::error_code failed;
      if (!std::filesystem::create_directory(folder, failed)) {
        why_not_ = root + (": " + failed.message());
        continue;
      }
      folder_ = folder;
      parent_ = root;
      // In version 1 nothing is inherited.
      std::string memory;
      if (std::getline(std::ifstream(parent_ / "cpuset.mems"), memory)) write(folder_ / "cpuset.mems", memory);
      if (std::filesystem::exists(folder_ / "cpuset.cpus")) return;
      why_not_ = folder.string() + ": has no cpuset";
      std::filesystem::remove(std::exchange(folder_, {}), failed);
    }
  }
  cpuset(const cpuset&) = delete;
  ~cpuset() {
    if (!made()) return;
    std::vector<std::string> processes;
    std::ifstream list(folder_ / "cgroup.procs");
    for (std::string process; std::getline(list, process);) processes.push_back(process);
    for (const std::string& process : processes) write(parent_ / "cgroup.procs", process);
    std::error_code ignored;
    std::filesystem::remove(folder_, ignored);
  }

  bool made() const { return !folder_.empty(); }
  const std::string& why_not() const { return why_not_; }
  bool limit_to(const std::string& cpus) const { return write(folder_ / "cpuset.cpus", cpus); }
  bool add(pid_t process) const { return write(folder_ / "cgroup.procs", std::to_string(process)); }

 private:
  static bool write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file);
    out << text << std::flush;
    return out.good();
  }

  std::filesystem::path folder_;
  std::filesystem::path parent_;
  std::string why_not_ = "there is no such file system";
};

}  // namespace callisto::tests
