// The engine's state: of each context, core, line and journey. Only the engine's own sources include it.
#pragma once

#include <callisto/machine/simulated/engine.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace callisto::machine::simulation {

inline constexpr std::uint64_t forever = ~std::uint64_t{0};

/// The share of its core's pipelines that an executing context asks for.
inline constexpr unsigned full_duty = 256;
/// Bits after the point of a core's clock. The clock runs slower than time while the core's pipelines are short.
inline constexpr unsigned core_clock_bits = 16;
inline constexpr std::uint64_t full_rate = std::uint64_t{1} << core_clock_bits;

enum event_kind : std::uint8_t { resume_context, core_done, request_arrives };
enum request_kind : unsigned { reading, writing, performing_far, local };

/// Returns `x` mixed by SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014).
inline std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A request of a context, or of its store buffer, for a line.
struct engine::request {
  event arrival;
  line* where = nullptr;
  simulated_context* asker = nullptr;
  request* next = nullptr;
  request* previous = nullptr;
  unsigned kind = reading;
  distance from = distance::same_core;
  bool queued = false;
  bool is_store = false;
};

struct engine::line {
  std::uint32_t ordinal = 0;  ///< number in the order of first use, for the hash of a run
  int owner = -1;             ///< the core that has the line alone, or -1
  unsigned sharer_count = 0;
  unsigned reads_in_flight = 0;
  bool write_in_flight = false;
  bool fresh = false;  ///< `writer` wrote last, and none of its siblings has read the line since
  simulated_context* writer = nullptr;
  std::uint64_t read_until = forever;   ///< cores that have the line may read it before this cycle
  std::uint64_t write_until = forever;  ///< the owner may write it before this cycle
  std::uint64_t held_until = 0;         ///< the line leaves no earlier than this cycle
  std::uint64_t version = 0;            ///< number of writes
  request* first = nullptr;             ///< first request that is not granted yet
  request* last = nullptr;
  std::vector<std::uint64_t> sharers;
  std::vector<simulated_context*> waiters;

  bool shared_by(unsigned core) const noexcept { return (sharers[core / 64] >> (core % 64) & 1) != 0; }
  void add_sharer(unsigned core) noexcept {
    if (shared_by(core)) return;
    sharers[core / 64] |= std::uint64_t{1} << (core % 64);
    ++sharer_count;
  }
  void clear_sharers() noexcept {
    if (sharer_count == 0) return;
    std::fill(sharers.begin(), sharers.end(), 0);
    sharer_count = 0;
  }
  /// True if one of the cores in [from, to) shares the line; core `except` does not count.
  bool shared_among(unsigned from, unsigned to, unsigned except) const noexcept {
    for (unsigned core = from; core < to;) {
      const std::uint64_t word = sharers[core / 64] >> (core % 64);
      if (word == 0) {
        core = (core / 64 + 1) * 64;
        continue;
      }
      core += static_cast<unsigned>(std::countr_zero(word));
      if (core < to && core != except) return true;
      ++core;
    }
    return false;
  }
  void push(request& r) noexcept {
    r.queued = true;
    r.next = nullptr;
    r.previous = last;
    (last == nullptr ? first : last->next) = &r;
    last = &r;
  }
  void unlink(request& r) noexcept {
    r.queued = false;
    (r.previous == nullptr ? first : r.previous->next) = r.next;
    (r.next == nullptr ? last : r.next->previous) = r.previous;
  }
};

/// A store in a store buffer.
struct engine::posted {
  void* address;
  std::uint64_t bits;
  unsigned bytes;
  bool add;
};

struct engine::simulated_context {
  unsigned number = 0;  ///< number in the description
  unsigned core = 0;
  engine* of = nullptr;
  std::function<void()> body;
  std::unique_ptr<fiber> own_fiber;
  bool done = false;

  event resume;            ///< timer of the context
  std::uint64_t owed = 0;  ///< cycles for reads of the clock, paid with the next access
  activity doing = activity::claiming;
  std::uint64_t since = 0;
  account spent;

  // Its part of the core's pipelines.
  unsigned duty = 0;
  std::size_t place = 0;  ///< index among the core's members

  // Lines.
  request own;
  std::uint64_t cost = 0;  ///< cost of the current access
  bool moved = false;      ///< the current access waited for its line
  bool far = false;        ///< the current access was performed at the line's home
  line* seen = nullptr;    ///< the line of the last load; null if the value came from the store buffer
  std::uint64_t seen_version = 0;
  line* waits_on = nullptr;
  std::size_t waiter_slot = 0;
  std::uint64_t wait_phase = 0;
  std::uint64_t wait_period = 0;

  // Stores.
  std::deque<posted> stores;
  std::uint64_t stores_done = 0;
  request store;
  bool wants_slot = false;
  bool wants_empty = false;

  spare_room rooms;

  const std::byte* stack_end = nullptr;  ///< lowest address of its stack
  const std::byte* stack_top = nullptr;

  // Absences.
  std::uint64_t random = 0;
  std::uint64_t next_random_absence = forever;
  std::vector<absence> given;  ///< options::absences of this context, in reverse order of time
  std::uint64_t next_absence = forever;
  std::uint64_t absence_cycles = 0;
};

struct engine::pipes {
  event done;
  std::vector<simulated_context*> members;
  /// The value of `clock` at which each member finishes its current work; forever if it executes nothing.
  std::vector<std::uint64_t> ends;
  std::uint64_t first = forever;  ///< minimum of `ends`
  unsigned duty = 0;
  std::uint64_t clock = 0;  ///< progress of an executing context, in units of 2^-core_clock_bits cycles
  std::uint64_t rate = full_rate;
  std::uint64_t since = 0;  ///< the cycle at which `clock` was computed
};

}  // namespace callisto::machine::simulation
