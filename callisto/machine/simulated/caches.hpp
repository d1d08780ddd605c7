// Models what a program's data costs on a simulated machine: each core's second-level cache, which its contexts share,
// the last-level caches behind these, and the memory of each socket.
//
// Caches are set-associative and replace the least recently used line. A last-level cache includes the caches of its
// cores: if it drops a line, they drop the line too. A written line leaves all caches except the writer's, and the next
// reader gets it from there. If a cache drops a written line, the line goes back to memory.
//
// Data has separate addresses, from allocate(), and no contents. It stands apart from the lines of atomics, which the
// engine moves. So a loop's counters and its body's data do not evict each other.
//
// The model leaves out first-level caches, prefetching, address translation, bank conflicts, and every bandwidth but
// that of memory.
#pragma once

#include <callisto/machine/simulated/description.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace callisto::machine::simulation {

/// Counts of accesses and of their effects.
struct cache_counts {
  std::uint64_t loads = 0;
  std::uint64_t missed_loads = 0;     ///< loads that missed the core's own cache
  std::uint64_t l3_misses = 0;        ///< loads and stores that missed the last-level cache too
  std::uint64_t lines_of_others = 0;  ///< came from another core, or were taken from other cores
  std::uint64_t memory_lines = 0;     ///< lines read from memory or written to it
};

/// The caches and memories of one machine. Deterministic; not thread-safe.
class caches {
 public:
  /// Requires machine.l2_size != 0.
  explicit caches(const description& machine);

  /// Returns the address of `bytes` bytes in the memory of `socket`, or spread over all sockets page by page. The bytes
  /// are never freed. Throws std::length_error beyond 2^30 lines in all.
  std::uint64_t allocate(std::uint64_t bytes, std::optional<unsigned> socket);

  // Accesses of a core. settle() charges their cost.
  void load(unsigned core, std::uint64_t address) {
    ++counts_.loads;
    const std::uint64_t line = address >> line_bits_;
    if (l2_[core].find(line) == nullptr) miss(core, line);
  }
  /// Counts `loads` more loads of lines that the core has just loaded: they hit.
  void load_again(std::uint64_t loads) noexcept { counts_.loads += loads; }
  /// Stores through the store buffer: no context waits for the line, but the line takes its part of memory's bandwidth.
  void store(unsigned core, std::uint64_t address) { own(core, address); }
  /// Executes a read-modify-write, which waits for the line.
  void update(unsigned core, std::uint64_t address) { waits_ += own(core, address); }

  /// Prefetches, for the processor that runs the simulation, what it needs to simulate this access. Changes nothing.
  /// With many cores, most of the simulation's time is spent waiting for its own memory.
  void expect(unsigned core, std::uint64_t address) noexcept {
    const std::uint64_t line = address >> line_bits_;
    if (l2_[core].peek(line) != nullptr) return;
    const shared_way* const set = l3_[core / machine_.cores].set(line);
    for (unsigned w = 0; w < machine_.l3_ways; w += 8) __builtin_prefetch(set + w);
    __builtin_prefetch(&holder_[line]);
  }

  /// Returns the cycles, from `now` on, that the context waits for its accesses since the last settle(). Only this
  /// context may have accessed anything since then. Its misses come one at a time, as an in-order context's do, and no
  /// sooner than memory's bandwidth allows.
  std::uint64_t settle(std::uint64_t now);

  const cache_counts& counts() const noexcept { return counts_; }

 private:
  /// A line in a core's cache.
  struct own_way {
    std::uint32_t tag = 0;  ///< (line + 1) << 2 | flags; 0: empty
  };
  /// A line in a last-level cache.
  struct shared_way {
    std::uint32_t tag = 0;
    /// The cores that may have the line, core c at bit c % 32. A clean line may have left a core unnoticed.
    std::uint32_t cores = 0;
  };
  static constexpr std::uint32_t tag_of(std::uint64_t line) noexcept {
    return static_cast<std::uint32_t>(line + 1) << 2;
  }

  /// A set-associative cache.
  template <class Way>
  struct associative {
    associative(std::uint64_t sets, unsigned each) : mask(sets - 1), ways(each), all(sets * each) {}
    Way* set(std::uint64_t line) noexcept { return all.data() + (line & mask) * ways; }
    Way* peek(std::uint64_t line) noexcept {
      const std::uint32_t tag = tag_of(line);
      Way* const first = set(line);
      for (unsigned w = 0; w < ways; ++w) {
        if ((first[w].tag & ~std::uint32_t{3}) == tag) return first + w;
      }
      return nullptr;
    }
    /// Finds a line like peek(), and makes it the most recently used one.
    Way* find(std::uint64_t line) noexcept {
      Way* at = peek(line);
      Way* const first = set(line);
      if (at == nullptr || at == first) return at;
      const Way found = *at;
      for (; at != first; --at) *at = at[-1];
      *first = found;
      return first;
    }
    /// Inserts a line as the most recently used one; returns the line that leaves.
    Way insert(std::uint64_t line, Way what) noexcept {
      Way* const first = set(line);
      Way* at = first + ways - 1;
      const Way last = *at;
      for (; at != first; --at) *at = at[-1];
      *first = what;
      return last;
    }
    /// Removes a line; returns its tag, or 0 if the line is absent.
    std::uint32_t drop(std::uint64_t line) noexcept {
      Way* at = peek(line);
      if (at == nullptr) return 0;
      const std::uint32_t tag = at->tag;
      for (Way* const last = set(line) + ways - 1; at != last; ++at) *at = at[1];
      *at = {};
      return tag;
    }
    std::uint64_t mask;
    unsigned ways;
    std::vector<Way> all;  ///< set by set, each from the most to the least recently used line
  };
  struct memory {
    double free_at = 0;
    std::uint64_t asked = 0;  ///< lines requested since the last settle()
  };

  void miss(unsigned core, std::uint64_t line);
  std::uint64_t own(unsigned core, std::uint64_t address);
  std::uint64_t fetch(unsigned core, std::uint64_t line);
  std::uint64_t fetch_from_afar(unsigned cache, std::uint64_t line);
  std::uint64_t take(unsigned core, std::uint64_t line);
  void use_memory(std::uint64_t line) noexcept;
  bool share_within(unsigned cache, shared_way& of, std::uint64_t line);
  bool drop_within(unsigned cache, shared_way& of, std::uint64_t line, unsigned except);
  template <class F>
  void for_each_core(unsigned cache, std::uint32_t cores, F f);
  unsigned socket_of_cache(unsigned cache) const noexcept { return cache / machine_.caches; }
  std::uint64_t hop(unsigned cache, unsigned other) const noexcept;

  const description machine_;
  unsigned line_bits_;
  double line_time_;  ///< cycles that a memory needs for a line
  std::vector<associative<own_way>> l2_;
  std::vector<associative<shared_way>> l3_;
  std::vector<std::uint16_t> holder_;  ///< by line: 0: no last-level cache; c + 1: only cache c; or `several`
  std::vector<std::uint8_t> home_;     ///< by page: the socket of its memory
  std::vector<memory> memories_;       ///< indexed by socket
  std::uint64_t waits_ = 0;
  cache_counts counts_;
};

}  // namespace callisto::machine::simulation
