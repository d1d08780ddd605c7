// Brandes' algorithm for four or eight sources at once: the state of a search, and the sweeps that it is made of.
//
// Each source is a *lane*. A vertex has a cache line, or half of one, of path counts, one for each lane; as much of
// shares; and a byte with a bit for each lane that has reached it. A *level* is the set of vertices that some lanes
// reach at one step: a stretch of `list`, with these lanes in `lanes_of`. If lanes reach a vertex at different steps,
// it is in several levels.
//
// A *sweep* does one thing to all vertices of a level, or of the graph. Sweeps over disjoint ranges may run at once,
// except where said. Each sweep has one source text, and a version for each instruction set.
#pragma once

#include <callisto/graph/betweenness/core.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace callisto::graph {

inline constexpr unsigned search_lanes = 8;
using lane_set = std::uint8_t;

/// Returns the lanes for `sources` sources: four, if these are enough. Fewer lanes leave more of the path counts and
/// shares, which are read in random order, in the caches.
constexpr unsigned lanes_for(std::uint64_t sources) noexcept { return sources <= 4 ? 4 : search_lanes; }

/// One number for each lane.
struct lane_values {
  double lane[search_lanes];

  friend lane_values operator+(const lane_values& a, const lane_values& b) noexcept {
    lane_values sum;
    for (unsigned l = 0; l < search_lanes; ++l) sum.lane[l] = a.lane[l] + b.lane[l];
    return sum;
  }
};

/// Sums of the arcs at a set of vertices.
struct arc_sums {
  std::uint64_t out = 0;
  std::uint64_t in = 0;
  std::uint64_t closed_in = 0;  ///< arcs into vertices that all lanes have reached by this level

  friend arc_sums operator+(arc_sums a, const arc_sums& b) noexcept {
    return {a.out + b.out, a.in + b.in, a.closed_in + b.closed_in};
  }
};

struct search_state {
  explicit search_state(const betweenness_core& what, unsigned most_sources = search_lanes);

  /// Return the bytes a vertex that a state of `lanes` lanes may take, if one thread searches, and if several do.
  static constexpr std::uint64_t bytes_alone(unsigned lanes) noexcept {
    return 2 * lanes * sizeof(double) + 3 * sizeof(lane_set) + sizeof(double) + sizeof(betweenness_core::id) +
           lanes * (sizeof(betweenness_core::id) + sizeof(lane_set));
  }
  static constexpr std::uint64_t bytes_together(unsigned lanes) noexcept {
    return bytes_alone(lanes) + lanes * sizeof(double);
  }

  const betweenness_core& core;
  unsigned lanes;
  // By vertex, one number for each lane.
  machine::page_array<double> paths;   ///< number of shortest paths from the source; set where reached
  machine::page_array<double> shares;  ///< sum of (1 + dependency) / paths over the next vertices on these paths
  /// Sums that threads make together, until another loop stores them: a vertex may be read in some lanes while it is
  /// found in other lanes. In small pages, because a thread alone never touches it.
  machine::page_array<double> pulled;
  machine::page_array<lane_set> reached;  ///< lanes of the levels so far
  machine::page_array<lane_set> active;   ///< lanes of the level that a sweep looks for; otherwise 0
  machine::page_array<lane_set> found;    ///< lanes of the level that is being made; otherwise 0
  machine::page_array<betweenness_core::id> list;
  machine::page_array<lane_set> lanes_of;
  /// The place of a vertex in the list of search_single(), or ~0. Made by the first such search.
  machine::page_array<betweenness_core::id> positions;
  machine::page_array<double> scores;    ///< by vertex of the core: sums over all searches with this state
  machine::page_array<double> squares;   ///< the same of squared dependencies; empty unless the core asks for them
  lane_set all = 0;                      ///< the lanes in use
  alignas(64) lane_values weights = {};  ///< number of sources that each lane's source stands for
};

