// Reading /sys/devices/system/{cpu,node}: Linux's Documentation/ABI, stable/sysfs-devices-system-cpu and -node.
#include <callisto/machine/host/sysfs.hpp>

#include <callisto/machine/host/cgroups.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace callisto::machine {
namespace {

/// Parts of the machine that CPUs share, ordered so that a level contains the earlier ones where two are equal.
enum level : unsigned { package, numa, l3, l2, core, levels };

/// The CPUs that one CPU shares a level with, told by their number and the first; none: 0 of them.
struct group {
  std::size_t size = 0;
  unsigned first = 0;
};
using groups = std::array<group, levels>;

class reader {
 public:
  explicit reader(const std::string& root) : system_(root + "/sys/devices/system/") {}

  std::optional<sysfs_machine> read() {
    const auto online = list("cpu/online");
    if (!online) return std::nullopt;
    for (const unsigned cpu : *online) of_[cpu] = {};
    read_nodes();
    for (const unsigned cpu : *online) {
      const std::string here = "cpu/cpu" + std::to_string(cpu) + "/";
      // The second names are those of kernels before 5.3.
      if (!know(cpu, core, here + "topology/core_cpus_list", here + "topology/thread_siblings_list")) return {};
      if (!know(cpu, package, here + "topology/package_cpus_list", here + "topology/core_siblings_list")) return {};
      read_caches(cpu, here);
    }
    return numbered();
  }

 private:
  std::optional<std::vector<unsigned>> list(const std::string& name) const {
    const auto text = contents_of(system_ + name);
    return text ? parse_cpu_list(*text) : std::nullopt;
  }

  /// The kernel lists CPUs that are offline nowhere but in a node's list.
  void set(level l, std::vector<unsigned> cpus) {
    std::erase_if(cpus, [this](unsigned cpu) { return !of_.contains(cpu); });
    for (const unsigned cpu : cpus) {
      if (of_[cpu][l].size == 0) of_[cpu][l] = {cpus.size(), *std::min_element(cpus.begin(), cpus.end())};
    }
  }

  /// Reads the level, unless another CPU that shares it has told it. False if it is unknown.
  bool know(unsigned cpu, level l, const std::string& file, const std::string& older) {
    if (of_[cpu][l].size != 0) return true;
    auto cpus = list(file);
    if (!cpus) cpus = list(older);
    if (!cpus) return false;
    set(l, std::move(*cpus));
    return of_[cpu][l].size != 0;
  }

  void read_caches(unsigned cpu, const std::string& here) {
    for (unsigned i = 0; of_[cpu][l2].size == 0 || of_[cpu][l3].size == 0; ++i) {
      const std::string cache = here + "cache/index" + std::to_string(i) + "/";
      const auto depth = contents_of(system_ + cache + "level");
      if (!depth) return;
      const bool is_l2 = depth->starts_with('2');
      if (!is_l2 && !depth->starts_with('3')) continue;
      if (contents_of(system_ + cache + "type").value_or("").starts_with("Instruction")) continue;
      if (auto cpus = list(cache + "shared_cpu_list")) set(is_l2 ? l2 : l3, std::move(*cpus));
    }
  }

  void read_nodes() {
    // Nodes without CPUs have an empty list.
    for (const unsigned node : list("node/online").value_or(std::vector<unsigned>{})) {
      if (auto cpus = list("node/node" + std::to_string(node) + "/cpulist")) set(numa, std::move(*cpus));
    }
  }

  std::optional<sysfs_machine> numbered() {
    bool has_l3 = false;
    for (auto& [cpu, shares] : of_) {
      has_l3 = has_l3 || shares[l3].size != 0;
      if (shares[l2].size == 0) shares[l2] = shares[core];
      if (shares[l3].size == 0) shares[l3] = shares[package];
      // hwloc: without nodes, the machine is one.
      if (shares[numa].size == 0) shares[numa] = {of_.size(), of_.begin()->first};
    }
    // From the widest level inwards, by the first CPU.
    std::vector<std::pair<std::vector<unsigned>, unsigned>> order;
    for (const auto& [cpu, shares] : of_) {
      groups wide = shares;
      std::stable_sort(wide.begin(), wide.end(), [](const group& a, const group& b) { return a.size > b.size; });
      std::vector<unsigned> key;
      for (const group& g : wide) key.push_back(g.first);
      order.emplace_back(std::move(key), cpu);
    }
    std::sort(order.begin(), order.end());
    std::array<std::map<unsigned, unsigned>, levels> numbers;  // by first CPU
    std::map<unsigned, unsigned> threads_in_core;
    sysfs_machine found{.contexts = {}, .has_l3 = has_l3};
    for (const auto& [key, cpu] : order) {
      const auto number = [&, &shares = of_[cpu]](level l) {
        return numbers[l].try_emplace(shares[l].first, static_cast<unsigned>(numbers[l].size())).first->second;
      };
      context c{.os_index = cpu,
                .core = number(core),
                .l2 = number(l2),
                .l3 = number(l3),
                .package = number(package),
                .numa = number(numa),
                .thread_in_core = 0};
      c.thread_in_core = threads_in_core[c.core]++;
      found.contexts.push_back(c);
    }
    return found;
  }

  const std::string system_;
  std::map<unsigned, groups> of_;
};

}  // namespace

std::optional<sysfs_machine> read_sysfs(const std::string& root) { return reader(root).read(); }

}  // namespace callisto::machine
