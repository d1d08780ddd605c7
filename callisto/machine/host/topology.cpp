// The machine's structure, from the system (sysfs.hpp) or hwloc. Only this file uses hwloc.
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/sysfs.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include <unistd.h>

#ifndef CALLISTO_WITHOUT_HWLOC
#include <hwloc.h>
#endif

namespace callisto::machine {

#ifndef CALLISTO_WITHOUT_HWLOC
namespace {

struct hwloc_deleter {
  void operator()(hwloc_topology_t t) const noexcept { hwloc_topology_destroy(t); }
};
using hwloc_handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, hwloc_deleter>;

/// Returns a topology to be configured further and loaded; null if hwloc cannot start.
hwloc_handle new_hwloc() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  // hwloc's own choice of what to keep stays: without its groups it would attach NUMA nodes too high. Contexts outside
  // this process's cpuset are part of the machine, too.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return hwloc_handle(raw);
}

/// Numbers things from 0 in the order of their first appearance.
class numbering {
 public:
  unsigned operator()(const void* thing) {
    return numbers_.try_emplace(thing, static_cast<unsigned>(numbers_.size())).first->second;
  }

 private:
  std::map<const void*, unsigned> numbers_;
};

/// Returns the node with the memory nearest to a context. Several may be local (fast and large memory); the first one
/// counts.
hwloc_obj_t local_node(hwloc_topology_t t, hwloc_obj_t pu) {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_isset(pu->nodeset, node->os_index)) return node;
  }
  return nullptr;
}

}  // namespace

std::optional<topology> topology::from_hwloc(void* hwloc_topology) {
  const auto t = static_cast<hwloc_topology_t>(hwloc_topology);
  numbering core_number;
  numbering l2_number;
  numbering l3_number;
  numbering package_number;
  numbering numa_number;
  std::map<unsigned, unsigned> threads_in_core;
  std::vector<context> contexts;
  bool has_l3 = false;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu)) != nullptr) {
    const auto above = [&](hwloc_obj_type_t type, hwloc_obj_t otherwise) {
      const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(t, type, pu);
      return found != nullptr ? found : otherwise;
    };
    const hwloc_obj_t core = above(HWLOC_OBJ_CORE, pu);
    const hwloc_obj_t package = above(HWLOC_OBJ_PACKAGE, hwloc_get_root_obj(t));
    const hwloc_obj_t l3 = above(HWLOC_OBJ_L3CACHE, package);
    const hwloc_obj_t node = local_node(t, pu);
    has_l3 = has_l3 || l3 != package;
    context c{};
    c.os_index = pu->os_index;
    c.core = core_number(core);
    c.l2 = l2_number(above(HWLOC_OBJ_L2CACHE, core));
    c.l3 = l3_number(l3);
    c.package = package_number(package);
    c.numa = numa_number(node != nullptr ? node : package);
    c.thread_in_core = threads_in_core[c.core]++;
    contexts.push_back(c);
  }
  if (contexts.empty()) return std::nullopt;
  return topology(std::move(contexts), has_l3);
}

std::optional<topology> topology::hwlocs_host() {
  const hwloc_handle t = new_hwloc();
  return t != nullptr && hwloc_topology_load(t.get()) == 0 ? from_hwloc(t.get()) : std::nullopt;
}

topology topology::from_synthetic(const std::string& description) {
  const hwloc_handle t = new_hwloc();
  if (t != nullptr && hwloc_topology_set_synthetic(t.get(), description.c_str()) == 0 &&
      hwloc_topology_load(t.get()) == 0) {
    if (std::optional<topology> made = from_hwloc(t.get())) return *std::move(made);
  }
  throw usage_error("'" + description + "' is not a synthetic machine that hwloc understands");
}

topology topology::from_xml(const std::string& xml) {
  const hwloc_handle t = new_hwloc();
  if (t != nullptr && hwloc_topology_set_xmlbuffer(t.get(), xml.c_str(), static_cast<int>(xml.size() + 1)) == 0 &&
      hwloc_topology_load(t.get()) == 0) {
    if (std::optional<topology> made = from_hwloc(t.get())) return *std::move(made);
  }
  throw usage_error("the text is not a machine recorded by lstopo");
}

