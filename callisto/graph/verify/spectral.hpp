// The checks of eigenvector centrality, Katz and HITS (verify.hpp).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/spectral/spectral.hpp>
#include <callisto/graph/verify/verify.hpp>

namespace callisto::graph {

/// Checks that scores are not negative and have the right sum, and that one sequential product satisfies the definition
/// within the result's residual. In an undirected graph, no Rayleigh quotient of the sequential power iteration may
/// exceed the eigenvalue. Takes 24 bytes a vertex. Throws wrong_result.
CALLISTO_API void verify_eigenvector(const any_graph& graph, const spectral_options& options,
                                     const eigenvector_result& result);
CALLISTO_API void verify_katz(const any_graph& graph, const katz_options& options, const katz_result& result);
CALLISTO_API void verify_hits(const any_graph& graph, const spectral_options& options, const hits_result& result);

}  // namespace callisto::graph
