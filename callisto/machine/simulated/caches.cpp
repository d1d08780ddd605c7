// Caches: finding and replacing lines, and the right to write them.
#include <callisto/machine/simulated/caches.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace callisto::machine::simulation {
namespace {

// Flags of a way. A dirty line is always alone.
constexpr std::uint32_t alone = 1;  ///< no other cache on this level has the line
constexpr std::uint32_t dirty = 2;  ///< the line was written since it came from memory

constexpr std::uint16_t several = 0xffff;
constexpr std::uint64_t page_bytes = 8192;
constexpr std::uint64_t most_lines = std::uint64_t{1} << 30;

constexpr std::uint64_t line_of(std::uint32_t tag) noexcept { return (tag >> 2) - 1; }
constexpr std::uint32_t bit_of(unsigned core) noexcept { return std::uint32_t{1} << (core % 32); }

std::uint64_t cycles(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

}  // namespace

caches::caches(const description& machine)
    : machine_(machine),
      line_bits_(static_cast<unsigned>(std::countr_zero(machine.line))),
      line_time_(machine.line / (machine.memory_bandwidth / machine.clock)),
      l2_(machine.total_cores(), {machine.l2_size / machine.line / machine.l2_ways, machine.l2_ways}),
      l3_(machine.sockets * machine.caches, {machine.l3_size / machine.line / machine.l3_ways, machine.l3_ways}),
      memories_(machine.sockets) {}

std::uint64_t caches::allocate(std::uint64_t bytes, std::optional<unsigned> socket) {
  const std::uint64_t address = home_.size() * page_bytes;
  const std::uint64_t pages = (bytes + page_bytes - 1) / page_bytes;
  const std::uint64_t lines = (address + pages * page_bytes) >> line_bits_;
  if (lines > most_lines - 1) throw std::length_error("more data than the simulated caches can tell apart");
  for (std::uint64_t p = 0; p < pages; ++p) {
    home_.push_back(static_cast<std::uint8_t>(socket ? *socket : home_.size() % machine_.sockets));
  }
  holder_.resize(lines);
  return address;
}

void caches::miss(unsigned core, std::uint64_t line) {
  ++counts_.missed_loads;
  waits_ += fetch(core, line);
}

std::uint64_t caches::settle(std::uint64_t now) {
  const auto begin = static_cast<double>(now);
  double done = begin + static_cast<double>(waits_);
  waits_ = 0;
  for (memory& m : memories_) {
    if (m.asked == 0) continue;
    m.free_at = std::max(m.free_at, begin) + static_cast<double>(m.asked) * line_time_;
    m.asked = 0;
    done = std::max(done, m.free_at);
  }
  return cycles(done - begin);
}

/// Takes the line for writing; returns the cycles that this takes.
std::uint64_t caches::own(unsigned core, std::uint64_t address) {
  const std::uint64_t line = address >> line_bits_;
  own_way* here = l2_[core].find(line);
  std::uint64_t takes = 0;
  if (here == nullptr) {
    takes = fetch(core, line);
    here = l2_[core].set(line);
  }
  if ((here->tag & alone) == 0) takes = std::max(takes, take(core, line));
  here->tag |= alone | dirty;
  return takes;
}

/// Brings a line that the core's cache lacks; returns the cycles that this takes.
std::uint64_t caches::fetch(unsigned core, std::uint64_t line) {
  const unsigned cache = core / machine_.cores;
  const std::uint32_t bit = bit_of(core % machine_.cores);
  shared_way* there = l3_[cache].find(line);
  std::uint64_t takes = cycles(machine_.l3_hit);
  if (there != nullptr) {
    if (share_within(cache, *there, line)) {
      takes = cycles(machine_.hop[static_cast<unsigned>(distance::same_cache)]);
      ++counts_.lines_of_others;
    }
  } else {
    takes = fetch_from_afar(cache, line);
    there = l3_[cache].set(line);
  }
  const bool only = (there->cores & ~bit) == 0 && machine_.cores <= 32 && (there->tag & alone) != 0;
  there->cores |= bit;
  const own_way left = l2_[core].insert(line, {tag_of(line) | (only ? alone : 0)});
  if ((left.tag & dirty) != 0) l3_[cache].peek(line_of(left.tag))->tag |= dirty;
  return takes;
}

/// Brings a line that the last-level cache lacks: from the last-level cache where it was written, or from memory.
std::uint64_t caches::fetch_from_afar(unsigned cache, std::uint64_t line) {
  ++counts_.l3_misses;
  std::uint64_t takes = 0;
  const std::uint16_t holder = holder_[line];
  // If `several` caches had the line, it is clean. It may have left all of them; the next writer finds out.
  if (holder != 0 && holder != several) {
    const unsigned other = holder - 1u;
    shared_way& there = *l3_[other].peek(line);
    share_within(other, there, line);
    if ((there.tag & dirty) != 0) {
      takes = hop(cache, other);
      use_memory(line);
    }
    there.tag &= ~(alone | dirty);
  }
  if (takes == 0) {
    const bool near = home_[(line << line_bits_) / page_bytes] == socket_of_cache(cache);
    takes = cycles(near ? machine_.memory_near : machine_.memory_far);
    use_memory(line);
  } else {
    ++counts_.lines_of_others;
  }
  holder_[line] = holder != 0 ? several : static_cast<std::uint16_t>(cache + 1);
  shared_way left = l3_[cache].insert(line, {tag_of(line) | (holder != 0 ? 0 : alone), 0});
  if (left.tag != 0) {
    const std::uint64_t gone = line_of(left.tag);
    drop_within(cache, left, gone, machine_.cores);
    if ((left.tag & dirty) != 0) use_memory(gone);
    if (holder_[gone] == cache + 1) holder_[gone] = 0;
  }
  return takes;
}

/// Takes a line that the core has away from all other cores; returns the cycles that this takes.
std::uint64_t caches::take(unsigned core, std::uint64_t line) {
  const unsigned cache = core / machine_.cores;
  const unsigned mine = core % machine_.cores;
  shared_way& here = *l3_[cache].peek(line);
  std::uint64_t takes = 0;
  if (drop_within(cache, here, line, mine)) {
    takes = cycles(machine_.hop[static_cast<unsigned>(distance::same_cache)]);
  }
  if (holder_[line] == several) {
    for (unsigned other = 0; other < l3_.size(); ++other) {
      shared_way* const there = other == cache ? nullptr : l3_[other].peek(line);
      if (there == nullptr) continue;
      takes = std::max(takes, hop(cache, other));
      drop_within(other, *there, line, machine_.cores);
      l3_[other].drop(line);
    }
  }
  if (takes != 0) ++counts_.lines_of_others;
  holder_[line] = static_cast<std::uint16_t>(cache + 1);
  here.tag |= alone;
  return takes;
}

void caches::use_memory(std::uint64_t line) noexcept {
  ++counts_.memory_lines;
  ++memories_[home_[(line << line_bits_) / page_bytes]].asked;
}

/// Ends the exclusive right of the cores below to the line; true if one of them had written it.
bool caches::share_within(unsigned cache, shared_way& of, std::uint64_t line) {
  // A core has a line alone only if its last-level cache has it alone and knows no other core that has had it since.
  if ((of.tag & alone) == 0 || !std::has_single_bit(of.cores)) return false;
  bool written = false;
  for_each_core(cache, of.cores, [&](unsigned core) {
    own_way* const there = l2_[core].peek(line);
    if (there == nullptr) return;
    written = written || (there->tag & dirty) != 0;
    there->tag &= ~(alone | dirty);
  });
  if (written) of.tag |= dirty;
  return written;
}

/// Removes the line from the cores below, except the `except`th; true if one had it.
bool caches::drop_within(unsigned cache, shared_way& of, std::uint64_t line, unsigned except) {
  std::uint32_t left = 0;
  for_each_core(cache, of.cores, [&](unsigned core) {
    if (core != cache * machine_.cores + except) left |= l2_[core].drop(line);
  });
  of.tag |= left & dirty;
  of.cores &= except < machine_.cores ? bit_of(except) : 0;
  return left != 0;
}

template <class F>
void caches::for_each_core(unsigned cache, std::uint32_t cores, F f) {
  for (; cores != 0; cores &= cores - 1) {
    for (auto core = static_cast<unsigned>(std::countr_zero(cores)); core < machine_.cores; core += 32) {
      f(cache * machine_.cores + core);
    }
  }
}

std::uint64_t caches::hop(unsigned cache, unsigned other) const noexcept {
  const distance how_far =
      socket_of_cache(cache) == socket_of_cache(other) ? distance::same_socket : distance::other_socket;
  return cycles(machine_.hop[static_cast<unsigned>(how_far)]);
}

}  // namespace callisto::machine::simulation
