#include <callisto/cluster/distances.hpp>
#include <callisto/graph/distance/distance_sources.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace callisto::cluster {

namespace {

constexpr std::size_t lanes = 64;

/// Searches of a dealt graph, side by side; arcs count in both directions.
template <class Vertex>
class side_by_side {
 public:
  side_by_side(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control)
      : graph_(graph),
        among_(*control.among),
        control_(control),
        first_(among_.first()),
        front_(graph.vertices(), machine::page_kind::used),
        seen_(among_.last() - first_, machine::page_kind::used),
        next_(seen_.size(), machine::page_kind::used) {}

  /// Searches from up to 64 sources, each in a lane.
  void from(std::span<const std::uint64_t> sources) {
    at_.assign(1, {});
    parallel_for(std::uint64_t{0}, std::uint64_t{front_.size()}, [&](std::uint64_t v) { front_[v] = 0; });
    for (std::size_t lane = 0; lane != sources.size(); ++lane) {
      front_[sources[lane]] |= std::uint64_t{1} << lane;
      at_[0][lane] = 1;
    }
    const std::uint64_t all = sources.size() == lanes ? ~std::uint64_t{0} : (std::uint64_t{1} << sources.size()) - 1;
    parallel_for(std::uint64_t{0}, std::uint64_t{seen_.size()},
                 [&](std::uint64_t i) { seen_[i] = front_[first_ + i]; });
    while (go_on(all)) among_.share(front_.data(), among_.bounds());
  }

  /// Returns by level how many vertices the search of a lane found.
  std::vector<std::uint64_t> levels_of(std::size_t lane) const {
    std::vector<std::uint64_t> found;
    for (const counts& level : at_) {
      if (level[lane] != 0) found.push_back(level[lane]);
    }
    return found;
  }

  /// Returns the smallest vertex of the last level that the only search has found.
  std::uint64_t farthest() const {
    const auto found = std::find_if(front_.begin(), front_.end(), [](std::uint64_t reached) { return reached != 0; });
    return static_cast<std::uint64_t>(found - front_.begin());
  }

 private:
  using counts = std::array<std::uint64_t, lanes>;

  /// Finds the next level of all searches. False: there is none.
  bool go_on(std::uint64_t all) {
    std::vector<counts> by_thread(threads());
    const auto look = [&](std::uint64_t i) {
      next_[i] = 0;
      if (seen_[i] == all) return;
      std::uint64_t near = 0;
      for (const Vertex w : graph_.out().row(first_ + i)) near |= front_[w];
      if (graph_.directed()) {
        for (const Vertex w : graph_.in().row(first_ + i)) near |= front_[w];
      }
      next_[i] = near & ~seen_[i];
      seen_[i] |= near;
      counts& mine = by_thread[this_thread()];
      for (std::uint64_t bits = next_[i]; bits != 0; bits &= bits - 1) ++mine[std::countr_zero(bits)];
    };
    if (!parallel_for(std::uint64_t{0}, std::uint64_t{seen_.size()}, look, {.stop = control_.stop})) {
      throw graph::cancelled();
    }
    counts level{};
    for (const counts& own : by_thread) {
      for (std::size_t lane = 0; lane != lanes; ++lane) level[lane] += own[lane];
    }
    counts sums{};
    for (const counts& of_one : among_.all_of(level)) {
      for (std::size_t lane = 0; lane != lanes; ++lane) sums[lane] += of_one[lane];
    }
    if (std::ranges::all_of(sums, [](std::uint64_t n) { return n == 0; })) return false;
    at_.push_back(sums);
    std::copy(next_.begin(), next_.end(), front_.begin() + first_);
    return true;
  }

  const graph::csr_graph<Vertex>& graph_;
  graph::partners& among_;
  const graph::shared_control& control_;
  const std::uint64_t first_;
  machine::page_array<std::uint64_t> front_;  ///< by vertex: the searches that have reached it in the last level
  machine::page_array<std::uint64_t> seen_;   ///< by own vertex: the searches that have reached it
  machine::page_array<std::uint64_t> next_;   ///< by own vertex: those that reach it in the next level
  std::vector<counts> at_;                    ///< by level and lane
};

}  // namespace

template <class Vertex>
graph::distance_sample sample_distances(const graph::csr_graph<Vertex>& graph, const graph::component_map<Vertex>& map,
                                        const graph::distances_options& options, const graph::shared_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which distances over ranks need");
  graph::distance_sample found;
  const auto sizes = component_sizes(map, control);
  if (sizes.empty()) return found;
  found.vertices = sizes.front().second;
  const auto [sources, hub] =
      pick_sources(graph, map, sizes.front().first, graph::draw_sources(options.sources, found.vertices, options.seed));
  found.sources = sources.size();
  const bool exact = found.sources == found.vertices;
  if (control.report != nullptr) control.report->begin("distances", sources.size() + (exact ? 0 : 2), "searches");
  side_by_side<Vertex> searches(graph, control);
  std::uint64_t smallest = std::numeric_limits<std::uint32_t>::max();  // eccentricity found
  const auto look_at = [&](const std::vector<std::uint64_t>& levels) {
    const std::uint64_t eccentricity = levels.size() - 1;
    found.diameter_low = std::max(found.diameter_low, static_cast<std::uint32_t>(eccentricity));
    smallest = std::min(smallest, eccentricity);
  };
  if (!exact) {
    searches.from(std::vector<std::uint64_t>{std::uint64_t{hub}});
    look_at(searches.levels_of(0));
    const std::vector<std::uint64_t> end{searches.farthest()};
    searches.from(end);
    look_at(searches.levels_of(0));
    if (control.report != nullptr) control.report->advance(2);
  }
  for (std::size_t begin = 0; begin < sources.size(); begin += lanes) {
    const std::size_t count = std::min(lanes, sources.size() - begin);
    searches.from(std::span(sources).subspan(begin, count));
    for (std::size_t lane = 0; lane != count; ++lane) {
      const std::vector<std::uint64_t> levels = searches.levels_of(lane);
      look_at(levels);
      if (found.at.size() < levels.size()) found.at.resize(levels.size());
      for (std::size_t d = 0; d != levels.size(); ++d) found.at[d] += levels[d];
    }
    if (control.report != nullptr) control.report->advance(count);
  }
  found.diameter_high = static_cast<std::uint32_t>(
      exact ? found.diameter_low : std::min<std::uint64_t>(2 * smallest, std::numeric_limits<std::uint32_t>::max()));
  return found;
}

template graph::distance_sample sample_distances(const graph::csr_graph<std::uint32_t>&,
                                                 const graph::component_map<std::uint32_t>&,
                                                 const graph::distances_options&, const graph::shared_control&);
template graph::distance_sample sample_distances(const graph::csr_graph<std::uint64_t>&,
                                                 const graph::component_map<std::uint64_t>&,
                                                 const graph::distances_options&, const graph::shared_control&);

}  // namespace callisto::cluster
