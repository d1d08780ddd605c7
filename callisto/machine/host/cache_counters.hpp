// The processor's own counts of cache misses, where the kernel lets a process have them (perf_event_open).
#pragma once

#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace callisto::machine {

/// What a process did in user mode, all its threads together. A count that was shared with others' is scaled up to the
/// whole time.
struct hardware_counts {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t cache_references = 0;  ///< to the last-level cache, as the kernel defines it for the processor
  std::uint64_t cache_misses = 0;      ///< of these
};

/// Counts from start() to stop() what the thread that made it does, and every thread that it starts, or one of those,
/// after that. Uses four file descriptors; not thread-safe. A processor or kernel without counters is no error.
class CALLISTO_API cache_counters {
 public:
  cache_counters();
  ~cache_counters();
  cache_counters(const cache_counters&) = delete;
  cache_counters& operator=(const cache_counters&) = delete;

  /// Empty if there are counts, else why not: "perf_event_open: Operation not permitted (perf_event_paranoid is 3)".
  const std::string& missing() const noexcept { return missing_; }

  /// From zero. No more than stop() if counts are missing.
  void start() noexcept;
  /// Zeros if counts are missing, which it may be that only this finds out.
  hardware_counts stop() noexcept;

 private:
  void close_all() noexcept;

  std::array<int, 4> files_{-1, -1, -1, -1};
  std::string missing_;
};

}  // namespace callisto::machine
