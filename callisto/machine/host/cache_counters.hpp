// The processor's own counts of cache misses, where the kernel lets a process have them (perf_event_open).
#pragma once

#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace callisto::machine {

/// Counts of all threads of a process in user mode. A count that shared a counter with other counts is scaled up to the
/// whole time.
struct hardware_counts {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t cache_references = 0;  ///< to the last-level cache, as the kernel defines it for the processor
  std::uint64_t cache_misses = 0;      ///< misses among the references
};

/// Counts, from start() to stop(), what the constructing thread does, and every thread that it or those start
/// afterwards. Uses four file descriptors; not thread-safe. A processor or kernel without counters is no error.
class CALLISTO_API cache_counters {
 public:
  cache_counters();
  ~cache_counters();
  cache_counters(const cache_counters&) = delete;
  cache_counters& operator=(const cache_counters&) = delete;

  /// Returns an empty text if there are counts, else the reason: "perf_event_open: Operation not permitted
  /// (perf_event_paranoid is 3)".
  const std::string& missing() const noexcept { return missing_; }

  /// Starts from zero. Does nothing if counts are missing.
  void start() noexcept;
  /// Returns the counts; zeros if they are missing, which may first be found here.
  hardware_counts stop() noexcept;

 private:
  void close_all() noexcept;

  std::array<int, 4> files_{-1, -1, -1, -1};
  std::string missing_;
};

}  // namespace callisto::machine
