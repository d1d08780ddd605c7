// Shortest paths by length from many sources at once: a cache line of distances for each vertex, one a source.
//
// A sweep goes over all vertices, up and down in turn. Each vertex takes, in all lanes at once, the least of its
// distances and the distances of its in-neighbours plus the arc: Bellman-Ford's algorithm in the manner of Gauss and
// Seidel. A row ends where an arc is longer than the vertex's largest distance, which it cannot shorten. In-neighbours
// that have not changed since the sweep before are skipped. So all sweeps together read about as many arcs as one
// search.
//
// The first distances are upper bounds, by way of some hubs ("landmarks": Goldberg and Harrelson, SODA 2005): rows end
// early from the first sweep on.
#pragma once

#include <callisto/graph/csr/weight_survey.hpp>
#include <callisto/graph/multisource/length_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stop_token>
#include <type_traits>
#include <vector>

namespace callisto::graph {

/// `infinity`: of a vertex that is not reached. The sum of two such values fits a Length.
template <class Length>
struct lane_limits {
  static constexpr unsigned lanes = 64 / sizeof(Length);
  static constexpr Length infinity = std::numeric_limits<Length>::max() / 2;
};
template <>
struct lane_limits<double> {
  static constexpr unsigned lanes = 8;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

/// Distances from some hubs to all vertices, and from all vertices to them; by hub.
template <class Length>
struct landmarks {
  std::vector<machine::page_array<Length>> from;
  std::vector<machine::page_array<Length>> to;
};

enum class lane_end {
  complete,
  stopped,    ///< a stop was requested: the distances mean nothing
  overflown,  ///< a Length may not hold a distance
};

/// The memory of such searches; one thread uses it. The rows must outlive it.
template <class Length>
class lane_search {
 public:
  static constexpr unsigned lanes = lane_limits<Length>::lanes;
  /// Bytes a vertex that it takes.
  static constexpr std::uint64_t bytes = 64 + sizeof(Length) + 1;

  /// `longest`: the largest length of the rows.
  lane_search(const length_rows<Length>& rows, const landmarks<Length>& marks, Length longest);

  /// Searches from sources 1 to `lanes`, given by their numbers.
  lane_end run(std::span<const std::uint32_t> sources, const std::stop_token& stop);

  /// Returns the distances of a vertex, one a source; infinity if a source does not reach it. Lanes without a source
  /// are 0.
  const Length* distances(std::uint64_t number) const noexcept { return distances_.data() + number * lanes; }

  /// Copies the distances from one source, by number of a vertex.
  void copy_lane(unsigned lane, Length* to) const noexcept;

  std::uint64_t sweeps() const noexcept { return sweeps_; }

 private:
  void start(std::span<const std::uint32_t> sources);

  const length_rows<Length>& rows_;
  const landmarks<Length>& marks_;
  const Length longest_;
  machine::page_array<Length> distances_;      ///< by number of a vertex, then lane
  machine::page_array<Length> farthest_;       ///< by number: the largest distance of the vertex
  machine::page_array<std::uint8_t> changed_;  ///< by number: the sweep that changed the vertex last
  std::uint64_t sweeps_ = 0;
};

/// Moves the sources that reach no hub behind the other sources, which keep their order. Such a source reaches little,
/// and a lane without distances would make the rows of a whole search be read to their ends.
template <class Length>
void reaching_first(std::vector<std::uint32_t>& sources, const landmarks<Length>& marks) {
  std::stable_partition(sources.begin(), sources.end(), [&](std::uint32_t s) {
    return std::any_of(marks.to.begin(), marks.to.end(),
                       [&](const auto& to) { return to[s] < lane_limits<Length>::infinity; });
  });
}

/// Returns the distances between hubs and all vertices. `reversed`: the rows of out-arcs; null if the graph is
/// undirected. Returns no landmarks if a Length may not hold them. Throws cancelled.
template <class Length>
landmarks<Length> find_landmarks(const length_rows<Length>& rows, const length_rows<Length>* reversed, Length longest,
                                 const run_control& control);

/// Calls search(std::type_identity<Length>()) for the shortest form that may hold distances by such weights, then for
/// longer ones, until it returns true.
template <class Search>
void in_shortest_form(const weight_survey& weights, const Search& search) {
  const auto fits = [&](double limit) { return weights.whole && weights.most < limit; };
  if (fits(lane_limits<std::uint16_t>::infinity) && search(std::type_identity<std::uint16_t>())) return;
  if (fits(lane_limits<std::uint32_t>::infinity) && search(std::type_identity<std::uint32_t>())) return;
  search(std::type_identity<double>());
}

}  // namespace callisto::graph
