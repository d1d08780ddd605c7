// Brandes' algorithm for four or eight sources at once: the state of a search, and the sweeps that it is made of.
//
// Each of the sources is a lane. A vertex has a cache line, or half of one, with its path count in every lane, one with
// its share of dependencies in every lane, and a byte with a bit for each lane that says where it has been reached. The
// vertices that some lanes reach at one step form a level: a stretch of `list`, with those lanes in `lanes_of`. A
// vertex that lanes reach at different steps is in several levels.
//
// A sweep does one thing to all vertices of a level, or to all of the graph; those over disjoint ranges may run at
// once, except where said. Each has one source text and a version for each instruction set.
#pragma once

#include <callisto/graph/betweenness/core.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace callisto::graph {

inline constexpr unsigned search_lanes = 8;
using lane_set = std::uint8_t;

/// The lanes for so many sources: four, where these are enough, because what decides is how much of the paths and
/// shares, read in random order, fits into caches.
constexpr unsigned lanes_for(std::uint64_t sources) noexcept { return sources <= 4 ? 4 : search_lanes; }

/// A number for each lane.
struct lane_values {
  double lane[search_lanes];

  friend lane_values operator+(const lane_values& a, const lane_values& b) noexcept {
    lane_values sum;
    for (unsigned l = 0; l < search_lanes; ++l) sum.lane[l] = a.lane[l] + b.lane[l];
    return sum;
  }
};

/// The arcs at a set of vertices.
struct arc_sums {
  std::uint64_t out = 0;
  std::uint64_t in = 0;
  std::uint64_t closed_in = 0;  ///< into vertices that all lanes have reached now

  friend arc_sums operator+(arc_sums a, const arc_sums& b) noexcept {
    return {a.out + b.out, a.in + b.in, a.closed_in + b.closed_in};
  }
};

struct search_state {
  explicit search_state(const betweenness_core& what, unsigned most_sources = search_lanes);

  /// Bytes that a state of so many lanes may come to need for each vertex when one thread searches, and when several do
  /// together.
  static constexpr std::uint64_t bytes_alone(unsigned lanes) noexcept {
    return 2 * lanes * sizeof(double) + 3 * sizeof(lane_set) + sizeof(double) + sizeof(betweenness_core::id) +
           lanes * (sizeof(betweenness_core::id) + sizeof(lane_set));
  }
  static constexpr std::uint64_t bytes_together(unsigned lanes) noexcept {
    return bytes_alone(lanes) + lanes * sizeof(double);
  }

  const betweenness_core& core;
  unsigned lanes;
  // By vertex, a number for each lane.
  machine::page_array<double> paths;   ///< shortest paths from the source; where reached
  machine::page_array<double> shares;  ///< sum of (1 + dependency) / paths over the next vertices on these
  /// What threads that search together sum up, until a loop of its own stores it: a vertex may be read in some lanes
  /// while it is found in others. Small pages, because a thread alone never touches it.
  machine::page_array<double> pulled;
  machine::page_array<lane_set> reached;  ///< in the levels so far
  machine::page_array<lane_set> active;   ///< in the level that a sweep looks for; else 0
  machine::page_array<lane_set> found;    ///< in the level that is being made; else 0
  machine::page_array<betweenness_core::id> list;
  machine::page_array<lane_set> lanes_of;
  /// Where a search from one source has a vertex in its list, else ~0; made by the first such search.
  machine::page_array<betweenness_core::id> positions;
  machine::page_array<double> scores;    ///< by vertex of the core: the sums over all searches with this state
  lane_set all = 0;                      ///< the lanes in use
  alignas(64) lane_values weights = {};  ///< what each lane's search is worth
};

