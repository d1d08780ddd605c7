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

/// Whether the levels at a source are many, and small beside the graph: whether 64 of them have only begun to reach it.
/// Looks at a small part of the graph.
bool has_high_diameter(const betweenness_core& core, const core_source& source);

/// Where a search does otherwise; tests set them low.
struct high_diameter_limits {
  std::uint64_t alone = 96;  ///< vertices of a level: with fewer, one thread does it by itself
  int most_bits = 384;       ///< of a count: with more, counts are kept in larger units from the next level on
  int least_bits = -900;     ///< of a count in such units: with less, this search cannot be done so
};

/// Brandes' algorithm in an undirected graph. What is found is appended to a list, in which vertices of a level lie
/// together; a word for each vertex tells its entry and its level. Neighbours' levels differ by one at most, so that
/// two bits of the level will do. The paths to a vertex are summed when it is followed, over its neighbours one level
/// nearer to the source, and in the same look at its arcs it notes the entries behind it: to go back is then to read
/// entries and values, level by level, and nothing in the order of vertices but their scores. 36 bytes a vertex in all,
/// because what decides is how many pages and lines a level touches.
///
/// With several threads each level is a round (loop/supersteps.hpp), and each level back to the source, too
/// (loop/fixed_supersteps.hpp). Each thread appends to a list of its own. As in the breadth-first search by rounds
/// (bfs_rounds.hpp) none claims a vertex: two that look at once may both find it, and the next round sees whose entry
/// has stayed in the vertex's word. Nobody adds to what others add to, as sums are made by who follows.
class high_diameter_search {
  using id = betweenness_core::id;
  using native = machine::native;

 public:
  /// More threads have nothing to do in levels of the size that is meant.
  static constexpr unsigned most_threads = 4;

  /// Whether such searches can be made in the core.
  static bool suits(const betweenness_core& core) noexcept;

  /// Bytes for each vertex that are mapped; of these, threads write as many as one would have.
  static constexpr std::uint64_t bytes(unsigned threads) noexcept {
    return sizeof(id) + sizeof(double) + threads * (sizeof(entry) + sizeof(double));
  }

  high_diameter_search(const betweenness_core& core, unsigned threads, const high_diameter_limits& limits = {});

  /// Adds to the scores what pairs with the source, and with those folded into it, contribute. Complete or stopped; or
  /// overflown, with the scores as before: counts of a level that are too far from each other, or too large a level.
  search_end run(const core_source& source, const std::stop_token& stop);

  /// By vertex of the core. To be taken when searches are over.
  machine::page_array<double> scores;

 private:
  /// A vertex that was found, and the entries of the vertices behind it; `nothing` where there is none.
  struct entry {
    id vertex;
    std::array<id, 3> behind;
  };
  static constexpr id unreached = ~id{0};
  // Two places that are nobody's: values that change no sum, and one that makes a sum tell that it has to be made
  // otherwise, as does that of an entry that has not stayed.
  static constexpr id nothing = 0;
  static constexpr id too_many = 1;
  static constexpr id first_place = 2;

  static constexpr std::uint64_t piece = 16;  ///< a microsecond: what one thread may have to wait for another
  /// Rounds of one loop: a fraction of a millisecond, after which threads may leave for other jobs, and others join.
  static constexpr std::uint64_t rounds_at_once = 64;

  struct alignas(native::line_size) seat {
    id end = 0;          ///< of its list
    double most = 0;     ///< no count that it made is larger, in the units of the last level
    double targets = 0;  ///< reached by the search
    /// Where in its list the levels of this loop begin; unreached: it found nothing there.
    std::array<id, rounds_at_once + 1> begins;
  };

  template <class T>
  void fill(machine::page_array<T>& array, T value);
  void begin(const core_source& source);
  void clear();
  search_end forward(const std::stop_token& stop);
  search_end backward(const core_source& source, const std::stop_token& stop);
  bool fits_units();
  void follow_alone();
  void follow_in_rounds();
  void follow(seat& mine, id first, id last, std::uint64_t level, double unit) noexcept;
  void go_back(seat& mine, id first, id last, std::uint64_t level, double weight) noexcept;
  double sum_again(id v, std::uint64_t level) const noexcept;

  static constexpr id level_bits(std::uint64_t level) noexcept { return static_cast<id>(level) & 3; }
  std::uint64_t seats() const noexcept { return seats_.size(); }
  /// Where a level begins in a seat's list.
  id begin_of(std::uint64_t level, std::uint64_t s) const noexcept { return begins_[level * seats() + s]; }
  std::uint64_t size_of(std::uint64_t level, std::uint64_t s) const noexcept {
    return begin_of(level + 1, s) - begin_of(level, s);
  }
  std::uint64_t size_of(std::uint64_t level) const noexcept;
  std::uint64_t found() const noexcept;
  std::uint64_t last_level() const noexcept { return units_.size() - 1; }

  const betweenness_core& core_;
  const high_diameter_limits limits_;
  loop::rounds<native> meeting_;
  loop::planned_rounds<native> way_back_;
  std::vector<seat> seats_;
  machine::page_array<id> words_;       ///< by vertex: entry << 2 | level bits
  machine::page_array<entry> entries_;  ///< a stretch for each seat
  /// By entry: paths to the vertex, in units of the level; on the way back its share of dependencies and targets by
  /// these.
  machine::page_array<double> values_;
  std::vector<id> begins_;     ///< by level and seat; of the level that is not yet followed, too, and where that ends
  std::vector<double> units_;  ///< by level: a unit of the level before in its own
};

}  // namespace callisto::graph
