// Finding control groups.
//
// Formats: proc(5) for /proc/self/mountinfo, cgroups(7) for /proc/self/cgroup.
#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

namespace callisto::machine {

std::optional<std::string> contents_of(const std::string& path) {
  // Not by a stream: those of the C++ library set up their locales at the start of each OpenMP program.
  const descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> part;
  // Ignores failures to read: a directory, a group that has just gone.
  for (ssize_t n; (n = read(file.get(), part.data(), part.size())) > 0;) text.append(part.data(), std::size_t(n));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t n = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return n;
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

namespace {

bool lists(std::string_view names, std::string_view name) {
  const std::vector<std::string> parts = split_at(names, ',');
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

/// Decodes blanks and backslashes, which mountinfo writes as \ and three octal digits.
std::string unescape(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct mount {
  std::string root;  ///< the part of the hierarchy that is mounted
  std::string point;
  std::string type;     ///< "cgroup" (version 1) or "cgroup2"
  std::string options;  ///< of the file system: for version 1, its controllers
};

std::vector<mount> cgroup_mounts(const std::string& mountinfo) {
  std::vector<mount> mounts;
  for (const std::string& line : split_at(mountinfo, '\n')) {
    // 31 23 0:27 /root /mount/point rw,nosuid [tags...] - type source options
    const std::vector<std::string> f = split_at(line, ' ');
    const auto dash = std::find(f.begin() + std::min<std::ptrdiff_t>(6, std::ssize(f)), f.end(), "-");
    if (f.end() - dash < 4 || (dash[1] != "cgroup" && dash[1] != "cgroup2")) continue;
    mounts.push_back({unescape(f[3]), unescape(f[4]), dash[1], dash[3]});
  }
  return mounts;
}

/// Returns `group` relative to `root`, "" or beginning with '/'; nullopt if it is outside.
std::optional<std::string> below(const std::string& group, const std::string& root) {
  const std::vector<std::string> parts = split_at(group, '/');
  if (!group.starts_with('/')) return std::nullopt;
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) return std::nullopt;  // outside this namespace
  if (root == "/") return group == "/" ? "" : group;
  if (group == root) return "";
  if (group.starts_with(root) && group[root.size()] == '/') return group.substr(root.size());
  return std::nullopt;
}

/// Returns the directories of a group and its ancestors, as far as they are mounted, the group's own first.
std::vector<std::string> group_directories(const std::string& group, const std::vector<mount>& mounts, bool of_other) {
  if (mounts.empty()) return {};
  const mount* widest = nullptr;
  std::string path;
  for (const mount& m : mounts) {
    const std::optional<std::string> relative = below(group, m.root);
    if (!relative || (widest != nullptr && widest->root.size() <= m.root.size())) continue;
    widest = &m;
    path = *relative;
  }
  // A group outside of all that is mounted: container engines mount the container's own group, under whatever name.
  if (widest == nullptr && of_other) return {};
  if (widest == nullptr) widest = &mounts.front();
  std::vector<std::string> directories;
  for (;;) {
    directories.push_back(widest->point + path);
    if (path.empty()) return directories;
    path.erase(path.find_last_of('/'));
  }
}

}  // namespace

control_groups::control_groups(const std::string& root)
    : mounts_(contents_of(root + "/proc/self/mountinfo").value_or("")),
      groups_(contents_of(root + "/proc/self/cgroup").value_or("")) {}

control_groups::control_groups(const std::string& root, std::int64_t process)
    : mounts_(contents_of(root + "/proc/self/mountinfo").value_or("")),
      groups_(contents_of(root + "/proc/" + std::to_string(process) + "/cgroup").value_or("")),
      of_other_(true) {}

std::vector<cgroup_path> control_groups::of(std::string_view controller) const {
  std::vector<cgroup_path> found;
  const std::vector<mount> mounts = cgroup_mounts(mounts_);
  for (const std::string& line : split_at(groups_, '\n')) {
    // 0::/group (version 2) or 3:cpu,cpuacct:/group (version 1); the group's name may hold colons
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && !lists(controllers, controller)) continue;
    std::vector<mount> ours;
    std::copy_if(mounts.begin(), mounts.end(), std::back_inserter(ours), [&](const mount& m) {
      return version2 ? m.type == "cgroup2" : m.type == "cgroup" && lists(m.options, controller);
    });
    found.push_back({version2, group_directories(line.substr(second + 1), ours, of_other_)});
  }
  return found;
}

}  // namespace callisto::machine
