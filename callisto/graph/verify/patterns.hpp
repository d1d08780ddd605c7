// Checks of cliques, motifs, parts and paths in time.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/cliques/cliques.hpp>
#include <callisto/graph/cliques/motifs.hpp>
#include <callisto/graph/pair/temporal.hpp>
#include <callisto/graph/partition/partition.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <cstdint>
#include <span>

namespace callisto::graph {

/// Checks maximal cliques: those listed, and the largest, are cliques to which no vertex can be added; and by the plain
/// recursion of Bron and Kerbosch with a pivot, from all vertices at once, that their numbers by size are right. Throws
/// wrong_result, as all functions here.
template <class Vertex>
CALLISTO_API void verify_maximal_cliques(const csr_graph<Vertex>& graph, const clique_options& options,
                                         const clique_result& result);

/// Checks the counts of motifs by making each connected set of 3 and 4 vertices (ESU: Wernicke 2006). Takes a time as
/// long as there are sets.
template <class Vertex>
CALLISTO_API void verify_motifs(const csr_graph<Vertex>& graph, const motif_counts& result);

/// Checks that parts are as large as they may be, and recounts the edges between them.
template <class Vertex>
CALLISTO_API void verify_partition(const csr_graph<Vertex>& graph, const partition_options& options,
                                   const partition_result& result);

/// Checks earliest arrivals: no edge leads anywhere earlier, and each arrival follows from the vertex before.
template <class Vertex>
CALLISTO_API void verify_earliest_arrival(const csr_graph<Vertex>& graph, std::uint64_t source,
                                          std::span<const double> times, std::span<const double> durations,
                                          const temporal_options& options, const temporal_result<Vertex>& result);

}  // namespace callisto::graph
