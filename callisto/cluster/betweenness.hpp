// Betweenness of the vertices of a dealt graph, by levels.
#pragma once

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>

namespace callisto::cluster {

/// Computes the betweenness as graph::betweenness() does, together with control.among, with arcs of length 1: the same
/// scores but for their last bits, which depend on the number of processes. All scores where the result is told.
///
/// 1. Searches from several sources run side by side, each a *lane*; all go from level to level together.
/// 2. A process adds up the path counts that its vertices of a level give to the next one, and sends each sum to the
///    process that has the vertex.
/// 3. On the way back, dependencies go to the vertices before in the same way.
///
/// Cost: two looks at each arc for each source, and four exchanges a level of a few lanes. Memory: 8 bytes a vertex for
/// each lane, and 28 for each own vertex and lane. Throws usage_error for options of which there is no form for several
/// processes (lengths, an error), for more paths than a double counts, and as graph::betweenness(); cancelled;
/// std::bad_alloc.
graph::betweenness_result betweenness(const graph::any_graph& graph, const graph::betweenness_options& options,
                                      const graph::shared_control& control);

/// Returns how many searches run side by side: four, or as many as threads, up to 16.
unsigned lanes_of_betweenness();

}  // namespace callisto::cluster
