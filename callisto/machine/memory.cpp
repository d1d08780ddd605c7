// Reading /proc/meminfo and a cgroup's memory limit.
#include <callisto/machine/memory.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

namespace callisto::machine {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number that a file begins with; none for "max" and for files that are not there.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

std::uint64_t available_in_meminfo(const std::string& path) {
  std::ifstream file(path);
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return unlimited;
}

std::uint64_t left_in_cgroup(const std::string& limit, const std::string& usage) {
  const auto most = number_in(limit);
  if (!most) return unlimited;
  const std::uint64_t used = number_in(usage).value_or(0);
  return *most > used ? *most - used : 0;
}

}  // namespace

std::uint64_t read_available_memory(const std::string& root) {
  const std::string cgroup = root + "/sys/fs/cgroup/";
  return std::min({available_in_meminfo(root + "/proc/meminfo"),
                   left_in_cgroup(cgroup + "memory.max", cgroup + "memory.current"),
                   left_in_cgroup(cgroup + "memory/memory.limit_in_bytes", cgroup + "memory/memory.usage_in_bytes")});
}

std::uint64_t available_memory() { return read_available_memory(""); }

}  // namespace callisto::machine