/// The sweeps for a number of lanes, over positions [first, last) of the list unless said otherwise. Sums go to
/// `to`: by a thread alone to where they belong, else to `pulled`, from where the next sweep over the same vertices
/// stores them.
struct search_sweeps {
  /// Adds the path counts of a level to those of the vertices behind it, which are marked as found and appended at
  /// `end` of the list; returns its new end. Not to run beside another.
  std::uint64_t (*push_paths)(search_state&, std::uint64_t first, std::uint64_t last, std::uint64_t end);
  /// Sets the sums to 0.
  void (*clear)(search_state&, std::uint64_t first, std::uint64_t last, double* to);
  /// Adds the path counts of a level to the sums of the found vertices [begin, end) of the graph. Not to run beside
  /// another for these.
  void (*add_paths)(search_state&, std::uint64_t first, std::uint64_t last, betweenness_core::id begin,
                    betweenness_core::id end, double* to);
  /// Sums the path counts of found vertices over the active level.
  void (*pull_paths)(search_state&, std::uint64_t first, std::uint64_t last, double* to);
  /// Finds the vertices of [first, last) of the graph behind the active level, and sums their path counts; writes the
  /// vertices to `list` and returns how many they are.
  std::uint64_t (*pull_all)(search_state&, std::uint64_t first, std::uint64_t last, betweenness_core::id* list,
                            double* to);
  /// Turns found vertices into vertices of a level; stores path counts that were pulled, if not null.
  arc_sums (*settle)(search_state&, std::uint64_t first, std::uint64_t last, double* pulled);
  /// Adds a level's dependencies to the scores, and makes its shares complete, after storing those that were pulled, if
  /// not null. Returns the targets in each lane.
  lane_values (*finish)(search_state&, std::uint64_t first, std::uint64_t last, double* pulled);
  /// Sums the shares of the active level for each vertex of the level before it.
  void (*pull_shares)(search_state&, std::uint64_t first, std::uint64_t last, double* to);
  /// Adds a level's shares to the sums of the vertices [begin, end) of the graph of the active level before it. Not to
  /// run beside another for these.
  void (*push_shares)(search_state&, std::uint64_t first, std::uint64_t last, betweenness_core::id begin,
                      betweenness_core::id end, double* to);
};

/// All versions for so many lanes that this processor can run, the fastest first.
std::vector<search_sweeps> search_sweeps_versions(unsigned lanes);

/// How a search ended.
enum class search_end {
  complete,
  stopped,  ///< because it was asked to: the scores mean nothing
  // The scores are as before, search_single does it:
  overflown,      ///< more paths than a double can count
  high_diameter,  ///< many small levels, in which lanes share nothing and threads would wait for each other
};

/// Searches from `count` sources, 1 to the lanes of the state and the sweeps, with one thread or with parallel loops,
/// and adds to the state's scores what pairs with these sources, and with those folded into them, contribute.
search_end search_alone(search_state& state, const search_sweeps& sweeps, const core_source* sources, unsigned count,
                        const std::stop_token& stop);
search_end search_together(search_state& state, const search_sweeps& sweeps, const core_source* sources, unsigned count,
                           const std::stop_token& stop);

/// Where a search from one source does otherwise; tests set them low.
struct single_limits {
  double bits = 960;                         ///< of the counts of a level: with more, they are no doubles from there on
  std::uint64_t record = ~std::uint64_t{0};  ///< entries of the record of what lies behind each vertex
};

/// The same from one source by one thread, of however many paths: complete or stopped.
search_end search_single(search_state& state, const core_source& source, const std::stop_token& stop,
                         const single_limits& limits = {});

/// What the paths of vertices folded into a source add to it: each of these reaches every target but itself, through
/// the source. `targets`: those that the source reaches.
inline void count_folded(const betweenness_core& core, machine::page_array<double>& scores, const core_source& source,
                         double targets) noexcept {
  const double others = targets + core.targets_of(source.vertex) - 1;
  scores[source.vertex] += static_cast<double>(source.folded) * others - static_cast<double>(source.mutual);
}

}  // namespace callisto::graph
