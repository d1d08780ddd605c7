// The parts of the machine that threads of a loop share: the groups for which distributors have counters and combiners.
#pragma once

#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace callisto::distributor {

/// The part of the machine that a group of threads shares, from nothing to everything. core_pair is two neighbouring
/// cores with one L2, or with one L3 if each core has a private L2.
enum class level : std::uint8_t { thread, core, core_pair, l2, l3, numa, socket, machine };
inline constexpr unsigned levels = 8;

/// Returns "thread", "core", "core-pair", ...
CALLISTO_API std::string_view name_of(level at) noexcept;

/// The place of a thread: threads with the same number share that part of the machine.
struct seat {
  unsigned core = 0;
  unsigned l2 = 0;
  unsigned l3 = 0;
  unsigned numa = 0;
  unsigned socket = 0;
};

/// The threads of a loop in groups. Groups nest: threads that share a core share everything wider. Positions order the
/// threads so that those that share more are nearer. Each group is a run of positions, and the groups of a level are
/// numbered in that order. Immutable; any number of threads may use it.
class CALLISTO_API layout {
 public:
  /// Groups threads of which thread t sits at seats[t]; at least one.
  explicit layout(std::span<const seat> seats);

  /// Returns the layout of `threads` threads, each alone on a core of one machine without shared caches.
  static layout flat(unsigned threads);

  unsigned threads() const noexcept { return static_cast<unsigned>(position_.size()); }
  unsigned position(unsigned thread) const noexcept { return position_[thread]; }
  unsigned thread_at(unsigned position) const noexcept { return thread_[position]; }

  unsigned groups(level at) const noexcept { return static_cast<unsigned>(of(at).first.size()) - 1; }
  unsigned group(level at, unsigned thread) const noexcept { return of(at).group[position_[thread]]; }
  /// Returns the first position of a group. Its threads have positions [first(at, group), first(at, group + 1)).
  unsigned first(level at, unsigned group) const noexcept { return of(at).first[group]; }
  unsigned size(level at, unsigned group) const noexcept { return first(at, group + 1) - first(at, group); }
  unsigned largest(level at) const noexcept { return of(at).largest; }
  /// Returns the number of threads of the same group that come before this one.
  unsigned rank(level at, unsigned thread) const noexcept { return position_[thread] - first(at, group(at, thread)); }
  /// Returns the group at the wider level `outer` that contains a group at level `inner`.
  unsigned outer_group(level inner, unsigned group, level outer) const noexcept {
    return of(outer).group[first(inner, group)];
  }

  friend bool operator==(const layout&, const layout&) = default;

 private:
  struct grouping {
    std::vector<unsigned> group;  ///< by position
    std::vector<unsigned> first;  ///< by group: its first position; one more at the end
    unsigned largest = 0;         ///< threads in the largest group
    friend bool operator==(const grouping&, const grouping&) = default;
  };
  const grouping& of(level at) const noexcept { return groupings_[static_cast<unsigned>(at)]; }

  std::vector<unsigned> position_;  ///< by thread
  std::vector<unsigned> thread_;    ///< by position
  std::array<grouping, levels> groupings_;
};

}  // namespace callisto::distributor
