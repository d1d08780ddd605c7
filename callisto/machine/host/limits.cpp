// Reads what the kernel lets a process use.
//
// Formats: the kernel's Documentation/admin-guide/cgroup-v2.rst, cgroups(7) for version 1, cpuset(7) for lists.
#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/topology.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include <sched.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

/// Returns where this process may run; never empty.
std::vector<unsigned> current_affinity() {
  std::vector<unsigned> cpus = affinity_of(0);
  if (cpus.empty()) {  // a sandbox that forbids the call: whatever is online
    const long online = std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1l, static_cast<long>(max_cpus));
    for (unsigned i = 0; i < static_cast<unsigned>(online); ++i) cpus.push_back(i);
  }
  return cpus;
}

// Before main, hence before the program can bind its threads; earlier still if a static constructor asks for it.
[[maybe_unused]] const std::vector<unsigned>& early = affinity_at_start();

std::optional<double> ratio(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// The quota that one directory sets, and the file that holds it.
std::pair<std::optional<double>, std::string> quota_in(const std::string& root, const std::string& directory,
                                                       bool version2) {
  if (version2) {
    const std::string file = directory + "/cpu.max";  // "max 100000" or "250000 100000"
    const std::vector<std::string> f = split_at(contents_of(root + file).value_or(""), ' ');
    if (f.empty() || f.size() > 2) return {};
    return {ratio(to_number(f[0]), f.size() == 2 ? to_number(f[1]) : 100'000), file};
  }
  const std::string file = directory + "/cpu.cfs_quota_us";  // -1 if there is none
  const std::optional<std::string> quota = contents_of(root + file);
  const std::optional<std::string> period = contents_of(root + directory + "/cpu.cfs_period_us");
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
      std::optional<std::vector<unsigned>> allowed = parse_cpu_list(contents_of(root + directory + name).value_or(""));
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

std::vector<unsigned> affinity_of(pid_t process) {
  std::vector<unsigned> cpus;
  // The kernel refuses sets smaller than its own, so the set is as large as any.
  const std::size_t bytes = CPU_ALLOC_SIZE(max_cpus);
  const auto free_set = [](cpu_set_t* s) { CPU_FREE(s); };
  const std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(max_cpus), free_set);
  if (set != nullptr) {
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(process, bytes, set.get()) == 0) {
      // No further than the last one: each program does this when it starts.
      const auto count = static_cast<unsigned>(CPU_COUNT_S(bytes, set.get()));
      for (unsigned i = 0; cpus.size() < count; ++i) {
        if (CPU_ISSET_S(i, bytes, set.get())) cpus.push_back(i);
      }
    }
  }
  return cpus;
}

const std::vector<unsigned>& affinity_at_start() {
  // Never destroyed: loops may run in static destructors.
  static const std::vector<unsigned>* const mask = new std::vector<unsigned>(current_affinity());
  return *mask;
}

limits limits::current() { return read_limits("", affinity_at_start()); }

const limits& limits::at_first_call() {
  static const limits* const first = new limits(current());  // never destroyed: loops may run in static destructors
  return *first;
}

limits read_limits(const std::string& root, std::vector<unsigned> affinity) {
  limits l{std::move(affinity), "affinity mask", std::nullopt, {}};
  const control_groups all(root);
  for (const cgroup_path& groups : all.of("cpu")) {
    apply_quotas(l, root, groups.directories, groups.version2);
  }
  for (const cgroup_path& groups : all.of("cpuset")) {
    apply_cpuset(l, root, groups.directories, groups.version2);
  }
  return l;
}

unsigned default_threads(const limits& l) noexcept {
  const auto contexts = std::max(1u, static_cast<unsigned>(l.cpus.size()));
  if (!l.quota || *l.quota >= contexts) return contexts;
  return std::max(1u, static_cast<unsigned>(std::ceil(*l.quota)));
}

}  // namespace callisto::machine