#else

// A build of loops alone knows the host from the system's own files.
std::optional<topology> topology::hwlocs_host() { return std::nullopt; }

topology topology::from_synthetic(const std::string&) {
  throw usage_error("made-up machines take hwloc, without which this library was built (CALLISTO_LOOPS_ONLY)");
}

topology topology::from_xml(const std::string&) {
  throw usage_error("recorded machines take hwloc, without which this library was built (CALLISTO_LOOPS_ONLY)");
}

#endif

namespace {

/// True if the user told hwloc of another machine, or where to read of it (hwloc's manual, "Environment Variables").
bool asks_for_hwloc() noexcept {
  const auto is_set = [](const char* name) { return !file_variable(name).empty(); };
  return is_set("HWLOC_XMLFILE") || is_set("HWLOC_SYNTHETIC") || is_set("HWLOC_FSROOT") || is_set("HWLOC_COMPONENTS");
}

}  // namespace

const topology& topology::host() {
  // Never destroyed: loops may run in static destructors.
  static const topology* const only = [] {
    const std::vector<unsigned>& usable = affinity_at_start();
    const auto knows = [&](const topology& t) {
      return std::all_of(usable.begin(), usable.end(), [&](unsigned cpu) { return t.find(cpu) != nullptr; });
    };
    if (!asks_for_hwloc()) {
      if (auto told = read_sysfs("")) {
        const topology found(std::move(told->contexts), told->has_l3);
        if (knows(found)) return new topology(found);
      }
    }
    // Without /sys, as in a bare chroot, hwloc knows no more, and complains on standard error.
    const bool is_blind = !asks_for_hwloc() && access("/sys/devices/system/cpu", F_OK) != 0;
    // In secure mode without hwloc, which reads files and loads plug-ins that the environment names.
    if (const std::optional<topology> found = in_secure_mode() || is_blind ? std::nullopt : hwlocs_host();
        found && knows(*found))
      return new topology(*found);
    return new topology(flat(usable));
  }();
  return *only;
}

topology topology::flat(std::span<const unsigned> os_indices) {
  std::vector<context> contexts;
  for (const unsigned os_index : os_indices) {
    const auto core = static_cast<unsigned>(contexts.size());
    contexts.push_back(
        {.os_index = os_index, .core = core, .l2 = core, .l3 = 0, .package = 0, .numa = 0, .thread_in_core = 0});
  }
  return topology(std::move(contexts), false);
}

const context* topology::find(unsigned os_index) const noexcept {
  const auto at =
      std::find_if(contexts_.begin(), contexts_.end(), [&](const context& c) { return c.os_index == os_index; });
  return at == contexts_.end() ? nullptr : &*at;
}

unsigned topology::count(unsigned context::* level) const noexcept {
  unsigned n = 0;
  for (const context& c : contexts_) n = std::max(n, c.*level + 1);
  return n;
}

std::optional<std::vector<unsigned>> parse_cpu_list(std::string_view text) {
  std::vector<unsigned> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](unsigned& n) {
    const auto [rest, error] = std::from_chars(at, end, n);
    at = rest;
    return error == std::errc() && n < max_cpus;
  };
  for (;;) {
    unsigned first = 0;
    if (!number(first)) return std::nullopt;
    unsigned last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!number(last) || last < first) return std::nullopt;
    }
    if (cpus.size() + (last - first) >= max_cpus) return std::nullopt;
    cpus.resize(cpus.size() + (last - first + 1));
    std::iota(cpus.end() - (last - first + 1), cpus.end(), first);
    if (at == end) return cpus;
    if (*at++ != ',') return std::nullopt;
  }
}

std::string format_cpu_list(std::span<const unsigned> cpus, char of_two) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last != i) text += (last == i + 1 ? of_two : '-') + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace callisto::machine
