// The parts of the machine: hardware contexts, and the cores, caches, NUMA nodes and packages that they share.
#pragma once

#include <callisto/export.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::machine {

/// One hardware context (a logical processor). Two contexts share a core, a cache, ... if the numbers are equal. The
/// numbers of each kind run from 0 without gaps over the whole machine, and near things have near numbers. A level that
/// the machine does not report is the next wider one that it reports, and L2 is the core: without L3, contexts of one
/// package have one `l3`; without packages the machine is one.
struct context {
  unsigned os_index;  ///< the operating system's number, as in taskset and /proc/cpuinfo
  unsigned core;
  unsigned l2;
  unsigned l3;
  unsigned package;
  unsigned numa;
  unsigned thread_in_core;  ///< from 0 in each core

  friend bool operator==(const context&, const context&) = default;
};

/// The contexts of a machine. Immutable; any number of threads may use it.
class CALLISTO_API topology {
 public:
  /// Returns the whole machine at hand, whatever this process may use of it (see limits). Examined at the first call:
  /// from /sys in some 0.1 ms, else by hwloc in 5 to 20 ms, which HWLOC_XMLFILE and the like ask for. Lives until the
  /// process ends. If neither knows all usable contexts, each context is a core of one package.
  static const topology& host();

  /// Returns a made-up machine in hwloc's notation, such as "package:2 l3:1 core:8 pu:2". Throws usage_error.
  static topology from_synthetic(const std::string& description);

  /// Returns a machine recorded by `lstopo file.xml`, from the contents of the file. Throws usage_error.
  static topology from_xml(const std::string& xml);

  /// Returns a machine of one package and one cache, in which each CPU is a core.
  static topology flat(std::span<const unsigned> os_indices);

  /// Returns the contexts in logical order: contexts that share more are nearer.
  std::span<const context> contexts() const noexcept { return contexts_; }

  /// Returns the context with this number, null if there is none. Linear in the number of contexts.
  const context* find(unsigned os_index) const noexcept;

  unsigned packages() const noexcept { return count(&context::package); }
  unsigned numa_nodes() const noexcept { return count(&context::numa); }
  unsigned l3_caches() const noexcept { return count(&context::l3); }
  unsigned cores() const noexcept { return count(&context::core); }

  /// True if the machine reports third-level caches; else `l3` stands for a wider level.
  bool has_l3() const noexcept { return has_l3_; }

 private:
  topology(std::vector<context> contexts, bool has_l3) noexcept : contexts_(std::move(contexts)), has_l3_(has_l3) {}
  unsigned count(unsigned context::* level) const noexcept;
  static std::optional<topology> from_hwloc(void* hwloc_topology);
  /// Returns the host as hwloc sees it, if it can be told.
  static std::optional<topology> hwlocs_host();

  std::vector<context> contexts_;
  bool has_l3_;
};

/// One more than the largest number of a CPU, and of CPUs, that Callisto handles; Linux on x86 stops at 8192.
inline constexpr unsigned max_cpus = 65536;

/// Returns the numbers in a list such as "0,2,8-11", in the order written; nullopt if it is no list or is empty.
CALLISTO_API std::optional<std::vector<unsigned>> parse_cpu_list(std::string_view text);

/// Returns the list of numbers as text; ascending runs become ranges. `of_two` stands between two neighbours; three and
/// more are a range.
CALLISTO_API std::string format_cpu_list(std::span<const unsigned> cpus, char of_two = ',');

}  // namespace callisto::machine
