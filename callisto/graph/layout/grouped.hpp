// Places in which people see groups: components apart, and within them groups as clumps where forces alone mix them.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/layout/layout.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace callisto::graph {

/// Whether groups become clumps.
enum class clumps {
  where_mixed,  ///< in components in which forces alone would mix the groups
  always,
  never,
};

/// Returns a place for each vertex. Components are laid out one by one and packed into about a square, the largest
/// first. A component in which forces would mix members of several groups gets a disc a group, as far from each other
/// as forces between groups say; members lie within their disc by the forces among them, turned towards their
/// neighbours in other groups. `groups`: by vertex any number below that of vertices, the same for members of a group;
/// empty: there are none. The result depends on the arguments alone. Cost: at most about twice that of force_layout().
/// Throws as force_layout() does.
CALLISTO_API std::vector<layout_point> grouped_layout(std::uint32_t vertices, std::span<const layout_edge> edges,
                                                      std::span<const std::uint32_t> groups,
                                                      clumps how = clumps::where_mixed,
                                                      const run_control& control = {});

/// Returns the share of vertices that are nearer to the middle of their group than to the middle of another group,
/// by the spread of each group; of at most some thousand vertices, evenly chosen. 1 if there is one group.
CALLISTO_API double share_in_own_clump(std::span<const layout_point> places, std::span<const std::uint32_t> groups);

}  // namespace callisto::graph