/// The sweeps for a number of lanes, over positions [first, last) of the list unless said otherwise. Sums go to `to`: a
/// thread alone passes the array they belong to; threads together pass `pulled`, and the next sweep over the same
/// vertices stores them.
struct search_sweeps {
  /// Adds the path counts of a level to the path counts of the vertices behind it. Marks these as found and appends
  /// them at `end` of the list; returns its new end. Must run alone.
  std::uint64_t (*push_paths)(search_state&, std::uint64_t first, std::uint64_t last, std::uint64_t end);
  /// Sets the sums of the level's vertices to 0.
  void (*clear)(search_state&, std::uint64_t first, std::uint64_t last, double* to);
  /// Adds the path counts of a level to the sums of found vertices among [begin, end) of the graph. No other thread may
  /// sweep to these.
  void (*add_paths)(search_state&, std::uint64_t first, std::uint64_t last, betweenness_core::id begin,
                    betweenness_core::id end, double* to);
  /// Sets the sum of each found vertex to the path counts of its in-neighbours in the active level.
  void (*pull_paths)(search_state&, std::uint64_t first, std::uint64_t last, double* to);
  /// Finds the vertices among [first, last) of the graph behind the active level, and sums their path counts. Writes
  /// them to `list`; returns how many there are.
  std::uint64_t (*pull_all)(search_state&, std::uint64_t first, std::uint64_t last, betweenness_core::id* list,
                            double* to);
  /// Makes a level of found vertices. Stores path counts from `pulled`, if not null.
  arc_sums (*settle)(search_state&, std::uint64_t first, std::uint64_t last, double* pulled);
  /// Adds the dependencies of a level to the scores and completes its shares. Takes shares from `pulled`, if not null.
  /// Returns the number of targets in each lane.
  lane_values (*finish)(search_state&, std::uint64_t first, std::uint64_t last, double* pulled);
  /// Sums the shares of the active level for each vertex of the level before it.
  void (*pull_shares)(search_state&, std::uint64_t first, std::uint64_t last, double* to);
  /// Adds the shares of a level to the sums of the vertices among [begin, end) of the graph that are in the active
  /// level before it. No other thread may sweep to these.
  void (*push_shares)(search_state&, std::uint64_t first, std::uint64_t last, betweenness_core::id begin,
                      betweenness_core::id end, double* to);
};

/// Returns all versions for `lanes` lanes that this processor can run, the fastest first.
std::vector<search_sweeps> search_sweeps_versions(unsigned lanes);

/// How a search ended.
enum class search_end {
  complete,
  stopped,  ///< a stop was requested: the scores mean nothing
  // The scores are unchanged; search_single() has to do it:
  overflown,      ///< more paths than a double can count
  high_diameter,  ///< many small levels, in which lanes would share nothing and threads would wait for each other
};

/// Search from `count` sources, 1 to the lanes of the state and the sweeps: with one thread, or with parallel loops.
/// Add to the state's scores the contributions of pairs from these sources, and from sources folded into them.
search_end search_alone(search_state& state, const search_sweeps& sweeps, const core_source* sources, unsigned count,
                        const std::stop_token& stop);
search_end search_together(search_state& state, const search_sweeps& sweeps, const core_source* sources, unsigned count,
                           const std::stop_token& stop);

/// The limits of a search from one source; tests set them low.
struct single_limits {
  double bits = 960;                         ///< of a level's path counts; with more, counts become wide_count
  std::uint64_t record = ~std::uint64_t{0};  ///< entries of the record of the vertices behind each vertex
};

/// Searches from one source with one thread, whatever the number of paths. Returns complete or stopped.
search_end search_single(search_state& state, const core_source& source, const std::stop_token& stop,
                         const single_limits& limits = {});

/// Adds to the source what the paths of vertices folded into it contribute: each such vertex reaches every target but
/// itself, through the source. `targets`: the targets that the source reaches.
inline void count_folded(const betweenness_core& core, machine::page_array<double>& scores,
                         machine::page_array<double>& squares, const core_source& source, double targets) noexcept {
  const double others = targets + core.targets_of(source.vertex) - 1;
  scores[source.vertex] += static_cast<double>(source.folded) * others - static_cast<double>(source.mutual);
  if (squares.empty()) return;
  const auto mutual = static_cast<double>(source.mutual);
  squares[source.vertex] +=
      (static_cast<double>(source.folded) - mutual) * others * others + mutual * (others - 1) * (others - 1);
}

}  // namespace callisto::graph
