// A search from one source where levels are many and small, as in grids and road networks: by one thread, or by several
// that stay together over all levels.
#pragma once

#include <callisto/graph/betweenness/core.hpp>
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/loop/fixed_supersteps.hpp>
#include <callisto/loop/supersteps.hpp>
#include <callisto/machine/native.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace callisto::graph {

/// True if levels at the source are many and small: if 64 of them have only begun to reach the graph. Reads a small
/// part of the graph.
bool has_high_diameter(const betweenness_core& core, const core_source& source);

/// The limits of such a search; tests set them low.
struct high_diameter_limits {
  std::uint64_t alone = 96;  ///< vertices of a level; with fewer, one thread does it alone
  int most_bits = 384;       ///< of a count; with more, the next level has a larger unit
  int least_bits = -900;     ///< of a count in its unit; with less, this search cannot be done so
};

/// Brandes' algorithm in an undirected graph, in 36 bytes a vertex: the time of a level goes by the pages and cache
/// lines that it touches.
///
/// 1. A vertex that is found is appended to a list, in which levels lie in sequence. A word for each vertex has its
///    entry in the list and its level modulo 4: neighbours' levels differ by one at most.
/// 2. When a vertex is followed, its paths are summed over its neighbours one level nearer to the source. In the same
///    pass it notes the entries of the vertices behind it, up to three.
/// 3. The way back reads entries and values, level by level. Only the scores are in the order of vertices.
///
/// With several threads each level is a superstep (loop/supersteps.hpp), and each level on the way back too
/// (loop/fixed_supersteps.hpp). Each thread appends to its own list. As in bfs/supersteps.hpp no thread claims a
/// vertex: two threads may both find it, and in the next superstep the entry in the vertex's word counts. No sum is
/// shared, because the thread that follows a vertex makes its sums.
class high_diameter_search {
  using id = betweenness_core::id;
  using native = machine::native;

 public:
  /// More threads find nothing to do in levels of that size.
  static constexpr unsigned most_threads = 4;

  /// True if such searches can be made in the core: it is undirected and has less than 2^28 vertices.
  static bool suits(const betweenness_core& core) noexcept;

  /// Returns the bytes a vertex that are mapped. Threads together write as many of them as one thread would.
  static constexpr std::uint64_t bytes(unsigned threads) noexcept {
    return sizeof(id) + sizeof(double) + threads * (sizeof(entry) + sizeof(double));
  }

  high_diameter_search(const betweenness_core& core, unsigned threads, const high_diameter_limits& limits = {});

  /// Adds to the scores the contributions of pairs from the source, and from sources folded into it. Returns complete
  /// or stopped; or overflown, with the scores unchanged, if the counts of a level differ too much or a level is too
  /// large.
  search_end run(const core_source& source, const std::stop_token& stop);

  /// By vertex of the core. Read them when no search runs.
  machine::page_array<double> scores;
  machine::page_array<double> squares;  ///< as of search_state

 private:
  /// A vertex that was found, and the entries of up to three vertices behind it; `nothing` for entries that it lacks.
  struct entry {
    id vertex;
    std::array<id, 3> behind;
  };
  static constexpr id unreached = ~id{0};
  // Two places of values that belong to no entry. That of `nothing` is 0 and changes no sum. That of `too_many` is NaN
  // and makes a sum NaN, which is then made again from the row; so does the value of an entry that has been dropped.
  static constexpr id nothing = 0;
  static constexpr id too_many = 1;
  static constexpr id first_place = 2;

  static constexpr std::uint64_t piece = 16;  ///< entries taken at a time: about 1 us that other threads may wait
  /// Supersteps of one loop: a fraction of a millisecond. Between loops threads may leave for other jobs, and join.
  static constexpr std::uint64_t supersteps_of_loop = 64;

  struct alignas(native::line_size) slot {
    id end = 0;          ///< end of the slot's list
    double most = 0;     ///< bound on the counts that it made, in the unit of the last level
    double targets = 0;  ///< targets that it has met on the way back
    /// By superstep of this loop: where the level begins in the slot's list; unreached: the slot found nothing in it.
    std::array<id, supersteps_of_loop + 1> begins;
  };

  template <class T>
  void fill(machine::page_array<T>& array, T value);
  void begin(const core_source& source);
  void clear();
  search_end forward(const std::stop_token& stop);
  search_end backward(const core_source& source, const std::stop_token& stop);
  bool fits_units();
  void follow_alone();
  void follow_in_supersteps();
  void follow(slot& mine, id first, id last, std::uint64_t level, double unit) noexcept;
  void go_back(slot& mine, id first, id last, std::uint64_t level, double weight) noexcept;
  double sum_again(id v, std::uint64_t level) const noexcept;

  static constexpr id level_bits(std::uint64_t level) noexcept { return static_cast<id>(level) & 3; }
  std::uint64_t slots() const noexcept { return slots_.size(); }
  /// Returns where a level begins in a slot's list.
  id begin_of(std::uint64_t level, std::uint64_t s) const noexcept { return begins_[level * slots() + s]; }
  std::uint64_t size_of(std::uint64_t level, std::uint64_t s) const noexcept {
    return begin_of(level + 1, s) - begin_of(level, s);
  }
  std::uint64_t size_of(std::uint64_t level) const noexcept;
  std::uint64_t found() const noexcept;
  std::uint64_t last_level() const noexcept { return units_.size() - 1; }

  const betweenness_core& core_;
  const high_diameter_limits limits_;
  loop::supersteps<native> steps_;
  loop::fixed_supersteps<native> steps_back_;
  std::vector<slot> slots_;
  machine::page_array<id> words_;       ///< by vertex: entry << 2 | level modulo 4
  machine::page_array<entry> entries_;  ///< a stretch for each slot
  /// By entry. On the way out: paths to the vertex, in the level's unit. On the way back: its share.
  machine::page_array<double> values_;
  std::vector<id> begins_;     ///< by level and slot, up to the end of the level that is not yet followed
  std::vector<double> units_;  ///< by level: factor from the unit of the level before to its own
};

}  // namespace callisto::graph
