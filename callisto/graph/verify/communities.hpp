// The check of communities by other means than those that found them (verify.hpp).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/verify/verify.hpp>

namespace callisto::graph {

/// Checks the names and the number of communities, and their modularity by one sum over all edges. If the result has
/// converged: for Louvain, that no joining of two communities raises modularity by more than 1e-9, which are the moves
/// of the last level; for labels, that no vertex has neighbours of another label with more weight than those of its
/// own. Takes 32 bytes a vertex; for a directed graph also its undirected form. Throws wrong_result.
CALLISTO_API void verify_communities(const any_graph& graph, const communities_options& options,
                                     const communities_result& result);

}  // namespace callisto::graph
