// What a program's data costs on a simulated machine: each core's second-level cache, which its contexts share, the
// last-level caches behind these, and the memory of each socket.
//
// Caches are set-associative and replace what was used longest ago. A last-level cache has all that the caches of its
// cores have; what it drops they drop, too. A line that is written leaves all caches but the writer's, and comes from
// there to who reads it next; what is dropped after having been written goes back to memory.
//
// Data has addresses of its own, from allocate(), and no contents. It stands apart from the lines of atomics that the
// engine moves, so that what a loop hands out and what its body reads do not evict each other.
//
// Not in the model: first-level caches, prefetching, pages' translations, conflicts of banks, and the bandwidth of
// anything but memory.
#pragma once

#include <callisto/machine/simulated/description.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace callisto::machine::simulation {

/// What accesses have come to.
struct cache_counts {
  std::uint64_t loads = 0;
  std::uint64_t missed_loads = 0;     ///< in the core's own cache
  std::uint64_t l3_misses = 0;        ///< of loads and stores: neither there nor in the last-level cache
  std::uint64_t lines_of_others = 0;  ///< came from where another core had written them, or had to be taken from others
  std::uint64_t memory_lines = 0;     ///< read from memory or written to it
};

/// The caches and memories of one machine. Deterministic; not thread-safe.
class caches {
 public:
  /// Requires machine.l2_size != 0.
  explicit caches(const description& machine);

  /// The address of so many bytes in the memory of `socket`, or spread over all sockets page by page; never freed.
  /// Throws std::length_error beyond 2^30 lines in all.
  std::uint64_t allocate(std::uint64_t bytes, std::optional<unsigned> socket);

  // Accesses of a core; cost is due at settle().
  void load(unsigned core, std::uint64_t address) {
    ++counts_.loads;
    const std::uint64_t line = address >> line_bits_;
    if (l2_[core].find(line) == nullptr) miss(core, line);
  }
  /// So many more loads of lines that were just loaded: they hit.
  void load_again(std::uint64_t loads) noexcept { counts_.loads += loads; }
  /// Into the store buffer: nobody waits for the line, but it takes its part of memory's bandwidth.
  void store(unsigned core, std::uint64_t address) { own(core, address); }
  /// A read-modify-write, which does wait.
  void update(unsigned core, std::uint64_t address) { waits_ += own(core, address); }

  /// Changes nothing: tells the processor that runs the simulation what it will need for this access soon. With many
  /// cores most of the simulation's time goes into waiting for its own memory.
  void expect(unsigned core, std::uint64_t address) noexcept {
    const std::uint64_t line = address >> line_bits_;
    if (l2_[core].peek(line) != nullptr) return;
    const shared_way* const set = l3_[core / machine_.cores].set(line);
    for (unsigned w = 0; w < machine_.l3_ways; w += 8) __builtin_prefetch(set + w);
    __builtin_prefetch(&holder_[line]);
  }

  /// How long from `now` on the context waits for what it has accessed since the last settle(); nobody else may have
  /// accessed anything since. Its misses come one after the other, as an in-order context's do, and no sooner than
  /// memory's bandwidth lets them.
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
    std::uint32_t cores = 0;  ///< which of its cores may have the line, core c at c % 32: clean lines leave silently
  };
  static constexpr std::uint32_t tag_of(std::uint64_t line) noexcept {
    return static_cast<std::uint32_t>(line + 1) << 2;
  }

  /// One cache.
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
    /// As peek(), and makes it the one last used.
    Way* find(std::uint64_t line) noexcept {
      Way* at = peek(line);
      Way* const first = set(line);
      if (at == nullptr || at == first) return at;
      const Way found = *at;
      for (; at != first; --at) *at = at[-1];
      *first = found;
      return first;
    }
    /// Puts a line in as the one last used; returns what had to leave.
    Way insert(std::uint64_t line, Way what) noexcept {
      Way* const first = set(line);
      Way* at = first + ways - 1;
      const Way last = *at;
      for (; at != first; --at) *at = at[-1];
      *first = what;
      return last;
    }
    /// The tag of what was there, 0 if nothing was.
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
    std::vector<Way> all;  ///< set by set, each from the last used to the one not used for longest
  };
  struct memory {
    double free_at = 0;
    std::uint64_t asked = 0;  ///< lines since the last settle()
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
  double line_time_;  ///< cycles of a memory for a line
  std::vector<associative<own_way>> l2_;
  std::vector<associative<shared_way>> l3_;
  std::vector<std::uint16_t> holder_;  ///< by line: 0: no last-level cache; c + 1: only cache c; `several`
  std::vector<std::uint8_t> home_;     ///< by page: the socket
  std::vector<memory> memories_;       ///< by socket
  std::uint64_t waits_ = 0;
  cache_counts counts_;
};

}  // namespace callisto::machine::simulation
