// Which threads of a loop share what of the machine: the groups that distributors have counters and combiners for.
#pragma once

#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace callisto::distributor {

/// What a group of threads shares, from nothing to everything. core_pair is two neighbouring cores with one L2, or one
/// L3 where each core has an L2 of its own.
enum class level : std::uint8_t { thread, core, core_pair, l2, l3, numa, socket, machine };
inline constexpr unsigned levels = 8;

/// "thread", "core", "core-pair", ...
CALLISTO_API std::string_view name_of(level at) noexcept;

/// Where a thread runs: numbers of what it shares with others if those have the same number.
struct seat {
  unsigned core = 0;
  unsigned l2 = 0;
  unsigned l3 = 0;
  unsigned numa = 0;
  unsigned socket = 0;
};

/// The threads of a loop, grouped. Groups nest: threads that share a core share everything wider. Positions count the
/// threads so that those that share more are nearer to each other; each group is a run of positions, and the groups of
/// a level are numbered in their order. Immutable: any number of threads may use it.
class CALLISTO_API layout {
 public:
  /// Thread t sits at seats[t]; at least one.
  explicit layout(std::span<const seat> seats);

  /// `threads` threads, each alone on a core of one machine without caches to share.
  static layout flat(unsigned threads);

  unsigned threads() const noexcept { return static_cast<unsigned>(position_.size()); }
  unsigned position(unsigned thread) const noexcept { return position_[thread]; }
  unsigned thread_at(unsigned position) const noexcept { return thread_[position]; }

  unsigned groups(level at) const noexcept { return static_cast<unsigned>(of(at).first.size()) - 1; }
  unsigned group(level at, unsigned thread) const noexcept { return of(at).group[position_[thread]]; }
  /// The threads of a group have positions [first(at, group), first(at, group + 1)).
  unsigned first(level at, unsigned group) const noexcept { return of(at).first[group]; }
  unsigned size(level at, unsigned group) const noexcept { return first(at, group + 1) - first(at, group); }
  unsigned largest(level at) const noexcept { return of(at).largest; }
  /// Of the threads of its group, how many come before this one.
  unsigned rank(level at, unsigned thread) const noexcept { return position_[thread] - first(at, group(at, thread)); }
  /// The group at the wider level `outer` that a group at level `inner` is part of.
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
