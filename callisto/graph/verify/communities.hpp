// The check of communities by means that differ from the kernel's (verify.hpp).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/verify/verify.hpp>

namespace callisto::graph {

/// Checks the names and the number of communities, that each is connected, and their quality by one sum over all edges.
/// If the result has converged: for leiden and louvain, that no joining of two communities raises the quality by more
/// than 1e-9 of it, which are the moves of the last level; for labels, that no vertex has neighbours of another label
/// with more weight than neighbours of its label. Takes 80 bytes a vertex and 16 an arc, 32 of a directed graph. Throws
/// wrong_result.
CALLISTO_API void verify_communities(const any_graph& graph, const communities_options& options,
                                     const communities_result& result);

}  // namespace callisto::graph
