// Centralities that are eigenvectors or solutions of linear equations: eigenvector centrality, Katz, HITS.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/gather_order.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <optional>

namespace callisto::graph {

struct spectral_options {
  double tolerance = 1e-9;  ///< ends when the residual is at most this share of the eigenvalue or right side; above 0
  unsigned iterations = 1000;  ///< products with the matrix at most; at least 1
  /// strength: entries of the matrix are the weights; none: all are 1. Not length.
  weight_use weights = weight_use::none;
  /// The order of the values that products gather, for eigenvector() and hits(); unset: the faster order by times of
  /// some arcs.
  std::optional<gather_order> inside_order = std::nullopt;
};

struct eigenvector_result {
  machine::page_array<double> scores;  ///< by vertex; the sum of squares is 1
  double eigenvalue = 0;
  unsigned iterations = 0;  ///< products with the matrix
  double residual = 0;  ///< length of (product - eigenvalue * scores), as a share of the eigenvalue; see eigenvector()
  bool converged = false;
  weight_use weights = weight_use::none;
  gather_order inside_order = gather_order::given;  ///< of the products; no score depends on it
};

/// Computes eigenvector centrality (Bonacich 1972): scores x >= 0 with eigenvalue * x(v) = the sum of w * x(u) over the
/// in-arcs (u, v) of weight w, for the largest eigenvalue, as NetworkX's eigenvector_centrality. In an undirected graph
/// of several components only the components with the largest eigenvalue have scores above 0. Without arcs all scores
/// are alike.
///
/// In a directed graph in which values grow by powers along paths behind the cycles, as behind cycles of small weights,
/// the scores of these cycles may be too small for doubles to tell the eigenvalue: then `converged` is false, and
/// `residual` bounds that of the cycles.
///
/// Repeated arcs add up. Loops are ordinary arcs, of an undirected graph once. Throws no_centrality if a directed graph
/// has no cycle: its only eigenvalue is 0. The same to the last bit for any number of threads.
///
/// Method: Arnoldi's with restarts (krylov.hpp). A product reads each in-arc once. Memory: 136 bytes a vertex. Reports
/// products as progress. Throws usage_error as check_spectral_arguments does; weight_error for a weight that is
/// negative or not finite; cancelled; std::bad_alloc.
CALLISTO_API eigenvector_result eigenvector(const any_graph& graph, const spectral_options& options = {},
                                            const run_control& control = {});

/// Thrown if a graph has no such centrality; what() says why.
class CALLISTO_API no_centrality : public usage_error {
 public:
  using usage_error::usage_error;
};

struct katz_options : spectral_options {
  /// Weight of a step of a walk; below 1 / the largest eigenvalue. 0: 0.1, NetworkX's, if that is below 0.9 / the
  /// largest eigenvalue, otherwise 0.85 / the largest eigenvalue. A graph without cycles has the eigenvalue 0 only:
  /// there the largest sum of the weights of in-arcs counts.
  double alpha = 0;
  double beta = 1;         ///< the amount that each vertex gets besides; above 0
  bool normalized = true;  ///< scores scaled so that the sum of squares is 1
};

struct katz_result {
  machine::page_array<double> scores;  ///< by vertex
  double alpha = 0;                    ///< as used
  unsigned iterations = 0;             ///< products with the matrix
  double residual = 0;                 ///< length of (alpha * product + beta - scores) by that of beta
  bool converged = false;
  weight_use weights = weight_use::none;
};

/// Computes Katz centrality (Katz 1953): x(v) = alpha * (the sum of w * x(u) over in-arcs (u, v)) + beta, as NetworkX's
/// katz_centrality. Throws no_centrality if alpha is not below 1 / the largest eigenvalue: the sum over all walks is
/// then infinite. Method: restarted GMRES (krylov.hpp). Otherwise as eigenvector().
CALLISTO_API katz_result katz(const any_graph& graph, const katz_options& options = {},
                              const run_control& control = {});

struct hits_result {
  machine::page_array<double> hubs;         ///< by vertex; the sum is 1
  machine::page_array<double> authorities;  ///< by vertex; the sum is 1
  unsigned iterations = 0;                  ///< products with the matrix and its transpose
  double residual = 0;                      ///< of the authorities, as a share of the eigenvalue
  bool converged = false;
  weight_use weights = weight_use::none;
  gather_order inside_order = gather_order::given;
};

/// Computes hubs and authorities (Kleinberg 1999), as NetworkX's hits: an authority is the sum of w * hub over its
/// in-arcs, a hub the sum of w * authority over its out-arcs, both up to a factor. Authorities are the eigenvector of
/// the largest eigenvalue of transpose * matrix. Without arcs all scores are alike. Otherwise as eigenvector().
CALLISTO_API hits_result hits(const any_graph& graph,
                              const spectral_options& options = {.weights = weight_use::strength},
                              const run_control& control = {});

/// Throws usage_error if the tolerance is not above 0, the number of iterations is 0, weights are lengths, the graph
/// has no vertices, or a directed graph lacks the rows of its in-edges.
CALLISTO_API void check_spectral_arguments(const any_graph& graph, const spectral_options& options);

namespace needs {
/// Returns the bytes that these functions take at most beyond the graph, the result included.
CALLISTO_API std::uint64_t spectral(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
