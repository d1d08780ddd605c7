// Reading /proc/meminfo, memory limits of cgroups and of the address space.
//
// Formats: proc(5); the kernel's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/host/memory.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace callisto::machine {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// Returns the number that `text` begins with, after blanks; none for "max" and "unlimited".
std::optional<std::uint64_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_of(const std::string& path) { return number_in(contents_of(path).value_or("")); }

std::uint64_t left(std::uint64_t most, std::uint64_t used) { return most > used ? most - used : 0; }

std::uint64_t available_in_meminfo(const std::string& path) {
  constexpr std::string_view key = "MemAvailable:";
  for (const std::string& line : split_at(contents_of(path).value_or(""), '\n')) {
    if (!line.starts_with(key)) continue;
    if (const auto kibibytes = number_in(std::string_view(line).substr(key.size()))) return *kibibytes * 1024;
  }
  return unlimited;
}

/// Returns what the tightest of the process's groups leaves.
std::uint64_t left_in_cgroups(const std::string& root) {
  std::uint64_t least = unlimited;
  for (const cgroup_path& groups : control_groups(root).of("memory")) {
    for (const std::string& directory : groups.directories) {
      const std::string file = root + directory + "/memory.";
      const auto most = number_of(file + (groups.version2 ? "max" : "limit_in_bytes"));
      const auto used = number_of(file + (groups.version2 ? "current" : "usage_in_bytes"));
      if (most) least = std::min(least, left(*most, used.value_or(0)));
    }
  }
  return least;
}

std::uint64_t left_of_address_space(const std::string& root) {
  constexpr std::string_view key = "Max address space";
  for (const std::string& line : split_at(contents_of(root + "/proc/self/limits").value_or(""), '\n')) {
    if (!line.starts_with(key)) continue;
    const auto most = number_in(std::string_view(line).substr(key.size()));  // the soft limit comes first
    const auto pages = number_of(root + "/proc/self/statm");
    if (most) return left(*most, pages.value_or(0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  }
  return unlimited;
}

}  // namespace

memory_left read_available_memory(const std::string& root) {
  memory_left least{available_in_meminfo(root + "/proc/meminfo"), "free memory"};
  if (const std::uint64_t bytes = left_in_cgroups(root); bytes < least.bytes) {
    least = {bytes, "the limit of its cgroup"};
  }
  if (const std::uint64_t bytes = left_of_address_space(root); bytes < least.bytes) {
    least = {bytes, "the limit of its address space"};
  }
  return least;
}

memory_left available_memory() { return read_available_memory(""); }

}  // namespace callisto::machine
