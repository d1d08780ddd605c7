// Following the kernel's accounts of what a process may use.
//
// Formats: proc(5) for /proc/self/mountinfo, cgroups(7) for /proc/self/cgroup and for version 1, the kernel's
// Documentation/admin-guide/cgroup-v2.rst for version 2, cpuset(7) for lists.
#include <callisto/machine/limits.hpp>
#include <callisto/machine/topology.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include <sched.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

std::vector<unsigned> current_affinity() {
  std::vector<unsigned> cpus;
  // The kernel refuses sets smaller than its own, so the set is as large as any.
  const std::size_t bytes = CPU_ALLOC_SIZE(max_cpus);
  const auto free_set = [](cpu_set_t* s) { CPU_FREE(s); };
  const std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(max_cpus), free_set);
  if (set != nullptr) {
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(0, bytes, set.get()) == 0) {
      for (unsigned i = 0; i < max_cpus; ++i) {
        if (CPU_ISSET_S(i, bytes, set.get())) cpus.push_back(i);
      }
    }
  }
  if (cpus.empty()) {  // a sandbox that forbids the call: whatever is online
    const long online = std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1l, static_cast<long>(max_cpus));
    for (unsigned i = 0; i < static_cast<unsigned>(online); ++i) cpus.push_back(i);
  }
  return cpus;
}

// Before main, hence before the program can bind its threads; earlier still if a static constructor asks for it.
[[maybe_unused]] const std::vector<unsigned>& early = affinity_at_start();

/// The contents of a file without trailing newlines; nullopt if it cannot be read.
std::optional<std::string> contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream all;
  all << in.rdbuf();  // swallows failures to read (a directory, a group that has just gone), unlike iterators
  std::string text = all.str();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool lists(std::string_view names, std::string_view name) {
  const std::vector<std::string> parts = split(names, ',');
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

/// mountinfo writes blanks and backslashes in paths as \ and three octal digits.
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
  for (const std::string& line : split(mountinfo, '\n')) {
    // 31 23 0:27 /root /mount/point rw,nosuid [tags...] - type source options
    const std::vector<std::string> f = split(line, ' ');
    const auto dash = std::find(f.begin() + std::min<std::ptrdiff_t>(6, std::ssize(f)), f.end(), "-");
    if (f.end() - dash < 4 || (dash[1] != "cgroup" && dash[1] != "cgroup2")) continue;
    mounts.push_back({unescape(f[3]), unescape(f[4]), dash[1], dash[3]});
  }
  return mounts;
}

/// `group` relative to `root`, "" or beginning with '/'; nullopt if it does not lie there.
std::optional<std::string> below(const std::string& group, const std::string& root) {
  const std::vector<std::string> parts = split(group, '/');
  if (!group.starts_with('/')) return std::nullopt;
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) return std::nullopt;  // outside our namespace
  if (root == "/") return group == "/" ? "" : group;
  if (group == root) return "";
  if (group.starts_with(root) && group[root.size()] == '/') return group.substr(root.size());
  return std::nullopt;
}

/// The directories of a group and its ancestors, as far as they are mounted, the group's own first.
std::vector<std::string> group_directories(const std::string& group, const std::vector<mount>& mounts) {
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
  if (widest == nullptr) widest = &mounts.front();
  std::vector<std::string> directories;
  for (;;) {
    directories.push_back(widest->point + path);
    if (path.empty()) return directories;
    path.erase(path.find_last_of('/'));
  }
}

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t n = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return n;
}

std::optional<double> ratio(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// The quota that one directory sets, and the file that holds it.
std::pair<std::optional<double>, std::string> quota_in(const std::string& root, const std::string& directory,
                                                       bool version2) {
  if (version2) {
    const std::string file = directory + "/cpu.max";  // "max 100000" or "250000 100000"
    const std::vector<std::string> f = split(contents(root + file).value_or(""), ' ');
    if (f.empty() || f.size() > 2) return {};
    return {ratio(to_number(f[0]), f.size() == 2 ? to_number(f[1]) : 100'000), file};
  }
  const std::string file = directory + "/cpu.cfs_quota_us";  // -1 if there is none
  const std::optional<std::string> quota = contents(root + file);
  const std::optional<std::string> period = contents(root + directory + "/cpu.cfs_period_us");
  return {ratio(to_number(quota.value_or("")), to_number(period.value_or(""))), file};
}

void apply_quotas(limits& l, const std::string& root, const std::vector<std::string>& directories, bool version2) {
  for (const std::string& directory : directories) {
    const auto [quota, file] = quota_in(root, directory, version2);
    if (!quota || (l.quota && *l.quota <= *quota)) continue;
    l.quota = quota;
    l.quota_source = file;
  }
}

/// The nearest cpuset holds: it already lies within those further out, and groups without the controller have none.
/// The kernel has taken it into the affinity mask (so where both are the same, the cpuset is the cause); sandboxes that
/// imitate the kernel may not have.
void apply_cpuset(limits& l, const std::string& root, const std::vector<std::string>& directories, bool version2) {
  for (const std::string& directory : directories) {
    for (const char* name : {version2 ? "/cpuset.cpus.effective" : "/cpuset.effective_cpus", "/cpuset.cpus"}) {
      std::optional<std::vector<unsigned>> allowed = parse_cpu_list(contents(root + directory + name).value_or(""));
      if (!allowed) continue;
      std::sort(allowed->begin(), allowed->end());
      std::vector<unsigned> both;
      std::set_intersection(l.cpus.begin(), l.cpus.end(), allowed->begin(), allowed->end(), std::back_inserter(both));
      if (both.empty()) return;  // contradicts the mask that the kernel works with
      if (both.size() < l.cpus.size() || both.size() == allowed->size()) l.cpus_source = directory + name;
      l.cpus = std::move(both);
      return;
    }
  }
}

}  // namespace

const std::vector<unsigned>& affinity_at_start() {
  // Never destroyed: loops may run in static destructors.
  static const std::vector<unsigned>* const mask = new std::vector<unsigned>(current_affinity());
  return *mask;
}

limits limits::current() { return read_limits("", affinity_at_start()); }

limits read_limits(const std::string& root, std::vector<unsigned> affinity) {
  limits l{std::move(affinity), "affinity mask", std::nullopt, {}};
  const std::vector<mount> mounts = cgroup_mounts(contents(root + "/proc/self/mountinfo").value_or(""));
  for (const std::string& line : split(contents(root + "/proc/self/cgroup").value_or(""), '\n')) {
    // 0::/group (version 2) or 3:cpu,cpuacct:/group (version 1); the group's name may hold colons
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    const auto directories = [&](const char* controller) {
      std::vector<mount> ours;
      if (!version2 && !lists(controllers, controller)) return std::vector<std::string>();
      std::copy_if(mounts.begin(), mounts.end(), std::back_inserter(ours), [&](const mount& m) {
        return version2 ? m.type == "cgroup2" : m.type == "cgroup" && lists(m.options, controller);
      });
      return group_directories(line.substr(second + 1), ours);
    };
    apply_quotas(l, root, directories("cpu"), version2);
    apply_cpuset(l, root, directories("cpuset"), version2);
  }
  return l;
}

unsigned default_threads(const limits& l) noexcept {
  const auto contexts = std::max(1u, static_cast<unsigned>(l.cpus.size()));
  if (!l.quota || *l.quota >= contexts) return contexts;
  return std::max(1u, static_cast<unsigned>(std::ceil(*l.quota)));
}

}  // namespace callisto::machine
