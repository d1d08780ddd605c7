// All searches of one betweenness: the loops over sources, the states that these use, and what remains for searches
// from one source at a time.
#pragma once

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/betweenness/core.hpp>
#include <callisto/graph/betweenness/forms.hpp>
#include <callisto/graph/betweenness/high_diameter.hpp>
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/multisource/state_pool.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

namespace callisto::graph {

/// search_alone() or search_together().
using search_function = search_end(search_state&, const search_sweeps&, const core_source*, unsigned,
                                   const std::stop_token&);

/// The sources in batches of search_lanes, and everything that searches from them share.
class betweenness_searches {
 public:
  betweenness_searches(const betweenness_core& core, const run_control& control)
      : core_(core), control_(control), pool_([&core] {
          const auto most = static_cast<unsigned>(std::min<std::uint64_t>(search_lanes, core.sources.size()));
          return std::make_unique<search_state>(core, most);
        }) {}

  std::uint64_t batches() const noexcept { return (core_.sources.size() + search_lanes - 1) / search_lanes; }

  /// Returns the scores by vertex of the core, in parts that the caller is to sum.
  std::vector<const double*> scores() const;
  /// Returns the squares, which the core must have asked for, in the same way.
  std::vector<const double*> squares() const;

  /// Searches from the batches `which` in the form `how`. Leaves to run_single() what a search for several sources does
  /// not suit. Throws cancelled.
  betweenness_trial run(std::span<const std::uint64_t> which, loop_form how);

  /// If the graph has a high diameter at the first source, searches from all sources by high_diameter_search: from the
  /// first `apart` by one thread each, from the other sources with several threads together. Leaves to run_single() the
  /// sources at which counts overflow. Returns false, having done nothing, if the diameter is not high. Throws
  /// cancelled.
  bool run_high_diameter(std::uint64_t apart);

  /// Leaves all sources to run_single().
  void leave_to_single();

  /// Searches by search_single() from the sources that were left: several at once if `together`, otherwise one at a
  /// time, with the memory of one state. Throws cancelled.
  void run_single(bool together);

 private:
  template <search_function* function>
  struct batch_loop;

  template <search_function* function>
  void search(search_state& state, std::uint64_t batch);
  void search_high_diameter(high_diameter_search& state, std::uint64_t i);
  void search_from(search_state& state, std::uint64_t i);

  /// Returns the number of sources of a batch.
  unsigned size_of(std::uint64_t batch) const noexcept {
    return static_cast<unsigned>(std::min<std::uint64_t>(search_lanes, core_.sources.size() - batch * search_lanes));
  }

  const betweenness_core& core_;
  const run_control& control_;
  search_sweeps sweeps_ = search_sweeps_versions(lanes_for(core_.sources.size())).front();
  shared_states<search_state> pool_;
  std::atomic<bool> high_diameter_{false};  ///< a search has ended as search_end::high_diameter
  std::mutex mutex_;                        // guards single_
  std::vector<std::uint64_t> single_;       ///< sources left to run_single(), by their number
  std::vector<machine::page_array<double>> high_diameter_scores_;
  std::vector<machine::page_array<double>> high_diameter_squares_;
};

}  // namespace callisto::graph
